"""A log and a system, opened for single steps in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from studio.messages import MessageTypes
from studio.model.project import Project
from studio.model.sources import Specs
from studio.runtime.base.clock import ClockKind
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.circumstances import recorded_seed
from studio.runtime.replay.inputs import Inputs, inputs_of
from studio.runtime.replay.lockstep import decoder, failures_of, refuse_programs, warnings_of
from studio.runtime.replay.mapping import choose_logged, mapped_topics
from studio.runtime.replay.sockets import FEEDER, LogFeed
from studio.runtime.session.session import Session
from studio.runtime.stepping.stepper import Stepper


@dataclass(frozen=True)
class Stepping:
    """A replay that stands at its start, everybody active."""

    stepper: Stepper
    inputs: Inputs
    warnings: list[str]
    failures: Callable[[], dict[str, str]]
    """Component -> why it has failed, as far as its host has told."""


@contextmanager
def step_through(
    project: Project,
    log: Path | str,
    *,
    specs: Specs,
    types: MessageTypes,
    in_process: bool = False,
    seed: int | None = None,
) -> Iterator[Stepping]:
    """As a lockstep replay of `log` through the project's system, event by event."""
    with LogReader(log) as reader:
        choose_logged(project.system, reader)
        chosen = recorded_seed(reader) if seed is None else seed
        plan = plan_of(project.system, specs, project=project.folder, seed=chosen)
        with step_inputs(inputs_of(plan, reader, mapped_topics(project.system, reader, types)), in_process) as opened:
            yield opened


@contextmanager
def step_inputs(inputs: Inputs, in_process: bool = False) -> Iterator[Stepping]:
    """The same for a plan and what is fed into it."""
    with _in_process(inputs) if in_process else _over_processes(inputs) as opened:
        yield opened


@contextmanager
def _in_process(inputs: Inputs) -> Iterator[Stepping]:
    refuse_programs(inputs.plan)
    twin = InProcess(inputs.plan, create, start_ns=inputs.start_ns)
    try:
        twin.feed(FEEDER, inputs.events(decoder(twin)))
        twin.start()
        stepper = Stepper(twin, until_ns=inputs.end_ns)
        yield Stepping(
            stepper,
            inputs,
            warnings_of(inputs),
            lambda: {n: runner.error for n, runner in twin.runners.items() if runner.error},
        )
    finally:
        twin.stop()


@contextmanager
def _over_processes(inputs: Inputs) -> Iterator[Stepping]:
    with Session(inputs.plan, clock=ClockKind.SIMULATION, start_ns=inputs.start_ns) as session:
        session.launch()
        feed = session.feed(FEEDER, inputs.events(), inputs.topics.values(), LogFeed)
        session.start("pause")
        stepper = Stepper(session, until_ns=inputs.end_ns)

        def failures() -> dict[str, str]:
            damaged = {"the log": str(feed.failure)} if feed.failure is not None else {}
            return damaged | failures_of(session)

        yield Stepping(stepper, inputs, warnings_of(inputs), failures)
