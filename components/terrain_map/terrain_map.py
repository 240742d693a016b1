"""A height map from range sensors and the vehicle's pose."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from studio.messages import Map, PoseTransform, Range3d
from studio.runtime.component import Component, GeometryError, InPort, OutPort, Parameter

from .fusion import Floats, compiled_fuse
from .height_grid import HeightGrid, Noise
from .pose_track import PoseTrack
from .standing import below

WAITING = 256
"""Scans that wait for the pose after them."""
MOST_CELLS = 2000
"""Along a side: 128 MB."""
NS_PER_S = 1_000_000_000


class TerrainMap(Component):
    """Builds a 2.5-D map of the ground: for each cell the height, how certain it is, and how uneven the cell is.

    Any number of range sensors share the port `ranges`; where each of them sits is asked of the geometry, by the frame
    that its scans carry. A point counts the more, the more exactly its height is known. The map is a window that
    follows the vehicle by whole cells; it is published each period if it has changed.
    """

    category = "processor"
    icon = "mdi6.terrain"
    tags = ("map", "laser", "autonomy")
    activations = ("periodic",)
    period_s = 0.2

    ranges = InPort(Range3d, doc="points in the frame of their sensor; one or several sensors")
    pose = InPort(PoseTransform, doc="a frame of the vehicle in the frame of the map, with stamps that never decrease")
    terrain = OutPort(
        Map, doc="planes height (m), variance (m2) and spread (m) of each cell, NaN where nothing was seen"
    )

    cell_m = Parameter(0.25, minimum=0.02, maximum=5.0, unit="m", doc="side of a cell; a new one starts a new map")
    window_m = Parameter(60.0, minimum=2.0, maximum=2000.0, unit="m", doc="side of the map; a new one starts a new map")
    fusion = Parameter(
        "variance",
        choices=("variance", "mean"),
        doc="variance: exact points count more; mean: all count the same. Another one starts a new map",
    )
    range_noise_m = Parameter(
        0.0, minimum=0.0, unit="m", doc="standard deviation of a range; 0: what the geometry tells of the sensor"
    )
    beam_noise_deg = Parameter(
        0.1, minimum=0.0, maximum=10.0, unit="deg", doc="standard deviation of a beam's direction"
    )
    height_noise_m = Parameter(
        0.02, minimum=0.001, unit="m", doc="standard deviation that every height has: the pose's height, uneven ground"
    )
    certainty_m = Parameter(
        0.001, minimum=0.0001, unit="m", doc="no cell is ever more certain than this, so that the map can change"
    )
    max_range_m = Parameter(50.0, minimum=0.1, unit="m", doc="points farther away are left out")
    ceiling_m = Parameter(
        2.5, minimum=0.1, unit="m", doc="points this far above the frame of the pose are left out: it fits below them"
    )
    longest_gap_s = Parameter(
        0.5, minimum=0.0, unit="s", doc="a scan between two poses that are farther apart than this is left out"
    )
    standing_noise_m = Parameter(
        0.05, minimum=0.0, unit="m",
        doc="standard deviation of the ground below the vehicle, which is known without being seen; 0: it is not used",
    )  # fmt: skip
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_initialize(self) -> None:
        compiled_fuse()
        self._noises_m: dict[str, float] = {}

    def on_activate(self) -> None:
        self._scans: deque[Range3d] = deque(maxlen=WAITING)
        self._track = PoseTrack()
        self._start_anew()

    def on_deactivate(self) -> None:
        self.log.info("%d scans in the map, %d without a pose", self._mapped, self._alone)

    def on_clock_jump(self) -> None:
        """Another source, or another part of a log: what was mapped may be of another place."""
        self._scans.clear()
        self._track.clear()
        self._start_anew()

    def on_geometry(self) -> None:
        self._noises_m.clear()

    def on_parameter(self, name: str, value: object) -> None:
        if name in ("cell_m", "window_m", "fusion"):
            self._start_anew()

    def _start_anew(self) -> None:
        side = max(8, min(MOST_CELLS, round(self.window_m / self.cell_m)))
        self._grid = HeightGrid(side, self.cell_m, plain_mean=self._is_plain)
        self._frame, self._stamp_ns = "", 0
        self._changed = False
        self._mapped = self._alone = self._odd = 0
        self._stood_m: tuple[float, float] | None = None

    def on_ranges(self, scan: Range3d) -> None:
        if len(self._scans) == WAITING:
            self._alone += 1
        self._scans.append(scan)
        self._catch_up()

    def on_pose(self, pose: PoseTransform) -> None:
        if not self._track.add(pose):
            self._odd += 1
            if self._odd == 1:
                self.log.warning("left out a pose that cannot be used: %s", pose.position.tolist())
            return
        self._catch_up()

    def on_timer(self) -> None:
        if self._changed:
            self._changed = False
            self.terrain.publish(self._map())

    def _catch_up(self) -> None:
        """A scan waits for the first pose that is not older than itself."""
        while self._scans and len(self._track) and self._scans[0].stamp_ns <= self._track.last_ns:
            scan = self._scans.popleft()
            pose = self._track.at(scan.stamp_ns, round(self.longest_gap_s * NS_PER_S))
            if pose is None:
                self._alone += 1
            else:
                self._add(scan, pose)

    def _add(self, scan: Range3d, vehicle: PoseTransform) -> None:
        if vehicle.frame != self._frame:
            if self._frame:
                self._start_anew()
            self._frame = vehicle.frame
        self._grid.follow(float(vehicle.position[0]), float(vehicle.position[1]))
        self._stand(vehicle)
        points = scan.points.astype(np.float64)
        points = points[points[:, 3] <= self.max_range_m]
        beam_rad = math.radians(self.beam_noise_deg)
        noise = Noise(self._range_noise(scan.frame), beam_rad, self.height_noise_m, self.certainty_m, self._is_plain)
        sensor = vehicle.matrix @ self._mount(scan, vehicle)
        taken = self._grid.add(points, sensor, vehicle.matrix, vehicle.attitude_covariance, noise, self.ceiling_m)
        self._mapped += 1
        self._changed |= taken > 0
        self._stamp_ns = max(self._stamp_ns, scan.stamp_ns)

    def _stand(self, vehicle: PoseTransform) -> None:
        """The ground below a vehicle is where its wheels are. Once for each place: it learns nothing by waiting."""
        x_m, y_m = float(vehicle.position[0]), float(vehicle.position[1])
        if not self.geometry or self.standing_noise_m == 0.0:
            return
        if self._stood_m is not None and math.dist(self._stood_m, (x_m, y_m)) < self.cell_m:
            return
        self._stood_m = (x_m, y_m)
        try:
            drive = self.geometry.drive(self.vehicle)
            outline = self.geometry.outline(drive.body)
            mount = self.geometry.transform(drive.body, vehicle.child_frame)
        except GeometryError:  # nothing that drives, or several: then nobody knows what stands here
            return
        body = vehicle.matrix @ mount
        noise = Noise(height_m=self.standing_noise_m, certainty_m=self.certainty_m, plain_mean=self._is_plain)
        self._grid.add(below(outline, self.cell_m), body, body, np.zeros((3, 3)), noise, self.ceiling_m)

    def _mount(self, scan: Range3d, vehicle: PoseTransform) -> Floats:
        """The sensor in the frame whose pose is known, which may be the pose of the sensor itself. One on a joint is
        where the joint was at the time of the scan, or where it was last heard of."""
        if scan.frame == vehicle.child_frame:
            return np.eye(4)
        try:
            return self.geometry.transform(scan.frame, vehicle.child_frame, scan.stamp_ns)
        except GeometryError:
            return self.geometry.transform(scan.frame, vehicle.child_frame)

    def _range_noise(self, frame: str) -> float:
        """Standard deviation of a range, as the geometry has it for the sensor that measures in this frame."""
        if self.range_noise_m > 0.0 or not self.geometry:
            return self.range_noise_m
        if frame not in self._noises_m:
            found = (sensor for sensor in self.geometry.sensors().values() if sensor.frame == frame)
            self._noises_m[frame] = max((getattr(sensor, "noise_m", 0.0) for sensor in found), default=0.0)
        return self._noises_m[frame]

    @property
    def _is_plain(self) -> bool:
        return self.fusion == "mean"

    def _map(self) -> Map:
        return Map(
            stamp_ns=self._stamp_ns,
            frame=self._frame,
            resolution_m=self.cell_m,
            origin_m=self._grid.corner_m,
            plane_names=("height", "variance", "spread"),
            planes=self._grid.planes(),
        )
