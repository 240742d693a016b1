"""Debugging: what it costs a host that it could be debugged, and that it is; and how long attaching takes.

The same call-heavy component runs in lockstep in three systems: in one no host can be debugged (STUDIO_DEBUG=off), in
one they could, in one a debugger is attached without a breakpoint. What counts is the processor time of the host.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.harness import OURS, Report, interleave
from studio.runtime.base.clock import SECOND_NS, ClockKind
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.freeze import Freeze
from studio.runtime.host.host_side import SWITCH
from studio.runtime.plan.plan import Plan, PlannedComponent
from studio.runtime.processes.supervision import RestartPolicy
from studio.runtime.session.session import Session

PARTS = Path(__file__).parent / "debug_parts"
HOST = "work"
PERIOD_NS = SECOND_NS // 100
CANNOT = "cannot be debugged"
LIMIT = "limit"
TURNS = 5
"""In each round: what differs by a hundredth is lost in the noise of few long measurements."""
GOAL_IDLE, GOAL_ATTACHED, LIMIT_S = 1.02, 1.05, 2.0


def run(rounds: int = 5, events: int = 15) -> Report:
    report = Report("debug", rounds)
    with ExitStack() as stack:
        without = stack.enter_context(_system(debuggable=False))
        could = stack.enter_context(_system())
        attached = stack.enter_context(_system())
        debugger = Debugger(attached, Freeze(attached))
        stack.callback(debugger.close)
        debugger.attach(HOST)
        medians = interleave(
            {
                CANNOT: lambda: cpu_ms_per_event(without, events),
                OURS: lambda: cpu_ms_per_event(could, events),
                "attached": lambda: cpu_ms_per_event(attached, events),
            },
            rounds * TURNS,
        )
        idle = {name: medians[name] for name in (OURS, CANNOT)}
        debugged = {OURS: medians["attached"], CANNOT: medians[CANNOT]}
        report.add("a host that could be debugged, and is not", "ms/event", idle, against=CANNOT, goal=GOAL_IDLE)
        # Before 3.12 debugpy traces every call; there the cost is told, and nothing promised.
        goal = GOAL_ATTACHED if sys.version_info >= (3, 12) else None
        report.add("with a debugger and no breakpoint", "ms/event", debugged, against=CANNOT, goal=goal)
        seconds = interleave({OURS: lambda: attach_s(attached, debugger)}, rounds)
    report.add("attaching to a running host", "s", {**seconds, LIMIT: LIMIT_S}, against=LIMIT, goal=1.0)
    return report


@contextmanager
def _system(*, debuggable: bool = True) -> Iterator[Session]:
    component = PlannedComponent(
        "work", "work", 0, HOST, "periodic", PERIOD_NS, {}, (), {"out": f"/{HOST}/out"}, {},
        entry="work:Work", folder=str(PARTS),
    )  # fmt: skip
    if not debuggable:
        os.environ[SWITCH] = "off"
    try:
        session = Session(Plan((component,), 1), clock=ClockKind.SIMULATION, start_ns=0, policy=RestartPolicy())
        with session:
            session.launch()
            os.environ.pop(SWITCH, None)
            session.start("pause")
            yield session
    finally:
        os.environ.pop(SWITCH, None)


def cpu_ms_per_event(session: Session, events: int) -> float:
    """Processor time, so that others who use the machine do not count."""
    before = _cpu_ns(session)
    session.lockstep(count=events)
    return (_cpu_ns(session) - before) / events / 1e6


def _cpu_ns(session: Session) -> int:
    tasks = Path(f"/proc/{session.hosts[HOST].pid}/task")
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir())


def attach_s(session: Session, debugger: Debugger) -> float:
    """Of a process that has never been debugged: it has to import debugpy first."""
    debugger.detach(HOST)
    session.restart_host(HOST)
    began = time.perf_counter()
    debugger.attach(HOST)
    return time.perf_counter() - began
