"""What the processes of a run print: read from pipes, kept with name, level and time, and never more than a little.

Files would fill a disk when somebody prints a gigabyte, and a pipe that nobody reads would block the one who prints. So
one thread reads everything at once and keeps the last of it; what is thrown away is counted.
"""

from __future__ import annotations

import os
import selectors
import threading
from collections import deque
from contextlib import suppress
from typing import NamedTuple

from studio.runtime.base.clock import wall_ns

KEPT_BYTES = 128 * 1024
"""Of each process."""
CHUNK_BYTES = 1024 * 1024
LONGEST_LINE = 4096


class Line(NamedTuple):
    time_ns: int
    """Wall clock: for people who read it."""
    level: str
    """`output` or `error`: the stream it came from."""
    text: str


class Outputs:
    """The output of all processes of a run."""

    def __init__(self) -> None:
        self._books: dict[str, _Book] = {}
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._ended = False
        self._thread = threading.Thread(target=self._read_all, name="output", daemon=True)
        self._thread.start()

    def open(self, name: str) -> tuple[int, int]:
        """Descriptors for a new process's stdout and stderr; whoever starts it closes them afterwards."""
        ends = []
        with self._lock:
            book = self._books.setdefault(name, _Book())
            book.born_ns = wall_ns()
            for level in ("output", "error"):
                reading, writing = os.pipe2(os.O_CLOEXEC)
                os.set_blocking(reading, False)
                self._selector.register(reading, selectors.EVENT_READ, _Stream(book, level))
                ends.append(writing)
        self._wake()
        return ends[0], ends[1]

    def lines(self, name: str) -> list[Line]:
        self.drain()
        with self._lock:
            book = self._books.get(name)
            return [] if book is None else book.lines()

    def text(self, name: str, most: int = 4000) -> str:
        """The last of what a process printed, in its present life."""
        lines = self.lines(name)
        born_ns = self._books[name].born_ns if lines else 0
        return "\n".join(line.text for line in lines if line.time_ns >= born_ns)[-most:]

    def dropped_bytes(self, name: str) -> int:
        """How much of it is no longer kept."""
        with self._lock:
            book = self._books.get(name)
            return book.dropped_bytes if book is not None else 0

    def drain(self) -> None:
        """Take in what has been printed until now: a process that has just died said something before."""
        with self._lock:
            self._read_ready(0.0)

    def close(self) -> None:
        if self._ended:
            return
        self.drain()
        self._ended = True
        self._wake()
        self._thread.join()
        with self._lock:
            for key in list(self._selector.get_map().values()):
                os.close(key.fd)
            self._selector.close()
            os.close(self._wake_write)

    # The thread.

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            os.write(self._wake_write, b"w")

    def _read_all(self) -> None:
        while not self._ended:
            # Without the lock: those who want to read what is kept do not wait for somebody to print.
            if self._selector.select(1.0):
                with self._lock:
                    self._read_ready(0.0)

    def _read_ready(self, patience_s: float) -> None:
        if self._ended:
            return
        for key, _ in self._selector.select(patience_s):
            if key.fd == self._wake_read:
                with suppress(BlockingIOError):
                    os.read(key.fd, 4096)
            else:
                self._read(key.fd, key.data)

    def _read(self, descriptor: int, stream: _Stream) -> None:
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return
        if chunk:
            stream.take(chunk)
            return
        stream.finish()
        self._selector.unregister(descriptor)
        os.close(descriptor)


class _Book:
    """The last lines of one process."""

    def __init__(self) -> None:
        self.dropped_bytes = 0
        self.born_ns = 0
        """When the process was last started."""
        self._lines: deque[Line] = deque()
        self._bytes = 0
        self.pending: dict[str, bytes] = {"output": b"", "error": b""}
        """Lines that have not ended yet."""

    def add(self, line: Line) -> None:
        self._lines.append(line)
        self._bytes += len(line.text)
        while self._bytes > KEPT_BYTES:
            gone = len(self._lines.popleft().text)
            self._bytes -= gone
            self.dropped_bytes += gone

    def lines(self) -> list[Line]:
        unfinished = [_line(level, text) for level, text in self.pending.items() if text]
        return [*self._lines, *unfinished]


class _Stream:
    def __init__(self, book: _Book, level: str) -> None:
        self._book = book
        self._level = level

    def take(self, chunk: bytes) -> None:
        book = self._book
        text = book.pending[self._level] + chunk
        if len(text) > KEPT_BYTES:
            book.dropped_bytes += len(text) - KEPT_BYTES
            text = text[-KEPT_BYTES:]
        *lines, rest = text.split(b"\n")
        if len(rest) > LONGEST_LINE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            book.add(_line(self._level, line))
        book.pending[self._level] = rest

    def finish(self) -> None:
        rest = self._book.pending[self._level]
        if rest:
            self._book.add(_line(self._level, rest))
            self._book.pending[self._level] = b""


def _line(level: str, text: bytes) -> Line:
    shown = text[:LONGEST_LINE].decode(errors="replace")
    return Line(wall_ns(), level, shown + " ..." if len(text) > LONGEST_LINE else shown)
