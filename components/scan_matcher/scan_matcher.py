"""Corrects odometry by laying each laser scan onto what the laser has seen before."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from studio.messages import Float64, Odometry, PoseTransform, Range3d
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .hit_grid import HitGrid
from .matching import Match, Search, match
from .memory import Memory
from .odom_track import OdomTrack
from .planar import Floats, Pose

WAITING = 256
"""Scans that wait for odometry."""
WIDTHS = (4.0, 2.0, 1.0)
"""Deviations of the likelihood fields, in cells, from coarse to fine."""
LOOP_LOOK_M = 1.0
"""The way between two looks at what is old."""
LOOP_SHIFT_CELLS = 2.0
"""A smaller shift is no loop to close: matching takes care of it."""
LOOP_GAIN = 0.2
"""How much better a scan has to fit the old there than where it is."""
NEAR_M = 3.0
"""An old scan taken nearer than this shows the same place."""
FEWEST_POINTS = 10
"""Fewer echoes tell no pose."""


class ScanMatcher(Component):
    """Corrects the odometry's drift: each scan is laid onto what the laser has seen so far.

    A wide search around the pose that the odometry tells, then a fine descent. The first scan is taken where the
    odometry says it is. A scan waits until the odometry has reached its stamp. When a place is seen again after a way
    around, the pose may jump: the way is bent so that it fits.
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
    loop_after_m = Parameter(15.0, minimum=1.0, unit="m", doc="what was seen this much of the way ago counts as old")
    loop_search_m = Parameter(
        1.0, minimum=0.0, maximum=20.0, unit="m", doc="how far the old may be shifted; 0: not looked for"
    )
    loop_score = Parameter(0.6, minimum=0.0, maximum=1.0, doc="how well a scan has to fit the old to be taken there")
    mount_x_m = Parameter(0.0, unit="m", doc="place of the laser on the robot, forward")
    mount_y_m = Parameter(0.0, unit="m", doc="place of the laser on the robot, to the left")
    mount_yaw_rad = Parameter(0.0, unit="rad", doc="direction of the laser on the robot")

    def on_activate(self) -> None:
        self._matched = self._not_believed = self._without_odom = self._loops = 0
        self._forget()

    def on_deactivate(self) -> None:
        self.log.info(
            "%d scans matched, %d not believed, %d without odometry, %d loops closed",
            self._matched, self._not_believed, self._without_odom, self._loops,
        )  # fmt: skip

    def on_clock_jump(self) -> None:
        """The robot may be anywhere now: what was seen before is of no use."""
        self._forget()

    def _forget(self) -> None:
        self._memory = Memory(self.cell_m, self.loop_after_m)
        self._travel_m = self._looked_at_m = 0.0
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
        step = Pose(0.0, 0.0, 0.0) if self._odom is None else self._odom.inverse() @ odom
        guess = odom if self._odom is None else self._pose @ step
        self._travel_m += math.hypot(step.x_m, step.y_m)
        points = self._usable(scan)
        found = self._match(points, guess)
        self._odom, self._pose = odom, found.pose
        if found.score >= self.minimum_score and self._is_key(found.pose):
            self._close_loop(points)
            self._key = self._pose
            self._memory.add(self._pose, points, self._travel_m)
        self.score.publish(Float64(found.score))
        self.pose.publish(self._told(scan))

    def _usable(self, scan: Range3d) -> Floats:
        points = scan.xyz[:, :2].astype(np.float64)
        with np.errstate(invalid="ignore"):
            return points[np.hypot(points[:, 0], points[:, 1]) <= self.max_range_m]

    def _match(self, points: Floats, guess: Pose) -> Match:
        if len(points) < FEWEST_POINTS:
            self._not_believed += 1
            return Match(guess, 0.0, 0.0)
        if self._key is None:  # nothing to lay it onto
            return Match(guess, 1.0, 1.0)
        found = self._fit(self._memory.seen, points, guess, self.search_m)
        if found.score < self.minimum_score:
            self._not_believed += 1
            return Match(guess, found.score, found.guess_score)
        self._matched += 1
        return found

    def _fit(self, cells: HitGrid, points: Floats, guess: Pose, search_m: float) -> Match:
        placed = guess.apply(points)
        around_m = search_m + 2.0 * WIDTHS[0] * self.cell_m
        hit, corner_m = cells.window(placed.min(axis=0) - around_m, placed.max(axis=0) + around_m)
        search = Search(search_m, self.search_rad, self.search_step_rad, self.odom_deviation_m, self.odom_deviation_rad)
        return match(points, guess, hit, corner_m, self.cell_m, search, tuple(w * self.cell_m for w in WIDTHS))

    def _close_loop(self, points: Floats) -> None:
        """Lay the scan onto the old alone; where it fits there but shifted, the way since then is bent."""
        if not self.loop_search_m or self._travel_m - self._looked_at_m < LOOP_LOOK_M:
            return
        visit = self._memory.last_visit(self._pose, self.loop_search_m + NEAR_M)
        if visit is None or len(points) < FEWEST_POINTS:
            return
        self._looked_at_m = self._travel_m
        found = self._fit(self._memory.old, points, self._pose, self.loop_search_m)
        moved = found.pose @ self._pose.inverse()
        shift = self._pose.inverse() @ found.pose
        if found.score < self.loop_score or math.hypot(shift.x_m, shift.y_m) < LOOP_SHIFT_CELLS * self.cell_m:
            return
        if found.score < found.guess_score + LOOP_GAIN:
            return
        self._memory.bend(visit, moved, self._travel_m)
        self._pose = found.pose
        self._loops += 1

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
