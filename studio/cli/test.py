"""`studio test`: runs the test cases of a project."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from studio.cli.cases.reports import junit, markdown, result_text, results_json, summary
from studio.cli.cases.running import CaseResult, CaseRunner
from studio.cli.shared.colours import paint_verdict
from studio.cli.shared.columns import columns
from studio.cli.shared.log_file import ProgressBar
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.cli.shared.places import find_project
from studio.cli.shared.refusal import refuse
from studio.cli.shared.trust import add_trust_option, require_trust
from studio.model.close_matches import did_you_mean
from studio.model.files import write_atomically
from studio.model.loaded_project import open_project
from studio.runtime.cases.case import FOLDER, Case, cases_of

EXAMPLE = """\
  studio test my_robot                                    all cases of my_robot/tests/*.toml
  studio test my_robot reaches_the_goal --keep logs       one of them; its log is kept
  studio test my_robot --list                             what there is
  studio test my_robot --accept the_filter_smooths        what comes out now is golden from now on
  studio test my_robot --junit report.xml --markdown report.md    for a server of continuous integration
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run the test cases of a project: simulated drives and logs, and what has to be true of the events that come "
        "out. Exit status 1 when a case fails."
    )
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument("cases", metavar="CASE", nargs="*", help="only these (default: all)")
    parser.add_argument("--list", action="store_true", help="list the cases and run none")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="cases at a time (default: one per core)"
    )
    parser.add_argument(
        "--accept",
        nargs="*",
        metavar="CASE",
        help="make what comes out of these cases their golden logs (without names: of all that are run)",
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the log of each case in this folder")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write a report in JUnit XML")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a report for a pull request")
    add_trust_option(parser)
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    opened = open_project(find_project(options.project))
    cases = _chosen(cases_of(opened.folder), options)
    if options.list:
        rows = [(case.name, str(case.file.relative_to(opened.folder)), case.doc) for case in cases]
        print("\n".join(columns([("case", "file", ""), *rows])))
        return FINE
    if any(problem.severity == "error" for problem in opened.problems):
        return refuse(opened, json=options.json)
    require_trust(opened, options)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="studio-test-")))
        folder.mkdir(parents=True, exist_ok=True)
        runner = CaseRunner(opened.folder, opened.types, folder.absolute(), options.accept is not None)
        results = _run(runner, cases, options)
        _write_reports(opened.project.name, results, options)
        if options.json:
            print_json(results_json(opened.project.name, results))
        else:
            print(paint_verdict(summary(results), good=all(each.passed for each in results)))
    return FINE if all(each.passed for each in results) else FAILED


def _run(runner: CaseRunner, cases: Sequence[Case], options: argparse.Namespace) -> list[CaseResult]:
    results = []
    bar = ProgressBar("testing", quiet=options.json)
    try:
        for result in runner.results(cases, options.jobs):
            results.append(result)
            bar.close()
            if not options.json:
                print("\n".join(result_text(result)), flush=True)
            bar(len(results), len(cases))
    finally:
        bar.close()
    return results


def _chosen(known: list[Case], options: argparse.Namespace) -> list[Case]:
    by_name = {case.name: case for case in known}
    if not known:
        hint = f"write them into {FOLDER}/*.toml of the project; docs/guide/testing.md tells how"
        raise UsageError(f"{options.project} has no test cases", hint=hint)
    names = [*options.cases, *(options.accept or ())]
    for name in names:
        if name not in by_name:
            raise UsageError(f"there is no case {name}", hint=did_you_mean(name, by_name))
    chosen = [by_name[name] for name in dict.fromkeys(names)] or known
    if options.accept is not None and not any(case.golden for case in chosen):
        raise UsageError("none of these cases has a golden log", hint='golden = ["/motor/*"] in the case')
    return chosen


def _write_reports(project: str, results: Sequence[CaseResult], options: argparse.Namespace) -> None:
    if options.junit is not None:
        write_atomically(options.junit, junit(project, results))
    if options.markdown is not None:
        write_atomically(options.markdown, markdown(project, results).encode())
