"""The benchmark of playing compares what it says it compares."""

from __future__ import annotations

from pathlib import Path

import pytest

import bench.play
from bench.play_parts.workload import RATES_HZ, START_NS, three_streams, write_ours
from studio.runtime.recording import LogReader


def test_the_rows_and_their_goals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.play, "lcm_logplayer", lambda: None)
    report = bench.play.run(rounds=1, seconds=0.5, count=2000).to_json()
    found = {row["what"]: (row["unit"], row["against"], row["goal"], row["better"]) for row in report["rows"]}
    assert found == {
        "timing error at a subscriber": ("us", "lcm-logplayer", 1.3, "lower"),
        "drift in 0.5 s": ("us", "lcm-logplayer", None, "lower"),
        "flat out, 5.8 kB, until the broker has all": ("1/s", "bare send loop", 0.7, "higher"),
        "flat out, 5.8 kB, at a subscriber": ("1/s", "bare, two hops", 0.7, "higher"),
        "flat out, 5.8 kB, at a subscriber, against one hop": ("1/s", "bare send loop", None, "higher"),
    }
    timing, _, flat_out, *_ = report["rows"]
    assert (timing["peers"], report["install"]) == ({"lcm-logplayer": None}, {"lcm-logplayer": "make bench"})
    assert flat_out["ratio"] == pytest.approx(flat_out["ours"] / flat_out["peers"]["bare send loop"])


def test_the_workload_is_three_streams_by_time(tmp_path: Path) -> None:
    items = three_streams(10.0)
    assert [sum(item.topic == topic for item in items) for topic in RATES_HZ] == [1000, 376, 100]
    with LogReader(write_ours(tmp_path / "a.mcap", items)) as log:
        assert [(e.topic, e.stamp_ns - START_NS, bytes(e.payload)) for e in log.events()] == [tuple(i) for i in items]
