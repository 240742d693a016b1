"""Votes against arcs that lead into obstacles."""

from __future__ import annotations

import numpy as np

from studio.messages import Map, PoseTransform, Vote, candidate_arcs, stopping_speed
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .free_way import Room, Sweep

NS_PER_S = 1_000_000_000


class ObstacleAvoidance(Component):
    """Votes for arcs that stay clear of what cannot be driven over, slows the others down, and vetoes the worst.

    The room that the vehicle takes is moved along each arc over the traversability map. How far that goes decides on
    vote, speed (it can always stop in time) and veto. It drives slowly where the map is unknown.
    """

    category = "processor"
    icon = "mdi6.shield-half-full"
    tags = ("driving", "vote", "autonomy")
    activations = ("periodic",)
    period_s = 0.1
    needs_geometry = True

    traverse = InPort(
        Map, keep="latest", doc="plane traversability: 1 is a floor, 0 cannot be driven, NaN is not known"
    )
    pose = InPort(PoseTransform, keep="latest", doc="a frame of the vehicle in the frame of the map")
    votes = OutPort(Vote, doc="one row per arc, once per period as soon as there are map and pose")

    reach_m = Parameter(8.0, minimum=1.0, maximum=100.0, unit="m", doc="how far ahead it looks")
    margin_m = Parameter(0.25, minimum=0.0, maximum=5.0, unit="m", doc="around the vehicle: nothing may come nearer")
    clearance_m = Parameter(0.8, minimum=0.0, maximum=10.0, unit="m", doc="preferred free distance around the vehicle")
    veto_m = Parameter(
        1.0, minimum=0.0, maximum=50.0, unit="m", doc="arcs that are free for less than this are forbidden"
    )
    blocked_below = Parameter(0.15, minimum=0.0, maximum=1.0, doc="a cell with less traversability is an obstacle")
    deceleration_m_s2 = Parameter(1.0, minimum=0.1, maximum=20.0, unit="m/s²", doc="how hard it brakes, for sure")
    reaction_s = Parameter(0.5, minimum=0.0, maximum=5.0, unit="s", doc="from seeing something to braking")
    unknown_speed_m_s = Parameter(
        1.0, minimum=0.0, maximum=50.0, unit="m/s", doc="speed over ground that was not seen yet"
    )
    max_age_s = Parameter(
        2.0, minimum=0.1, maximum=60.0, unit="s", doc="an older map or pose is not believed: all is vetoed"
    )
    confidence = Parameter(0.6, minimum=0.0, maximum=100.0, doc="weight of the votes among those of others")
    arcs = Parameter(25, minimum=3, maximum=201, doc="candidates")
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_activate(self) -> None:
        self._sweeps: tuple[Sweep, Sweep] | None = None
        self._made_for: tuple[object, ...] = ()
        self._told = ""

    def on_timer(self) -> None:
        chart, pose = self.traverse.latest, self.pose.latest
        if chart is None or pose is None:
            return
        drive = self.geometry.drive(self.vehicle)
        arcs = candidate_arcs(drive.tightest_arc_per_m, self.arcs)
        trouble = self._trouble(chart, pose)
        self._tell(trouble)
        if trouble:
            vote = Vote.over(arcs, vote=-1.0, confidence=self.confidence, max_speed_m_s=0.0, veto=True)
        else:
            vote = self._judged(arcs, chart, pose)
        self.votes.publish(vote.replace(stamp_ns=self.now(), frame=drive.body))

    def _trouble(self, chart: Map, pose: PoseTransform) -> str:
        if chart.frame != pose.frame:
            return f"the map is in {chart.frame}, the pose in {pose.frame}: nothing can be said"
        oldest_ns = min(chart.stamp_ns, pose.stamp_ns)
        if self.now() - oldest_ns > self.max_age_s * NS_PER_S:
            which = "map" if chart.stamp_ns == oldest_ns else "pose"
            return f"the {which} is more than {self.max_age_s:g} s old: nothing is safe"
        return "" if np.isfinite(pose.matrix).all() else "the pose is not finite"

    def _judged(self, arcs: np.ndarray, chart: Map, pose: PoseTransform) -> Vote:
        body = self.geometry.drive(self.vehicle).body
        vehicle = pose.matrix @ self.geometry.transform(body, pose.child_frame or body)
        place = (float(vehicle[0, 3]), float(vehicle[1, 3]), float(np.arctan2(vehicle[1, 0], vehicle[0, 0])))
        near, wide = self._swept(arcs, chart.resolution_m)
        found = near.found(chart, self.blocked_below, *place)
        free_m, known_m = near.free_m(found), near.known_m(found)
        roomy_m = wide.free_m(wide.found(chart, self.blocked_below, *place))
        # Half of what is vetoed is kept in reserve: what is not vetoed can be driven, if slowly.
        speed_m_s = stopping_speed(free_m - 0.5 * self.veto_m, self.deceleration_m_s2, self.reaction_s)
        # What lies behind the last known cell may be anything; up to there it can be driven at full speed.
        unseen_m_s = stopping_speed(known_m, self.deceleration_m_s2, self.reaction_s)
        speed_m_s = np.minimum(speed_m_s, np.maximum(unseen_m_s, self.unknown_speed_m_s))
        return Vote.over(
            arcs,
            vote=(free_m + roomy_m) / self.reach_m - 1.0,
            confidence=self.confidence,
            max_speed_m_s=speed_m_s,
            veto=free_m < self.veto_m,
        )

    def _swept(self, arcs: np.ndarray, cell_m: float) -> tuple[Sweep, Sweep]:
        outline = self.geometry.outline(self.vehicle)
        room = Room(outline.front_m, outline.rear_m, outline.left_m, outline.right_m)
        made_for = (arcs.tobytes(), room, cell_m, self.margin_m, self.clearance_m, self.reach_m)
        if self._sweeps is None or made_for != self._made_for:
            self._made_for = made_for
            self._sweeps = (
                Sweep(arcs, room, self.margin_m, self.reach_m, cell_m),
                Sweep(arcs, room, self.clearance_m, self.reach_m, 2.0 * cell_m),
            )
        return self._sweeps

    def _tell(self, trouble: str) -> None:
        if trouble != self._told:
            self._told = trouble
            if trouble:
                self.log.warning(trouble)
            else:
                self.log.info("map and pose are all right again")
