"""The benchmark of memory compares the window with itself, early and late."""

from __future__ import annotations

from typing import Any

import pytest

import bench.memory


def told(minutes: float, window: float, broker: float) -> dict[str, Any]:
    processes = {"broker": {"rss": 2 * broker, "own": broker}}
    return {"minutes": minutes, "window": {"rss": window, "own": window / 2}, "processes": processes}


@pytest.mark.parametrize(("last", "is_flat"), [(420.0, True), (600.0, False)])
def test_a_window_that_grows_misses_the_goal(monkeypatch: pytest.MonkeyPatch, last: float, is_flat: bool) -> None:
    asked: list[tuple[float, ...]] = []

    def measured(minutes: tuple[float, ...]) -> list[dict[str, Any]]:
        asked.append(minutes)
        return [told(5, 400.0, 20.0), told(30, 410.0, 21.0), told(60, last, 21.0)]

    monkeypatch.setattr(bench.memory, "measured", measured)
    report = bench.memory.run(seconds=3600)
    assert asked == [(5.0, 30.0, 60.0)] and report.met is is_flat
    rows = {row.what: (row.ours, row.peers) for row in report.rows}
    assert rows["window, after 60.0 min"] == (last, {"early": 400.0})
    assert rows["its own, without libraries, after 60.0 min"] == (last / 2, {"early": 200.0})
    assert rows["broker at the end"] == (21.0, {"early": 20.0})
