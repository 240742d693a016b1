"""The benchmark of restarting compares what it says it compares."""

from __future__ import annotations

import bench.restart


def test_the_rows_and_their_goals() -> None:
    report = bench.restart.run(rounds=1, kills=1).to_json()
    found = {row["what"]: (row["unit"], row["against"], row["goal"]) for row in report["rows"]}
    assert found == {
        "a killed component is back, median": ("ms", "bare start", 1.5),
        "the same, p99 of 1": ("ms", "bare start", 1.5),
    }
    assert all(row["ours"] > 1 and row["peers"]["bare start"] > 1 for row in report["rows"])
