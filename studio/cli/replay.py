"""`studio replay`: feeds a log into a project's system and tells whether the same comes out."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from studio.cli.compare import (
    comparison_json,
    difference_json,
    is_accepted,
    runs_json,
    runs_text,
    summary,
    tolerance,
)
from studio.cli.shared.colours import paint_verdict
from studio.cli.shared.columns import columns, wrapped
from studio.cli.shared.given_parameters import add_set_option, as_given
from studio.cli.shared.log_file import ProgressBar, find_log, unfinished
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json, warn
from studio.cli.shared.places import find_project
from studio.cli.shared.recording_options import (
    add_recording_options,
    compression_of,
    log_place,
    log_to_write,
    refuse_without_log,
    select_topics,
)
from studio.cli.shared.refusal import refuse
from studio.cli.shared.trust import add_trust_option, require_trust
from studio.model.loaded_project import LoadedProject, open_project
from studio.model.wiring import topics_of
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.plan.planning import recorded_topics
from studio.runtime.recording import LogReader
from studio.runtime.replay.as_recorded import AsRecorded, replay_as_recorded
from studio.runtime.replay.comparison import Comparison, compare
from studio.runtime.replay.lockstep import Result, replay_lockstep

EXAMPLE = """\
  studio replay first_steps --log drive.mcap --lockstep                          components in processes of their own
  studio replay first_steps --log drive.mcap --lockstep --in-process             faster, same results
  studio replay first_steps --log drive.mcap --lockstep --record golden.mcap     record the results, as <record> says
  studio replay first_steps --log drive.mcap --lockstep --record small.mcap --topics '/filter/*' --compression zstd
  studio replay first_steps --log drive.mcap --lockstep --expect golden.mcap     exit status 1 if it differs
  studio replay first_steps --log drive.mcap --lockstep --expect golden.mcap --set filter.cutoff_hz=2.5   what if?
  studio replay first_steps --log drive.mcap --as-recorded                       which component behaves differently?
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument("--log", required=True, metavar="LOG", help="the log to feed into the project")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "--lockstep", action="store_true", help="the whole system, one event at a time, in the order of stamps"
    )
    how.add_argument(
        "--as-recorded", action="store_true", help="each component alone, with the events that it handled in the log"
    )
    parser.add_argument(
        "--in-process", action="store_true", help="run all components in one process: faster, same results"
    )
    parser.add_argument(
        "--record", type=log_place, metavar="OUT", help="record the replay into this new log, or into this folder"
    )
    add_recording_options(parser)
    add_set_option(parser)
    parser.add_argument("--expect", metavar="GOLDEN", help="compare the results with this log")
    parser.add_argument(
        "--tolerance",
        type=tolerance,
        default=0.0,
        metavar="X",
        help="largest accepted difference of numbers (default: 0)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all random numbers (default: that of the log)")
    add_trust_option(parser)
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    if options.as_recorded and (options.record or options.expect or options.in_process):
        hint = "outputs are compared with the log itself, always in process"
        raise UsageError("--record, --expect and --in-process go with --lockstep", hint=hint)
    if options.lockstep and options.tolerance and not options.expect:
        raise UsageError("--tolerance needs a log to compare with", hint="add --expect GOLDEN")
    refuse_without_log(options)
    log = find_log(options.log)
    golden = find_log(options.expect) if options.expect else None
    is_cut = unfinished(log, *([golden] if golden else []))
    opened = as_given(open_project(find_project(options.project)), options)
    if any(problem.severity == "error" for problem in opened.problems):
        return refuse(opened, json=options.json)
    select_topics(opened.system, options)
    require_trust(opened, options)
    if options.as_recorded:
        status = _replay_as_recorded(opened, options, log)
        return status or (FAILED if is_cut else FINE)
    with tempfile.TemporaryDirectory(prefix="studio-replay-") as folder:
        kept = log_to_write(options.record, opened.project.name) if options.record else None
        out = kept or (Path(folder) / "out.mcap" if golden else None)
        status = _replay(opened, options, log, out, golden)
        return status or (FAILED if is_cut else FINE)


def _replay(
    opened: LoadedProject, options: argparse.Namespace, log: Path, out: Path | None, golden: Path | None
) -> int:
    start_ns = monotonic_ns()
    bar = ProgressBar(f"replaying {log.name}", quiet=options.json)
    try:
        with redirect_stdout(sys.stderr):  # what components print in this process is not what the command tells
            result = replay_lockstep(
                opened.project, log, specs=opened.registry, types=opened.types, in_process=options.in_process,
                record=out, topics=_recorded_topics(opened, options, golden), compression=compression_of(options),
                seed=options.seed, progress=bar,
            )  # fmt: skip
    finally:
        bar.close()
    wall_s = (monotonic_ns() - start_ns) / SECOND_NS
    found = None
    if golden is not None and out is not None:
        found = compare(golden, out, options.tolerance, topics=_expected(golden), types=opened.types)
    _tell(result, options, wall_s, found)
    return FAILED if result.failures or (found is not None and not is_accepted(found)) else FINE


