"""The benchmark of transforms compares what it says it compares."""

from __future__ import annotations

import pytest

import bench.transforms
from bench.transform_parts.workload import workload


def test_the_workload_is_that_of_the_anchors() -> None:
    work = workload()
    assert len(work.model.bodies) == 60
    assert sum(len(body.frames) for body in work.model.bodies.values()) == 400
    assert 15 < work.mean_depth < 25
    assert len(work.transforms().joint_names()) == 59


def test_the_rows_and_their_goals() -> None:
    """Peers that are installed have to agree with us before they are timed, or this raises."""
    report = bench.transforms.run(rounds=1).to_json()
    stamped, latest, change = report["rows"]
    assert (stamped["against"], stamped["goal"], stamped["better"]) == ("tf2", 0.5, "lower")
    assert (latest["against"], latest["goal"]) == ("pytransform3d", pytest.approx(1 / 15))
    assert change["ratio"] < change["goal"]
    missing = {peer for row in report["rows"] for peer, value in row["peers"].items() if value is None}
    assert missing == set(report["install"])
