"""Votes for arcs that lead along given places, or along the path of a planner."""

from __future__ import annotations

import logging

import numpy as np

from studio.messages import PoseTransform, Range3d, String, Vote, candidate_arcs, stopping_speed
from studio.runtime.component import NOTICE, Component, InPort, OutPort, Parameter

from .pursuit import Floats, curvature_to, place_ahead

NARROW = 0.25
"""Width of the hill of votes around the wanted arc, as a share of the sharpest arc."""


class WaypointFollower(Component):
    """Votes for the arc that leads back to the way and along it (pure pursuit).

    The way are the waypoints, one after the other, or the path of a planner if one is wired. It knows nothing of
    obstacles. At the last waypoint the vehicle stops; the planner decides where its path ends.
    """

    category = "processor"
    icon = "mdi6.flag-checkered"
    tags = ("driving", "vote", "autonomy")
    activations = ("periodic",)
    period_s = 0.1
    needs_geometry = True

    pose = InPort(PoseTransform, keep="latest", doc="a frame of the vehicle in the frame of the waypoints")
    path = InPort(
        Range3d, optional=True, doc="a way to follow instead of the waypoints, newest first place nearest to us"
    )
    votes = OutPort(Vote, doc="one row per arc, once per period as soon as there are a pose and a way")
    status = OutPort(String, doc="which waypoint is next, or that the last one is reached; when it changes")

    waypoints_m = Parameter((), doc="x y of each place, one after the other: 5 0 10 4")
    lookahead = Parameter(
        1.5, minimum=0.2, maximum=20.0, doc="which place of the way is aimed at, in lengths of the vehicle"
    )
    tolerance_m = Parameter(1.0, minimum=0.05, maximum=50.0, unit="m", doc="so near a waypoint is reached")
    max_speed_m_s = Parameter(2.0, minimum=0.0, maximum=50.0, unit="m/s", doc="never faster than this")
    deceleration_m_s2 = Parameter(
        0.7, minimum=0.05, maximum=20.0, unit="m/s²", doc="how it slows down before the last waypoint"
    )
    confidence = Parameter(0.3, minimum=0.0, maximum=100.0, doc="weight of the votes among those of others")
    arcs = Parameter(25, minimum=3, maximum=201, doc="candidates")
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_activate(self) -> None:
        self._start_anew()

    def on_clock_jump(self) -> None:
        self._start_anew()

    def on_parameter(self, name: str, value: object) -> None:
        if name == "waypoints_m":
            self._start_anew()

    def _start_anew(self) -> None:
        self._reached = 0
        self._path: Floats | None = None
        self._path_frame = ""
        self._told = ""
        if len(self.waypoints_m) % 2:
            self.log.warning("waypoints are pairs of x and y; the last number is left out")

    def on_path(self, path: Range3d) -> None:
        self._path = path.xyz[:, :2].astype(np.float64)
        self._path_frame = path.frame

    def on_timer(self) -> None:
        pose = self.pose.latest
        if pose is None or not np.isfinite(pose.matrix).all():
            return
        body = self.geometry.drive(self.vehicle).body
        place = pose.matrix @ self.geometry.transform(body, pose.child_frame or body)
        here = (float(place[0, 3]), float(place[1, 3]), float(np.arctan2(place[1, 0], place[0, 0])))
        if self._path is not None:
            self._follow_path(self._path, pose.frame, here)
        elif len(self.waypoints_m) > 1:
            self._follow_waypoints(here)

    def _follow_path(self, path: Floats, frame: str, here: tuple[float, float, float]) -> None:
        if self._path_frame != frame:
            self._tell(f"the path is in {self._path_frame}, the pose in {frame}: not followed")
            return
        if len(path):
            self._tell("follows the path")
            aim, _ = place_ahead(path, here[0], here[1], self._ahead_m())
            self._vote(aim, here, self.max_speed_m_s)

    def _follow_waypoints(self, here: tuple[float, float, float]) -> None:
        places = np.array(self.waypoints_m[: len(self.waypoints_m) // 2 * 2], np.float64).reshape(-1, 2)
        while self._reached < len(places) and np.hypot(*(places[self._reached] - here[:2])) <= self.tolerance_m:
            self._reached += 1
        if self._reached == len(places):
            self._tell(f"reached the last of {len(places)} waypoints", NOTICE)
            self._vote(places[-1], here, 0.0)
            return
        self._tell(f"waypoint {self._reached + 1} of {len(places)}")
        way = np.concatenate([places[self._reached - 1 : self._reached] if self._reached else [here[:2]],
                              places[self._reached :]])  # fmt: skip
        aim, left_m = place_ahead(way, here[0], here[1], self._ahead_m())
        braking_m_s = float(stopping_speed(left_m - 0.5 * self.tolerance_m, self.deceleration_m_s2, 0.2))
        self._vote(aim, here, min(self.max_speed_m_s, braking_m_s))

    def _ahead_m(self) -> float:
        outline = self.geometry.outline(self.vehicle)
        return self.lookahead * (outline.front_m + outline.rear_m)

    def _vote(self, aim: Floats, here: tuple[float, float, float], speed_m_s: float) -> None:
        drive = self.geometry.drive(self.vehicle)
        sharpest = drive.tightest_arc_per_m
        arcs = candidate_arcs(sharpest, self.arcs)
        wanted = float(np.clip(curvature_to(aim, *here), -sharpest, sharpest))
        votes = 2.0 * np.exp(-0.5 * ((arcs - wanted) / (NARROW * sharpest)) ** 2) - 1.0
        vote = Vote.over(arcs, vote=votes, confidence=self.confidence, max_speed_m_s=speed_m_s)
        self.votes.publish(vote.replace(stamp_ns=self.now(), frame=drive.body))

    def _tell(self, state: str, level: int = logging.INFO) -> None:
        if state != self._told:
            self._told = state
            self.status.publish(String(state))
            self.log.log(level, state)
