"""Restarting: how long a killed component takes to be back, against a bare start of the same imports.

A component of first_steps is killed again and again while the system runs; it is back when it is active in the channel.
The peer is a process that imports what the host of that component imports, and says so over a pipe.

Both are done once more while every processor of the machine is busy with something else, against a bare start of Python
with pyzmq alone; median, p99 and slowest are told, since it is the tails that a load makes long. The simulator of the
Raptor, in its whole system, is timed the same way.

Then the broker is killed: events flow again when one arrives that was published afterwards, through two components. And
a component is stopped, which must be noticed. Both have a promise in seconds, not a peer.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import zmq

from bench.harness import OURS, PROMISED, Report, interleave
from studio.model.project import Project
from studio.model.registry import Registry
from studio.paths import component_roots
from studio.runtime.plan.planning import plan_of
from studio.runtime.processes.supervision import Condition, RestartPolicy
from studio.runtime.session.session import Session
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import split, subscription

PROJECTS = Path(__file__).resolve().parent.parent / "projects"
PROJECT = PROJECTS / "first_steps"
VICTIM = "filter"
SIMULATED = PROJECTS / "raptor_blocks_world"
SIMULATOR = "simulator"
BARE = "bare start"
BARE_ZMQ = "bare start with pyzmq"
GOAL = 1.5
GOAL_AT_LOAD = 0.5
FLOWS_WITHIN_MS = 1000.0
NOTICED_WITHIN_MS = 2000.0
PATIENCE_S = 60
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
        slowest: dict[str, float | None] = {name: _p99(found) for name, found in times_ms.items()}
        report.add(f"the same, p99 of {rounds * kills}", "ms", slowest, against=BARE, goal=GOAL)
        with _busy_machine():
            _add_at_load(report, session, VICTIM, "a killed component", rounds * kills)
        flowing = [channel_back_ms(session) for _ in range(rounds * kills)]
        _promise(report, f"events flow again after a killed broker, p99 of {len(flowing)}", flowing, FLOWS_WITHIN_MS)
        noticed = [noticed_ms(session) for _ in range(rounds)]
        _promise(report, f"a stopped component is noticed, slowest of {rounds}", noticed, NOTICED_WITHIN_MS)
    with _running(SIMULATED) as session:
        killed_ms(session, SIMULATOR)  # the first one may be before the fork server has imported everything
        with _busy_machine():
            _add_at_load(report, session, SIMULATOR, "the Raptor's simulator", rounds * kills)
    return report


def _add_at_load(report: Report, session: Session, victim: str, who: str, count: int) -> None:
    found: dict[str, list[float]] = {OURS: [], BARE_ZMQ: []}
    for _ in range(count):  # one after the other, so that both have the same load
        found[OURS].append(killed_ms(session, victim))
        found[BARE_ZMQ].append(bare_zmq_ms())
    medians: dict[str, float | None] = {name: sorted(each)[count // 2] for name, each in found.items()}
    report.add(f"{who} is back at load, median", "ms", medians, against=BARE_ZMQ, goal=GOAL_AT_LOAD)
    for what, of in ((f"p99 of {count}", _p99), ("slowest", max)):
        told: dict[str, float | None] = {name: of(each) for name, each in found.items()}
        report.add(f"{who} at load, {what}", "ms", told, against=BARE_ZMQ)


@contextmanager
def _busy_machine() -> Iterator[None]:
    """As many processes that only compute as there are processors."""
    code = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(code) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def _promise(report: Report, what: str, found_ms: list[float], promised_ms: float) -> None:
    report.add(what, "ms", {OURS: _p99(found_ms), PROMISED: promised_ms}, against=PROMISED, goal=1.0)


def _p99(found: list[float]) -> float:
    return sorted(found)[int(0.99 * len(found))]


def _running(folder: Path = PROJECT) -> Session:
    project = Project.open(folder)
    plan = plan_of(project.system, Registry.scan(component_roots(folder)), project=project.folder)
    session = Session(plan, policy=FOR_EVER)
    session.launch()
    session.start("run")
    return session


def killed_ms(session: Session, victim: str = VICTIM) -> float:
    """From the kill to the moment at which the broker has activated it again."""
    before = session.supervisor.restarts(victim)
    began = time.perf_counter()
    session.hosts[victim].send_signal(signal.SIGKILL)
    while not session.supervisor.is_back(victim, before):
        if time.perf_counter() - began > PATIENCE_S:
            raise RuntimeError(f"{victim} is not back:\n{session.output_of(victim)}")
    return (time.perf_counter() - began) * 1e3


def channel_back_ms(session: Session) -> float:
    """From the kill of the broker to the arrival of an event that was published afterwards, by one who was fed too."""
    topic = session.plan.by_name[VICTIM].outlets["smooth"]
    with zmq.Context() as context, context.socket(zmq.SUB) as ear:
        ear.linger, ear.reconnect_ivl = 0, 5
        ear.subscribe(subscription(topic))
        ear.connect(addresses.out_of(session.folders.run))
        _next_after(ear, 0)
        clock = session.observer.clock
        assert clock is not None
        began = time.perf_counter()
        session.broker.send_signal(signal.SIGKILL)
        _next_after(ear, clock.now_ns())
        return (time.perf_counter() - began) * 1e3


def _next_after(ear: zmq.Socket[bytes], sent_ns: int) -> None:
    while ear.poll(PATIENCE_S * 1000):
        if split(ear.recv())[1].sent_ns > sent_ns:
            return
    raise RuntimeError(f"no event in {PATIENCE_S} s")


def noticed_ms(session: Session) -> float:
    """From the SIGSTOP of a component's process to the moment at which its supervisor calls it hung."""
    process = session.hosts[VICTIM]
    _await(session, Condition.RUNNING)
    began = time.perf_counter()
    process.send_signal(signal.SIGSTOP)
    try:
        _await(session, Condition.HUNG)
        return (time.perf_counter() - began) * 1e3
    finally:
        process.send_signal(signal.SIGCONT)
        _await(session, Condition.RUNNING)


def _await(session: Session, condition: Condition) -> None:
    end = time.perf_counter() + PATIENCE_S
    while session.supervisor.condition(VICTIM) is not condition:
        if time.perf_counter() > end:
            raise RuntimeError(f"{VICTIM} is not {condition.value} after {PATIENCE_S} s")
        time.sleep(0.005)


def bare_zmq_ms() -> float:
    code = "import zmq; zmq.Context().socket(zmq.SUB); print(flush=True)"
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return (time.perf_counter() - began) * 1e3


def bare_ms(session: Session) -> float:
    planned = session.plan.by_name[VICTIM]
    module = planned.entry.partition(":")[0]
    imports = f"import studio.runtime.host.host, {module}"
    code = f"import sys; sys.path.insert(0, {planned.folder!r}); {imports}; print(flush=True)"
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=PROJECT.parent.parent) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return (time.perf_counter() - began) * 1e3
