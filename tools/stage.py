"""The real window, on the screen that it is given, with a hand that uses it and takes pictures on the way.

A program that takes pictures is a list of steps. A step that fails says so; the others go on, unless each needs the one
before it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from PyQt6.QtCore import QPoint, QRect, QSize
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QApplication, QDialog, QWidget

from studio.editor.base.settings import Settings
from studio.editor.look.theme import DARK, LIGHT, Theme
from studio.editor.window.app import furnish_and_open, make_window, show_first_page
from studio.editor.window.main_window import MainWindow
from tools.hand import Hand, Stuck
from tools.picture_files import save_area, shrink

ROOT = Path(__file__).resolve().parent.parent
SMALL, LARGE = QSize(1280, 800), QSize(1920, 1080)
BOTH: tuple[tuple[Theme, str], ...] = ((LIGHT, ""), (DARK, "_dark"))
"""Every picture is taken twice; what is added to its name."""
FAILED = ROOT / "build" / "shots_failed"
"""Where the screen is kept as it was when a step failed."""
HOME = "SHOTS_HOME"
"""The variable with the folder in which the copies of projects are; whoever sets it deletes it."""
Step = Callable[["Stage"], None]
Ready = Callable[[], object]


class Stage:
    def __init__(self, window: MainWindow, home: Path, pictures: Path, ending: str = "") -> None:
        self.window, self.home, self.pictures, self.ending = window, home, pictures, ending
        self.robots = home / "robots"
        """Where the projects are; its name is seen in pictures."""
        self.size = window.size()
        self.scale = window.devicePixelRatioF()
        self.hand = Hand(self.scale)
        self.failed: list[str] = []
        self.began_s = 0.0
        """Of the clock of a simulation: when its drive began."""
        self.themes = BOTH
        self.files: list[Path] = []
        """The pictures that were taken; they are made small when the window is gone."""

    # ---- the steps

    def play(self, steps: Sequence[Step], *, in_turn: bool) -> None:
        """All of them; `in_turn`: where one fails, those after it are told and left out."""
        for place, step in enumerate(steps):
            began = time.monotonic()
            try:
                self.hand.see(self.window.activateWindow)  # who closes a dialog is not always the one who gets the keys
                step(self)
                print(f"docs-shots:   {step.__name__} ({time.monotonic() - began:.0f} s)", flush=True)
            except Exception as error:  # every sort of failure is told, and the other pictures are taken
                self._tell(step, error)
                if in_turn:
                    self.failed += [f"{each.__name__}: left out" for each in steps[place + 1 :]]
                    return
                self.tidy()

    def _tell(self, step: Step, error: Exception) -> None:
        if not isinstance(error, Stuck):
            traceback.print_exc()
        print(f"docs-shots:   {step.__name__} FAILED: {error}", flush=True)
        self.failed.append(f"{step.__name__}: {error}")
        FAILED.mkdir(parents=True, exist_ok=True)
        screen = self.hand.see(lambda: self.window.geometry())
        with suppress(subprocess.SubprocessError):
            save_area(self._pixels(screen), FAILED / f"{step.__name__}.png")

    def tidy(self) -> None:
        """What a step has left open is closed: nothing of it is to be in the pictures of the next."""
        with suppress(subprocess.SubprocessError):
            self.hand.drop()

        def close() -> None:
            for dialog in self.window.findChildren(QDialog):
                if dialog.isVisible():
                    dialog.reject()

        self.hand.see(close)
        self.hand.see(self.window.activateWindow)

    # ---- the window

    def resize(self, size: QSize) -> None:
        self.size = size
        self.hand.see(lambda: self.window.resize(size))
        self.settle()

    def settle(self) -> None:
        """Until what was done is on the screen: on a busy machine that takes longer than a moment."""
        for _ in range(3):
            time.sleep(0.3)
            self.hand.see(self.window.repaint)
            self.hand.see(QGuiApplication.sync)

    def open(self, project: Path) -> None:
        self.hand.see(lambda: self.window.files.open(project))
        self.settle()

    def copy_of(self, name: str) -> Path:
        """An example, to be changed at will."""
        folder = self.robots / name
        if not folder.exists():
            shutil.copytree(ROOT / "projects" / name, folder, ignore=shutil.ignore_patterns("logs", "__pycache__"))
        return folder

    def stop(self) -> None:
        """The system, if one runs."""
        window = self.window
        if self.hand.see(lambda: window.is_furnished and window.live.control.is_up):
            self.hand.see(window.live.stop)
            self.hand.until(lambda: window.live.control.phase == "stopped" or None, "the end of the system")

    # ---- pictures

    def whole(self, name: str, *, ready: Ready | None = None) -> None:
        """The window. `ready` is done in each theme before its picture: what pops up goes when the theme changes."""
        self.area(name, lambda: QRect(QPoint(0, 0), self._size()), ready=ready)

    def _size(self) -> QSize:
        """As it was asked for: nothing in the window may make it larger than a user's screen."""
        size, wanted = self.window.size(), self.size
        if size != wanted:
            raise Stuck(f"the window is {size.width()} × {size.height()} now, not {wanted.width()} × {wanted.height()}")
        return size

    def part(
        self, name: str, widget: Callable[[], QWidget | None], *, margin: int = 0, ready: Ready | None = None
    ) -> None:
        """What is on the screen where a widget is, with whatever popped up over it."""

        def area() -> QRect:
            seen = widget()
            assert seen is not None and seen.isVisible(), f"{name} is not there to be seen"
            box = QRect(seen.mapToGlobal(QPoint(0, 0)), seen.size())
            return box.adjusted(-margin, -margin, margin, margin)

        self.area(name, area, ready=ready)

    def area(self, name: str, area: Callable[[], QRect], *, ready: Ready | None = None) -> None:
        for theme, ending in self.themes:
            self.show_theme(theme)
            if ready is not None:
                ready()
            self.settle()
            self.files.append(self.pictures / f"{name}{self.ending}{ending}.png")
            save_area(self._pixels(self.hand.see(area)), self.files[-1])
        self.show_theme(LIGHT)

    def show_theme(self, theme: Theme) -> None:
        """As a person chooses it: what is only shown would not outlive the next dialog."""
        if self.hand.see(lambda: self.window.theme.name) != theme.name:
            self.hand.see(lambda: self.window.choose_theme(theme.name))
            self.hand.rest(0.5)

    def _pixels(self, area: QRect) -> QRect:
        numbers = (area.x(), area.y(), area.width(), area.height())
        return QRect(*(round(number * self.scale) for number in numbers))


