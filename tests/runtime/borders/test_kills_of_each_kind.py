"""kill -9 on each kind of process of a system as users run it: how long until it is back, and what is left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import wall_ns
from studio.runtime.channel.run_folder import shared_folder
from studio.runtime.client.running_systems import find_running
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import split, subscription
from tests.conftest import ROOT
from tests.running_project import RunningProject, running
from tests.runtime.strikes.striking import Client
from tests.waiting import await_true

TOPIC = "/filter/smooth"
WELL_S = 2.1
"""So long all of them run between two kills: five restarts in ten seconds are given up, and that is right."""
HELPERS = {"fork server": ("studio fork server", 2), "cleanup watchdog": ("cleanup_watchdog.py", 1)}
"""What its command line has, and how many there are: a fork server has a twin."""
KINDS = ("component", "broker", "recorder", "fork server", "cleanup watchdog", "client")
RUNTIME = "runtime"
SETTLED_WITHIN_S = 10.0


class Arena:
    """A running system, and what it holds."""

    def __init__(self, project: RunningProject) -> None:
        self.project = project
        self.run = find_running(str(project.state["run"])).run_folder
        self.runtime = psutil.Process(find_running(self.run.name).pid)
        self.seen: dict[int, psutil.Process] = {}
        """All processes that the runtime ever had."""

    # Who is killed, and when it is back.

    def kill(self, kind: str) -> float:
        """Seconds until it is back: that events flow, that it records, that its successor is there."""
        if kind == "client":
            return self._kill_client()
        if kind in ("component", "broker"):
            with self._listening() as next_event:
                return self._killed(self._pid_of({"component": "filter"}.get(kind, kind)), next_event)
        if kind == "recorder":
            before = self._pid_of(kind)
            return self._killed(before, lambda: self._await_recording(before))
        self.await_helpers(kind)  # the one before may just be replaced
        before = min(self._helpers(kind))
        return self._killed(before, lambda: self.await_helpers(kind, but=before))

    def _killed(self, pid: int, await_back: Callable[[], None]) -> float:
        assert pid > 0, "that would be every process of our own group"
        began = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        await_back()
        return time.monotonic() - began

    def _pid_of(self, name: str) -> int:
        await_true(lambda: self.project.state["processes"][name]["condition"] == "running", f"{name} to run")
        pid: int = self.project.state["processes"][name]["pid"]
        return pid

    @contextmanager
    def _listening(self) -> Iterator[Callable[[], None]]:
        """Waits for an event that was published from now on."""
        with zmq.Context() as context, context.socket(zmq.SUB) as ear:
            ear.linger, ear.reconnect_ivl = 0, 5
            ear.subscribe(subscription(TOPIC))
            ear.connect(addresses.out_of(self.run))
            # The clock of the system does not count what it was paused at its start.
            behind_ns = min(_sent_ns_ago(ear) for _ in range(10))

            def next_event() -> None:
                since_ns, end = wall_ns() - behind_ns, time.monotonic() + 30
                while not ear.poll(100) or split(ear.recv())[1].sent_ns <= since_ns:
                    assert time.monotonic() < end, "events do not flow again"

            yield next_event

    def _await_recording(self, before: int) -> None:
        def records() -> bool:
            state = self.project.state
            told = state["processes"]["recorder"]
            return told["pid"] not in (before, None) and told["condition"] == "running" and bool(state["recorder"])

        await_true(records, "the next recorder")

    def _helpers(self, kind: str) -> set[int]:
        found = set()
        for process in self.runtime.children():
            with suppress(psutil.Error):
                if HELPERS[kind][0] in " ".join(process.cmdline()):
                    found.add(process.pid)
        return found

    def await_helpers(self, kind: str, but: int = 0) -> None:
        def are_there() -> bool:
            found = self._helpers(kind)
            return but not in found and len(found) == HELPERS[kind][1]

        await_true(are_there, f"the next {kind}")

    def _kill_client(self) -> float:
        """Back: another client may take control, without taking it away."""
        client = Client(self.run)

        def is_free() -> bool:
            with suppress(StudioError):
                return bool(self.project.ask("take")["ok"])
            return False

        try:
            return self._killed(client.pid, lambda: await_true(is_free, "control to fall free"))
        finally:
            client.close()

    # What it holds.

    def family(self) -> set[int]:
        for process in [self.runtime, *self.runtime.children(recursive=True)]:
            self.seen.setdefault(process.pid, process)
        return {process.pid for process in self.runtime.children(recursive=True)}

    def orphans(self) -> int:
        family = self.family() | ({self.runtime.pid} if lives(self.runtime) else set())
        return sum(lives(process) for pid, process in self.seen.items() if pid not in family)

    def descriptors(self, before: int = 0) -> int:
        """If there are more than before, those that stay: not connections that end, or are just tried again."""
        end = time.monotonic() + SETTLED_WITHIN_S
        while (found := self.runtime.num_fds()) > before > 0 and time.monotonic() < end:
            time.sleep(0.01)
        return found

    def shared_mb(self) -> float:
        folder = shared_folder(self.run.name)
        return sum(file.stat().st_size for file in folder.iterdir()) / 2**20 if folder is not None else 0.0


def _sent_ns_ago(ear: zmq.Socket[bytes]) -> int:
    assert ear.poll(20_000)
    return wall_ns() - split(ear.recv())[1].sent_ns


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


class Row:
    """Of the table: one kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.took_s: list[float] = []
        self.orphans = self.processes = self.descriptors = 0
        self.shared_mb = 0.0
        """Growth over all kills of this kind."""

    def __str__(self) -> str:
        took_s = self.took_s or [0.0]
        ms = [1e3 * value for value in (*np.quantile(took_s, (0.5, 0.99)), max(took_s))]
        grown = (self.orphans, self.processes, self.descriptors)
        words = [*(f"{each:12.0f}" for each in ms), *(f"{each:+12d}" for each in grown), f"{self.shared_mb:+12.1f}"]
        return f"{self.kind:17} {len(self.took_s):6d} " + " ".join(words)


