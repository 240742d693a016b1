"""CPU and memory of processes, measured over the time between two looks."""

from __future__ import annotations

from typing import NamedTuple

import psutil

from studio.runtime.base.clock import SECOND_NS, monotonic_ns


class Load(NamedTuple):
    cpu_percent: float
    rss_mb: float


class Loads:
    def __init__(self) -> None:
        self._before: dict[int, tuple[int, float]] = {}

    def measure(self, pids: list[int]) -> dict[int, Load]:
        """Of those that are there; one that is new counts from its start."""
        now_ns = monotonic_ns()
        found: dict[int, Load] = {}
        moments: dict[int, tuple[int, float]] = {}
        for pid in pids:
            try:
                process = psutil.Process(pid)
                with process.oneshot():
                    times, rss = process.cpu_times(), process.memory_info().rss
            except psutil.Error:
                continue
            cpu_s = float(times.user + times.system)
            before_ns, before_s = self._before.get(pid, (0, cpu_s))
            passed_s = (now_ns - before_ns) / SECOND_NS if before_ns else 1.0
            moments[pid] = (now_ns, cpu_s)
            found[pid] = Load(round(100.0 * (cpu_s - before_s) / max(passed_s, 0.001), 1), round(rss / 1e6, 1))
        self._before = moments
        return found