def perform(
    steps: Sequence[Step],
    pictures: Path,
    *,
    size: QSize = LARGE,
    project: str = "",
    in_turn: bool = False,
    ending: str = "",
) -> int:
    """Play the steps on a new window; 1 if something failed."""
    os.environ["STUDIO_TRUST"] = "all"  # of the copies
    home = Path(os.environ.get(HOME) or tempfile.mkdtemp(prefix="robots_"))
    os.environ["HOME"] = str(home)
    app = QApplication(sys.argv[:1])
    window = make_window(app, Settings(home / ".config" / "editor.ini"))
    window.move(0, 0)
    window.resize(size)
    stage = Stage(window, home, pictures, ending)
    folder = stage.copy_of(project) if project else None
    furnish_and_open(window, folder, then=lambda: None)
    show_first_page(window, folder)
    window.activateWindow()

    def go() -> None:
        try:
            stage.hand.until(lambda: window.is_furnished and (window.has_session or not project), "the window")
            stage.play(steps, in_turn=in_turn)
            stage.tidy()
            stage.stop()
        except Exception as error:  # told at the end
            traceback.print_exc()
            stage.failed.append(str(error))
        stage.hand.see(lambda: app.exit())  # quitting would ask about changes, and nobody is there to answer

    threading.Thread(target=go, name="hand", daemon=True).start()
    app.exec()
    window.project.drop()  # or the canvas tells a window that is being taken down of what is no longer selected
    for file in stage.files:
        shrink(file)
    for each in stage.failed:
        print(f"docs-shots: failed: {each}", file=sys.stderr, flush=True)
    return 1 if stage.failed else 0
