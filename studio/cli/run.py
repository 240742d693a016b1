"""`studio run`: runs a project's system as processes and tells what happened."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from studio.cli.opened import Opened, open_project
from studio.cli.outcome import FAILED, FINE, INTERRUPTED, UsageError, add_json_option, print_json, summary_of
from studio.cli.places import find_project
from studio.cli.run_console import Console
from studio.cli.run_result import Measurement, Result, result_of
from studio.errors import StudioError
from studio.model.sources import SOURCE_MODES, LogProvider, SourceMode
from studio.runtime.clock import SECOND_NS, ClockKind, monotonic_ns
from studio.runtime.launcher import Session
from studio.runtime.plan import LAG
from studio.runtime.planning import plan_of

EXAMPLE = """\
  studio run projects/first_steps                        until Ctrl-C; exit status 1 when a component failed
  studio run first_steps --for 5 --json                  five seconds, then one object for scripts
  studio run my_robot --mode simulated                   all sources from their simulated provider
  studio run first_steps --for 10 --record out.mcap      and keep a log of it
  studio run first_steps --gate lockstep --for 60        a minute of system time, flat out, the same every time
"""

LOOK_EVERY_S = 0.1
CHUNK_NS = SECOND_NS
"""Lockstep goes on in pieces of system time, to show progress and log lines between them; the order is the same."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument(
        "--for", dest="seconds", type=_seconds, metavar="SECONDS", help="system time; without it: until Ctrl-C"
    )
    parser.add_argument("--mode", choices=SOURCE_MODES, help="for all sources (default: as the system says)")
    parser.add_argument(
        "--gate", choices=("run", "lockstep"), default="run", help="lockstep: one event at a time, as fast as it goes"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all randomness (default: 0)")
    parser.add_argument("--record", type=Path, metavar="LOG", help="write what happens into this log (.mcap)")
    add_json_option(parser)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def run(options: argparse.Namespace) -> int:
    if options.gate == "lockstep" and options.seconds is None:
        raise UsageError("lockstep needs an end", hint="e.g. --for 60")
    if options.record is not None and options.record.exists():
        raise UsageError(f"{options.record} exists already", hint="logs are never overwritten: choose another name")
    opened = open_project(find_project(options.project))
    if any(problem.severity == "error" for problem in opened.problems):
        return _refuse(opened)
    _tell_doubts(opened, options.mode)
    _choose_mode(opened, options.mode)
    console = Console(quiet=options.json, seconds=options.seconds)
    with _terminated_like_interrupted():
        result = _run(opened, options, console)
    console.tell_failures(result)
    print_json(result.json()) if options.json else print("\n".join(result.text()))
    if result.failed:
        return FAILED
    return INTERRUPTED if result.interrupted and options.seconds is not None else FINE


def _refuse(opened: Opened) -> int:
    for problem in opened.problems:
        print(problem, file=sys.stderr)
    print(f"studio: {opened.folder} does not run: {summary_of(opened.problems)}", file=sys.stderr)
    return FAILED


def _tell_doubts(opened: Opened, mode: SourceMode | None) -> None:
    """What does not keep a system from running, but may be why it does not do what was meant."""
    for problem in opened.problems:
        print(problem, file=sys.stderr)
    if not opened.used_types():
        print(f"studio: {opened.folder} has no components, so there is nothing to run", file=sys.stderr)
    elif mode is not None and not list(opened.system.sources):
        print(f"studio: {opened.folder} has no sources, so --mode {mode} changes nothing", file=sys.stderr)


def _choose_mode(opened: Opened, mode: SourceMode | None) -> None:
    """In memory only: the file stays as it is."""
    for source in list(opened.system.sources):
        chosen = replace(source, mode=mode or source.mode)
        if chosen.mode not in source.modes:
            has = f"it has {', '.join(source.modes)}" if source.modes else "it has no provider at all"
            raise UsageError(f"the source {source.name} has no {mode} provider", hint=has)
        if isinstance(chosen.provider(chosen.mode), LogProvider):
            raise StudioError(f"the source {source.name} is logged, and logs cannot be played yet")
        opened.system.replace_node(chosen)


def _run(opened: Opened, options: argparse.Namespace, console: Console) -> Result:
    plan = plan_of(opened.system, opened.registry, project=opened.folder, seed=options.seed, record=options.record)
    lockstep = options.gate == "lockstep"
    session = Session(plan, clock=ClockKind.SIMULATION, start_ns=0) if lockstep else Session(plan)
    with session:
        session.launch()
        measurement = Measurement(session)
        interrupted = False
        try:
            session.start("pause" if lockstep else "run")
            measurement.begin()
            (_lockstep if lockstep else _free_run)(session, options.seconds, console)
        except KeyboardInterrupt:
            interrupted = True
        measurement.finish()
    console.look(session)
    console.close()
    seconds = measurement.wall_s if not lockstep or interrupted else options.seconds
    return result_of(opened, options, measurement, seconds=seconds, interrupted=interrupted)


def _free_run(session: Session, seconds: float | None, console: Console) -> None:
    start_ns = monotonic_ns()
    pause = threading.Event()
    while len(session.exits) < len(session.hosts):
        passed_s = (monotonic_ns() - start_ns) / SECOND_NS
        if seconds is not None and passed_s >= seconds:
            return
        console.look(session, passed_s)
        pause.wait(LOOK_EVERY_S if seconds is None else min(LOOK_EVERY_S, seconds - passed_s))


def _lockstep(session: Session, seconds: float, console: Console) -> None:
    at_ns, end_ns = 0, round(seconds * SECOND_NS)
    while at_ns < end_ns:
        at_ns = min(end_ns, at_ns + CHUNK_NS)
        session.lockstep(until_ns=at_ns, lag=LAG)
        console.look(session, at_ns / SECOND_NS)


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM ends the run as Ctrl-C does: cleanly, with a summary."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
