"""How a command ends and what it prints for scripts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any, Final

from studio.cli.shared.colours import YELLOW, paint
from studio.errors import Problem, StudioError

FINE: Final = 0
FAILED: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130


class UsageError(StudioError):
    """The command line itself is wrong: exit status 2."""


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, also for errors")


def warn(text: str) -> None:
    """One line for people, beside what the command prints."""
    print(f"studio: {paint('warning:', YELLOW, stream=sys.stderr)} {text}", file=sys.stderr)


def print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def problem_json(problem: Problem) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint_for_file,
        "subject": problem.subject,
    }


def error_json(error: StudioError, status: int) -> dict[str, Any]:
    """What a command prints with --json when it cannot do what it was asked for."""
    first, *others = (problem_json(Problem.from_error(each)) for each in (error, *error.others))
    return {"error": {**first, "others": others}, "status": status}


def summary_of(problems: Iterable[Problem]) -> str:
    severities = [problem.severity for problem in problems]
    counts = [(severities.count("error"), "error"), (severities.count("warning"), "warning")]
    return ", ".join(f"{count} {word}{'s' if count > 1 else ''}" for count, word in counts if count) or "no problems"
