"""The runtime's side of the cleanup watchdog: what it is told."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from studio.runtime.processes import cleanup_watchdog


class Guard:
    """Sees to it that nothing survives this process, also when it is killed."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = list(folders)
        self._groups: set[int] = set()
        self._lock = threading.Lock()
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(cleanup_watchdog.__file__)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._say(process, *(f"folder {folder}" for folder in self._folders), *(f"+{group}" for group in self._groups))
        return process

    @staticmethod
    def _say(process: subprocess.Popen[bytes], *words: str) -> None:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write("".join(f"{word}\n" for word in words).encode())
            process.stdin.flush()

    @property
    def pid(self) -> int:
        return self._process.pid

    def add(self, group: int) -> None:
        with self._lock:
            self._groups.add(group)
            self._say(self._process, f"+{group}")

    def discard(self, group: int) -> None:
        with self._lock:
            self._groups.discard(group)
            self._say(self._process, f"-{group}")

    def renew(self) -> None:
        """If it was killed: start the next one, which hears everything again."""
        with self._lock:
            if self._process.poll() is not None:
                self._drop()
                self._process = self._start()

    def close(self) -> None:
        """All is ended in good order."""
        self._say(self._process, "done")
        self._drop()

    def _drop(self) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(5.0)
