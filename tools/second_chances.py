"""Lists the tests that failed at first, how often, and with what message: `python -m tools.second_chances`.

`make test` gives a test that failed a second chance, and writes every failure to build/failures.jsonl. With `--runs 20`
this runs the tests so often before it lists; what comes after `--` goes to pytest: `-- tests/runtime/debug -n 2`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "build" / "failures.jsonl"
BROKEN_RUN = 2
"""From this status on pytest has not run the tests at all."""


@dataclass
class Found:
    """What a record tells."""

    runs: int = 0
    failures: dict[str, Counter[str]] = field(default_factory=dict)
    """Test -> message -> in how many runs. The first message of a run counts."""


def read(lines: Iterable[str]) -> Found:
    found = Found()
    seen: set[str] = set()
    for line in lines:
        told: dict[str, Any] = json.loads(line)
        if told.get("began"):
            found.runs += 1
            seen.clear()
        elif not told["again"] and told["test"] not in seen:
            seen.add(told["test"])
            found.failures.setdefault(told["test"], Counter())[told["message"]] += 1
    return found


def listing(found: Found) -> str:
    lines = [f"{found.runs} runs, {len(found.failures)} tests failed at first"]
    often = sorted(found.failures.items(), key=lambda item: (-item[1].total(), item[0]))
    for test, messages in often:
        lines.append(f"{messages.total():4} of {found.runs}  {test}")
        lines += [
            f"{count:13} x {message.splitlines()[0] if message else '?'}" for message, count in messages.most_common()
        ]
    return "\n".join(lines)


def run_tests(record: Path, words: Sequence[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", f"--record-failures={record}", *words]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, default=RECORD, help="the file of failures (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=0, help="first run the tests so often")
    parser.add_argument("pytest", nargs="*", metavar="ARGS", help="for pytest, after --")
    options = parser.parse_args()
    for _ in range(options.runs):
        status = run_tests(options.record, options.pytest)
        if status >= BROKEN_RUN:
            return status
    if not options.record.is_file():
        print(f"no record at {options.record}: make test writes it")
        return 1
    print(listing(read(options.record.read_text().splitlines())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
