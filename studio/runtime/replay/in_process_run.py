"""A simulated system, run to its end in this process: no process and no socket is started, and the events are the same.

It is a lockstep that goes as fast as it can. Nobody can attach to it; what it does is in its log.
"""

from __future__ import annotations

import logging
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from studio.messages import MessageTypes
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.base.log_compression import Compression
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import Plan
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.lockstep import refuse_programs
from studio.runtime.wire.frames import Event

PIECE_NS = SECOND_NS
"""Between pieces the end is looked at, as over processes: a run ends at the same event either way."""

Hear = Callable[[Event], None]
LogLine = Callable[[str, logging.LogRecord], None]
"""Of a component: its name, and what it says."""


@dataclass(frozen=True)
class RunInProcess:
    """What it came to."""

    now_ns: int
    interrupted: bool
    states: Mapping[str, str]
    errors: Mapping[str, str]
    """Of those that failed."""
    error_counts: Mapping[str, int]
    counts: Mapping[str, int]
    """Topic of the system -> events that passed."""


def run_in_process(
    plan: Plan,
    types: MessageTypes,
    until_ns: Callable[[], int],
    *,
    hear: Mapping[str, Hear],
    log_line: LogLine,
    progress: Callable[[int], None],
) -> RunInProcess:
    """From system time 0 to `until_ns`, which is asked after each second of it, since what has happened may change it.

    `hear`: topic -> what takes its events. Ctrl-C ends it, after the event that is being handled.
    """
    refuse_programs(plan)
    counts: Counter[str] = Counter()
    with _log_of(plan, types) as log:

        def tap(event: Event) -> None:
            counts[event.topic] += 1
            if log is not None:
                log.take(event)
            if (heard := hear.get(event.topic)) is not None:
                heard(event)

        run = InProcess(plan, create, tap=tap)
        for name, runner in run.runners.items():
            runner.component.log = _logger(name, log_line)
        try:
            with _interrupted_by_ctrl_c(run):
                run.start()
                at_ns = 0
                while at_ns < until_ns() and not run.interrupted():
                    at_ns = min(until_ns(), at_ns + PIECE_NS)
                    run.lockstep(until_ns=at_ns)
                    progress(at_ns)
            interrupted = run.interrupted()
            now_ns = run.gate.now_ns if interrupted else at_ns
        finally:
            states = {name: runner.state.value for name, runner in run.runners.items()}
            run.stop()
    runners = run.runners.items()
    return RunInProcess(
        now_ns, interrupted, states,
        {name: runner.error for name, runner in runners if runner.error},
        {name: runner.errors for name, runner in runners},
        {topic: count for topic, count in counts.items() if topic in plan.types},
    )  # fmt: skip


def _log_of(plan: Plan, types: MessageTypes) -> AbstractContextManager[EventLog | None]:
    if plan.recording is None:
        return nullcontext()
    told = plan.recording
    return EventLog(Path(told.file), plan, types, told.topics, cast(Compression, told.compression))


@contextmanager
def _interrupted_by_ctrl_c(run: InProcess) -> Iterator[None]:
    """Between two events: a handler or a write to the log that is cut off would leave something half done."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda *_: run.interrupt()) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


def _logger(name: str, tell: LogLine) -> logging.Logger:
    """Of its own for each component; by class, as they are made, two of one class would share theirs."""
    logger = logging.Logger(name, logging.INFO)
    logger.addHandler(_Handler(name, tell))
    return logger


class _Handler(logging.Handler):
    def __init__(self, name: str, tell: LogLine) -> None:
        super().__init__()
        self._component, self._tell = name, tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(self._component, record)
