"""A way to the goal over all that was seen of the ground, and votes for the arcs that follow it."""

from __future__ import annotations

import numpy as np

from studio.messages import Map, PoseTransform, Range3d, String, Vote, candidate_arcs, stopping_speed
from studio.runtime.component import NOTICE, Component, InPort, OutPort, Parameter

from .planning import Needs, Plan, planned
from .rollouts import Rollouts, Shape, votes_of
from .search import compiled_costs_to_go, compiled_distances
from .world_grid import WorldGrid

NS_PER_S = 1_000_000_000
ARRIVED = "arrived"
DRIVING = "on the way"


class PathPlanner(Component):
    """Finds the cheapest way to the goal by A*, again and again while the map grows, and votes for arcs along it.

    Unknown cells count as drivable ground until they are seen. For each arc the way is tried that begins with it: this
    arc, the best of others after it, and from there what is left to go. The vehicle stops when it has arrived, and
    while there is no path.
    """

    category = "processor"
    icon = "mdi6.map-marker-path"
    tags = ("driving", "vote", "autonomy")
    activations = ("periodic",)
    period_s = 0.1
    needs_geometry = True

    traverse = InPort(
        Map, keep="latest", doc="plane traversability: 1 is a floor, 0 cannot be driven, NaN is not known"
    )
    pose = InPort(PoseTransform, keep="latest", doc="a frame of the vehicle in the frame of the map")
    votes = OutPort(Vote, doc="one row per arc, once per period as soon as there are map and pose")
    path = OutPort(
        Range3d, doc="the way in the frame of the map, from the vehicle to the goal; range is what is left to go"
    )
    status = OutPort(String, doc="on the way, arrived, or why there is no way; when it changes")

    goal_x_m = Parameter(0.0, unit="m", doc="where to go, in the frame of the map")
    goal_y_m = Parameter(0.0, unit="m", doc="where to go, in the frame of the map")
    goal_tolerance_m = Parameter(1.0, minimum=0.05, maximum=50.0, unit="m", doc="so near is there")
    max_speed_m_s = Parameter(2.0, minimum=0.0, maximum=50.0, unit="m/s", doc="never faster than this")
    deceleration_m_s2 = Parameter(0.7, minimum=0.05, maximum=20.0, unit="m/s²", doc="how it slows down before the goal")
    clearance_m = Parameter(2.5, minimum=0.0, maximum=50.0, unit="m", doc="so far from obstacles all is equally good")
    margin_m = Parameter(0.3, minimum=0.0, maximum=10.0, unit="m", doc="free space needed beside the vehicle")
    blocked_below = Parameter(0.15, minimum=0.0, maximum=1.0, doc="a cell with less traversability is an obstacle")
    replan_s = Parameter(0.5, minimum=0.05, maximum=60.0, unit="s", doc="time between two plans while the map changes")
    lookahead = Parameter(3.0, minimum=0.5, maximum=20.0, doc="how far arcs are tried, in lengths of the vehicle")
    confidence = Parameter(1.0, minimum=0.0, maximum=100.0, doc="weight of the votes among those of others")
    arcs = Parameter(25, minimum=3, maximum=201, doc="candidates")
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_initialize(self) -> None:
        compiled_distances()
        compiled_costs_to_go()

    def on_activate(self) -> None:
        self._outlived_ns: tuple[int | None, int | None] = (None, None)
        self._start_anew()

    def on_clock_jump(self) -> None:
        """The map and the pose that are still here may be of another place."""
        self._outlived_ns = self._stamps()
        self._start_anew()

    def _stamps(self) -> tuple[int | None, int | None]:
        chart, pose = self.traverse.latest, self.pose.latest
        return chart.stamp_ns if chart else None, pose.stamp_ns if pose else None

    def _start_anew(self) -> None:
        self._grid: WorldGrid | None = None
        self._frame = ""
        self._plan: Plan | None = None
        self._planned_ns = self._map_ns = 0
        self._rollouts: Rollouts | None = None
        self._has_arrived = False
        self._told = ""

    def on_parameter(self, name: str, value: object) -> None:
        if name not in ("confidence", "max_speed_m_s", "deceleration_m_s2"):
            self._plan, self._rollouts, self._has_arrived = None, None, False

    def on_timer(self) -> None:
        chart, pose = self.traverse.latest, self.pose.latest
        if chart is None or pose is None:
            return
        if chart.stamp_ns == self._outlived_ns[0] or pose.stamp_ns == self._outlived_ns[1]:
            return
        if chart.frame != pose.frame or not np.isfinite(pose.matrix).all():
            self._stay(f"the pose is in {pose.frame}, the map in {chart.frame}")
            return
        x_m, y_m, yaw_rad = self._vehicle(pose)
        off_m = float(np.hypot(self.goal_x_m - x_m, self.goal_y_m - y_m))
        if self._has_arrived or off_m <= self.goal_tolerance_m:
            self._has_arrived = True
            self._stay(ARRIVED)
            return
        plan = self._up_to_date(chart, (x_m, y_m))
        if plan is None or plan.trouble:
            self._stay(plan.trouble if plan else "the goal is too far away to plan")
            return
        self._tell(DRIVING)
        self._vote(plan, (x_m, y_m, yaw_rad), off_m)

    def _vehicle(self, pose: PoseTransform) -> tuple[float, float, float]:
        body = self.geometry.drive(self.vehicle).body
        place = pose.matrix @ self.geometry.transform(body, pose.child_frame or body)
        return float(place[0, 3]), float(place[1, 3]), float(np.arctan2(place[1, 0], place[0, 0]))

    # Planning.

    def _up_to_date(self, chart: Map, place: tuple[float, float]) -> Plan | None:
        due = self.now() - self._planned_ns >= self.replan_s * NS_PER_S
        if self._plan is not None and (not due or chart.stamp_ns == self._map_ns):
            return self._plan
        grid = self._remembered(chart)
        if not (grid.take(chart) and grid.include(*place) and grid.include(self.goal_x_m, self.goal_y_m)):
            return None
        self._planned_ns, self._map_ns = self.now(), chart.stamp_ns
        self._plan = planned(grid, place, (self.goal_x_m, self.goal_y_m), self._needs())
        self.path.publish(self._told_path(self._plan))
        return self._plan

    def _remembered(self, chart: Map) -> WorldGrid:
        if self._grid is None or (self._frame, self._grid.resolution_m) != (chart.frame, chart.resolution_m):
            self._grid, self._frame = WorldGrid(chart.resolution_m), chart.frame
        return self._grid

    def _needs(self) -> Needs:
        outline = self.geometry.outline(self.vehicle)
        half_width_m = max(outline.left_m, outline.right_m) + self.margin_m
        reach_m = self.lookahead * (outline.front_m + outline.rear_m)
        return Needs(half_width_m, reach_m, self.clearance_m, self.blocked_below, self.goal_tolerance_m)

    def _told_path(self, plan: Plan) -> Range3d:
        steps = np.hypot(*np.diff(plan.way, axis=0).T) if len(plan.way) > 1 else np.zeros(0)
        left_m = np.concatenate([np.cumsum(steps[::-1])[::-1], np.zeros(min(1, len(plan.way)))])
        points = np.column_stack([plan.way, np.zeros(len(plan.way)), left_m]).astype(np.float32)
        return Range3d(stamp_ns=self.now(), frame=self._frame, points=points)

    # Voting.

    def _vote(self, plan: Plan, pose: tuple[float, float, float], off_m: float) -> None:
        drive, outline = self.geometry.drive(self.vehicle), self.geometry.outline(self.vehicle)
        arcs = candidate_arcs(drive.tightest_arc_per_m, self.arcs)
        length_m = outline.front_m + outline.rear_m
        if self._rollouts is None or len(self._rollouts.arcs_per_m) != len(arcs):
            first_m = self.lookahead * length_m / 3.0
            self._rollouts = Rollouts(arcs, first_m, 2.0 * first_m)
        shape = Shape.of(outline.front_m, outline.rear_m, max(outline.left_m, outline.right_m), self.margin_m)
        goal = np.array([self.goal_x_m, self.goal_y_m])
        costs_m = self._rollouts.costs(plan, shape, pose, goal, self.goal_tolerance_m)
        braking_m_s = float(stopping_speed(off_m - 0.5 * self.goal_tolerance_m, self.deceleration_m_s2, 0.2))
        vote = Vote.over(
            arcs,
            vote=votes_of(costs_m, self.lookahead * length_m / 3.0),
            confidence=self.confidence,
            max_speed_m_s=min(self.max_speed_m_s, braking_m_s),
        )
        self.votes.publish(vote.replace(stamp_ns=self.now(), frame=drive.body))

    def _stay(self, why: str) -> None:
        self._tell(why)
        drive = self.geometry.drive(self.vehicle)
        arcs = candidate_arcs(drive.tightest_arc_per_m, self.arcs)
        vote = Vote.over(arcs, confidence=self.confidence, max_speed_m_s=0.0)
        self.votes.publish(vote.replace(stamp_ns=self.now(), frame=drive.body))

    def _tell(self, state: str) -> None:
        if state != self._told:
            self._told = state
            self.status.publish(String(state))
            told = f"{state}: goal at {self.goal_x_m:g}, {self.goal_y_m:g} m"
            if state == ARRIVED:
                self.log.log(NOTICE, f"reached the goal at {self.goal_x_m:g}, {self.goal_y_m:g} m")
            elif state == DRIVING:
                self.log.info(told)
            else:
                self.log.warning(f"{told}; the vehicle stays")
