"""The composition root: makes the application, the window and what they need, and connects them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PyQt6.QtCore import QSize, QTimer
from PyQt6.QtWidgets import QApplication

from studio.editor.crash import CrashReporter
from studio.editor.live_stalls import StallLog
from studio.editor.main_window import MainWindow
from studio.editor.settings import Settings
from studio.editor.style import apply_theme
from studio.editor.theme import THEMES

LARGE = QSize(1760, 1100)


def run(project: Path | None = None, *, theme: str = "", start: bool = False) -> int:
    """Open the window, with a project or the welcome page; returns when it is closed. `start`: and run the project."""
    settings = Settings()
    if settings.scale != 100:  # Qt reads this once, before there is an application
        os.environ.setdefault("QT_SCALE_FACTOR", str(settings.scale / 100))
    app = QApplication([sys.argv[0]])
    app.setApplicationName("Robot Systems Studio")
    app.setDesktopFileName("robot-systems-studio")
    window = make_window(app, settings, theme)
    if settings.bytes("geometry") is None:
        window.resize(_first_size(app, window.size()))
    reporter = CrashReporter(window)
    reporter.told.connect(lambda words: window.status.say(words, trouble=True))
    reporter.install()
    # Python hears of Ctrl+C only between its own instructions: give it some.
    pulse = QTimer()
    pulse.start(200)
    pulse.timeout.connect(lambda: None)
    window.show()
    # After the first paint: a window that is there and still empty feels faster than none.
    QTimer.singleShot(0, lambda: open_first(window, project, start=start))
    stalls = StallLog(settings.file.parent / "stalls.log", window)
    status = app.exec()
    stalls.close()
    return status


def _first_size(app: QApplication, least: QSize) -> QSize:
    """Most of the screen, where canvas and pictures have room side by side."""
    screen = app.primaryScreen()
    room = screen.availableSize() * 0.9 if screen is not None else least
    return room.boundedTo(LARGE).expandedTo(least)


def open_first(window: MainWindow, project: Path | None, *, start: bool = False) -> None:
    if project is None or not window.files.open(project):
        window.welcome.refresh()
    elif start:
        window.live.run_unless_attached()


def make_window(app: QApplication, settings: Settings, theme: str = "") -> MainWindow:
    if theme:
        settings.theme = theme
    apply_theme(app, THEMES.get(settings.theme, THEMES["light"]))
    return MainWindow(settings)
