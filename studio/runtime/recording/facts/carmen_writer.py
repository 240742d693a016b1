"""A Studio log as a log of the CARMEN toolkit: odometry and the scans of one laser, line by line.

Where the log of a simulator knows the true pose, the new log is a corrected one, as programs write it that correct
CARMEN logs: all poses are of the laser, each scan has the true one, and the odometry starts again from there, with a
line that repeats it. Otherwise each scan has the pose that the odometry told last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.messages import Odometry, PoseTransform, Range3d, decode
from studio.model.files import FileError, write_atomically
from studio.model.geometry.flat_model import model_of
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.transforms import Transforms
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.recording.facts.logged_geometry import geometries_of
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.reading.log_reader import LogReader

HOST = "studio"
HEAD = "# CARMEN Logfile\n# message_name [message contents] ipc_timestamp ipc_hostname logger_timestamp"
MAXIMUM_M = 81.83
"""What a beam without an echo is written as, and what readers of such logs take for none."""
FIRST_S = 1.0
"""A log of simulation begins at 0, which readers take for a stamp that is missing."""
LEAST_STEP_RAD = 1e-4
"""Between two beams; what is closer is the same beam, of another layer of the scanner."""


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
        raise FileError("the file exists already", file=out, hint="choose another name")
    write_atomically(out, ("\n".join(lines) + "\n").encode("ascii"))
    return report


def _lines(log: LogReader, topics: CarmenTopics, report: CarmenReport) -> Iterator[str]:
    mounted, true = _Mount(log), _TruePoses(log, topics.pose)
    way: Odometry | None = None
    jump = PoseTransform()
    """From where the wheels alone would be to where the last scan has put them."""
    for event in log.events([topics.laser, topics.odometry]):
        if event.topic == topics.odometry:
            way = decode(Odometry, event.payload)
            report.odometry += 1
            pose = jump @ _pose(way) @ mounted.last if true else _pose(way)
            yield _odometry_line(pose, way, _stamps(way.stamp_ns, log.start_ns))
        elif way is not None:
            scan = decode(Range3d, event.payload)
            report.scans += 1
            stamps = _stamps(scan.stamp_ns, log.start_ns)
            laser = _pose(way) @ mounted.at(scan.frame, way.child_frame)
            if not true:
                yield _scan_line(scan, laser, _pose(way), way, stamps)
                continue
            corrected = true.at(scan.stamp_ns) @ mounted.last
            jump = corrected @ laser.inverse()
            yield _scan_line(scan, corrected, corrected, way, stamps)
            yield _odometry_line(corrected, way, stamps)


class _TruePoses:
    """Of the robot, by their stamps; false if there are none."""

    def __init__(self, log: LogReader, topic: str) -> None:
        poses = [decode(PoseTransform, event.payload) for event in log.events([topic])] if topic else []
        self._poses = sorted(poses, key=lambda pose: pose.stamp_ns)
        self._stamps = np.array([pose.stamp_ns for pose in self._poses], dtype=np.int64)

    def __bool__(self) -> bool:
        return bool(self._poses)

    def at(self, stamp_ns: int) -> PoseTransform:
        after = min(int(self._stamps.searchsorted(stamp_ns)), len(self._poses) - 1)
        near = self._poses[max(0, after - 1) : after + 1]
        return _bare(min(near, key=lambda pose: abs(pose.stamp_ns - stamp_ns)))


class _Mount:
    """Where the laser is on the robot, by the geometry of the log; without one, in its middle."""

    def __init__(self, log: LogReader) -> None:
        found = geometries_of(log)
        self._transforms = Transforms(model_of(found[0]), remembered=1, compiled=False) if found else None
        self._known: dict[tuple[str, str], PoseTransform] = {}
        self.last = PoseTransform()
        """Of the scan before; in the middle of the robot before there was one."""

    def at(self, frame: str, body: str) -> PoseTransform:
        if (frame, body) not in self._known:
            self._known[frame, body] = self._find(frame, body)
        self.last = self._known[frame, body]
        return self.last

    def _find(self, frame: str, body: str) -> PoseTransform:
        if self._transforms is None:
            return PoseTransform()
        try:
            matrix = self._transforms.get_transformation(frame, body)
        except GeometryError:  # frames of another system
            return PoseTransform()
        return PoseTransform(matrix=matrix)


def _odometry_line(pose: PoseTransform, way: Odometry, stamps: str) -> str:
    return f"ODOM {_words(pose)} {float(way.linear[0]):.6f} {float(way.angular[2]):.6f} 0 {stamps}"


def _scan_line(scan: Range3d, laser: PoseTransform, robot: PoseTransform, way: Odometry, stamps: str) -> str:
    """As ROBOTLASER1, which tells its angles: not every scanner looks over 180 degrees."""
    start, step, ranges = _polar(scan)
    width = step * max(len(ranges) - 1, 0)
    readings = " ".join(f"{value:.3f}" for value in ranges)
    speeds = f"{float(way.linear[0]):.6f} {float(way.angular[2]):.6f}"
    return (
        f"ROBOTLASER1 0 {start:.9f} {width:.9f} {step:.9f} {MAXIMUM_M} 0.01 0 {len(ranges)} {readings} 0"
        f" {_words(laser)} {_words(robot)} {speeds} 0 0 0 {stamps}"
    )


def _polar(scan: Range3d) -> tuple[float, float, list[float]]:
    """First angle, step, and a range for each beam between the first and the last that had an echo."""
    points = np.asarray(scan.points, dtype=np.float64)
    points = points[np.isfinite(points).all(axis=1)]
    angles = np.arctan2(points[:, 1], points[:, 0])
    order = np.argsort(angles)
    angles, ranges = angles[order], np.hypot(points[order, 0], points[order, 1])
    gaps = np.diff(angles)
    gaps = gaps[gaps > LEAST_STEP_RAD]
    if not len(gaps):
        return (float(angles[0]) if len(angles) else 0.0), 0.0, [float(ranges.min())] if len(ranges) else []
    step = float(np.median(gaps))
    count = round((angles[-1] - angles[0]) / step) + 1
    step = float((angles[-1] - angles[0]) / (count - 1))
    places = np.rint((angles - angles[0]) / step).astype(int)
    readings = np.full(count, MAXIMUM_M)
    np.minimum.at(readings, places, np.minimum(ranges, MAXIMUM_M))
    return float(angles[0]), step, [float(value) for value in readings]


def _pose(way: Odometry) -> PoseTransform:
    return PoseTransform.from_quaternion(way.position, way.orientation)


def _bare(pose: PoseTransform) -> PoseTransform:
    """Without the names of its frames: those of a simulator and of odometry do not fit together."""
    return PoseTransform(matrix=pose.matrix)


def _words(pose: PoseTransform) -> str:
    """On flat ground."""
    x_m, y_m, _, _, _, yaw_rad = pose.to_xyz_rpy()
    return f"{x_m:.6f} {y_m:.6f} {yaw_rad:.6f}"


def _stamps(stamp_ns: int, first_ns: int) -> str:
    since_s = (stamp_ns - first_ns) / SECOND_NS
    at_s = stamp_ns / SECOND_NS if first_ns > SECOND_NS else FIRST_S + since_s
    return f"{at_s:.6f} {HOST} {since_s:.6f}"