WORDS = ("p50 ms", "p99 ms", "max ms", "orphans", "processes", "descriptors", "shared MB")
HEAD = f"{'kind':17} {'kills':>6} " + " ".join(f"{word:>12}" for word in WORDS)


@pytest.mark.timeout(240)
def test_what_is_killed_comes_back_and_leaves_nothing(scaled: Callable[[int], int], tmp_path: Path) -> None:
    rows = {kind: Row(kind) for kind in (*KINDS, RUNTIME)}
    with running(ROOT / "projects" / "first_steps", "--record", str(tmp_path / "log.mcap")) as project:
        arena = Arena(project)
        arena.await_helpers("fork server")
        for kind in KINDS:  # the first restart of each kind may open what stays open
            arena.kill(kind)
        for number in range(scaled(200)):
            time.sleep(WELL_S)
            for kind in KINDS:
                _kill_and_count(arena, rows[kind])
            if number % 20 == 19:
                print(HEAD, *rows.values(), sep="\n", flush=True)
        project.flows()
    for number in range(scaled(200)):  # each of them in a run that starts after the one before was killed
        _kill_runtime(rows[RUNTIME], tmp_path / f"{number}.mcap")
    print("", HEAD, *rows.values(), sep="\n")
    assert sum(row.orphans for row in rows.values()) == 0
    assert abs(sum(row.processes for row in rows.values())) <= 1
    assert sum(row.descriptors for row in rows.values()) <= 0
    assert sum(row.shared_mb for row in rows.values()) < 50


def _kill_and_count(arena: Arena, row: Row) -> None:
    before = len(arena.family()), arena.descriptors(), arena.shared_mb()
    row.took_s.append(arena.kill(row.kind))
    await_true(lambda: len(arena.family()) >= before[0], "as many processes as before")
    row.orphans += arena.orphans()
    row.processes += len(arena.family()) - before[0]
    row.descriptors += arena.descriptors(before[1]) - before[1]
    row.shared_mb += arena.shared_mb() - before[2]


def _kill_runtime(row: Row, log: Path) -> None:
    """Back: nothing of it is left."""
    with running(ROOT / "projects" / "first_steps", "--record", str(log)) as project:
        arena = Arena(project)
        arena.family()

        def is_gone() -> bool:
            return not any(map(lives, arena.seen.values())) and not arena.run.exists() and not arena.shared_mb()

        row.took_s.append(arena._killed(arena.runtime.pid, lambda: await_true(is_gone, "all of it to go", 20)))


def test_control_a_process_that_is_left_over_is_counted(tmp_path: Path) -> None:
    """It must go red: one that belonged to the runtime lives on when it is none of its children any more."""
    with running(ROOT / "projects" / "first_steps") as project:
        arena = Arena(project)
        arena.family()
        stranger = psutil.Process(os.getpid())
        arena.seen[stranger.pid] = stranger
        assert arena.orphans() == 1
