"""Takes pictures of the real window in states that the guide explains; `docs_shots.py` gives it a screen."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QEvent, QEventLoop, QPoint, QPointF, QSize, Qt, QTimer
from PyQt6.QtGui import QGuiApplication, QMouseEvent
from PyQt6.QtWidgets import QApplication

from studio.editor.app import make_window
from studio.editor.main_window import MainWindow
from studio.editor.settings import Settings
from studio.editor.theme import DARK, LIGHT

ROOT = Path(__file__).resolve().parent.parent
SMALL, LARGE = QSize(1280, 800), QSize(1920, 1080)
LEFT = Qt.MouseButton.LeftButton
Kind = QEvent.Type
Prepare = Callable[[MainWindow], None]


def welcome(window: MainWindow) -> None:
    window.show_session(None)
    until(lambda: bool(window.welcome.tiles) and all(tile.picture is not None for tile in window.welcome.tiles))


def one_selected(window: MainWindow) -> None:
    window.files.open(ROOT / "projects" / "first_steps")
    window.canvas.canvas.select(["filter"])


def a_map_of_a_building(window: MainWindow) -> None:
    window.files.open(ROOT / "projects" / "carmen_mapping")
    window.canvas.fit()


def a_wire_in_the_making(window: MainWindow) -> None:
    one_selected(window)
    start, end = port(window, "filter", "smooth"), port(window, "before", "value")
    for kind, at in ((Kind.MouseButtonPress, start), (Kind.MouseMove, (start + end) / 2), (Kind.MouseMove, end)):
        point = QPointF(at)
        event = QMouseEvent(kind, point, point, LEFT, LEFT, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(window.canvas.viewport(), event)


def what_fits(window: MainWindow) -> None:
    one_selected(window)
    item = window.canvas.canvas.nodes["filter"]
    out = item.card.port("smooth")
    window.canvas.open_quick_add(item.anchor(out) + QPointF(40, 60) if out else None, out)


def running(window: MainWindow) -> None:
    """With the pointer resting on a wire."""
    one_selected(window)
    start_system(window)
    wire = next(item for item in window.canvas.canvas.wires.values() if str(item.connection.end) == "before.value")
    at = window.canvas.mapFromScene(wire.path.pointAtPercent(0.45))
    wait(3000)
    for place in (at, at + QPoint(1, 0)):
        event = QMouseEvent(
            Kind.MouseMove, QPointF(place), QPointF(place), Qt.MouseButton.NoButton, Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(window.canvas.viewport(), event)
    wait(9000)


def one_has_failed(window: MainWindow) -> None:
    """A component that raises at its third value, wired into the example."""
    folder = Path(tempfile.mkdtemp()) / "first_steps"
    shutil.copytree(ROOT / "projects" / "first_steps", folder)
    shutil.copytree(ROOT / "tests" / "misbehaving" / "fragile", folder / "components" / "fragile")
    text = (folder / "system.xml").read_text()
    extra = '<component name="fragile" type="fragile"/>\n  <wire from="filter.smooth" to="fragile.value"/>\n</system>'
    (folder / "system.xml").write_text(text.replace("</system>", extra))
    layout = (folder / "layout.xml").read_text()
    (folder / "layout.xml").write_text(layout.replace("</layout>", '<place of="fragile" x="640" y="320"/></layout>'))
    window.files.open(folder)
    start_system(window)
    until(lambda: window.live.feed.state["components"]["fragile"]["state"] == "error")
    window.canvas.canvas.select(["fragile"])
    window.canvas.fit()
    wait(3000)


def start_system(window: MainWindow) -> None:
    window.live.feed.attached.disconnect(window.viewers.choose_by_types)  # the canvas alone
    window.trigger("run.start")
    until(lambda: window.live.control.phase == "running")
    window.live.feed.attached.connect(window.viewers.choose_by_types)


def stop_system(window: MainWindow) -> None:
    if window.live.control.is_up:
        window.trigger("run.stop")
        until(lambda: window.live.control.phase == "stopped")


def until(condition: Callable[[], bool], seconds: int = 60) -> None:
    for _ in range(10 * seconds):
        if condition():
            return
        wait(100)
    raise SystemExit("docs-shots: the example does not run")


PICTURES: tuple[tuple[str, QSize, bool, Prepare], ...] = (
    ("window_welcome", SMALL, False, welcome),
    ("window_canvas", SMALL, False, one_selected),
    ("window_canvas_dark", LARGE, True, a_map_of_a_building),
    ("window_wiring", SMALL, True, a_wire_in_the_making),
    ("window_quick_add", SMALL, False, what_fits),
    ("window_running", SMALL, False, running),
    ("window_error", SMALL, True, one_has_failed),
)


def port(window: MainWindow, node: str, name: str) -> QPoint:
    item = window.canvas.canvas.nodes[node]
    found = item.card.port(name)
    assert found is not None
    return window.canvas.mapFromScene(item.anchor(found))


def wait(ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def settle(window: MainWindow) -> None:
    """Until what was done is on the screen: on a busy machine that takes longer than a moment."""
    for _ in range(3):
        wait(400)
        window.repaint()
        QGuiApplication.sync()


def grab(size: QSize, file: Path) -> None:
    """From the screen and not from the widget: popups are windows of their own."""
    area = f"{size.width()}x{size.height()}+0+0"
    subprocess.run(["import", "-window", "root", "-crop", area, "+repage", str(file)], check=True)


def main(folder: Path) -> int:
    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as home:
        window = make_window(app, Settings(Path(home) / "editor.ini"))
        window.files.may_leave = lambda: True  # type: ignore[method-assign]  # nothing of this is to be saved
        window.move(0, 0)
        window.show()
        for name, size, dark, prepare in PICTURES:
            window.show_theme(DARK if dark else LIGHT)
            window.resize(size)
            wait(200)
            prepare(window)
            settle(window)
            grab(size, folder / f"{name}.png")
            print(f"docs-shots: {name}.png")
            stop_system(window)
            if window.has_session:
                window.canvas.cancel_gesture()
                window.canvas.quick_add.hide()
        window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
