"""A picture of the window with a system running in it, for computers without a screen."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QEventLoop, QRect, QSize, Qt, QTimer
from PyQt6.QtGui import QColor, QPainter, QPixmap
from PyQt6.QtWidgets import QApplication

from studio.editor.base.settings import Settings
from studio.editor.look.fonts import text_font
from studio.editor.window.app import make_window
from studio.editor.window.arrangements import for_watching
from studio.editor.window.main_window import MainWindow
from studio.errors import StudioError

TITLE = 30
SIZE = QSize(1920, 1080 - TITLE)
STARTS_WITHIN_S = 180.0
"""The first time, components compile what has to be fast."""
RUNS_S = 15.0
FOUND_WITHIN_S = 1.0
"""A system of this project that runs already."""
LOOK_EVERY_MS = 50


class NoPicture(StudioError):
    """The system did not come to run."""


def take_picture(project: Path, file: Path, theme: str = "", runs_s: float = RUNS_S) -> None:
    """Run `project` for a few seconds in a window that nobody sees, save a picture of it, and stop it.

    The caller has seen to it that it can be read, has no errors and is trusted: here nobody can be asked. One that runs
    already is only looked at.
    """
    app = QApplication.instance() or QApplication(["studio"])
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as home:
        window = make_window(app, Settings(Path(home) / "editor.ini"), theme)
        window.resize(SIZE)
        window.show()
        try:
            _run_and_grab(window, project, file, runs_s)
        finally:
            window.live.close()
            window.deleteLater()


def _run_and_grab(window: MainWindow, project: Path, file: Path, runs_s: float) -> None:
    failed: list[str] = []
    control = window.live.control
    control.start_failed.disconnect()
    control.start_failed.connect(failed.append)
    if not window.files.open(project):
        raise NoPicture(f"{project} cannot be opened")
    for_watching(window)
    _wait(FOUND_WITHIN_S, lambda: control.is_up)
    is_ours = not control.is_up
    if is_ours:
        window.live.run()
        _wait(STARTS_WITHIN_S, lambda: control.is_up or control.phase == "stopped")
    if not control.is_up:
        why = failed[0] if failed else window.status.words.text() or f"not within {STARTS_WITHIN_S:g} s"
        raise NoPicture(f"{project.name} does not run: {why}", hint=f"try: studio run {project}")
    _wait(runs_s, lambda: False)
    window.canvas.fit()
    _wait(0.5, lambda: False)
    file.parent.mkdir(parents=True, exist_ok=True)
    if not titled(window).save(str(file)):
        raise NoPicture(f"the picture cannot be written to {file}", hint="name a file that ends with .png")
    if is_ours:
        control.stop()
        _wait(STARTS_WITHIN_S, lambda: control.phase == "stopped")


def titled(window: MainWindow) -> QPixmap:
    """The window below its title: a screen would have it from the window manager, and it names the project."""
    inside = window.grab()
    ratio = inside.devicePixelRatio()
    picture = QPixmap(inside.width(), inside.height() + round(TITLE * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor(window.theme.header))
    painter = QPainter(picture)
    painter.setFont(text_font(13, 600))
    painter.setPen(QColor(window.theme.text))
    area = QRect(0, 0, window.width(), TITLE)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, window.windowTitle())
    painter.setPen(QColor(window.theme.border))
    painter.drawLine(area.bottomLeft(), area.bottomRight())
    painter.drawPixmap(0, TITLE, inside)
    painter.end()
    return picture


def _wait(seconds: float, condition: Callable[[], bool]) -> None:
    """Let the window live until `condition`, or so long."""
    loop = QEventLoop()
    looks, limit = QTimer(), QTimer()
    looks.setInterval(LOOK_EVERY_MS)
    looks.timeout.connect(lambda: loop.quit() if condition() else None)
    limit.setSingleShot(True)
    limit.timeout.connect(loop.quit)
    looks.start()
    limit.start(round(seconds * 1000))
    loop.exec()
    looks.stop()
