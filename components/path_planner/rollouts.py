"""What would come of driving an arc: two arcs in a row are tried, and what is left to go from their end is added."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.messages import arc_poses

from .planning import Plan
from .search import FAR

Floats = NDArray[np.float64]
SECOND_ARCS = 9
SAMPLES_OF_FIRST, SAMPLES_OF_SECOND = 5, 8
DEAD_END = 15.0
"""What an arc costs more (m) after which every second one meets an obstacle."""


@dataclass(frozen=True)
class Shape:
    """The vehicle as equal circles along its middle line: centres (m ahead of its origin) and their radius."""

    centres_m: tuple[float, ...]
    radius_m: float

    @classmethod
    def of(cls, front_m: float, rear_m: float, half_width_m: float, margin_m: float = 0.0) -> Shape:
        length_m = front_m + rear_m
        count = max(1, round(length_m / half_width_m))
        piece_m = length_m / count
        centres = tuple(-rear_m + (index + 0.5) * piece_m for index in range(count))
        return cls(centres, float(np.hypot(piece_m / 2.0, half_width_m)) + margin_m)


class Rollouts:
    """Poses of the vehicle along pairs of arcs, in its own frame. Made once, used with every plan."""

    def __init__(self, arcs_per_m: Floats, first_m: float, second_m: float) -> None:
        self.arcs_per_m = arcs_per_m
        seconds = np.linspace(arcs_per_m[0], arcs_per_m[-1], SECOND_ARCS)
        before = np.linspace(0.0, first_m, SAMPLES_OF_FIRST + 1)[1:]
        after = np.linspace(0.0, second_m, SAMPLES_OF_SECOND + 1)[1:]
        self.first = arc_poses(arcs_per_m, before)
        end = self.first[:, -1]
        self.second = _chained(end, arc_poses(seconds, after))
        self.lengths_m = (float(before[0]), float(after[0]))
        """Of one step of the first and of the second arc."""

    def costs(
        self, plan: Plan, shape: Shape, pose: tuple[float, float, float], goal: Floats, tolerance_m: float
    ) -> Floats:
        """For each arc what the way to the goal costs that begins with it, in metres of good ground; infinite if it
        leads into an obstacle."""
        first, second = _placed(self.first, pose), _placed(self.second, pose)
        price_1, free_1 = _met(plan, shape, first)
        price_2, free_2 = _met(plan, shape, second)
        paid_1 = np.cumsum(price_1, axis=-1) * self.lengths_m[0]
        paid_2 = np.cumsum(price_2, axis=-1) * self.lengths_m[1] + paid_1[:, None, -1:]
        arrived_1 = _cheapest(paid_1, _at_goal(first, goal, tolerance_m) & np.logical_and.accumulate(free_1, axis=-1))
        arrived_2 = _cheapest(paid_2, _at_goal(second, goal, tolerance_m) & np.logical_and.accumulate(free_2, axis=-1))
        left = _to_go(plan, second[:, :, -1, :2])
        whole = np.where(free_2.all(axis=-1), paid_2[..., -1] + left, np.inf)
        best = np.minimum(whole, arrived_2).min(axis=1)
        stuck = np.where(np.isinf(best), paid_1[:, -1] + _to_go(plan, first[:, -1, :2]) + DEAD_END, best)
        driven = np.where(free_1.all(axis=-1), stuck, np.inf)
        total: Floats = np.minimum(driven, arrived_1)
        return np.where(total >= FAR, np.inf, total)


def votes_of(costs_m: Floats, spread_m: float) -> Floats:
    """1 for the cheapest arc, -1 for those that cost `spread_m` more or lead nowhere."""
    if not np.isfinite(costs_m).any():
        return np.full(len(costs_m), -1.0)
    more = np.where(np.isfinite(costs_m), costs_m, np.inf) - np.min(costs_m)
    votes: Floats = 1.0 - 2.0 * np.clip(more / spread_m, 0.0, 1.0)
    return votes


def _chained(ends: Floats, poses: Floats) -> Floats:
    """Every arc after every end: (ends, arcs, samples, 3)."""
    cos, sin = np.cos(ends[:, 2])[:, None, None], np.sin(ends[:, 2])[:, None, None]
    x = ends[:, 0][:, None, None] + cos * poses[None, ..., 0] - sin * poses[None, ..., 1]
    y = ends[:, 1][:, None, None] + sin * poses[None, ..., 0] + cos * poses[None, ..., 1]
    return np.stack([x, y, ends[:, 2][:, None, None] + poses[None, ..., 2]], axis=-1)


def _placed(poses: Floats, at: tuple[float, float, float]) -> Floats:
    cos, sin = np.cos(at[2]), np.sin(at[2])
    x = at[0] + cos * poses[..., 0] - sin * poses[..., 1]
    y = at[1] + sin * poses[..., 0] + cos * poses[..., 1]
    return np.stack([x, y, poses[..., 2] + at[2]], axis=-1)


def _met(plan: Plan, shape: Shape, poses: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """What each pose costs, and whether the vehicle fits there."""
    cos, sin = np.cos(poses[..., 2]), np.sin(poses[..., 2])
    free = np.ones(poses.shape[:-1], np.bool_)
    for centre_m in shape.centres_m:
        row, column = _cells(plan, poses[..., 0] + cos * centre_m, poses[..., 1] + sin * centre_m)
        free &= plan.clear_m[row, column] > shape.radius_m
    row, column = _cells(plan, poses[..., 0], poses[..., 1])
    cost = plan.cost[row, column].astype(np.float64)
    return np.where(np.isfinite(cost), cost, 10.0), free


def _at_goal(poses: Floats, goal: Floats, tolerance_m: float) -> NDArray[np.bool_]:
    return np.asarray(np.hypot(poses[..., 0] - goal[0], poses[..., 1] - goal[1]) <= 0.7 * tolerance_m)


def _cheapest(paid: Floats, arrived: NDArray[np.bool_]) -> Floats:
    least: Floats = np.where(arrived, paid, np.inf).min(axis=-1)
    return least


def _to_go(plan: Plan, places: Floats) -> Floats:
    """Between the middles of cells, so that neighbouring arcs differ although their ends share a cell."""
    u = (places[..., 0] - plan.origin_m[0]) / plan.resolution_m - 0.5
    v = (places[..., 1] - plan.origin_m[1]) / plan.resolution_m - 0.5
    rows, columns = plan.go.shape
    column, row = (
        np.clip(np.floor(u), 0, columns - 2).astype(np.intp),
        np.clip(np.floor(v), 0, rows - 2).astype(np.intp),
    )
    a, b = np.clip(u - column, 0.0, 1.0), np.clip(v - row, 0.0, 1.0)
    corners = np.stack(
        [plan.go[row, column], plan.go[row, column + 1], plan.go[row + 1, column], plan.go[row + 1, column + 1]]
    ).astype(np.float64)
    mixed = (corners[0] * (1 - a) + corners[1] * a) * (1 - b) + (corners[2] * (1 - a) + corners[3] * a) * b
    nearest = np.where(b < 0.5, np.where(a < 0.5, corners[0], corners[1]), np.where(a < 0.5, corners[2], corners[3]))
    left: Floats = np.where((corners < FAR).all(axis=0), mixed, nearest)
    return np.where(left < FAR, left, np.inf)


def _cells(plan: Plan, x_m: Floats, y_m: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places outside the plan count as its border: it has free space all around."""
    rows, columns = plan.go.shape
    column = np.clip(np.floor((x_m - plan.origin_m[0]) / plan.resolution_m), 0, columns - 1).astype(np.intp)
    row = np.clip(np.floor((y_m - plan.origin_m[1]) / plan.resolution_m), 0, rows - 1).astype(np.intp)
    return row, column
