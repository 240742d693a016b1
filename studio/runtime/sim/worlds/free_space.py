"""Where a vehicle can be: what a world leaves free from above, for starts, goals and the shortest way between them."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.world import Ground, Place, Solid, World, half_sides

STEP_M = 0.15
"""What stands higher than this above the ground is in the way; lower, a wheel climbs it."""
EDGE_M = 2.0
_AROUND = [(i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]


def obstacles(world: World) -> list[Solid]:
    """The solids that are in the way of a vehicle."""
    ground = world.ground()
    return [solid for solid in world.solids if solid.kind != "plane" and _is_in_the_way(solid, ground)]


def _is_in_the_way(solid: Solid, ground: Ground) -> bool:
    x, y, z = (float(each) for each in solid.pose[:3, 3])
    return z + float(np.abs(solid.pose[2, :3]) @ half_sides(solid)) > ground.at(x, y) + STEP_M


def distance_m(solid: Solid, x_m: NDArray[np.float64], y_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """From points to the solid's outline seen from above; 0 inside. Leaning solids count by their turned box."""
    heading = math.atan2(solid.pose[1, 0], solid.pose[0, 0])
    c, s = math.cos(heading), math.sin(heading)
    dx, dy = x_m - solid.pose[0, 3], y_m - solid.pose[1, 3]
    if solid.kind in ("cylinder", "sphere") and abs(solid.pose[2, 2]) > 0.999:
        round_m: NDArray[np.float64] = np.maximum(np.hypot(dx, dy) - solid.size[0], 0.0)
        return round_m
    u, v = np.abs(dx * c + dy * s), np.abs(dy * c - dx * s)
    length_m, width_m = _half_outline(solid)
    found: NDArray[np.float64] = np.hypot(np.maximum(u - length_m, 0.0), np.maximum(v - width_m, 0.0))
    return found


def _half_outline(solid: Solid) -> tuple[float, float]:
    half = np.abs(solid.pose[:3, :3]) @ half_sides(solid) if abs(solid.pose[2, 2]) < 0.999 else half_sides(solid)
    return float(half[0]), float(half[1])


def clearance_at(world: World, x_m: float, y_m: float) -> tuple[float, str]:
    """Metres to the nearest solid that is in the way, and its name."""
    found = [(float(distance_m(solid, np.array(x_m), np.array(y_m))), solid.name) for solid in obstacles(world)]
    return min(found, default=(math.inf, ""))


def refuse_blocked(world: World, what: str, place: Place, clearance_m: float) -> None:
    """SimError if `what` (a goal, a start) is inside or too near to something solid."""
    distance, name = clearance_at(world, place.x_m, place.y_m)
    if distance < clearance_m:
        near = f"{distance:.2f} m from {name}, too close by {clearance_m - distance:.2f} m"
        where = near if distance else f"inside {name}"
        hint = "choose another place; studio sim picture shows the world"
        raise SimError(f"the {what} at ({place.x_m:g}, {place.y_m:g}) is {where}", file=world.file, hint=hint)


def _cells(middle_m: float, reach_m: float, cell_m: float, count: int) -> slice:
    """Along one side of a grid: those that lie within the reach of a point."""
    first, last = math.floor((middle_m - reach_m) / cell_m), math.ceil((middle_m + reach_m) / cell_m)
    return slice(min(max(first, 0), count), min(max(last, 0), count))


@dataclass(frozen=True)
class FreeSpace:
    """A grid of cells whose middle is at least the clearance away from all that is in the way."""

    free: NDArray[np.bool_]
    """[row along y, column along x]"""
    x0_m: float
    y0_m: float
    cell_m: float

    @classmethod
    def of(cls, world: World, clearance_m: float, cell_m: float = 0.5) -> FreeSpace:
        x0, y0, x1, y1 = world.bounds_m()
        x0, y0, x1, y1 = x0 - EDGE_M, y0 - EDGE_M, x1 + EDGE_M, y1 + EDGE_M
        columns, rows = max(1, math.ceil((x1 - x0) / cell_m)), max(1, math.ceil((y1 - y0) / cell_m))
        x, y = np.meshgrid(x0 + (np.arange(columns) + 0.5) * cell_m, y0 + (np.arange(rows) + 0.5) * cell_m)
        free = np.ones((rows, columns), bool)
        for solid in obstacles(world):
            # Only the cells that it can reach: with the whole grid for each, large worlds took minutes.
            reach_m = float(np.hypot(*_half_outline(solid))) + clearance_m
            near = (
                _cells(solid.pose[1, 3] - y0, reach_m, cell_m, rows),
                _cells(solid.pose[0, 3] - x0, reach_m, cell_m, columns),
            )
            free[near] &= distance_m(solid, x[near], y[near]) >= clearance_m
        return cls(free, x0, y0, cell_m)

    def cell(self, place: Place) -> tuple[int, int]:
        rows, columns = self.free.shape
        row, column = int((place.y_m - self.y0_m) / self.cell_m), int((place.x_m - self.x0_m) / self.cell_m)
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def connects(self, start: Place, goal: Place) -> bool:
        return self.shortest_m(start, goal) < math.inf

    def shortest_m(self, start: Place, goal: Place) -> float:
        """Of the ways over the cells, eight neighbours each; infinite if there is none. Up to 8 % longer than the
        straight lines that a vehicle could drive."""
        target, first = self.cell(goal), self.cell(start)
        if not (self.free[target] and self.free[first]):
            return math.inf
        rows, columns = self.free.shape
        best = np.full(self.free.shape, math.inf)
        best[first] = 0.0
        queue = [(0.0, 0.0, first)]
        while queue:
            _, gone, (row, column) = heapq.heappop(queue)
            if (row, column) == target:
                return gone * self.cell_m
            if gone > best[row, column]:
                continue
            for down, right, length in _AROUND:
                i, j = row + down, column + right
                if 0 <= i < rows and 0 <= j < columns and self.free[i, j] and gone + length < best[i, j]:
                    best[i, j] = gone + length
                    ahead = math.hypot(i - target[0], j - target[1])
                    heapq.heappush(queue, (gone + length + ahead, gone + length, (i, j)))
        return math.inf
