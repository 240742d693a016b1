"""How a command ends and what it prints for scripts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any, Final

from studio.errors import Problem, StudioError

FINE: Final = 0
FAILED: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130


class UsageError(StudioError):
    """The command line itself is wrong: exit status 2."""


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")


def print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def problem_json(problem: Problem) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint,
        "subject": problem.subject,
    }


def summary_of(problems: Iterable[Problem]) -> str:
    severities = [problem.severity for problem in problems]
    counts = [(severities.count("error"), "error"), (severities.count("warning"), "warning")]
    return ", ".join(f"{count} {word}{'s' if count > 1 else ''}" for count, word in counts if count) or "no problems"
