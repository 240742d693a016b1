"""Keeps a vehicle from what is right in front of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map, PoseTransform, Range3d, Vote, candidate_arcs, stopping_speed
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .corridor import Rectangle, free_way
from .near_field import NearField, nothing, of_map, of_scan

Floats = NDArray[np.float64]
NS_PER_S = 1_000_000_000
TIGHT_TURN_OF_TRACK = 0.5
"""A vehicle that nothing keeps from turning on the spot drives arcs down to this share of its track as radius."""
STEP_OF_WHEEL = 0.5
"""A wheel climbs a step of half its radius, if nobody says otherwise."""
FARTHEST_M = 1e9
UPRIGHT = 0.3
"""Cosine of the tilt."""


class HazardDetection(Component):
    """Forbids arcs that soon meet a hazard, and slows down those that meet one later: the last word before a bump.

    Hazards are cells of a traverse map that cannot be driven over, and points of scans that stand above the ground. The
    vehicle's outline is moved along each arc; how far it gets decides. It likes no arc better than another: its votes
    are vetoes and speed limits, without an opinion. While it is blind, the vehicle has to stand.
    """

    category = "processor"
    icon = "mdi6.alert-octagon"
    tags = ("driving", "vote", "autonomy")
    activations = ("periodic",)
    period_s = 0.1
    needs_geometry = True

    traverse = InPort(Map, keep="latest", optional=True, doc="plane traversability, as traverse_map makes it")
    pose = InPort(
        PoseTransform,
        keep="latest",
        optional=True,
        doc="a frame of the vehicle in the frame of the map; needed with a map",
    )
    ranges = InPort(Range3d, optional=True, doc="points in the frame of their sensor; one or several sensors")
    votes = OutPort(Vote, doc="for each arc a speed limit, and possibly a veto")

    reach_m = Parameter(8.0, minimum=0.5, maximum=50.0, unit="m", doc="hazards farther away are ignored")
    margin_m = Parameter(0.3, minimum=0.0, maximum=5.0, unit="m", doc="room that is kept around the vehicle")
    veto_m = Parameter(
        0.5,
        minimum=0.0,
        maximum=20.0,
        unit="m",
        doc="an arc with less free way than this, and the margin, is forbidden",
    )
    passable = Parameter(0.1, minimum=0.0, maximum=1.0, doc="cells with less traversability are hazards")
    unknown_speed_m_s = Parameter(
        0.7, minimum=0.0, maximum=10.0, unit="m/s", doc="unknown land is entered no faster than this"
    )
    max_step_m = Parameter(
        0.0, minimum=0.0, unit="m", doc="points higher above the ground are hazards; 0: half the radius of the wheels"
    )
    max_slope_deg = Parameter(
        20.0,
        minimum=0.0,
        maximum=60.0,
        unit="deg",
        doc="points on ground that rises like this are none; 0: a level floor",
    )
    deceleration_m_s2 = Parameter(1.5, minimum=0.1, maximum=20.0, unit="m/s²", doc="how hard the vehicle can brake")
    reaction_s = Parameter(0.3, minimum=0.0, maximum=5.0, unit="s", doc="how long it takes until it does")
    valid_s = Parameter(1.0, minimum=0.05, maximum=30.0, unit="s", doc="older poses and scans count as none")
    arcs = Parameter(25, minimum=3, maximum=201, doc="candidates")
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_activate(self) -> None:
        self._forget()
        self._told = ""

    def on_clock_jump(self) -> None:
        """What was known may be of another place, and stamps of before say nothing about age."""
        self._forget()

    def _forget(self) -> None:
        self._scans: dict[str, tuple[int, Range3d]] = {}
        self._traverse: Map | None = None
        self._pose: PoseTransform | None = None

    def on_traverse(self, traverse: Map) -> None:
        self._traverse = traverse

    def on_pose(self, pose: PoseTransform) -> None:
        self._pose = pose

    def on_ranges(self, scan: Range3d) -> None:
        self._scans[scan.frame] = (self.now(), scan)

    def on_timer(self) -> None:
        drive = self.geometry.drive(self.vehicle)
        limit = drive.curvature_max_per_m or 1.0 / (TIGHT_TURN_OF_TRACK * drive.track_m)
        arcs = candidate_arcs(limit, self.arcs)
        near = self._near_field(drive.body)
        if near is None:
            self._tell("blind: neither a map with a pose that fits nor a scan")
            blind = Vote.over(arcs, confidence=0.0, max_speed_m_s=0.0, veto=True, stamp_ns=self.now(), frame=drive.body)
            self.votes.publish(blind)
            return
        self._tell("sees")
        self.votes.publish(self._judged(near, arcs, drive.body))

    def _judged(self, near: NearField, arcs: Floats, body: str) -> Vote:
        outline = self.geometry.outline(body)
        vehicle = Rectangle(outline.front_m, outline.rear_m, outline.left_m, outline.right_m)
        wide_m = self.margin_m + near.half_cell_m
        to_hazard = np.minimum(
            free_way(near.hazards, arcs, vehicle, wide_m), free_way(near.points, arcs, vehicle, self.margin_m)
        )
        # What is beyond its reach was not looked at.
        to_hazard = np.minimum(to_hazard, max(self.reach_m - outline.front_m, 0.0))
        to_unknown = free_way(near.unknown, arcs, vehicle, wide_m)
        # Never so fast that it could not stand before the first hazard, and before unknown land it slows down.
        speed = stopping_speed(to_hazard, self.deceleration_m_s2, self.reaction_s)
        careful = stopping_speed(to_unknown, self.deceleration_m_s2, self.reaction_s)
        speed = np.minimum(speed, np.maximum(careful, self.unknown_speed_m_s))
        veto = to_hazard < self.veto_m
        return Vote.over(arcs, confidence=0.0, max_speed_m_s=speed, veto=veto, stamp_ns=self.now(), frame=body)

    def _near_field(self, body: str) -> NearField | None:
        """None while nothing is known that is new enough."""
        scans = [scan for heard_ns, scan in self._scans.values() if self._is_new(heard_ns)]
        near: NearField | None = NearField() if scans else None
        if self._traverse is not None:  # who has a map relies on it
            near = self._of_map(self._traverse, body)
        if near is None:
            return None
        return replace(near, points=np.concatenate([nothing(), *(self._of_scan(scan, body) for scan in scans)]))

    def _of_map(self, traverse: Map, body: str) -> NearField | None:
        pose = self._pose
        if pose is None or pose.frame != traverse.frame or not self._is_new(pose.stamp_ns):
            return None
        vehicle = pose.matrix
        if pose.child_frame != body:
            vehicle = vehicle @ self.geometry.transform(body, pose.child_frame)
        # Not finite, beyond all maps, or tipped over: nobody knows where it would drive.
        if not (np.abs(vehicle).max() < FARTHEST_M and vehicle[2, 2] > UPRIGHT):
            return None
        near_m = self.geometry.outline(body).reach_m + self.margin_m + 2.0 * traverse.resolution_m
        return of_map(traverse, vehicle, self.reach_m, near_m, self.passable)

    def _of_scan(self, scan: Range3d, body: str) -> Floats:
        step_m = self.max_step_m or STEP_OF_WHEEL * self.geometry.drive(self.vehicle).wheel_radius_m
        height_m = self.geometry.outline(body).height_m + self.margin_m
        sensor = self.geometry.transform(scan.frame, body)
        rise = math.tan(math.radians(self.max_slope_deg))
        return of_scan(scan.xyz.astype(np.float64), sensor, self.reach_m, step_m, rise, height_m)

    def _is_new(self, stamp_ns: int) -> bool:
        return self.now() - stamp_ns <= self.valid_s * NS_PER_S

    def _tell(self, state: str) -> None:
        if state != self._told:
            self._told = state
            self.log.info(state)
