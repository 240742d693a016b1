"""The benchmark of restarting compares what it says it compares."""

from __future__ import annotations

import bench.restart


def test_the_rows_and_their_goals() -> None:
    report = bench.restart.run(rounds=1, kills=1).to_json()
    found = {row["what"]: (row["unit"], row["against"], row["goal"]) for row in report["rows"]}
    assert found == {
        "a killed component is back, median": ("ms", "bare start", 1.5),
        "the same, p99 of 1": ("ms", "bare start", 1.5),
        "a killed component is back at load, median": ("ms", "bare start with pyzmq", 0.5),
        "a killed component at load, p99 of 1": ("ms", "bare start with pyzmq", None),
        "a killed component at load, slowest": ("ms", "bare start with pyzmq", None),
        "events flow again after a killed broker, p99 of 1": ("ms", "promised", 1.0),
        "a stopped component is noticed, slowest of 1": ("ms", "promised", 1.0),
        "the Raptor's simulator is back at load, median": ("ms", "bare start with pyzmq", 0.5),
        "the Raptor's simulator at load, p99 of 1": ("ms", "bare start with pyzmq", None),
        "the Raptor's simulator at load, slowest": ("ms", "bare start with pyzmq", None),
    }
    assert all(row["ours"] > 1 and all(peer > 1 for peer in row["peers"].values()) for row in report["rows"])
    assert [row["peers"].get("promised") for row in report["rows"]] == [None] * 5 + [1000.0, 2000.0] + [None] * 3
