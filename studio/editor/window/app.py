"""The composition root: makes the application, the window and what they need, and connects them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QPoint, QRect, QSize, Qt, QTimer
from PyQt6.QtWidgets import QApplication

from studio.editor.base.collecting import Collector
from studio.editor.base.settings import Settings
from studio.editor.base.stalls import StallLog
from studio.editor.look.fonts import use_ligatures
from studio.editor.look.open_dialog import model_kind
from studio.editor.look.style import apply_theme
from studio.editor.window.appearance import wanted_theme
from studio.editor.window.crash import CrashReporter
from studio.editor.window.main_window import MainWindow

LARGE = QSize(1760, 1100)
FRAME = QSize(4, 40)
"""What the platform puts around a window, about."""
EDGE = 8
"""Of it below the window."""


def run(project: Path | None = None, *, theme: str = "", start: bool = False, in_place: bool = False) -> int:
    """Open the window, with a project or the welcome page; returns when it is closed. `start`: and run the project.

    `in_place`: an example, too, is saved where it is.
    """
    settings = Settings()
    if settings.scale != 100:  # Qt reads this once, before there is an application
        os.environ.setdefault("QT_SCALE_FACTOR", str(settings.scale / 100))
    app = QApplication([sys.argv[0]])
    app.setApplicationName("Robot Systems Studio")
    app.setDesktopFileName("robot-systems-studio")
    window = make_window(app, settings, theme)
    if settings.bytes("geometry") is None:
        screen = app.primaryScreen()
        place_first(window, screen.availableSize() if screen is not None else window.size())
    elif (screen := window.screen()) is not None:
        place_again(window, screen.availableGeometry())
    reporter = CrashReporter(window)
    reporter.told.connect(lambda words: window.status.say(words, trouble=True))
    reporter.install()
    # Python hears of Ctrl+C only between its own instructions: give it some.
    pulse = QTimer()
    pulse.start(200)
    pulse.timeout.connect(lambda: None)
    then = partial(start_watched, window, project) if start and project else lambda: None
    furnish_and_open(window, project, then, in_place=in_place)
    show_first_page(window, project)
    stalls = StallLog(settings.file.parent / "stalls.log", window)
    status = app.exec()
    stalls.close()
    return status


def place_first(window: MainWindow, room: QSize) -> None:
    """Most of the screen, where canvas and pictures have room side by side; all of it where even the smallest window
    that shows everything would not fit between title and edge."""
    least = window.size()
    if room.width() < least.width() + FRAME.width() or room.height() < least.height() + FRAME.height():
        window.resize(room.boundedTo(least) - FRAME)  # for whoever makes it smaller again
        window.setWindowState(Qt.WindowState.WindowMaximized)
    else:
        window.resize((room * 0.9).boundedTo(LARGE).expandedTo(least))


def place_again(window: MainWindow, room: QRect) -> None:
    """Where it was, with its title and its status bar on the screen: that may have become smaller, and what Qt restores
    leaves no room for what the platform puts around it."""
    if window.isMaximized() or window.isFullScreen():
        return
    inside = window.size().boundedTo(room.size() - FRAME)
    if inside == window.size() and room.contains(window.geometry()):
        return
    last = room.bottomRight() - QPoint(inside.width(), inside.height() + EDGE)
    place = window.geometry().topLeft()
    top = room.top() + FRAME.height() - EDGE
    window.setGeometry(
        QRect(QPoint(max(room.left(), min(place.x(), last.x())), max(top, min(place.y(), last.y()))), inside)
    )


def make_window(app: QApplication, settings: Settings, theme: str = "") -> MainWindow:
    if theme:
        settings.theme = theme
    Collector.of(app)
    use_ligatures(settings.ligatures)
    apply_theme(app, wanted_theme(settings))
    return MainWindow(settings)


def show_first_page(window: MainWindow, project: Path | None) -> None:
    """What is seen first: the welcome page, or that a project is being opened."""
    if project is None:
        window.welcome.refresh()
    else:
        window.status.say(f"Opening {project.name}…", stays=True)
    window.show()


def furnish_and_open(
    window: MainWindow, project: Path | None, then: Callable[[], object], *, in_place: bool = False
) -> None:
    """After the first paint: everything else in the window, and then the project or the pictures of the first page."""

    def go_on() -> None:
        if project is None:
            window.welcome.draw_pictures()
        else:
            open_first(window, project, then, in_place=in_place)

    window.furnished.connect(go_on)
    # What somebody has had made before tells nobody any more that it is there.
    window.painted.connect(go_on if window.is_furnished else window.furnish_soon)


def start_watched(window: MainWindow, project: Path) -> None:
    """Run the project that is open now, and show what comes of it, unless somebody has arranged its panels."""
    from studio.editor.window.arrangements import for_watching

    if not window.layouts.is_remembered(project):
        for_watching(window)
    window.live.run_unless_attached()


def open_first(window: MainWindow, project: Path, then: Callable[[], object], *, in_place: bool = False) -> None:
    """An example stays as it came, however it was named, unless somebody wants to change just that."""
    if in_place:
        window.files.edit_in_place(project)
    if model_kind(project):
        window.show_session(None)
        window.vehicles.open(project)
    else:
        window.files.open_soon(project, then)
