"""Imports a log in a process of its own, so that the window never waits.

    python -m studio.editor.log_files.import_worker IN OUT

Says how far it is in lines of JSON: {"done", "total"}, at the end {"report"} or {"error"}. SIGTERM cancels; then, as
after every failure, there is no new file.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.base.process import die_with_parent

TELL_EVERY_NS = 100_000_000


class Cancelled(BaseException):
    """Not an error: nobody is to catch it on its way."""


def say(**words: Any) -> None:
    print(json.dumps(words), flush=True)


def main(source: Path, output: Path) -> int:
    from studio.runtime.recording.importers import import_log

    told_ns = 0

    def progress(done: int, total: int) -> None:
        nonlocal told_ns
        if monotonic_ns() - told_ns >= TELL_EVERY_NS:
            told_ns = monotonic_ns()
            say(done=done, total=total)

    def cancel(_: int, __: FrameType | None) -> None:
        raise Cancelled

    signal.signal(signal.SIGTERM, cancel)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        report = import_log(source, output, progress=progress)
    except Cancelled:
        return 3
    except (StudioError, OSError) as error:
        say(error=str(error))
        return 1
    say(report=report.to_json())
    return 0


if __name__ == "__main__":
    die_with_parent()
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
