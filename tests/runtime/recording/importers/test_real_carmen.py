"""The logs of real robots, which lie beside the project and are not part of it."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from studio.messages import Odometry, PoseTransform, Range3d, decode
from studio.runtime.recording import LogReader
from studio.runtime.recording.importers import ImportReport, import_log
from tests.conftest import ROOT

LOGS = ROOT.parent / "shared/data/carmen"
INTEL, FREIBURG = LOGS / "intel-corrected.log.gz", LOGS / "freiburg-campus-corrected.log.gz"


def imported(path: Path, folder: Path) -> ImportReport:
    if not path.is_file():
        pytest.skip(f"{path.name} is not in ../shared/data/carmen beside the project: nothing real to import")
    return import_log(path, folder / f"{path.stem}.mcap", compression="lz4")


def counted_lines(path: Path) -> Counter[str]:
    with gzip.open(path, "rt", encoding="ascii") as lines:
        return Counter(line.split(None, 1)[0] for line in lines if line.strip())


@pytest.fixture(scope="module")
def intel(tmp_path_factory: pytest.TempPathFactory) -> ImportReport:
    return imported(INTEL, tmp_path_factory.mktemp("intel"))


@pytest.fixture(scope="module")
def freiburg(tmp_path_factory: pytest.TempPathFactory) -> ImportReport:
    return imported(FREIBURG, tmp_path_factory.mktemp("freiburg"))


def test_every_line_of_the_intel_log_is_an_event_or_listed(intel: ImportReport) -> None:
    lines = counted_lines(INTEL)
    assert {name: topic.count for name, topic in intel.topics.items()} == {
        "/carmen/odom": lines["ODOM"],
        "/carmen/laser": lines["FLASER"],
        "/carmen/pose": lines["FLASER"],
        "/carmen/scan_odom": lines["FLASER"],
    }
    assert {name: entry.count for name, entry in intel.not_mapped.items()} == {"NEFF": lines["NEFF"]}
    assert intel.damage_count == 0
    assert (lines["ODOM"], lines["FLASER"]) == (14541, 910)


def test_the_intel_logs_times_are_those_of_the_drive(intel: ImportReport) -> None:
    assert (intel.end_ns - intel.start_ns) / 1e9 == pytest.approx(2691.3, abs=0.1)
    with LogReader(intel.output) as log:
        for topic in log.topics:
            stamps = [event.stamp_ns for event in log.events([topic])]
            assert stamps == sorted(stamps)


def test_the_intel_scans_are_as_measured(intel: ImportReport) -> None:
    with gzip.open(INTEL, "rt", encoding="ascii") as lines:
        measured = [list(map(float, line.split()[2:182])) for line in lines if line.startswith("FLASER")]
    with LogReader(intel.output) as log:
        assert not log.check()
        scans = [decode(Range3d, event.payload) for event in log.events(["/carmen/laser"])]
    for scan, ranges in zip(scans, measured, strict=True):
        kept = np.array([one for one in ranges if one < 80.0])
        np.testing.assert_allclose(scan.ranges_m, kept, rtol=1e-6)
        angles = np.arctan2(scan.xyz[:, 1], scan.xyz[:, 0])
        assert np.all(np.diff(angles) > 0), "from right to left"
    assert all(len(scan) <= 180 for scan in scans)


def cells_hit(report: ImportReport, turned_deg: float = 0.0, *, mirrored: bool = False) -> int:
    """How many cells of 10 cm the scans touch: the fewer, the sharper the map."""
    pose, points = PoseTransform(), []
    turn = PoseTransform.from_xyz_rpy(yaw_rad=np.radians(turned_deg))
    with LogReader(report.output) as log:
        for event in log.events(["/carmen/pose", "/carmen/laser"]):
            if event.topic == "/carmen/pose":
                pose = decode(PoseTransform, event.payload)
            else:
                seen = turn.apply(decode(Range3d, event.payload).xyz) * ([1, -1, 1] if mirrored else 1)
                points.append(pose.apply(seen)[:, :2])
    cells = np.unique(np.floor(np.concatenate(points) / 0.1).astype(int), axis=0)
    return len(cells)


def test_the_intel_map_is_sharp_only_with_these_angles_poses_and_hands(intel: ImportReport) -> None:
    right = cells_hit(intel)
    assert cells_hit(intel, turned_deg=1.0) > 1.1 * right
    assert cells_hit(intel, turned_deg=-1.0) > 1.1 * right
    assert cells_hit(intel, mirrored=True) > 2 * right


def test_rosbags_reads_what_was_imported(intel: ImportReport) -> None:
    with AnyReader([intel.output]) as bag:
        wanted = [connection for connection in bag.connections if connection.topic == "/carmen/odom"]
        theirs = [bag.deserialize(data, connection.msgtype) for connection, _, data in bag.messages(wanted)]
    with LogReader(intel.output) as log:
        ours = [decode(Odometry, event.payload) for event in log.events(["/carmen/odom"])]
    assert len(theirs) == len(ours)
    for one, other in zip(theirs[::100], ours[::100], strict=True):
        assert one.pose.pose.position.x == other.position[0]  # type: ignore[attr-defined]


def test_the_freiburg_log_has_no_stamps_and_says_so(freiburg: ImportReport) -> None:
    lines = counted_lines(FREIBURG)
    assert freiburg.topics["/carmen/laser"].count == lines["FLASER"] == 2008
    assert freiburg.topics["/carmen/odom"].count == lines["ODOM"]
    assert any("no line has a stamp" in note for note in freiburg.notes)
    with LogReader(freiburg.output) as log:
        steps = np.diff([event.stamp_ns for event in log.events(["/carmen/odom"])])
        kept = dict(log.metadata())["carmen.parameters"]
        scan = decode(Range3d, log.nth("/carmen/laser", 0).payload)
    assert steps.min() >= 0
    assert steps.max() <= 200_000_000
    assert kept["laser_front_laser_resolution"] == "0.5"
    assert len(kept) == 245
    assert 180 < len(scan) <= 360
    assert scan.ranges_m.max() < 80.99
