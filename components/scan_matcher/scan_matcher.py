"""Corrects odometry by laying each laser scan onto what the laser has seen before."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from studio.messages import Float64, Odometry, PoseTransform, Range3d
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .hit_grid import HitGrid
from .matching import Match, Search, match
from .odom_track import OdomTrack
from .planar import Floats, Pose

WAITING = 256
"""Scans that wait for odometry."""
WIDTHS = (4.0, 2.0, 1.0)
"""Deviations of the likelihood fields, in cells, from coarse to fine."""
FEWEST_POINTS = 10
"""Fewer echoes tell no pose."""


class ScanMatcher(Component):
    """Corrects the odometry's drift: each scan is laid onto what the laser has seen so far.

    A wide search around the pose that the odometry tells, then a fine descent. The first scan is taken where the
    odometry says it is. A scan waits until the odometry has reached its stamp.
    """

    category = "processor"
    icon = "mdi6.layers-search"
    tags = ("laser", "odometry", "slam")

    scan = InPort(Range3d, doc="echoes in the frame of the laser, with stamps that never decrease")
    odom = InPort(Odometry, doc="raw odometry: one pose at each scan's stamp, or poses often enough to go between them")
    pose = OutPort(PoseTransform, doc="the laser in the map, one for each scan, with the scan's stamp")
    score = OutPort(Float64, doc="how well the scan fits what was seen before, 0 to 1, sent just before the pose")

    frame = Parameter("map", doc="name of the frame that the poses are in")
    cell_m = Parameter(0.05, minimum=0.01, maximum=1.0, unit="m", doc="side of a cell of what was seen; at the start")
    max_range_m = Parameter(20.0, minimum=0.5, unit="m", doc="echoes farther away are not used")
    search_m = Parameter(0.5, minimum=0.0, maximum=10.0, unit="m", doc="how far from the odometry's guess is looked")
    search_rad = Parameter(0.3, minimum=0.0, maximum=3.15, unit="rad", doc="the same for the direction")
    search_step_rad = Parameter(0.025, minimum=0.001, maximum=0.5, unit="rad", doc="between two directions tried")
    odom_deviation_m = Parameter(0.1, minimum=0.001, unit="m", doc="error of the odometry between two scans")
    odom_deviation_rad = Parameter(0.2, minimum=0.001, unit="rad", doc="the same for the direction")
    minimum_score = Parameter(0.2, minimum=0.0, maximum=1.0, doc="a worse fit is not believed: the odometry counts")
    key_m = Parameter(0.1, minimum=0.0, unit="m", doc="a scan is remembered when it was taken this far from the last")
    key_rad = Parameter(0.05, minimum=0.0, unit="rad", doc="or when the robot has turned this much")
    mount_x_m = Parameter(0.0, unit="m", doc="place of the laser on the robot, forward")
    mount_y_m = Parameter(0.0, unit="m", doc="place of the laser on the robot, to the left")
    mount_yaw_rad = Parameter(0.0, unit="rad", doc="direction of the laser on the robot")

    def on_activate(self) -> None:
        self._matched = self._not_believed = self._without_odom = 0
        self._forget()

    def on_deactivate(self) -> None:
        self.log.info(
            "%d scans matched, %d not believed, %d without odometry",
            self._matched, self._not_believed, self._without_odom,
        )  # fmt: skip

    def on_clock_jump(self) -> None:
        """The robot may be anywhere now: what was seen before is of no use."""
        self._forget()

    def _forget(self) -> None:
        self._seen = HitGrid(self.cell_m)
        self._scans: deque[Range3d] = deque(maxlen=WAITING)
        self._track = OdomTrack()
        self._odom: Pose | None = None
        self._pose = Pose(0.0, 0.0, 0.0)
        self._key: Pose | None = None

    def on_scan(self, scan: Range3d) -> None:
        self._scans.append(scan)
        self._catch_up()

    def on_odom(self, odom: Odometry) -> None:
        robot = Pose(float(odom.position[0]), float(odom.position[1]), odom.yaw_rad)
        if not all(map(math.isfinite, robot)):  # one NaN would stay in the pose for ever
            self.log.warning("left out odometry that is not finite: %s", robot)
            return
        self._track.add(odom.stamp_ns, robot @ Pose(self.mount_x_m, self.mount_y_m, self.mount_yaw_rad))
        self._catch_up()

    def _catch_up(self) -> None:
        while self._scans and self._track.reaches(self._scans[0].stamp_ns):
            scan = self._scans.popleft()
            odom = self._track.at(scan.stamp_ns)
            if odom is None:
                self._without_odom += 1
            else:
                self._take(scan, odom)

    def _take(self, scan: Range3d, odom: Pose) -> None:
        """`odom` is where the laser was by the odometry alone."""
        guess = odom if self._odom is None else self._pose @ (self._odom.inverse() @ odom)
        points = self._usable(scan)
        found = self._match(points, guess)
        self._odom, self._pose = odom, found.pose
        if found.score >= self.minimum_score and self._is_key(found.pose):
            self._key = found.pose
            self._seen.add(found.pose.apply(points))
        self.score.publish(Float64(found.score))
        self.pose.publish(self._told(scan))

    def _usable(self, scan: Range3d) -> Floats:
        points = scan.xyz[:, :2].astype(np.float64)
        with np.errstate(invalid="ignore"):
            return points[np.hypot(points[:, 0], points[:, 1]) <= self.max_range_m]

    def _match(self, points: Floats, guess: Pose) -> Match:
        if len(points) < FEWEST_POINTS:
            self._not_believed += 1
            return Match(guess, 0.0)
        if self._key is None:  # nothing to lay it onto
            return Match(guess, 1.0)
        found = self._fit(points, guess)
        if found.score < self.minimum_score:
            self._not_believed += 1
            return Match(guess, found.score)
        self._matched += 1
        return found

    def _fit(self, points: Floats, guess: Pose) -> Match:
        placed = guess.apply(points)
        around_m = self.search_m + 2.0 * WIDTHS[0] * self.cell_m
        hit, corner_m = self._seen.window(placed.min(axis=0) - around_m, placed.max(axis=0) + around_m)
        search = Search(
            self.search_m, self.search_rad, self.search_step_rad, self.odom_deviation_m, self.odom_deviation_rad
        )
        return match(points, guess, hit, corner_m, self.cell_m, search, tuple(w * self.cell_m for w in WIDTHS))

    def _is_key(self, pose: Pose) -> bool:
        if self._key is None:
            return True
        moved = self._key.inverse() @ pose
        return math.hypot(moved.x_m, moved.y_m) >= self.key_m or abs(moved.yaw_rad) >= self.key_rad

    def _told(self, scan: Range3d) -> PoseTransform:
        pose = self._pose
        return PoseTransform.from_xyz_rpy(
            pose.x_m, pose.y_m, yaw_rad=pose.yaw_rad, stamp_ns=scan.stamp_ns, frame=self.frame, child_frame=scan.frame
        )
