"""An occupancy map from a laser and its poses."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from studio.messages import Map, PoseTransform, Range3d
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .occupancy_grid import OccupancyGrid
from .rays import Floats

WAITING = 256
"""Scans that wait for their pose, and poses that wait for their scan."""


class GridMapper(Component):
    """Builds an occupancy map from laser scans and the poses at which they were taken.

    A beam makes the cells that it crosses freer, and the one where it ends more occupied. Scan and pose belong together
    when they carry the same stamp, whichever comes first. The map is published each period if it has changed.
    """

    category = "processor"
    icon = "mdi6.grid"
    tags = ("map", "laser")
    activations = ("periodic",)
    period_s = 5.0

    scan = InPort(Range3d, doc="echoes in the frame of the laser, with stamps that never decrease")
    pose = InPort(PoseTransform, doc="the laser in the frame of the map, one for each scan, with the scan's stamp")
    map = OutPort(Map, doc="plane occupancy: probability from 0 to 1, NaN where nothing was seen")

    cell_m = Parameter(0.05, minimum=0.005, maximum=5.0, unit="m", doc="side of a cell; a new one starts a new map")
    min_range_m = Parameter(0.1, minimum=0.0, unit="m", doc="echoes that are nearer are left out: the robot itself")
    max_range_m = Parameter(
        30.0, minimum=0.1, unit="m", doc="of echoes farther away only the free way up to here counts"
    )
    hit = Parameter(0.7, minimum=0.5, maximum=0.99, doc="how likely a cell is occupied in which a beam ends")
    miss = Parameter(0.4, minimum=0.01, maximum=0.5, doc="how likely a cell is occupied that a beam crosses")
    certainty = Parameter(
        0.97, minimum=0.6, maximum=0.9999, doc="never more certain than this, so that maps can change"
    )

    def on_activate(self) -> None:
        self._scans: deque[Range3d] = deque(maxlen=WAITING)
        self._poses: deque[PoseTransform] = deque(maxlen=WAITING)
        self._start_again()

    def on_deactivate(self) -> None:
        self.log.info(
            "%d scans in the map, %d without a pose, %d too far away", self._mapped, self._alone, self._refused
        )

    def on_end(self) -> None:
        self.on_timer()

    def on_clock_jump(self) -> None:
        self._scans.clear()
        self._poses.clear()

    def on_parameter(self, name: str, value: object) -> None:
        if name == "cell_m":
            self._start_again()

    def _start_again(self) -> None:
        self._grid = OccupancyGrid(self.cell_m)
        self._frame, self._stamp_ns = "", 0
        self._changed = False
        self._mapped = self._alone = self._refused = 0

    def on_scan(self, scan: Range3d) -> None:
        self._scans.append(scan)
        self._pair()

    def on_pose(self, pose: PoseTransform) -> None:
        if not np.isfinite(pose.matrix).all():
            self.log.warning("left out a pose that is not finite")
            return
        self._poses.append(pose)
        self._pair()

    def on_timer(self) -> None:
        if self._changed:
            self._changed = False
            self.map.publish(self._map())

    def _pair(self) -> None:
        """Both come in the order of their stamps, so what is older than the other's first has no partner."""
        scans, poses = self._scans, self._poses
        while scans and poses:
            late_ns = scans[0].stamp_ns - poses[0].stamp_ns
            if late_ns > 0:
                poses.popleft()
            elif late_ns < 0:
                scans.popleft()
                self._alone += 1
            else:
                self._add(scans.popleft(), poses.popleft())

    def _add(self, scan: Range3d, pose: PoseTransform) -> None:
        points = scan.xyz.astype(np.float64)
        range_m = np.hypot(points[:, 0], points[:, 1])
        points = points[np.isfinite(range_m) & (range_m >= self.min_range_m)]
        range_m = np.hypot(points[:, 0], points[:, 1])
        echoed = range_m <= self.max_range_m
        points[~echoed] *= (self.max_range_m / range_m[~echoed])[:, None]
        if not len(points):
            return
        ends: Floats = pose.apply(points)[:, :2]
        added = self._grid.add_scan(
            pose.position[:2], ends, echoed,
            hit=_log_odds(self.hit), miss=_log_odds(self.miss), limit=_log_odds(self.certainty),
        )  # fmt: skip
        if not added:
            self._refuse(pose)
            return
        self._mapped += 1
        self._changed = True
        self._frame, self._stamp_ns = pose.frame, scan.stamp_ns

    def _refuse(self, pose: PoseTransform) -> None:
        self._refused += 1
        if self._refused == 1:
            x_m, y_m = pose.position[:2].tolist()
            self.log.warning("left out a scan at %.1f, %.1f m: the map would become too large", x_m, y_m)

    def _map(self) -> Map:
        log_odds, corner_m = self._grid.known_area()
        return Map(
            stamp_ns=self._stamp_ns,
            frame=self._frame,
            resolution_m=self.cell_m,
            origin_m=corner_m,
            plane_names=("occupancy",),
            planes=(1.0 / (1.0 + np.exp(-log_odds)))[None],
        )


def _log_odds(probability: float) -> float:
    return math.log(probability / (1.0 - probability))
