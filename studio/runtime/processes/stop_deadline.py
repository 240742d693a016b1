"""How long the end of a run may take: ten seconds in all, whatever its processes do.

Only a recorder may have longer, and only while it is seen to write: what it has not written yet is somebody's field
trial, but one that stands still will not write it either.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.process import Process

STOP_WITHIN_S = 10.0
"""Of the whole system, also with processes that ignore whatever they are told."""
MOST_WRITING_S = 30.0
"""Of a recorder that does write: a disk may be slow, but a stop is a stop."""
STILL_AFTER_S = 1.0
"""A recorder flushes twenty times a second while it has something to write."""
LOOK_EVERY_S = 0.05


class Deadline:
    """Of something that is done in several steps, each of which may take what the others have left."""

    def __init__(self, seconds: float) -> None:
        self._end_ns = monotonic_ns() + int(seconds * SECOND_NS)

    def left_s(self, most_s: float = STOP_WITHIN_S, keep_s: float = 0.0) -> float:
        """What is left, at most `most_s`, when `keep_s` are kept for what comes later."""
        return max(0.0, min(most_s, (self._end_ns - monotonic_ns()) / SECOND_NS - keep_s))


def await_writer(process: Process, file: Path, patience_s: float) -> None:
    """Until a recorder that was told to stop has ended; longer than `patience_s` only while it writes."""
    patience, most = Deadline(patience_s), Deadline(MOST_WRITING_S)
    still, size = Deadline(STILL_AFTER_S), _size(file)
    while most.left_s(MOST_WRITING_S) and (patience.left_s(patience_s) or still.left_s()):
        try:
            process.wait(LOOK_EVERY_S)
            return
        except subprocess.TimeoutExpired:
            now = _size(file)
            if now != size or _waits_for_disk(process.pid):
                still, size = Deadline(STILL_AFTER_S), now


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _waits_for_disk(pid: int) -> bool:
    """Whether one of its threads is in a write or a sync that the kernel has not finished (state D)."""
    for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            if stat.read_text().rpartition(")")[2].split()[0] == "D":
                return True
        except (OSError, IndexError):  # a thread that has just ended
            continue
    return False