def _recorded_topics(opened: LoadedProject, options: argparse.Namespace, golden: Path | None) -> set[str] | None:
    """As the system and the options say; with what is to be compared. All, if nothing is kept anyway."""
    if not options.record:
        return None
    known = [topic for topic, _, _ in topics_of(opened.system, opened.registry)]
    chosen = recorded_topics(opened.system, known)
    if known and not chosen and (options.topics or options.exclude):
        raise UsageError("no topic is left to record", hint=f"the topics are {', '.join(known)}")
    return {*chosen, *(_expected(golden) if golden else ())}


def _replay_as_recorded(opened: LoadedProject, options: argparse.Namespace, log: Path) -> int:
    bar = ProgressBar(f"replaying {log.name}", quiet=options.json)
    try:
        with redirect_stdout(sys.stderr):
            found = replay_as_recorded(
                opened.project, log, specs=opened.registry, types=opened.types, seed=options.seed,
                tolerance=options.tolerance, progress=bar,
            )  # fmt: skip
    finally:
        bar.close()
    for warning in found.warnings:
        warn(f"{warning}")
    print_json(as_recorded_json(found)) if options.json else print("\n".join(as_recorded_text(found)))
    return FINE if found.identical else FAILED


def as_recorded_json(found: AsRecorded) -> dict[str, Any]:
    return {
        "replay": "as-recorded",
        "identical": found.identical,
        "components": {
            name: {
                "handled": one.handled,
                "compared": one.compared,
                "identical": one.first_difference is None,
                "first_difference": difference_json(one.first_difference),
                "after": f"{one.after[0]}:{one.after[1]}" if one.after else None,
                "failure": one.failure,
            }
            for name, one in found.components.items()
        },
        "skipped": found.skipped,
        "run_differences": runs_json(found.runs),
        "warnings": list(found.warnings),
    }


def as_recorded_text(found: AsRecorded) -> Iterator[str]:
    yield "each component handled its events of the log again; its outputs are compared with the log"
    rows = [
        (name, str(one.handled), str(one.compared), "different" if one.first_difference else "identical",
         "fails as in the log" if one.failure and not one.first_difference else "")
        for name, one in found.components.items()
    ]  # fmt: skip
    yield from columns([("component", "handled", "outputs compared", "", ""), *rows], indent="")
    yield from (f"not computed: {name} {reason}" for name, reason in found.skipped.items())
    first = found.first_difference
    if first is None:
        yield paint_verdict("identical", good=True)
        return
    name, one = first
    at = f" while handling {one.after[0]}:{one.after[1]}" if one.after else ""
    yield f"first difference (A: recorded, B: replayed), of {name}{at}: {one.first_difference}"
    yield from runs_text(found.runs)
    if one.failure:
        yield one.failure.rstrip()


def _expected(golden: Path) -> list[str]:
    """What the golden log has; topics that came later are no difference."""
    with LogReader(golden) as log:
        return [name for name in log.topics if not name.startswith("/_studio/")]


def _tell(result: Result, options: argparse.Namespace, wall_s: float, found: Comparison | None) -> None:
    for warning in result.warnings:
        warn(f"{warning}")
    for name, error in result.failures.items():
        print(f"{name} failed:\n{error.rstrip()}", file=sys.stderr)
    if options.json:
        print_json(_json(result, wall_s, found))
        return
    faster = f", {result.system_s / wall_s:.1f} times real time" if wall_s else ""
    print(f"replayed {result.delivered} events, {result.system_s:.3f} s of system time in {wall_s:.2f} s{faster}")
    print("\n".join(replayed_text(result)))
    if found is not None:
        print(f"compared with {options.expect}: {paint_verdict(summary(found), good=is_accepted(found))}")
        if found.first_difference is not None:
            print(f"first difference (A: expected, B: replayed): {found.first_difference}")
            print("\n".join(runs_text(found.runs)) or "the runs do not differ in parameters, code or geometry")


def replayed_text(result: Result) -> Iterator[str]:
    """What was taken from the log, and what ran on it."""
    yield from wrapped("fed from the log", result.fed or ["nothing"])
    yield from wrapped("computed by", result.computed or ["no component"])
    if result.left_out:
        yield from wrapped("not started, because the log has their outputs", result.left_out)


def _json(result: Result, wall_s: float, found: Comparison | None) -> dict[str, Any]:
    return {
        "replay": "lockstep",
        "delivered": result.delivered,
        "system_s": result.system_s,
        "wall_s": wall_s,
        "fed": list(result.fed),
        "computed": list(result.computed),
        "left_out": list(result.left_out),
        "warnings": list(result.warnings),
        "failures": result.failures,
        "expected": comparison_json(found) if found is not None else None,
    }
