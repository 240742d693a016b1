"""Tells how well a vehicle has driven, from what only a simulator knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from studio.errors import StudioError
from studio.messages import PoseTransform, String
from studio.runtime.component import Component, InPort, OutPort, Parameter
from studio.runtime.sim.worlds.free_space import clearance_at
from studio.runtime.sim.worlds.world import World
from studio.runtime.sim.worlds.world_sdf import parse_world

SENT = Path("true_world")
"""In messages: it is no file."""
NS_PER_S = 1_000_000_000
STEP_M = 0.02
"""Shorter moves are not counted on their own: a vehicle that trembles does not drive."""


class DrivingJudge(Component):
    """Watches the true pose and the collisions, and tells the outcome of the drive.

    `studio run --json` shows what it said last as `outcome`, and ends the run some seconds after the arrival.
    """

    category = "judge"
    icon = "mdi6.gavel"
    tags = ("driving", "simulation")
    activations = ("periodic",)
    period_s = 0.2

    true_pose = InPort(PoseTransform, doc="ground truth: the vehicle in the world")
    collision = InPort(String, doc="ground truth: each contact as it begins")
    status = InPort(String, optional=True, doc="status of the planner; part of the outcome")
    true_world = InPort(
        String, optional=True, doc="ground truth: the world as SDF; a goal inside an obstacle is reported at once"
    )
    outcome = OutPort(
        String,
        doc="JSON: goal_reached, collisions, seconds_to_goal, path_m, goal_distance_m, status; each period",
    )

    has_goal = Parameter(True, doc="false: the vehicle drives without a goal, and the run does not end")
    goal_x_m = Parameter(0.0, unit="m", doc="where to go")
    goal_y_m = Parameter(0.0, unit="m", doc="where to go")
    goal_tolerance_m = Parameter(1.5, minimum=0.05, maximum=50.0, unit="m", doc="so near is there")
    linger_s = Parameter(3.0, minimum=0.0, maximum=60.0, unit="s", doc="from the arrival to the end of the run")

    def on_activate(self) -> None:
        self._world: World | None = None
        self._trouble = ""
        self._start_anew()

    def on_clock_jump(self) -> None:
        self._start_anew()

    def _start_anew(self) -> None:
        self._start_ns: int | None = None
        self._arrived_ns: int | None = None
        self._place: tuple[float, float] | None = None
        self._counted: tuple[float, float] | None = None
        self._path_m = 0.0
        self._collisions: list[Any] = []
        self._status = ""

    def on_true_pose(self, pose: PoseTransform) -> None:
        self._place = place = (float(pose.matrix[0, 3]), float(pose.matrix[1, 3]))
        if self._start_ns is None or self._counted is None:
            self._start_ns, self._counted = pose.stamp_ns, place
        step_m = float(np.hypot(place[0] - self._counted[0], place[1] - self._counted[1]))
        if step_m >= STEP_M:
            self._path_m += step_m
            self._counted = place
        if self.has_goal and self._arrived_ns is None and self._goal_distance_m() <= self.goal_tolerance_m:
            self._arrived_ns = pose.stamp_ns
            self.log.info("goal reached after %.1f s and %.1f m", self._seconds_to_goal(), self._path_m)

    def on_collision(self, collision: String) -> None:
        self._collisions.append(collision.data)
        self.log.warning("collision: %s", collision.data)

    def on_true_world(self, told: String) -> None:
        try:
            self._world = parse_world(told.data.encode(), SENT)
        except StudioError as error:
            self.log.warning("the world on the port world cannot be read: %s", error)
            self._world = None
        self._look_at_goal()

    def on_parameter(self, name: str, value: object) -> None:
        if name in ("has_goal", "goal_x_m", "goal_y_m"):
            self._look_at_goal()

    def _look_at_goal(self) -> None:
        """A vehicle finds out when it sees the walls; who knows the world can tell before it starts."""
        trouble = ""
        if self._world is not None and self.has_goal:
            distance_m, name = clearance_at(self._world, self.goal_x_m, self.goal_y_m)
            if distance_m == 0.0:
                trouble = f"the goal at ({self.goal_x_m:g}, {self.goal_y_m:g}) is inside {name}"
        if trouble and trouble != self._trouble:
            self.log.error("%s: choose another one", trouble)
        self._trouble = trouble

    def on_status(self, status: String) -> None:
        self._status = status.data

    def on_timer(self) -> None:
        if self._start_ns is not None:
            self.outcome.publish(String(json.dumps(self._told())))

    def _told(self) -> dict[str, Any]:
        arrived = self._arrived_ns is not None
        trouble = {"trouble": self._trouble} if self._trouble else {}
        return trouble | {
            "goal_reached": arrived if self.has_goal else None,
            "collisions": len(self._collisions),
            "seconds_to_goal": self._seconds_to_goal(),
            "path_m": round(self._path_m, 3),
            "goal_distance_m": round(self._goal_distance_m(), 3) if self.has_goal else None,
            "status": self._status,
            "over_at_ns": self._arrived_ns + round(self.linger_s * NS_PER_S) if self._arrived_ns is not None else None,
        }

    def _seconds_to_goal(self) -> float | None:
        if self._arrived_ns is None or self._start_ns is None:
            return None
        return round((self._arrived_ns - self._start_ns) / NS_PER_S, 3)

    def _goal_distance_m(self) -> float:
        x_m, y_m = self._place or (float("nan"), float("nan"))
        return float(np.hypot(self.goal_x_m - x_m, self.goal_y_m - y_m))
