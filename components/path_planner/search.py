"""A* over a grid, from the goal back to the vehicle. Plain loops over numbers, which numba compiles."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
FAR = np.float32(1e9)
"""Of cells that were not reached."""


# Each is one function without helpers: numba's cache on disk does not notice when a function that another one calls
# has changed.
def distances(blocked: Any, most: float) -> Any:
    """How far each cell is from the nearest blocked one, in cells, at most `most`: two passes, steps of 1 and √2."""
    rows, columns = blocked.shape
    far = np.full((rows, columns), most, np.float32)
    slant = np.float32(np.sqrt(2.0))
    for row in range(rows):
        for column in range(columns):
            if blocked[row, column]:
                far[row, column] = 0.0
                continue
            best = far[row, column]
            if row > 0:
                best = min(best, far[row - 1, column] + 1.0)
                if column > 0:
                    best = min(best, far[row - 1, column - 1] + slant)
                if column < columns - 1:
                    best = min(best, far[row - 1, column + 1] + slant)
            if column > 0:
                best = min(best, far[row, column - 1] + 1.0)
            far[row, column] = best
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            best = far[row, column]
            if row < rows - 1:
                best = min(best, far[row + 1, column] + 1.0)
                if column > 0:
                    best = min(best, far[row + 1, column - 1] + slant)
                if column < columns - 1:
                    best = min(best, far[row + 1, column + 1] + slant)
            if column < columns - 1:
                best = min(best, far[row, column + 1] + 1.0)
            far[row, column] = best
    return far


def costs_to_go(cost: Any, goals: Any, start_row: int, start_column: int, around: float) -> Any:  # noqa: C901
    """What the way from each cell to the nearest goal costs, in cells; FAR where it was not looked at or is impossible.

    `cost` is the price of one cell, at least 1, and infinite where nobody can be. `goals` are (row, column). The search
    ends when the start and all that lies `around` (cells) it is known.
    """
    rows, columns = cost.shape
    go = np.full((rows, columns), 1e9, np.float32)
    done = np.zeros((rows, columns), np.bool_)
    waiting = [(np.float32(0.0), np.float32(0.0), np.int64(-1))]
    waiting.pop()
    for index in range(len(goals)):
        row, column = goals[index, 0], goals[index, 1]
        if cost[row, column] < 1e9:
            go[row, column] = 0.0
            heapq.heappush(waiting, (np.float32(0.0), np.float32(0.0), np.int64(row * columns + column)))
    enough = np.inf
    diagonal = np.float32(np.sqrt(2.0))
    while len(waiting) > 0:
        estimate, value, place = heapq.heappop(waiting)
        if estimate > enough:
            break
        row, column = place // columns, place % columns
        if done[row, column]:
            continue
        done[row, column] = True
        if row == start_row and column == start_column:
            enough = float(value) + 2.5 * around
        here = cost[row, column]
        for down in range(-1, 2):
            for right in range(-1, 2):
                next_row, next_column = row + down, column + right
                if (down == 0 and right == 0) or not (0 <= next_row < rows and 0 <= next_column < columns):
                    continue
                if done[next_row, next_column] or not cost[next_row, next_column] < 1e9:
                    continue
                length = np.float32(1.0)
                if down != 0 and right != 0:
                    # Not between two cells that touch at a corner only.
                    if not (cost[row, next_column] < 1e9 and cost[next_row, column] < 1e9):
                        continue
                    length = diagonal
                there = np.float32(value + length * np.float32(0.5) * (here + cost[next_row, next_column]))
                if there < go[next_row, next_column]:
                    go[next_row, next_column] = there
                    across, along = abs(next_row - start_row), abs(next_column - start_column)
                    least = max(across, along) + (np.sqrt(2.0) - 1.0) * min(across, along)
                    heapq.heappush(
                        waiting, (np.float32(there + least), there, np.int64(next_row * columns + next_column))
                    )
    for row in range(rows):
        for column in range(columns):
            if not done[row, column]:
                go[row, column] = 1e9
    return go


@cache
def compiled_distances() -> Callable[[Any, float], Floats]:
    """Machine code, kept on disk; the very first time takes some seconds: ask in on_initialize."""
    import numba

    made: Callable[[Any, float], Floats] = numba.njit("float32[:,::1](boolean[:,::1], float64)", cache=True)(distances)
    return made


@cache
def compiled_costs_to_go() -> Callable[..., Floats]:
    import numba

    signature = "float32[:,::1](float32[:,::1], int64[:,::1], int64, int64, float64)"
    made: Callable[..., Floats] = numba.njit(signature, cache=True)(costs_to_go)
    return made


def descent(go: Floats, cost: Floats, row: int, column: int, most: int) -> NDArray[np.int64]:
    """The cells of the cheapest way from here to the goal: (N, 2)."""
    way = [(row, column)]
    rows, columns = go.shape
    while len(way) < most and 0.0 < go[row, column] < FAR:
        best, following = float(go[row, column]), None
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                there = (row + down, column + right)
                if there == (row, column) or not (0 <= there[0] < rows and 0 <= there[1] < columns):
                    continue
                if go[there] >= go[row, column] or (
                    down and right and not (cost[row, there[1]] < FAR and cost[there[0], column] < FAR)
                ):
                    continue
                length = 0.5 * float(np.hypot(down, right)) * float(cost[row, column] + cost[there])
                total = float(go[there]) + length
                if following is None or total < best:
                    best, following = total, there
        if following is None:
            break
        row, column = following
        way.append(following)
    return np.array(way, np.int64)
