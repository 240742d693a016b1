"""Memory of the real window with six panels on the running Raptor, and of the system's processes, after some minutes.

python -m bench.viewers_parts.memory [minutes ...]      on a screen of its own; prints JSON, progress to stderr
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Mapping
from time import monotonic
from typing import Any

import psutil

from bench.viewers_parts.six_panels import open_panels, running_window, simulated_ns, told_by, wait

MINUTES = (5.0, 30.0, 60.0)
MODULE = "bench.viewers_parts.memory"


def measured(minutes: tuple[float, ...] = MINUTES) -> list[dict[str, Any]]:
    """For each of the times since the six panels were opened."""
    told: list[dict[str, Any]] = told_by(MODULE, [*map(str, minutes), "--here"], minutes[-1] * 60 + 300)
    return told


def _run_here(minutes: list[float]) -> list[dict[str, Any]]:
    told = []
    with running_window() as window:
        open_panels(window)
        began = monotonic()
        for minute in minutes:
            wait(int(max(0.0, minute * 60 - (monotonic() - began)) * 1000))
            told.append(
                {"minutes": minute, **_memory(window.live.feed.state), "pace": _seconds(window) / (minute * 60)}
            )
            print(json.dumps(told[-1]), file=sys.stderr, flush=True)
    return told


def _memory(state: Mapping[str, Any]) -> dict[str, Any]:
    """In MB: `rss` is what the system counts for a process, `own` what no other process shares with it."""
    from PyQt6.QtWidgets import QApplication

    return {
        "window": _of(os.getpid()),
        "objects": len(gc.get_objects()),
        "widgets": len(QApplication.allWidgets()),
        "processes": {name: _of(told["pid"]) for name, told in state["processes"].items()},
    }


def _seconds(window: Any) -> float:
    """Of the simulation."""
    return simulated_ns(window) / 1e9


def _of(pid: int) -> dict[str, float]:
    full = psutil.Process(pid).memory_full_info()
    return {"rss": round(full.rss / 1e6, 1), "own": round(full.uss / 1e6, 1)}


if __name__ == "__main__":
    numbers = [float(word) for word in sys.argv[1:] if word != "--here"] or list(MINUTES)
    is_here = "--here" in sys.argv
    print(json.dumps(_run_here(numbers) if is_here else measured(tuple(numbers))), flush=True)
    if is_here:
        os._exit(0)  # as six_panels does
