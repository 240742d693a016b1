"""Restarting: how long a killed component takes to be back, against a bare start of the same imports.

A component of first_steps is killed again and again while the system runs; it is back when it is active in the channel.
The peer is a process that imports what the host of that component imports, and says so over a pipe.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.harness import OURS, Report, interleave
from studio.model.project import Project
from studio.model.registry import Registry
from studio.paths import component_roots
from studio.runtime.launcher import Session
from studio.runtime.planning import plan_of
from studio.runtime.supervision import RestartPolicy

PROJECT = Path(__file__).resolve().parent.parent / "projects" / "first_steps"
VICTIM = "filter"
BARE = "bare start"
GOAL = 1.5
FOR_EVER = RestartPolicy(most=1_000_000, pause_s=0.0)


def run(rounds: int = 5, kills: int = 20) -> Report:
    report = Report("restart", rounds)
    times_ms: dict[str, list[float]] = {OURS: [], BARE: []}

    def timed(name: str, once: Callable[[], float]) -> float:
        found = sorted(once() for _ in range(kills))
        times_ms[name] += found
        return found[len(found) // 2]

    with _running() as session:
        contenders = {
            OURS: lambda: timed(OURS, lambda: killed_ms(session)),
            BARE: lambda: timed(BARE, lambda: bare_ms(session)),
        }
        medians = interleave(contenders, rounds)
    report.add("a killed component is back, median", "ms", medians, against=BARE, goal=GOAL)
    slowest = {name: sorted(found)[int(0.99 * len(found))] for name, found in times_ms.items()}
    report.add(f"the same, p99 of {rounds * kills}", "ms", slowest, against=BARE, goal=GOAL)
    return report


def _running() -> Session:
    project = Project.open(PROJECT)
    plan = plan_of(project.system, Registry.scan(component_roots(PROJECT)), project=project.folder)
    session = Session(plan, policy=FOR_EVER)
    session.launch()
    session.start("run")
    return session


def killed_ms(session: Session) -> float:
    """From the kill to the moment at which the broker has activated it again."""
    before = session.supervisor.restarts(VICTIM)
    began = time.perf_counter()
    session.hosts[VICTIM].send_signal(signal.SIGKILL)
    while not session.supervisor.is_back(VICTIM, before):
        if time.perf_counter() - began > 60:
            raise RuntimeError(f"{VICTIM} is not back:\n{session.output_of(VICTIM)}")
    return (time.perf_counter() - began) * 1e3


def bare_ms(session: Session) -> float:
    planned = session.plan.by_name[VICTIM]
    module = planned.entry.partition(":")[0]
    code = (
        f"import sys; sys.path.insert(0, {planned.folder!r}); import studio.runtime.host, {module}; print(flush=True)"
    )
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=PROJECT.parent.parent) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return (time.perf_counter() - began) * 1e3
