"""A hand for the real window: it looks in the window's own thread, and moves mouse and keys of the screen from another.

So a dialog may be open meanwhile, or something may be dragged, as with a person.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import TypeVar

from PyQt6.QtCore import QObject, QPoint, Qt, pyqtSignal

PATIENCE_S = 400.0
T = TypeVar("T")
Place = Callable[[], QPoint | None]
"""Where something is on the screen; None while it is not there."""


class Stuck(Exception):
    """Something that should have come about has not."""


class Hand(QObject):
    _asked = pyqtSignal(object)

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale
        """Pixels of the screen for one of the window."""
        self.clicks = self.keys = 0
        """What a person would have done: presses of a button, and of keys."""
        self._asked.connect(lambda do: do(), type=Qt.ConnectionType.BlockingQueuedConnection)  # type: ignore[call-arg]

    # ---- looking

    def see(self, look: Callable[[], T]) -> T:
        found: list[T] = []
        failed: list[Exception] = []

        def do() -> None:
            try:
                found.append(look())
            except Exception as error:  # handed on to the thread that wants to know
                failed.append(error)

        self._asked.emit(do)
        if failed:
            raise failed[0]
        return found[0]

    def until(self, condition: Callable[[], T | None], what: str, patience_s: float = PATIENCE_S) -> T:
        """Wait for something that is neither None nor False."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            if (found := self.see(condition)) is not None and found is not False:
                return found
            time.sleep(0.1)
        raise Stuck(f"waited in vain for {what}")

    def rest(self, seconds: float) -> None:
        """Let the window go on by itself: so that a curve gets longer, or a tooltip comes."""
        time.sleep(seconds)

    # ---- mouse and keys

    def click(self, place: Place, what: str, button: int = 1, *, twice: bool = False) -> None:
        """As soon as it is there and has not moved for a moment."""
        clicks = ("--repeat", "2", "--delay", "80") if twice else ()
        self.clicks += 1 + twice
        self._do("mousemove", *self._at(self.found(place, what)), "sleep", "0.15", "click", *clicks, str(button))

    def found(self, place: Place, what: str) -> QPoint:
        """Where it is, once it rests there."""
        at = self.until(place, what)
        while (now := self._later(place)) != at:
            at = self.until(place, what) if now is None else now
        return at

    def _later(self, place: Place) -> QPoint | None:
        time.sleep(0.3)
        return self.see(place)

    def hover(self, at: QPoint) -> None:
        """With a small movement at the end, as a hand makes it."""
        self._do("mousemove", *self._at(at - QPoint(3, 0)), "sleep", "0.1", "mousemove", *self._at(at))

    def take(self, start: QPoint, end: QPoint) -> None:
        """Press at one place and go to another, with steps on the way: a drag begins only after some movement."""
        self.clicks += 1
        self._do("mousemove", *self._at(start), "sleep", "0.15", "mousedown", "1")
        for step in range(1, 13):
            way = QPoint((end.x() - start.x()) * step // 12, (end.y() - start.y()) * step // 12)
            self._do("mousemove", *self._at(start + way), "sleep", "0.04")
        time.sleep(0.2)

    def drop(self) -> None:
        self._do("mouseup", "1")
        time.sleep(0.2)

    def drag(self, start: QPoint, end: QPoint) -> None:
        self.take(start, end)
        self.drop()

    def wheel(self, clicks: int) -> None:
        """Down, or up when it is less than 0, where the pointer is."""
        self._do("click", "--repeat", str(abs(clicks)), "--delay", "60", "5" if clicks > 0 else "4")

    def key(self, *keys: str) -> None:
        self.keys += len(keys)
        self._do("key", "--delay", "60", *keys)

    def write(self, text: str) -> None:
        self.keys += len(text)
        self._do("type", "--delay", "20", text)

    def _at(self, place: QPoint) -> tuple[str, str]:
        return str(round(place.x() * self.scale)), str(round(place.y() * self.scale))

    def _do(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], check=True, timeout=60, capture_output=True)
