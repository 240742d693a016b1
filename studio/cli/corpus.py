"""`studio corpus`: tries every model, log and system from elsewhere below a folder."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from studio.cli.corpus_parts.finding import find_all
from studio.cli.corpus_parts.outcome import BAD, RESULTS, Found, Outcome
from studio.cli.corpus_parts.trial import Trial
from studio.cli.shared.colours import GREEN, RED, YELLOW, paint
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json

EXAMPLE = """\
  studio corpus ~/robots                         every SDF, URDF, MCAP, bag, CARMEN log and RtsProfile below it
  studio corpus ~/robots --only wrong,crashed    list only failures
  studio corpus ~/logs --time-limit 600          more time for large logs
  studio corpus ~/robots --json > report.json
"""
CLEAR_LINE = "\r\x1b[K"
LOOK_EVERY_S = 0.2
"""For those whose time is over; an answer, or the end of a process, is noticed at once."""
COLOURS = {"ok": GREEN, "refused": YELLOW, "wrong": RED, "crashed": RED}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Import every model, log and system below a folder, and compare the result with the file. "
        "Exit status 1 when something is wrong or crashed."
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="folder to read; its files are not changed")
    parser.add_argument("--only", metavar="RESULTS", default=",".join(RESULTS), help=f"list only these: {_all()}")
    parser.add_argument("--time-limit", type=float, default=120.0, metavar="S", help="for each file (default: 120)")
    parser.add_argument(
        "--jobs", type=int, default=_usual_jobs(), metavar="N", help="files at a time (default: half the cores)"
    )
    parser.add_argument("--notes", action="store_true", help="list what each import left out or changed, too")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    if not options.folder.is_dir():
        raise UsageError(f"there is no folder {options.folder}")
    chosen = options.only.split(",")
    for word in chosen:
        if word not in RESULTS:
            raise UsageError(f"{word!r} is not a result", hint=f"results are {_all()}")
    if options.jobs < 1 or options.time_limit <= 0:
        raise UsageError("--jobs and --time-limit must be more than 0")
    found = find_all(options.folder)
    counts: Counter[str] = Counter()
    listed: list[dict[str, Any]] = []
    for number, (each, outcome) in enumerate(tried(found, options.jobs, options.time_limit), 1):
        counts[outcome.result] += 1
        if outcome.result in chosen:
            if options.json:
                listed.append(_json(each, outcome, options.folder))
            else:
                _clear()
                print("\n".join(_text(each, outcome, options)))
        _show_progress(number, len(found), counts)
    _clear()
    summary = {result: counts[result] for result in RESULTS}
    if options.json:
        print_json({"folder": str(options.folder), "files": listed, "counts": summary})
    else:
        print(f"{len(found)} files: " + ", ".join(f"{count} {result}" for result, count in summary.items()))
    return FAILED if any(counts[result] for result in BAD) else FINE


def tried(found: list[Found], jobs: int, limit_s: float) -> Iterator[tuple[Found, Outcome]]:
    """In the order of the list, whichever is ready first."""
    waiting = list(enumerate(found))[::-1]
    running: dict[int, Trial] = {}
    ready: dict[int, Outcome] = {}
    told = 0
    try:
        while told < len(found):
            while waiting and len(running) < jobs:
                number, each = waiting.pop()
                running[number] = Trial.start(each, limit_s)
            for number, trial in list(running.items()):
                outcome = trial.outcome()
                if outcome is not None:
                    ready[number] = outcome
                    del running[number]
            while told in ready:
                yield found[told], ready.pop(told)
                told += 1
            wait([trial.answer for trial in running.values()], timeout=LOOK_EVERY_S)
    finally:
        for trial in running.values():
            trial.stop()


def _text(each: Found, outcome: Outcome, options: argparse.Namespace) -> Iterator[str]:
    result = paint(outcome.result.ljust(7), COLOURS[outcome.result])
    why = f": {outcome.why}" if outcome.why else ""
    yield f"{result}  {each.path.relative_to(options.folder)}{why}"
    if options.notes:
        yield from (f"         {note}" for note in outcome.notes)


def _json(each: Found, outcome: Outcome, folder: Path) -> dict[str, Any]:
    return {
        "file": str(each.path.relative_to(folder)),
        "kind": each.kind,
        "result": outcome.result,
        "why": outcome.why,
        "compared": outcome.compared,
        "notes": outcome.notes,
    }


def _show_progress(number: int, total: int, counts: Counter[str]) -> None:
    if sys.stderr.isatty():
        bad = sum(counts[result] for result in BAD)
        print(
            f"{CLEAR_LINE}{number} of {total}, {bad} wrong or crashed, Ctrl-C ends", end="", file=sys.stderr, flush=True
        )


def _clear() -> None:
    if sys.stderr.isatty():
        print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


def _all() -> str:
    return ", ".join(RESULTS)


def _usual_jobs() -> int:
    return max(1, (os.cpu_count() or 2) // 2)
