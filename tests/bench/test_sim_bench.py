"""The benches of the simulator and of the autonomy suite, made tiny: all rows are there, and mean what they say."""

from __future__ import annotations

import pytest

from bench import autonomy, sim


def test_the_bench_of_the_simulator_has_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sim, "SECONDS", 0.2)
    monkeypatch.setattr(sim, "SCANS", 1)
    asked: list[float] = []

    def system_s(seconds: float) -> float:
        asked.append(seconds)
        return 3.0 + seconds / 5.0  # three seconds of start, then five times real time

    monkeypatch.setattr(sim, "_system_s", system_s)
    report = sim.run(rounds=1)
    rows = {row.what: row for row in report.rows}
    assert list(rows) == [
        "Raptor with two 361-ray lasers", "scan of 361 rays over rolling terrain", "the whole system, over the channel",
    ]  # fmt: skip
    assert all(row.ours > 0 for row in report.rows)
    assert rows["the whole system, over the channel"].ratio == pytest.approx(5.0)
    assert set(asked) == {sim.SHORT_S, sim.LONG_S}


def test_the_bench_of_autonomy_counts_arrivals_and_collisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """One drive that is too short to arrive; its judge has spoken all the same."""
    monkeypatch.setattr(autonomy, "SEEDS_PER_ROUND", 1)
    monkeypatch.setattr(autonomy, "SECONDS", 1.0)
    rows = {row.what: row for row in autonomy.run(rounds=1).rows}
    assert rows["drives that arrive"].ours == 0 and rows["drives that arrive"].met is False
    assert rows["drives without a collision"].met is True and rows["collisions"].ours == 0
    assert "length of the way, median" not in rows
