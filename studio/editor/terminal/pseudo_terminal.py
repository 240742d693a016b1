"""A process on a terminal of its own: what it writes, what is typed to it, and that it ends with us."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from PyQt6.QtCore import QObject, QSocketNotifier, QTimer, pyqtSignal

from studio.runtime.base.child_signals import pass_on_default_signals

MOST_AT_ONCE = 4096
"""Bytes for one turn of the window; what floods us waits in the process itself, which the kernel holds back."""
TERM = "linux"
"""What our screen understands, and not more."""
LOOK_EVERY_MS = 30
LAST_LOOKS = 10
"""After the end; reading fails when all has been read, unless somebody else has the terminal."""
ENDS_WITHIN_S = 3.0
IN_TERMINAL = 'terminal=$1; shift; exec "$@" <>"$terminal" >&0 2>&0'
"""The first terminal that the leader of a session opens is its own: with that come Ctrl+C, and the end with the window.

A shell opens it rather than code of ours between fork and exec, where a process with threads may do next to nothing.
"""


class PseudoTerminal(QObject):
    said = pyqtSignal(bytes)
    ended = pyqtSignal(int)
    """With its exit status; negative: the signal that ended it."""

    def __init__(self, words: Sequence[str], columns: int, lines: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        pass_on_default_signals()
        self._master, self._slave = pty.openpty()
        # The other end stays open here, too: until the process has it, reading would find nobody there.
        try:
            os.set_blocking(self._master, False)
            self.resize(columns, lines)
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", IN_TERMINAL, "sh", os.ttyname(self._slave), *words],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True, env=_environment(), cwd=Path.home(),
            )  # fmt: skip
        except OSError:
            os.close(self._master)
            os.close(self._slave)
            raise
        self._to_write = b""
        self._looks_since_end = 0
        kinds = QSocketNotifier.Type
        self._reader = QSocketNotifier(self._master, kinds.Read, self)  # type: ignore[call-overload]
        self._reader.activated.connect(self._read)
        self._writer = QSocketNotifier(self._master, kinds.Write, self)  # type: ignore[call-overload]
        self._writer.setEnabled(False)
        self._writer.activated.connect(self._write)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    @property
    def is_open(self) -> bool:
        return self._master >= 0

    def write(self, data: bytes) -> None:
        if self.is_open:
            self._to_write += data
            self._write()

    def resize(self, columns: int, lines: int) -> None:
        """The process hears of it (SIGWINCH)."""
        if self.is_open:
            with suppress(OSError):
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def close(self) -> None:
        """The process hears that its terminal is gone, and ends; one that will not is made to."""
        if not self.is_open:
            return
        self._shut()
        threading.Thread(target=end, args=(self.process,), name="terminal ends", daemon=True).start()

    def _shut(self) -> None:
        for notifier in (self._reader, self._writer):
            notifier.setEnabled(False)
        self._timer.stop()
        os.close(self._master)
        os.close(self._slave)
        self._master = -1

    def _write(self) -> None:
        with suppress(OSError):  # its buffer is full, or nobody reads any more
            self._to_write = self._to_write[os.write(self._master, self._to_write) :]
        self._writer.setEnabled(bool(self._to_write))

    def _read(self) -> None:
        try:
            data = os.read(self._master, MOST_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:  # it has ended, and with it this terminal
            self._reader.setEnabled(False)
            return
        self.said.emit(data)

    def _look(self) -> None:
        """Whether it has ended; its last words may take a moment to get through the kernel."""
        status = self.process.poll()
        if status is None:
            return
        self._looks_since_end += 1
        if self._reader.isEnabled() and self._looks_since_end < LAST_LOOKS:
            return
        self._shut()
        self.ended.emit(status)


def end(process: subprocess.Popen[bytes]) -> None:
    """It has heard that its terminal is gone: gdb lets go of what it holds then, which must not be cut short."""
    for patience, then in ((ENDS_WITHIN_S, signal.SIGTERM), (ENDS_WITHIN_S, signal.SIGKILL)):
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return
        process.send_signal(then)
    process.wait()


def _environment() -> Mapping[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("COLORTERM", "LINES", "COLUMNS")}
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    if "utf" not in locale.lower():
        environment |= {"LC_ALL": "C.UTF-8"}
    return {**environment, "TERM": TERM}
