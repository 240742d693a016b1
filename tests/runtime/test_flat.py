"""A system under load, looked at again and again: nothing that any of its processes holds grows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil
import pytest

from studio.runtime.base.clock import ClockKind
from studio.runtime.plan.plan import RECORDER, Plan, RecordingPlan
from studio.runtime.processes.supervision import RestartPolicy
from studio.runtime.session.session import Session
from tests.runtime.systems import Part, plan
from tests.waiting import await_true

PARTS = {
    "flood": Part("Flood", {}, {"rate_hz": 500.0}),
    "adder": Part("Adder", {"raw": "flood.out"}),
    "sink": Part("EpochGuard", {"raw": "adder.out"}, outlets=()),
    "ticker": Part("Ticker", period_s=0.02),
    "big": Part("BigMap", {"raw": "ticker.out"}, {"side": 200}),
    "sum": Part("MapSum", {"map": "big.big"}),
}
"""Many small events, and fifty a second of 160 KB through shared memory."""
BREATH_MB = 1.5
INDEX_MB = 5.0
"""A log ends with an index: 200 bytes for every chunk, of which there are seventy a second here."""
TYPES = {"/flood/out": "Float64", "/adder/out": "Float64", "/ticker/out": "Float64", "/big/big": "Map"}


@dataclass(frozen=True)
class Holding:
    """What one process holds; of the run itself, what lies in its folders."""

    memory_mb: float
    descriptors: int
    threads: int
    files: int = 0

    def grown(self, before: Holding, spare_mb: float) -> list[str]:
        """What it holds more of than it may: allocators breathe."""
        found = {
            f"{before.memory_mb:.1f} to {self.memory_mb:.1f} MB": self.memory_mb > before.memory_mb + spare_mb,
            f"{before.descriptors} to {self.descriptors} descriptors": self.descriptors > before.descriptors + 2,
            f"{before.threads} to {self.threads} threads": self.threads > before.threads,
            f"{before.files} to {self.files} files": self.files > before.files + 2,
        }
        return [what for what, is_so in found.items() if is_so]


def holdings(session: Session) -> dict[str, Holding]:
    pids = {name: process.pid for name, process in session.processes().items()}
    found = {name: _of(pid) for name, pid in {"runtime": os.getpid(), **pids}.items()}
    assert session.folders.shared is not None
    sizes = [_size(file) for folder in (session.folders.shared, session.folders.run) for file in folder.rglob("*")]
    return {**found, "folders": Holding(sum(sizes) / 2**20, 0, 0, len(sizes))}


def _of(pid: int) -> Holding:
    process = psutil.Process(pid)
    with process.oneshot():
        # What it shares with others is the pool's, which is looked at as a folder.
        own_mb = (process.memory_info().rss - process.memory_info().shared) / 2**20
        return Holding(own_mb, process.num_fds(), process.num_threads())


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def typical(seen: list[Holding]) -> Holding:
    return Holding(*(median(getattr(each, name) for each in seen) for name in vars(seen[0])))


@pytest.mark.timeout(120)
def test_nothing_grows_while_a_system_works(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    """Three seconds a quarter in the ordinary tests, and five minutes in all in `make soak`."""
    seconds = max(12, scaled(300))
    made = plan(**PARTS)
    recording = RecordingPlan(str(tmp_path / "log.mcap"), tuple(TYPES))
    planned = Plan(made.components, made.seed, "", TYPES, recording)
    with Session(planned, clock=ClockKind.WALL, policy=RestartPolicy()) as session:
        session.launch()
        session.start("run")
        for name in ("sink", "sum"):
            await_true(lambda of=name: session.observer.component(of).get("handled", 0) > 50, f"events at {name}")
        handled = session.observer.component("sink")["handled"]
        seen: list[dict[str, Holding]] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            seen.append(holdings(session))
            time.sleep(0.5)
        assert session.observer.component("sink")["handled"] > handled + 100 * seconds, "it was under load"
        assert not session.restarts and not session.exits
    quarter = len(seen) // 4
    early, late = seen[quarter : 2 * quarter], seen[-quarter:]
    grown = {}
    for name in seen[0]:
        before, after = typical([each[name] for each in early]), typical([each[name] for each in late])
        print(f"\n{name:10} {before}\n{'':10} {after}", end="")
        if more := after.grown(before, INDEX_MB if name == RECORDER else BREATH_MB):
            grown[name] = more
    assert grown == {}
