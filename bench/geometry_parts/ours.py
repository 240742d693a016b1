"""Opens the large vehicle in our view and drags a body of it: one process, which prints what it measured as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QCoreApplication, QEvent, QEventLoop, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QApplication

from studio.editor.geometry.selection import BodyThing, Selection
from studio.editor.geometry.view.geometry_view import GeometryView
from studio.editor.look.theme import DARK
from studio.model.geometry.workspace import On, Workspace
from studio.model.history import Edit

WIDTH, HEIGHT = 1280, 800
SECONDS = 3.0
STEP_PX = 2


class _Store(dict[str, str]):
    def text(self, name: str) -> str:
        return self.get(name, "")

    def set_text(self, name: str, value: str) -> None:
        self[name] = value


class _Controller:
    """What a document gives to its view."""

    theme = DARK

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.selection, self.settings = workspace, Selection(), _Store()

    def say(self, words: str, *, trouble: bool = False) -> None: ...

    def ask(self, title: str, words: str, answers: Sequence[str]) -> str | None:
        return None

    def do(self, edit: Edit[Any], *, body: str = "", file: Path | None = None) -> bool:
        return self.workspace.do(edit, body=body, file=file)

    def do_all(self, label: str, edits: Sequence[On]) -> bool:
        return self.workspace.do_all(label, edits)

    def save(self) -> None: ...

    def open(self, file: Path, line: int = 0) -> None: ...

    def show_panel(self, name: str) -> None: ...


def measure(path: Path) -> dict[str, Any]:
    app = QApplication(["bench"])
    _warm(path, app)
    began = time.perf_counter()
    view = _opened(path, app)
    opened_s = time.perf_counter() - began
    told = {"open_s": opened_s, "orbit_hz": _orbit_hz(view, app), "drag_hz": _drag_hz(view, app)}
    maker = view.canvas.pictures.maker
    view.close_panel()
    return {**told, "painter": maker.words if maker is not None else ""}


def _warm(path: Path, app: QCoreApplication) -> None:
    """Imports, fonts and the driver: a window has them before its first vehicle is opened."""
    _opened(path, app).close_panel()


def _opened(path: Path, app: QCoreApplication) -> GeometryView:
    view = GeometryView(_Controller(Workspace.load(path, [path.parent.parent])))  # type: ignore[arg-type]
    view.resize(WIDTH, HEIGHT)
    view.show()
    while view.canvas.made is None:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)
    view.repaint()
    return view


def _orbit_hz(view: GeometryView, app: QCoreApplication) -> float:
    def orbit() -> None:
        view.canvas.camera.orbit(STEP_PX, 0)
        view.canvas.changed()

    return _rate(view, app, orbit)


def _drag_hz(view: GeometryView, app: QCoreApplication) -> float:
    """Part5, with all that hangs on it, by an arrow of the gizmo."""
    view.context.selection.choose(BodyThing("Part5"))
    view.hands.take_tool("move")
    gizmo, canvas = view.hands.gizmo(), view.canvas
    assert gizmo is not None
    tip = gizmo.arrow(2, canvas.camera, canvas.width(), canvas.height())[1]
    at = QPointF(tip[0], tip[1])
    _mouse(view, QEvent.Type.MouseButtonPress, at)
    moves = [0]

    def move() -> None:
        moves[0] += 1
        _mouse(view, QEvent.Type.MouseMove, at - QPointF(0, 6 + moves[0] * STEP_PX % 200))

    rate = _rate(view, app, move)
    assert view.hands.gesture is not None, "nothing was dragged"
    view.hands.cancel()
    return rate


def _mouse(view: GeometryView, kind: QEvent.Type, at: QPointF) -> None:
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    button = none if kind == QEvent.Type.MouseMove else left
    place = QPointF(view.canvas.mapToGlobal(at))
    event = QMouseEvent(kind, at, place, button, left, Qt.KeyboardModifier.NoModifier)
    QCoreApplication.sendEvent(view.canvas, event)


def _rate(view: GeometryView, app: QCoreApplication, move: Callable[[], None]) -> float:
    """Pictures a second that are on the screen, moving on after each."""
    before, began = view.canvas.painted, time.perf_counter()
    seen = before
    move()
    while time.perf_counter() - began < SECONDS:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
        if view.canvas.painted != seen:
            seen = view.canvas.painted
            move()
    return (view.canvas.painted - before) / (time.perf_counter() - began)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
