"""The shortest way through a known world: over cells first, then pulled tight around the corners."""

from __future__ import annotations

import heapq
import math
from itertools import pairwise

import numpy as np

from studio.runtime.sim.worlds.free_space import FreeSpace
from studio.runtime.sim.worlds.world import Place, World

CELL_M = 0.25
Cell = tuple[int, int]
STEPS = [(i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]


def shortest_m(world: World, start: Place, goal: Place, clearance_m: float) -> float:
    """For a point that stays `clearance_m` away from everything; infinite if there is no way."""
    space = FreeSpace.of(world, clearance_m, CELL_M)
    cells = _cells(space, space.cell(start), space.cell(goal))
    kept = _pulled(space, cells)
    return sum(math.dist(a, b) for a, b in pairwise(kept)) * CELL_M if cells else math.inf


def _cells(space: FreeSpace, first: Cell, target: Cell) -> list[Cell]:
    before: dict[Cell, Cell] = {}
    gone = {first: 0.0}
    queue = [(0.0, first)]
    while queue:
        _, cell = heapq.heappop(queue)
        if cell == target:
            return _back(before, target)
        for down, right, length in STEPS:
            there = (cell[0] + down, cell[1] + right)
            if not (0 <= there[0] < space.free.shape[0] and 0 <= there[1] < space.free.shape[1] and space.free[there]):
                continue
            if gone[cell] + length < gone.get(there, math.inf) - 1e-9:
                gone[there], before[there] = gone[cell] + length, cell
                heapq.heappush(queue, (gone[there] + math.dist(there, target), there))
    return []


def _back(before: dict[Cell, Cell], cell: Cell) -> list[Cell]:
    way = [cell]
    while way[-1] in before:
        way.append(before[way[-1]])
    return way[::-1]


def _pulled(space: FreeSpace, cells: list[Cell]) -> list[Cell]:
    """From each kept cell straight on to the farthest one that can be seen from it."""
    kept, at = cells[:1], 0
    while at < len(cells) - 1:
        at = next(
            index for index in range(len(cells) - 1, at, -1) if index == at + 1 or _sees(space, cells[at], cells[index])
        )
        kept.append(cells[at])
    return kept


def _sees(space: FreeSpace, one: Cell, other: Cell) -> bool:
    count = 2 * max(abs(one[0] - other[0]), abs(one[1] - other[1])) + 1
    rows, columns = np.rint(np.linspace(one, other, count)).astype(int).T
    return bool(space.free[rows, columns].all())
