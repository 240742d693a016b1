"""A vehicle without physics among blocks that are seen from some metres on: to try behaviours together, quickly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from studio.messages import Map, PoseTransform, Range3d, Velocity, Vote
from studio.runtime.host.profile import load_class
from studio.runtime.trial import Trial

COMPONENTS = Path(__file__).resolve().parents[2] / "components"
TICK_S = 0.1
MAP_EVERY = 2
CELL_M = 0.25

Box = tuple[float, float, float, float]
"""From x, y to x, y."""


def component(name: str) -> Any:
    return load_class(COMPONENTS / name)


@dataclass
class Yard:
    """Blocks, and what was seen of them: all cells within `view_m` of the vehicle."""

    boxes: list[Box]
    half_m: float = 32.0
    view_m: float = 9.0
    solid: np.ndarray[Any, Any] = field(init=False)
    seen: np.ndarray[Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        count = round(2 * self.half_m / CELL_M)
        axis = -self.half_m + (np.arange(count) + 0.5) * CELL_M
        self.x, self.y = np.meshgrid(axis, axis)
        self.solid = np.zeros(self.x.shape, np.bool_)
        for x0, y0, x1, y1 in self.boxes:
            self.solid |= (self.x > x0) & (self.x < x1) & (self.y > y0) & (self.y < y1)
        self.seen = np.zeros(self.x.shape, np.bool_)

    def look(self, x_m: float, y_m: float, stamp_ns: int) -> Map:
        self.seen |= np.hypot(self.x - x_m, self.y - y_m) < self.view_m
        plane = np.where(self.seen, np.where(self.solid, 0.0, 1.0), np.nan).astype(np.float32)
        return Map(
            stamp_ns=stamp_ns, frame="map", resolution_m=CELL_M, origin_m=(-self.half_m, -self.half_m),
            plane_names=("traversability",), planes=plane[None],
        )  # fmt: skip

    def hit(self, outline: Any, x_m: float, y_m: float, yaw_rad: float) -> bool:
        dx, dy = self.x - x_m, self.y - y_m
        along, aside = math.cos(yaw_rad) * dx + math.sin(yaw_rad) * dy, math.cos(yaw_rad) * dy - math.sin(yaw_rad) * dx
        inside = (along < outline.front_m) & (along > -outline.rear_m)
        inside &= (aside < outline.left_m) & (aside > -outline.right_m)
        return bool((inside & self.solid).any())


@dataclass
class Drive:
    """How it went."""

    places: list[tuple[float, float, float]] = field(default_factory=list)
    hits: int = 0
    arrived_s: float | None = None
    statuses: list[str] = field(default_factory=list)
    commands: list[Velocity] = field(default_factory=list)

    @property
    def path_m(self) -> float:
        steps = np.diff(np.array(self.places)[:, :2], axis=0)
        return float(np.hypot(*steps.T).sum())


def drive(
    yard: Yard,
    start: tuple[float, float, float],
    goal: tuple[float, float],
    *,
    seconds: float = 120.0,
    model: str = "raptor",
    tolerance_m: float = 1.0,
    speed_m_s: float = 2.0,
    watch: Callable[[float, Drive, dict[str, Any]], None] | None = None,
) -> Drive:
    """Planner, follower, avoidance and arbiter together, each as a trial of its own, in a fixed order."""
    with (
        Trial(component("path_planner"), geometry=model, goal_x_m=goal[0], goal_y_m=goal[1],
              goal_tolerance_m=tolerance_m, max_speed_m_s=speed_m_s) as planner,
        Trial(component("waypoint_follower"), geometry=model, max_speed_m_s=speed_m_s) as follower,
        Trial(component("obstacle_avoidance"), geometry=model) as avoidance,
        Trial(component("arc_arbiter"), geometry=model, required="obstacle_avoidance path_planner", retreat_m=15.0,
              max_speed_m_s=speed_m_s) as arbiter,
    ):  # fmt: skip
        outline = planner.component.geometry.outline()
        wheelbase_m = planner.component.geometry.drive().wheelbase_m
        told, x_m, y_m, yaw_rad = Drive(), *start
        steering_rad, speed, paths = 0.0, 0.0, 0
        voters = {"path_planner": planner, "waypoint_follower": follower, "obstacle_avoidance": avoidance}
        for tick in range(1, round(seconds / TICK_S)):
            now_s = tick * TICK_S
            stamp_ns = round(now_s * 1e9)
            pose = PoseTransform.from_xyz_rpy(x_m, y_m, yaw_rad=yaw_rad, stamp_ns=stamp_ns, frame="map")
            for trial in voters.values():
                trial.send("pose", pose, at_s=now_s)
            if tick % MAP_EVERY == 1:
                chart = yard.look(x_m, y_m, stamp_ns)
                for trial in (planner, avoidance):
                    trial.send("traverse", chart)
            for name, trial in voters.items():
                trial.component.on_timer()
                for vote in _new_votes(trial):
                    arbiter.send("votes", vote, at_s=now_s, topic=f"/{name}/votes")
            new = planner.sent("path")
            for path in new[paths:]:
                assert isinstance(path, Range3d)
                follower.send("path", path)
            paths = len(new)
            arbiter.component.on_timer()
            command: Velocity = arbiter.sent("command")[-1]
            told.commands.append(command)
            told.statuses = [status.data for status in planner.sent("status")]
            steering_rad += float(np.clip(command.steering_angle_rad - steering_rad, -0.078, 0.078))
            speed += float(np.clip(command.speed_m_s - speed, -0.4, 0.2))
            x_m += speed * TICK_S * math.cos(yaw_rad)
            y_m += speed * TICK_S * math.sin(yaw_rad)
            yaw_rad += speed * TICK_S * math.tan(steering_rad) / wheelbase_m
            told.places.append((x_m, y_m, yaw_rad))
            told.hits += yard.hit(outline, x_m, y_m, yaw_rad)
            if watch is not None:
                watch(now_s, told, {**voters, "arc_arbiter": arbiter})
            if told.arrived_s is None and math.hypot(goal[0] - x_m, goal[1] - y_m) <= tolerance_m:
                told.arrived_s = now_s
            if told.arrived_s is not None and abs(speed) < 1e-3:
                return told
        return told


def _new_votes(trial: Any) -> list[Vote]:
    sent: list[Vote] = trial._sent["votes"]
    found = list(sent)
    sent.clear()
    return found
