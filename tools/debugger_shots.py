"""Takes the pictures of the guide's page on the debugger, from the Raptor that really stands; see `docs_shots.py`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PyQt6.QtCore import QSize
from PyQt6.QtWidgets import QApplication, QDialog

from studio.editor.app import make_window
from studio.editor.layouts import BUILD, DEBUG
from studio.editor.main_window import MainWindow
from studio.editor.settings import Settings
from studio.editor.theme import DARK, LIGHT
from tools.window_shots import LARGE, ROOT, SMALL, grab, stop_system, until, wait

RAPTOR = ROOT / "projects" / "raptor_blocks_world"
CODE = ROOT / "components" / "terrain_map" / "terrain_map.py"
HANDLER = "self._scans.append(scan)"
"""A line in the handler of a scan."""
LASER = "/platform/laser_left"


def frozen_on_an_event(window: MainWindow) -> None:
    """At an event breakpoint, in the layout that one builds in."""
    window.layouts.choose(BUILD)
    window.event_breaks.break_on(LASER)
    until(lambda: window.freeze.is_frozen)
    wait(1500)
    window.canvas.fit()


def the_dialog(window: MainWindow) -> None:
    window.event_breaks.ask_new(LASER)
    wait(300)


def stopped_in_a_handler(window: MainWindow) -> None:
    """At a line, in the layout of the debugger."""
    for dialog in window.findChildren(QDialog):
        dialog.reject()
    for row in window.event_breaks.rows():
        window.event_breaks.remove(row.key)
    window.layouts.choose(DEBUG)
    window.trigger("run.start")
    window.debug.attach("terrain_map")
    until(lambda: window.debug.is_debugged("terrain_map"))
    line = next(number for number, text in enumerate(CODE.read_text().splitlines(), 1) if HANDLER in text)
    window.code.open_at(CODE, line)
    window.debug.book.toggle(str(CODE), line)
    until(lambda: window.freeze.is_frozen and window.debug.is_stopped)
    wait(2500)


PICTURES = (
    ("debugger_event", LARGE, False, frozen_on_an_event),
    ("debugger_event_dialog", SMALL, False, the_dialog),
    ("debugger_frozen", LARGE, True, stopped_in_a_handler),
)


def main(folder: Path) -> int:
    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as home:
        window = make_window(app, Settings(Path(home) / "editor.ini"))
        window.files.may_leave = lambda: True  # type: ignore[method-assign]  # nothing of this is to be saved
        window.move(0, 0)
        window.resize(LARGE)
        window.show()
        window.files.open(RAPTOR)
        window.trigger("run.start")
        until(lambda: window.live.control.phase == "running", 180)
        wait(4000)
        for name, size, dark, prepare in PICTURES:
            window.show_theme(DARK if dark else LIGHT)
            window.resize(QSize(size))
            wait(300)
            prepare(window)
            wait(800)
            grab(size, folder / f"{name}.png")
            print(f"docs-shots: {name}.png")
        window.debug.book.clear()
        window.debug.continue_()
        stop_system(window)
        window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
