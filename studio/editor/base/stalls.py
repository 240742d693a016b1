"""Whether the window keeps up: notes when its event loop stood still for more than a fifth of a second, and where.

A busy machine makes any program late. What counts is what the window itself did: time in which its thread was ready to
run and had no processor, or in which the host had taken the processor away, is not its own and is taken off. Only that
of the thread of the event loop: what others waited for meanwhile would excuse stalls that have nothing to do with it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from studio.runtime.base.clock import SECOND_NS, monotonic_ns, wall_ns

STALL_S = 0.2
BEAT_MS = 100
LOOK_EVERY_S = 0.05
MOST = 200
"""Lines that one window writes: a log is no reason to fill a disk."""
TASKS = Path("/proc/self/task")
JIFFY_S = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01


@dataclass(frozen=True)
class Stall:
    seconds: float
    own_s: float
    """Without what the machine took away."""
    where: str
    """The innermost lines of ours that ran at the time; empty if none was seen."""

    def __str__(self) -> str:
        return f"stood still for {self.seconds:.2f} s, of which {self.own_s:.2f} s its own: {self.where or 'in Qt'}"


class StallLog(QObject):
    stalled = pyqtSignal(object)

    def __init__(self, file: Path | None, parent: QObject, *, noise_s: Callable[[], float] | None = None) -> None:
        """`noise_s`: how long, in all, the machine has kept the thread of the event loop waiting."""
        super().__init__(parent)
        self.stalls: list[Stall] = []
        """Only those that were the window's own."""
        self.longest_s = 0.0
        self._file = file
        self._noise_s = noise_s or waited_s
        self._main = threading.get_ident()
        self._where = ""
        self._beat_ns = monotonic_ns()
        self._noise_at_beat = self._noise_s()
        self._ended = threading.Event()
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._thread = threading.Thread(target=self._watch, name="stalls", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._timer.stop()
        self._ended.set()
        self._thread.join()

    def _beat(self) -> None:
        now_ns, noise = monotonic_ns(), self._noise_s()
        late_s = (now_ns - self._beat_ns) / SECOND_NS - BEAT_MS / 1000
        own_s = late_s - max(0.0, noise - self._noise_at_beat)
        where, self._where = self._where, ""
        self._beat_ns, self._noise_at_beat = now_ns, noise
        self.longest_s = max(self.longest_s, own_s)
        if own_s > STALL_S:
            self._note(Stall(late_s, own_s, where))

    def _note(self, stall: Stall) -> None:
        self.stalls.append(stall)
        self.stalled.emit(stall)
        if self._file is not None and len(self.stalls) <= MOST:
            with suppress(OSError):
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with self._file.open("a") as file:
                    file.write(f"{wall_ns() / SECOND_NS:.3f} {stall}\n")

    def _watch(self) -> None:
        """By another thread: what the window's thread does while it is late."""
        while not self._ended.wait(LOOK_EVERY_S):
            if monotonic_ns() - self._beat_ns > (BEAT_MS / 1000 + STALL_S / 2) * SECOND_NS and not self._where:
                self._where = _place(self._main)


def _place(thread: int) -> str:
    frame = sys._current_frames().get(thread)
    lines: list[str] = []
    while frame is not None and len(lines) < 4:
        file = frame.f_code.co_filename
        if "/studio/" in file:
            lines.append(f"{file.rpartition('/studio/')[2]}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(lines)


def waited_s() -> float:
    """How long the thread that asks has waited for a processor, and how long the host took a processor away, in all."""
    waited_ns = 0
    with suppress(OSError, IndexError, ValueError):  # not Linux: nothing is taken off
        waited_ns = int((TASKS / str(threading.get_native_id()) / "schedstat").read_bytes().split()[1])
    return waited_ns / SECOND_NS + _stolen_s()


def _stolen_s() -> float:
    """From one processor, on average: a thread is on one at a time."""
    try:
        with open("/proc/stat", "rb") as file:
            return int(file.readline().split()[8]) * JIFFY_S / (os.cpu_count() or 1)
    except (OSError, IndexError, ValueError):
        return 0.0
