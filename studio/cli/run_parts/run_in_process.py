"""`studio run --in-process`: a simulated system without processes, faster and with the same events."""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import replace

from studio.cli.run_parts.run_result import ComponentResult, Result, TopicResult, mode_of, per_second
from studio.cli.shared.debug_options import wants_debugger
from studio.cli.shared.log_file import ProgressBar
from studio.cli.shared.outcome import UsageError
from studio.cli.shared.recording_options import recording_as_told
from studio.cli.shared.verdict import Outcomes
from studio.model.loaded_project import LoadedProject
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.host.statistics import TopicTotals
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.planning import plan_of
from studio.runtime.replay.in_process_run import LogLine, RunInProcess, run_in_process
from studio.runtime.wire.frames import Event


def add_in_process_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--in-process",
        action="store_true",
        help="run all components in one process, as fast as possible: simulated systems only; the same events come out",
    )


def choose_lockstep(opened: LoadedProject, options: argparse.Namespace) -> None:
    """Sets `options.gate`, once the modes are chosen; refuses what needs processes."""
    wanted = {"--paused": options.paused, "--stay": options.stay, "--debug": wants_debugger(options)}
    wanted["--rate"] = bool(options.rate)
    for name, is_wanted in wanted.items():
        if is_wanted:
            raise UsageError(f"--in-process goes as fast as it can, and to the end; {name} needs processes")
    for source in opened.system.sources:
        if source.mode != "simulated":
            hint = "studio replay --in-process" if source.mode == "logged" else "add --mode simulated"
            raise UsageError(f"--in-process needs simulated sources, and {source.name} is {source.mode}", hint=hint)
    if options.gate == "run":
        raise UsageError("--in-process is a lockstep", hint="leave --gate out")
    if options.seconds is None:
        raise UsageError("--in-process goes as fast as it can, so it needs an end", hint="e.g. --for 60")
    options.gate = "lockstep"


def run_to_the_end(opened: LoadedProject, options: argparse.Namespace) -> Result:
    plan = plan_of(opened.system, opened.registry, project=opened.folder, seed=options.seed, record=options.record)
    plan = replace(recording_as_told(plan, options), system=(options.text or b"").decode())
    outcomes = Outcomes(opened)
    whole_ns = round(options.seconds * SECOND_NS)

    def hear(event: Event) -> None:
        outcomes.hear(event.topic, event.message.data)

    bar = ProgressBar(f"running {opened.project.name}", quiet=options.json)
    try:
        run = run_in_process(
            plan, opened.types, lambda: min(whole_ns, outcomes.over_at_ns() or whole_ns),
            hear=dict.fromkeys(outcomes.judges, hear), log_line=_log_line(quiet=options.json),
            progress=lambda at_ns: bar(at_ns, whole_ns),
        )  # fmt: skip
    finally:
        bar.close()
    return _result(opened, options, plan, run, outcomes)


def _log_line(*, quiet: bool) -> LogLine:
    least = logging.WARNING if quiet else logging.INFO

    def tell(component: str, record: logging.LogRecord) -> None:
        if record.levelno >= least:
            level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
            print(f"{component}: {level}{record.getMessage()}", file=sys.stderr, flush=True)

    return tell


def _result(
    opened: LoadedProject, options: argparse.Namespace, plan: Plan, run: RunInProcess, outcomes: Outcomes
) -> Result:
    seconds = run.now_ns / SECOND_NS
    return Result(
        project=opened.project.name,
        mode=mode_of(opened),
        gate=options.gate,
        seed=options.seed,
        seconds=round(seconds, 3),
        interrupted=run.interrupted,
        components=[
            ComponentResult(each.name, run.states[each.name], 0, run.error_counts[each.name],
                            run.errors.get(each.name, ""), None)
            for each in plan.components
        ],
        topics=[
            TopicResult(topic, kind, TopicTotals(count), per_second(count, seconds), timed=False)
            for topic, kind in plan.types.items()
            for count in (run.counts.get(topic, 0),)
        ],
        skipped_ticks=0,
        broker_restarts=0,
        broker_gave_up=False,
        outcome=outcomes.outcome,
    )  # fmt: skip
