"""Takes pictures of the way a new user goes: from an empty canvas to a system that runs and is changed meanwhile.

`docs_shots.py` gives it a screen. At 150 % (QT_SCALE_FACTOR=1.5) it takes one picture, to see that nothing is cramped.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QPointF, QSize
from PyQt6.QtWidgets import QApplication, QDialog

from studio.editor.app import make_window
from studio.editor.layouts import RUN
from studio.editor.main_window import MainWindow
from studio.editor.settings import Settings
from studio.editor.theme import DARK, LIGHT
from studio.editor.trust_dialog import TrustDialog
from studio.model.parts import Wire
from studio.model.system_edits import Connect, Rewire, SetParameters
from tools.window_shots import LARGE, ROOT, SMALL, Prepare, grab, one_selected, stop_system, until, wait

MISSPELT = (
    ('type="low_pass"', 'type="low_pas"'),
    ('from="signal.value" to="before', 'from="signal.valeu" to="before'),
    ('name="frequency_hz"', 'name="freqency_hz"'),
)
COMMANDS = ["program tools/gps_bridge: ./gps_bridge --port /dev/ttyUSB0", "python components/tracker: tracker:Tracker"]


def nothing_yet(window: MainWindow) -> None:
    window.files.create(Path(tempfile.mkdtemp()) / "my_robot")


def first_card(window: MainWindow) -> None:
    nothing_yet(window)
    window.canvas.commands.add("signal_source", QPointF(-260, -80))
    window.palette_panel.field.setText("low")


def all_wired(window: MainWindow) -> None:
    nothing_yet(window)
    window.palette_panel.field.setText("")
    cards = (("signal_source", -260, -80), ("low_pass", 0, -80), ("signal_sink", 260, -80), ("signal_sink", 260, 80))
    for kind, x, y in cards:
        window.canvas.commands.add(kind, QPointF(x, y))
    for start, end in (
        ("signal_source.value", "low_pass.raw"),
        ("low_pass.smooth", "signal_sink.value"),
        ("signal_source.value", "signal_sink_2.value"),
    ):
        window.session.do(Connect(Wire.between(start, end)))
    window.canvas.canvas.select(["low_pass"])
    window.canvas.fit()


def running(window: MainWindow) -> None:
    """With the plot that opens by itself."""
    all_wired(window)
    window.trigger("run.start")
    until(lambda: is_fed(window, "signal_sink_2") and bool(window.viewers.open))
    wait(8000)


def inserted(window: MainWindow) -> None:
    """A slower filter is put in before the second sink while the system runs."""
    window.canvas.commands.add("low_pass", QPointF(0, 80))
    wire = next(wire for wire in window.session.system.wires if wire.end.node == "signal_sink_2")
    window.session.do(Connect(Wire.between("signal_source.value", "low_pass_2.raw")))
    window.session.do(Rewire(wire, Wire.between("low_pass_2.smooth", "signal_sink_2.value")))
    window.session.do(SetParameters("low_pass_2", {"cutoff_hz": 0.3}))
    window.canvas.canvas.select(["low_pass_2"])
    window.canvas.fit()
    until(lambda: is_fed(window, "low_pass_2"))
    wait(8000)


def what_it_costs(window: MainWindow) -> None:
    """The layout for running: what is said, and what each process costs."""
    window.viewers.close_all()
    window.layouts.choose(RUN)
    window.canvas.fit()
    wait(2000)


def things_to_mend(window: MainWindow) -> None:
    stop_system(window)
    folder = Path(tempfile.mkdtemp()) / "first_steps"
    shutil.copytree(ROOT / "projects" / "first_steps", folder)
    text = (folder / "system.xml").read_text()
    for right, wrong in MISSPELT:
        text = text.replace(right, wrong)
    (folder / "system.xml").write_text(text)
    window.files.open(folder)


def asked_for_trust(window: MainWindow) -> None:
    one_selected(window)
    TrustDialog(window, window.theme, "field_trial_03", ROOT, COMMANDS).show()


def preferences(window: MainWindow) -> None:
    one_selected(window)
    window.does.show_preferences()


def is_fed(window: MainWindow, component: str) -> bool:
    """The running system has this component, and events reach it."""
    told: dict[str, Any] = window.live.feed.state.get("components", {}).get(component, {})
    return bool(told.get("rate_hz"))


PICTURES: tuple[tuple[str, QSize, bool, Prepare], ...] = (
    ("walk_empty", SMALL, False, nothing_yet),
    ("walk_first", SMALL, False, first_card),
    ("walk_wired", SMALL, True, all_wired),
    ("walk_running", SMALL, False, running),
    ("walk_inserted", LARGE, False, inserted),
    ("walk_costs", LARGE, True, what_it_costs),
    ("window_problems", SMALL, False, things_to_mend),
    ("window_trust", SMALL, False, asked_for_trust),
    ("window_preferences", SMALL, True, preferences),
)
SCALED: tuple[tuple[str, QSize, bool, Prepare], ...] = (("window_scaled", QSize(1280, 720), False, one_selected),)


def main(folder: Path) -> int:
    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as home:
        window = make_window(app, Settings(Path(home) / "editor.ini"))
        window.files.may_leave = lambda: True  # type: ignore[method-assign]  # nothing of this is to be saved
        window.live.may_close = lambda close: True  # type: ignore[method-assign]
        window.move(0, 0)
        window.show()
        scale = window.devicePixelRatioF()
        for name, size, dark, prepare in PICTURES if scale == 1 else SCALED:
            window.show_theme(DARK if dark else LIGHT)
            window.resize(size)
            wait(200)
            prepare(window)
            wait(800)
            grab(size * scale, folder / f"{name}.png")
            print(f"docs-shots: {name}.png")
            for dialog in window.findChildren(QDialog):
                dialog.close()
        stop_system(window)
        window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
