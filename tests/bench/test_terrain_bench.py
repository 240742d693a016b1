"""The benchmark of the terrain map compares what it says it compares."""

from __future__ import annotations

import numpy as np
import pytest

import bench.terrain


def test_the_rows_and_their_goals() -> None:
    report = bench.terrain.run(rounds=1).to_json()
    for row in report["rows"]:
        assert (row["against"], row["goal"], row["better"]) == ("np.add.at", 0.5, "lower")
        assert row["ours"] > 0.0
    assert len(report["rows"]) == 2


def test_the_scans_stay_inside_the_map_and_a_wrong_height_is_noticed() -> None:
    drive = bench.terrain._drive()
    peer = bench.terrain.AddAt()
    bench.terrain._once(peer, drive)
    assert peer.count.sum() == bench.terrain.SCANS * bench.terrain.BEAMS

    class Wrong:
        def planes(self) -> object:
            return np.zeros((3, bench.terrain.SIDE, bench.terrain.SIDE))

    with pytest.raises(ValueError, match="disagree"):
        bench.terrain._agree(Wrong(), peer)
