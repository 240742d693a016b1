"""A Studio log as a log of the CARMEN toolkit: odometry and the scans of one laser, line by line.

Each scan has two poses. That of the robot is what its odometry told last. That of the laser is the true one where the
log of a simulator knows it, so that the new log is a corrected one; otherwise it follows from the odometry.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.messages import Odometry, PoseTransform, Range3d, decode
from studio.model.files import FileError, write_atomically
from studio.model.geometry.flat_model import model_of
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.transforms import Transforms
from studio.runtime.clock import SECOND_NS
from studio.runtime.recording.errors import LogError
from studio.runtime.recording.log_reader import LogReader
from studio.runtime.recording.logged_geometry import geometries_of

HOST = "studio"
HEAD = "# CARMEN Logfile\n# message_name [message contents] ipc_timestamp ipc_hostname logger_timestamp"
MAXIMUM_M = 81.83
"""What a beam without an echo is written as, and what readers of such logs take for none."""
FIRST_S = 1.0
"""A log of simulation begins at 0, which readers take for a stamp that is missing."""


@dataclass(frozen=True)
class CarmenTopics:
    laser: str
    odometry: str
    pose: str = ""
    """The true pose of the robot; empty if the log has none."""

    @classmethod
    def of(cls, log: LogReader) -> CarmenTopics:
        """By their types: of several scanners the one with the most readings is the laser."""
        found: dict[str, list[str]] = {}
        for name, topic in log.topics.items():
            if topic.count and not name.startswith("/_studio/"):
                found.setdefault(topic.schema.name, []).append(name)
        scans, ways = found.get(Range3d.SCHEMA_NAME, []), found.get(Odometry.SCHEMA_NAME, [])
        if not scans or not ways:
            missing = "scans (Range3d)" if not scans else "odometry (Odometry)"
            raise LogError(f"has no {missing}, which a CARMEN log needs", file=log.path, hint="record that topic, too")
        true = [name for name in found.get(PoseTransform.SCHEMA_NAME, []) if name.endswith("/true_pose")]
        beams = {name: len(decode(Range3d, log.nth(name, 0).payload)) for name in scans}
        return cls(max(scans, key=beams.__getitem__), ways[0], true[0] if true else "")


@dataclass
class CarmenReport:
    path: Path
    scans: int = 0
    odometry: int = 0


def write_carmen(source: Path, out: Path) -> CarmenReport:
    report = CarmenReport(out)
    with LogReader(source) as log:
        topics = CarmenTopics.of(log)
        lines = [HEAD, f"PARAM robot_front_laser_max {MAXIMUM_M} 0 {HOST} 0", *_lines(log, topics, report)]
    if out.exists():
        raise FileError("there is already such a file", file=out, hint="choose another name")
    write_atomically(out, ("\n".join(lines) + "\n").encode("ascii"))
    return report


def _lines(log: LogReader, topics: CarmenTopics, report: CarmenReport) -> Iterator[str]:
    way: Odometry | None = None
    true: PoseTransform | None = None
    mounted = _Mount(log)
    wanted = [topic for topic in (topics.laser, topics.odometry, topics.pose) if topic]
    first_ns = log.start_ns
    for event in log.events(wanted):
        if event.topic == topics.odometry:
            way = decode(Odometry, event.payload)
            report.odometry += 1
            speed, turn = float(way.linear[0]), float(way.angular[2])
            yield f"ODOM {_words(_planar(_pose(way)))} {speed:.6f} {turn:.6f} 0 {_stamps(way.stamp_ns, first_ns)}"
        elif event.topic == topics.pose:
            true = decode(PoseTransform, event.payload)
        elif way is not None and (true is not None or not topics.pose):
            scan = decode(Range3d, event.payload)
            report.scans += 1
            robot = true if true is not None else _pose(way)
            laser = robot @ mounted.at(scan.frame, way.child_frame)
            yield _scan_line(scan, _planar(laser), way, _stamps(scan.stamp_ns, first_ns))


class _Mount:
    """Where the laser is on the robot, by the geometry of the log; without one, in its middle."""

    def __init__(self, log: LogReader) -> None:
        found = geometries_of(log)
        self._transforms = Transforms(model_of(found[0]), remembered=1, compiled=False) if found else None
        self._known: dict[tuple[str, str], PoseTransform] = {}

    def at(self, frame: str, body: str) -> PoseTransform:
        if (frame, body) not in self._known:
            self._known[frame, body] = self._find(frame, body)
        return self._known[frame, body]

    def _find(self, frame: str, body: str) -> PoseTransform:
        if self._transforms is None:
            return PoseTransform(frame=body, child_frame=frame)
        try:
            matrix = self._transforms.get_transformation(frame, body)
        except GeometryError:  # frames of another system
            return PoseTransform(frame=body, child_frame=frame)
        return PoseTransform(frame=body, child_frame=frame, matrix=matrix)


def _scan_line(scan: Range3d, laser: tuple[float, float, float], way: Odometry, stamps: str) -> str:
    """As ROBOTLASER1, which tells its angles: not every scanner looks over 180 degrees."""
    start, step, ranges = _polar(scan)
    width = step * max(len(ranges) - 1, 0)
    readings = " ".join(f"{value:.3f}" for value in ranges)
    speeds = f"{float(way.linear[0]):.6f} {float(way.angular[2]):.6f}"
    return (
        f"ROBOTLASER1 0 {start:.9f} {width:.9f} {step:.9f} {MAXIMUM_M} 0.01 0 {len(ranges)} {readings} 0"
        f" {_words(laser)} {_words(_planar(_pose(way)))} {speeds} 0 0 0 {stamps}"
    )


def _polar(scan: Range3d) -> tuple[float, float, list[float]]:
    """First angle, step, and a range for each beam between the first and the last that had an echo."""
    points = np.asarray(scan.points, dtype=np.float64)
    points = points[np.isfinite(points).all(axis=1)]
    angles = np.arctan2(points[:, 1], points[:, 0])
    order = np.argsort(angles)
    angles, ranges = angles[order], np.hypot(points[order, 0], points[order, 1])
    if len(angles) < 2:
        return (float(angles[0]) if len(angles) else 0.0), 0.0, [float(value) for value in ranges]
    gaps = np.diff(angles)
    step = float(np.median(gaps[gaps > 0.0])) if (gaps > 0.0).any() else math.radians(1.0)
    count = round((angles[-1] - angles[0]) / step) + 1
    step = float((angles[-1] - angles[0]) / (count - 1))
    places = np.rint((angles - angles[0]) / step).astype(int)
    readings = np.full(count, MAXIMUM_M)
    np.minimum.at(readings, places, np.minimum(ranges, MAXIMUM_M))
    return float(angles[0]), step, [float(value) for value in readings]


def _pose(way: Odometry) -> PoseTransform:
    return PoseTransform.from_quaternion(way.position, way.orientation, stamp_ns=way.stamp_ns)


def _planar(pose: PoseTransform) -> tuple[float, float, float]:
    x_m, y_m, _, _, _, yaw_rad = pose.to_xyz_rpy()
    return x_m, y_m, yaw_rad


def _words(pose: tuple[float, float, float]) -> str:
    return " ".join(f"{value:.6f}" for value in pose)


def _stamps(stamp_ns: int, first_ns: int) -> str:
    since_s = (stamp_ns - first_ns) / SECOND_NS
    at_s = stamp_ns / SECOND_NS if first_ns > SECOND_NS else FIRST_S + since_s
    return f"{at_s:.6f} {HOST} {since_s:.6f}"
