"""kill -9 on everybody, again and again: what dies comes back soon, and leaves nothing behind that grows."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import psutil
import pytest

from studio.runtime.base.clock import ClockKind
from studio.runtime.processes.supervision import UNLIMITED, Condition
from studio.runtime.session.session import Session
from tests.runtime.systems import Part, plan
from tests.waiting import await_true

SYSTEM = {
    "ticker": Part("Ticker", period_s=0.01),
    "adder": Part("Adder", {"raw": "ticker.out"}),
    "parent": Part("Parent", {"raw": "adder.out"}),
    "big": Part("BigMap", {"raw": "ticker.out"}, {"side": 200}),
    "sum": Part("MapSum", {"map": "big.big"}),
}
"""In the order of the flow: a line, and payloads in shared memory beside it."""
BARE_START_EVERY = 20


class Holdings(NamedTuple):
    """What the runtime has, and what the run has on disks."""

    descriptors: int
    threads: int
    memory_mb: float
    files: int
    shared_files: int
    shared_mb: float

    @classmethod
    def of(cls, session: Session) -> Holdings:
        assert session.folders.shared is not None
        me = psutil.Process()
        run = [file for file in session.folders.run.rglob("*") if not file.is_dir()]
        shared = [_size(entry) for entry in os.scandir(session.folders.shared)]
        memory_mb, shared_mb = me.memory_info().rss / 2**20, sum(shared) / 2**20
        return cls(me.num_fds(), threading.active_count(), memory_mb, len(run), len(shared), shared_mb)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except FileNotFoundError:
        return 0


def test_a_thousand_kills_and_a_hundred_of_the_broker(
    scaled: Callable[[int], int], request: pytest.FixtureRequest
) -> None:
    choose = random.Random(5)
    kills = scaled(1000)
    victims = [name for _ in range(kills // len(SYSTEM)) for name in SYSTEM] + ["broker"] * max(2, scaled(100))
    choose.shuffle(victims)
    took_s: list[float] = []
    bare_s: list[float] = []
    dead: set[int] = set()
    with Session(plan(**SYSTEM), clock=ClockKind.WALL, policy=UNLIMITED) as session:
        session.launch()
        session.start("run")
        early: Holdings | None = None
        for number, victim in enumerate(victims):
            time.sleep(choose.uniform(0.0, 0.1))
            dead.add(session.processes()[victim].pid)
            took_s.append(_kill(session, victim))
            if number == len(victims) // 4:
                early = Holdings.of(session)
            if request.config.getoption("--soak") and number % BARE_START_EVERY == 0:
                bare_s.append(_bare_start_s())
        assert sum(session.restarts.values()) + session.broker_restarts == len(victims)
        assert not session.exits
        # Producers before their receivers, so that each of these has seen all of its producer's life.
        for name in (*SYSTEM, "broker"):
            dead.add(session.processes()[name].pid)
            _kill(session, name)
        _await_flow(session)
        late = Holdings.of(session)
        print(f"\n{early}\n{late}")
        _assert_no_growth(early, late)
        _assert_counts_are_true(session)
        assert _remains(dead) == []
        alive = {process.pid for process in session.processes().values()}
    assert _remains(dead | alive) == []
    assert not session.folders.run.exists() and session.folders.shared and not session.folders.shared.exists()
    if bare_s:
        slow_s, bare = float(np.quantile(took_s, 0.99)), float(np.median(bare_s))
        print(f"restart: median {np.median(took_s):.3f} s, p99 {slow_s:.3f} s; bare start: median {bare:.3f} s")
        assert slow_s <= 1.5 * bare  # `studio bench restart` measures the same in turns, p99 against p99


def _kill(session: Session, name: str) -> float:
    """Kill a process and wait until its successor is in the channel; how long that took."""
    process = session.processes()[name]
    ward = session.supervisor.wards[name]
    restarts = ward.restarts
    start = time.monotonic()
    process.send_signal(signal.SIGKILL)
    await_true(lambda: ward.restarts > restarts and ward.condition is Condition.RUNNING, f"{name} to be back", 60)
    return time.monotonic() - start


def _bare_start_s() -> float:
    """How long Python takes that imports what a component's process imports."""
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", "import studio.runtime.host.host"], check=True)
    return time.monotonic() - start


def _await_flow(session: Session) -> None:
    """Until everybody has handled something in the life it has now."""
    for host, process in session.hosts.items():
        await_true(
            lambda host=host, pid=process.pid: (
                (report := session.observer.reports[host])["pid"] == pid and report["components"][host]["handled"] > 10
            ),
            f"events at {host}",
            60,
        )


def _assert_no_growth(early: Holdings | None, late: Holdings) -> None:
    assert early is not None
    assert late.descriptors <= early.descriptors + 4
    assert late.threads <= early.threads + 1
    assert late.memory_mb <= early.memory_mb + 20
    assert late.files <= early.files + 1
    assert late.shared_files <= early.shared_files + 4 and late.shared_mb < 100


def _assert_counts_are_true(session: Session) -> None:
    """The broker has just lost events on their way: each receiver has counted exactly how many."""
    session.pause()
    asked_ns = time.monotonic_ns()
    await_true(lambda: session.observer.await_reports(session.hosts, asked_ns + 10**8, 5.0), "reports")
    found = {
        (host, topic): (count["count"] + count["lost"], count["last"] - count["first"] + 1)
        for host in session.hosts
        for topic, count in session.observer.reports[host]["topics"].items()
        if not topic.startswith("/_studio/")
    }
    assert len(found) == 4
    assert all(seen == there for seen, there in found.values()), found


def _remains(pids: set[int]) -> list[str]:
    """Of killed processes: themselves and what they had started, which is of their session; not zombies of others."""
    found = []
    for process in psutil.process_iter():
        try:
            is_awaited = process.status() != psutil.STATUS_ZOMBIE or process.ppid() == os.getpid()
            if is_awaited and (process.pid in pids or os.getsid(process.pid) in pids):
                found.append(f"{process.pid} {process.name()} {process.status()}")
        except (ProcessLookupError, psutil.NoSuchProcess, PermissionError):
            continue
    return found
