"""The benchmark of debugging compares what it says it compares."""

from __future__ import annotations

import bench.debug


def test_the_rows_and_their_goals() -> None:
    report = bench.debug.run(rounds=1, events=5).to_json()
    found = {row["what"]: (row["against"], row["goal"]) for row in report["rows"]}
    assert found == {
        "a host that could be debugged, and is not": ("cannot be debugged", 1.02),
        "with a debugger and no breakpoint": ("cannot be debugged", 1.05),
        "attaching to a running host": ("limit", 1.0),
    }
    assert all(row["ours"] > 0.01 for row in report["rows"])
