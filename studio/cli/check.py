"""`studio check`: everything that is wrong with a project."""

from __future__ import annotations

import argparse

from studio.cli.shared.colours import BOLD, RED, YELLOW, paint, paint_verdict
from studio.cli.shared.outcome import FAILED, FINE, add_json_option, print_json, problem_json, summary_of
from studio.cli.shared.places import find_project
from studio.errors import Problem, StudioError
from studio.model.loaded_project import LoadedProject, open_project

EXAMPLE = """\
  studio check projects/first_steps          reads the files, runs no code; exit status 1 when there are errors
  studio check first_steps --json            the same for scripts; projects on the search path go by name
  studio check my_robot --strict             warnings count as errors
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument("--strict", action="store_true", help="warnings count as errors")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    folder = find_project(options.project)
    opened: LoadedProject | None = None
    try:
        opened = open_project(folder)
        problems = opened.problems
    except StudioError as error:  # a file that cannot be read at all is a finding too
        problems = Problem.all_from(error)
    failed = any(options.strict or problem.severity == "error" for problem in problems)
    if options.json:
        print_json({"project": str(folder), "ok": not failed, "problems": [problem_json(each) for each in problems]})
    else:
        words = {"error": paint("error:", BOLD, RED), "warning": paint("warning:", BOLD, YELLOW)}
        for problem in problems:
            print(str(problem).replace(f"{problem.severity}:", words[problem.severity], 1))
        print(
            f"{folder}: {paint_verdict(summary_of(problems), good=not failed)}{f', {opened.size()}' if opened else ''}"
        )
    return FAILED if failed else FINE
