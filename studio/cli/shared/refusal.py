"""How a command ends whose project has errors and cannot run."""

from __future__ import annotations

import sys

from studio.cli.shared.outcome import FAILED, error_json, print_json, problem_json, summary_of
from studio.errors import StudioError
from studio.model.loaded_project import LoadedProject


def refuse(opened: LoadedProject, *, json: bool) -> int:
    for problem in opened.problems:
        print(problem, file=sys.stderr)
    refusal = StudioError(f"{opened.folder} does not run: {summary_of(opened.problems)}")
    print(f"studio: {refusal}", file=sys.stderr)
    if json:
        print_json({**error_json(refusal, FAILED), "problems": [problem_json(each) for each in opened.problems]})
    return FAILED
