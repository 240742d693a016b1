"""A plan: what each cell costs, and from there what the way to the goal costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .search import FAR, compiled_costs_to_go, compiled_distances, descent
from .world_grid import Cell, WorldGrid

Floats = NDArray[np.float32]
NEAR_OBSTACLE = 5.0
"""What a cell costs more where the vehicle just fits through."""
UNKNOWN = 0.4
"""What a cell costs more that nobody has seen yet."""
UNEVEN = 3.0
"""What a cell costs more that can just be driven over."""
ESCAPE = 30.0
"""What a cell beside an obstacle costs where the vehicle stands already."""
LONGEST_WAY = 20_000
WAY_STEP = 2
"""Every which cell of the way is told."""


@dataclass(frozen=True)
class Needs:
    """What the vehicle and its user want of a plan, in metres."""

    half_width_m: float
    reach_m: float
    """How far around the vehicle the plan has to be known."""
    clearance_m: float
    """So far from obstacles all is equally good."""
    blocked_below: float
    tolerance_m: float


@dataclass(frozen=True)
class Plan:
    resolution_m: float
    origin_m: NDArray[np.float64]
    cost: Floats
    go: Floats
    """What the way to the goal costs, in metres of good ground; FAR where there is none."""
    clear_m: Floats
    """How far the nearest obstacle is."""
    way: NDArray[np.float64]
    """x, y from the vehicle to the goal."""
    trouble: str = ""
    """Why there is no way; empty if there is one."""

    @property
    def way_m(self) -> float:
        return float(np.hypot(*np.diff(self.way, axis=0).T).sum()) if len(self.way) > 1 else 0.0


def planned(grid: WorldGrid, start: tuple[float, float], goal: tuple[float, float], needs: Needs) -> Plan:
    """The cheapest way over all that is known; what is not known is taken for ground that can be driven."""
    cell_m = grid.resolution_m
    with np.errstate(invalid="ignore"):
        blocked = grid.traversability < needs.blocked_below
    # Both clearances count from the face of the obstacle, half a cell before the middle of its cell.
    far = compiled_distances()(blocked, needs.clearance_m / cell_m + 1.0)
    clear_m: Floats = np.maximum(far - np.float32(0.5), np.float32(0.0)) * np.float32(cell_m)
    cost = _costs(grid, clear_m, blocked, needs)
    start_cell, goal_cell = grid.cell_of(*start), grid.cell_of(*goal)
    _free_the_vehicle(cost, blocked, start_cell, needs.half_width_m * 1.5 / cell_m)
    goals = _goal_cells(cost, goal_cell, needs.tolerance_m / cell_m)
    go = compiled_costs_to_go()(cost, goals, *start_cell, needs.reach_m / cell_m)
    trouble = _trouble(blocked, start_cell, len(goals) > 0, bool(go[start_cell] < FAR))
    way = grid.position_of(descent(go, cost, *start_cell, LONGEST_WAY)) if not trouble else np.zeros((0, 2))
    if len(way) > 1:
        way = np.concatenate([way[:-1:WAY_STEP], way[-1:]])
    go_m = np.where(go < FAR, go * np.float32(cell_m), FAR)
    return Plan(cell_m, grid.origin_m, cost, go_m, clear_m, way, trouble)


def _costs(grid: WorldGrid, clear_m: Floats, blocked: NDArray[np.bool_], needs: Needs) -> Floats:
    ground = grid.traversability
    cost = np.where(np.isnan(ground), 1.0 + UNKNOWN, 1.0 + UNEVEN * (1.0 - ground)).astype(np.float32)
    narrow_m = max(needs.clearance_m - needs.half_width_m, 1e-6)
    near = np.clip((needs.clearance_m - clear_m) / narrow_m, 0.0, 1.0)
    cost += np.float32(NEAR_OBSTACLE) * near * near
    cost[(clear_m < needs.half_width_m) | blocked] = np.inf
    return cost


def _free_the_vehicle(cost: Floats, blocked: NDArray[np.bool_], start: Cell, radius: float) -> None:
    """It stands where it stands, perhaps too near to something: out of there every way is allowed, but costs."""
    rows, columns = np.ogrid[: cost.shape[0], : cost.shape[1]]
    around = (rows - start[0]) ** 2 + (columns - start[1]) ** 2 <= radius * radius
    cost[around & np.isinf(cost) & ~blocked] = ESCAPE


def _goal_cells(cost: Floats, goal: Cell, radius: float) -> NDArray[np.int64]:
    """The goal itself if one can be there, else the cells nearest to it that are within the tolerance."""
    if np.isfinite(cost[goal]):
        return np.array([goal], np.int64)
    rows, columns = np.nonzero(np.isfinite(cost))
    off = np.hypot(rows - goal[0], columns - goal[1])
    within = off <= radius
    return np.stack([rows[within], columns[within]], axis=1).astype(np.int64)


def _trouble(blocked: NDArray[np.bool_], start: Cell, has_goal: bool, has_way: bool) -> str:
    if not has_goal:
        return "the goal is in an obstacle, or too near to one"
    if blocked[start]:
        return "the vehicle is inside an obstacle"
    return "" if has_way else "there is no way to the goal"
