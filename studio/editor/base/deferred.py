"""Work that the window puts off: until it has been painted, until it has a moment, or until somebody cannot wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from studio.errors import StudioError

Part = TypeVar("Part")


class Furnished(Protocol):
    def furnish(self) -> None:
        """Make every part that is to come, now."""


class Deferred(Generic[Part]):
    """An attribute that is there after furnishing; whoever asks for it earlier has everything furnished at once."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Furnished, kind: type) -> Part:
        # Once the attribute is set, Python finds it in the object and does not ask here any more.
        owner.furnish()
        part: Part = vars(owner)[self._name]
        return part


class Slices(QObject):
    """Long work in slices, one between two events of the window; or all that is left of it at once."""

    done = pyqtSignal()

    def __init__(self, work: Iterator[object], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self.is_done = False
        self._at_work = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._one)

    def start(self) -> None:
        if not self.is_done:
            self._timer.start(0)

    def stop(self) -> None:
        self._timer.stop()

    def finish(self) -> None:
        assert not self._at_work, "a slice needs something that only a later one makes"
        self._timer.stop()
        while not self.is_done:
            self._next()

    def _one(self) -> None:
        self._next()
        self.start()

    def _next(self) -> None:
        self._at_work = True
        try:
            self.is_done = next(self._work, self) is self
        finally:
            self._at_work = False
        if self.is_done:
            self.done.emit()


def done(work: Callable[[], Part]) -> Part | StudioError:
    """For a thread that somebody waits for: what comes of the work, or why nothing does.

    A fault of Studio's is reported as if it had ended the thread, but whoever waits does not wait for ever.
    """
    try:
        return work()
    except StudioError as error:
        return error
    except Exception as error:
        threading.excepthook(
            threading.ExceptHookArgs((type(error), error, error.__traceback__, threading.current_thread()))
        )
        return StudioError(f"failed by a fault of Studio: {type(error).__name__}: {error}")


class Beside(QObject):
    """Work without Qt on a thread of its own; what comes of it, or the error, is told on the window's."""

    _came = pyqtSignal(object)

    def __init__(self, work: Callable[[], Part], then: Callable[[Part | StudioError], object], parent: QObject) -> None:
        super().__init__(parent)
        self._then: Callable[[Any], object] = then
        self._came.connect(self._take)
        threading.Thread(target=lambda: self._tell(done(work)), name="beside the window", daemon=True).start()

    def _tell(self, result: object) -> None:
        with suppress(RuntimeError):  # the window was closed meanwhile, and nobody waits for this any more
            self._came.emit(result)

    def _take(self, result: object) -> None:
        self.deleteLater()
        self._then(result)
