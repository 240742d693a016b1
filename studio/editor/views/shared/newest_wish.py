"""Work beside the window's, of which only the newest matters: while one wish is done, the last one waits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread
from typing import Generic, TypeVar

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.base.deferred import done
from studio.errors import StudioError

Result = TypeVar("Result")


class NewestWish(Generic[Result]):
    """`then` gets what came of it, or the error, in the window's thread. One thread at most, and none while idle."""

    def __init__(self, parent: QObject, then: Callable[[Result | StudioError], object]) -> None:
        self._bell = _Bell(parent)
        self._bell.came.connect(then)
        self._lock = Lock()
        self._wish: Callable[[], Result] | None = None
        self._is_busy = False

    def ask(self, work: Callable[[], Result]) -> None:
        with self._lock:
            self._wish = work
            if self._is_busy:
                return
            self._is_busy = True
        Thread(target=self._work, name="newest wish", daemon=True).start()

    def _work(self) -> None:
        while (wish := self._next()) is not None:
            result = done(wish)
            with suppress(RuntimeError):  # whoever asked was closed meanwhile
                self._bell.came.emit(result)

    def _next(self) -> Callable[[], Result] | None:
        with self._lock:
            wish, self._wish = self._wish, None
            self._is_busy = wish is not None
            return wish


class _Bell(QObject):
    came = pyqtSignal(object)
