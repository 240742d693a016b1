"""Scans as lines of a CARMEN log, also of scanners that CARMEN never knew. Whole drives: test_simulated_log.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.messages import Message, Odometry, PoseTransform, Range3d, encode
from studio.runtime.recording import LogWriter
from studio.runtime.recording.facts.carmen_writer import write_carmen
from tests.runtime.recording.logs import MS, START_NS, Written, write_event


def write(path: Path, messages: list[tuple[str, Message]]) -> None:
    log = LogWriter(path)
    channels = {topic: log.add_topic(topic, type(message)) for topic, message in messages}
    for number, (topic, message) in enumerate(messages, 1):
        stamp_ns = START_NS + number * MS
        write_event(log, channels[topic], Written(topic, number, stamp_ns, stamp_ns, encode(message)))
    log.close(sync=False)


def scans_of(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines() if line.startswith("ROBOTLASER1")]


LAYERS = np.concatenate([
    Range3d.from_polar(np.full(181, 5.0), -np.pi / 2, np.pi / 180, elevation_rad=up_rad).points
    for up_rad in (0.0, 0.01, 0.02, 0.03, 0.04)
])  # fmt: skip
ONE_WAY = np.array([[2.0, 0.0, 0.0, 2.0], [1.0, 0.0, 0.0, 1.0]], dtype=np.float32)


@pytest.mark.parametrize(("points", "beams", "nearest"), [(LAYERS, 181, 4.996), (ONE_WAY, 1, 1.0), (ONE_WAY[:0], 0, 0)])
def test_several_points_in_one_direction_are_one_beam(
    tmp_path: Path, points: np.ndarray, beams: int, nearest: float
) -> None:
    write(tmp_path / "in.mcap", [("/odometry", Odometry()), ("/laser", Range3d(points=points))])
    write_carmen(tmp_path / "in.mcap", tmp_path / "out.log")
    (scan,) = scans_of(tmp_path / "out.log")
    assert int(scan[8]) == beams
    if beams:
        assert min(map(float, scan[9 : 9 + beams])) == pytest.approx(nearest, abs=0.001)


def test_a_scan_gets_the_true_pose_that_is_nearest_in_time(tmp_path: Path) -> None:
    poses = [("/robot/true_pose", PoseTransform.from_xyz_rpy(at, stamp_ns=START_NS + at * 100)) for at in range(5)]
    scans = [
        ("/laser", Range3d(points=ONE_WAY, stamp_ns=START_NS + after)) for after in (-1000, 149, 151, 200, 1000)
    ]  # fmt: skip
    write(tmp_path / "in.mcap", [("/odometry", Odometry()), *poses, *scans])
    write_carmen(tmp_path / "in.mcap", tmp_path / "out.log")
    assert [float(scan[11]) for scan in scans_of(tmp_path / "out.log")] == [0.0, 1.0, 2.0, 2.0, 4.0]
