"""A LOG on the command line, and the line that shows how far reading or replaying one has come."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.shared.outcome import UsageError, warn
from studio.runtime.base.clock import SECOND_NS, monotonic_ns

if TYPE_CHECKING:
    from studio.runtime.recording import LogReader
    from studio.runtime.recording.importers import ImportReport, Progress, Told

CLEAR_LINE = "\r\x1b[K"
SHOW_AFTER_NS = 2 * SECOND_NS
SHOW_EVERY_NS = SECOND_NS // 5
WIDTH = 30


def find_log(text: str) -> Path:
    """The file to read; what is no MCAP has been brought into one, once."""
    from studio.runtime.recording.importers import is_log, readable_log  # few logs need an import

    path = Path(text)
    if not is_log(path):
        what = "is a folder without a log" if path.is_dir() else "does not exist"
        raise UsageError(f"{text} {what}", hint="name a log, e.g. drive.mcap, or the folder of a ROS 2 bag")
    with importing(path.name) as (progress, told):
        return readable_log(path, progress, told)


def unfinished(*logs: Path) -> bool:
    """Whether one of them ends before its run did. Warns of each: no comparison covers the missing part."""
    from studio.runtime.recording import LogReader

    found = False
    for path in dict.fromkeys(logs):
        with LogReader(path) as log:
            found |= is_unfinished(log)
    return found


def is_unfinished(log: LogReader) -> bool:
    """Whether it ends before its run did. Warns of it; the verb then ends with the status `FAILED`."""
    from studio.runtime.recording.format.metadata import STOPPED

    stopped = dict(log.metadata()).get(STOPPED, {}).get("reason", "")
    if log.is_finished and not stopped:
        return False
    why = f"the recording stopped: {stopped}" if stopped else "its recorder did not close it"
    warn(f"{log.path} is not finished: {why}; the exit status is 1")
    return True


@contextmanager
def importing(what: str) -> Iterator[tuple[Progress, Told]]:
    """Shows how far the import of a log has come, should it need one, and tells what became of it."""
    bar = ProgressBar(f"importing {what}")

    def tell(report: ImportReport) -> None:
        bar.close()
        print(
            f"studio: Studio reads a converted copy of {report.source} ({report.form}): {report.output}",
            file=sys.stderr,
        )
        if report.loss:
            warn(f"{report.loss}")

    try:
        yield bar, tell
    finally:
        bar.close()


class ProgressBar:
    """On a terminal, for what takes longer than two seconds."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._shown = sys.stderr.isatty() and not quiet
        self._next_ns = monotonic_ns() + SHOW_AFTER_NS
        self._dirty = False

    def __call__(self, done: int, whole: int) -> None:
        if not self._shown or monotonic_ns() < self._next_ns:
            return
        self._next_ns = monotonic_ns() + SHOW_EVERY_NS
        share = done / whole if whole else 1.0
        bar = "█" * round(share * WIDTH)
        print(f"{CLEAR_LINE}{self._what} {bar:░<{WIDTH}} {share:4.0%}", end="", file=sys.stderr, flush=True)
        self._dirty = True

    def close(self) -> None:
        if self._dirty:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)
            self._dirty = False
