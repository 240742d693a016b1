"""Worlds made from a seed: `blocks` (buildings as blocks, and a platform), `maze`, `slopes` (rolling terrain).

Every made world has the places `start` and `goal`, and a way between them for a vehicle of `clearance_m` half width.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from studio.runtime.sim.worlds.free_space import FreeSpace
from studio.runtime.sim.worlds.world import GRASS, Place, Solid, Terrain, World, pose_of

BRICK = (0.66, 0.42, 0.33, 1.0)
SAND = (0.8, 0.74, 0.6, 1.0)
STEEL = (0.5, 0.56, 0.63, 1.0)
WOOD = (0.62, 0.5, 0.33, 1.0)
TRIES = 1000


def ground() -> Solid:
    return Solid("ground", "plane", (), np.eye(4), colour=GRASS)


def block(
    name: str,
    x_m: float,
    y_m: float,
    sides_m: tuple[float, float, float],
    heading_rad: float = 0.0,
    colour: tuple[float, float, float, float] = BRICK,
) -> Solid:
    """Standing on the ground."""
    return Solid(name, "box", sides_m, pose_of(x_m, y_m, sides_m[2] / 2, 0, 0, heading_rad), colour=colour)


def blocks_world(seed: int, *, size_m: float = 60.0, count: int = 12, clearance_m: float = 1.6) -> World:
    """Blocks of other sizes at other places for each seed, with a start on one side and a goal on the other."""
    random = np.random.default_rng(seed)
    world = World(f"blocks_{seed}", [ground(), *_fence(size_m)])
    half = size_m / 2
    colours = (BRICK, SAND, STEEL, WOOD)
    start = Place(-half + 5.0, float(random.uniform(-0.6, 0.6)) * half, float(random.uniform(-0.4, 0.4)))
    goal = Place(half - 6.0, float(random.uniform(-0.6, 0.6)) * half)
    world.places = {"start": start, "goal": goal}
    for _ in range(TRIES):
        if len(world.solids) >= count + 5:
            break
        sides = (float(random.uniform(2.0, 8.0)), float(random.uniform(2.0, 6.0)), float(random.uniform(1.2, 4.0)))
        x, y = (float(value) for value in random.uniform(-half + 3.0, half - 3.0, 2))
        heading, colour = float(random.uniform(-0.5, 0.5)), colours[int(random.integers(len(colours)))]
        made = block(f"block_{len(world.solids) - 4}", x, y, sides, heading, colour)
        reach = math.hypot(*sides[:2]) / 2
        if min(math.hypot(x - at.x_m, y - at.y_m) for at in (start, goal)) < reach + 5.0:
            continue
        world.solids.append(made)
        if not FreeSpace.of(world, clearance_m).connects(start, goal):
            world.solids.pop()
    return world


def _fence(size_m: float) -> list[Solid]:
    half, thick, high = size_m / 2, 0.3, 1.5
    long = (size_m + thick, thick, high)
    return [
        block("fence_south", 0, -half, long, 0, WOOD),
        block("fence_north", 0, half, long, 0, WOOD),
        block("fence_west", -half, 0, long, math.pi / 2, WOOD),
        block("fence_east", half, 0, long, math.pi / 2, WOOD),
    ]


def maze_world(seed: int, *, cells: int = 6, cell_m: float = 2.4, wall_m: float = 0.12, loops: int = 4) -> World:
    """Corridors between walls, every cell reachable; `loops` walls are left out, so that there are ways round."""
    random = np.random.default_rng(seed)
    open_east = np.zeros((cells, cells), bool)
    open_north = np.zeros((cells, cells), bool)
    _carve(random, open_east, open_north)
    for _ in range(loops):
        row, column = (int(value) for value in random.integers(1, cells - 1, 2))
        (open_east if random.random() < 0.5 else open_north)[row, column] = True
    half = cells * cell_m / 2
    world = World(f"maze_{seed}", [ground()])
    for row in range(cells):
        for column in range(cells):
            x, y = (column + 0.5) * cell_m - half, (row + 0.5) * cell_m - half
            if column < cells - 1 and not open_east[row, column]:
                world.solids.append(_wall(f"wall_e{row}_{column}", x + cell_m / 2, y, cell_m, wall_m, True))
            if row < cells - 1 and not open_north[row, column]:
                world.solids.append(_wall(f"wall_n{row}_{column}", x, y + cell_m / 2, cell_m, wall_m, False))
    for name, x, y in (("south", 0.0, -half), ("north", 0.0, half), ("west", -half, 0.0), ("east", half, 0.0)):
        world.solids.append(_wall(f"wall_{name}", x, y, cells * cell_m, wall_m, bool(x)))
    corner = (cells - 1) / 2 * cell_m
    world.places = {"start": Place(-corner, -corner, 0.0), "goal": Place(corner, corner)}
    return world


def _carve(random: np.random.Generator, open_east: NDArray[np.bool_], open_north: NDArray[np.bool_]) -> None:
    """A spanning tree of the cells, depth first."""
    cells = len(open_east)
    seen = np.zeros((cells, cells), bool)
    stack = [(0, 0)]
    seen[0, 0] = True
    while stack:
        row, column = stack[-1]
        around = [(row, column + 1), (row, column - 1), (row + 1, column), (row - 1, column)]
        free = [(r, c) for r, c in around if 0 <= r < cells and 0 <= c < cells and not seen[r, c]]
        if not free:
            stack.pop()
            continue
        next_row, next_column = free[int(random.integers(len(free)))]
        if next_row == row:
            open_east[row, min(column, next_column)] = True
        else:
            open_north[min(row, next_row), column] = True
        seen[next_row, next_column] = True
        stack.append((next_row, next_column))


def _wall(name: str, x_m: float, y_m: float, long_m: float, thick_m: float, upright: bool) -> Solid:
    long_m += thick_m
    sides = (thick_m, long_m, 0.6) if upright else (long_m, thick_m, 0.6)
    return block(name, x_m, y_m, sides, 0.0, SAND)


def slopes_world(seed: int, *, size_m: float = 80.0, points: int = 129, steepest: float = 0.35) -> World:
    """Rolling ground of long waves, flat about the start; `steepest` is its greatest slope (rise over run)."""
    random = np.random.default_rng(seed)
    axis = np.linspace(-size_m / 2, size_m / 2, points)
    x, y = np.meshgrid(axis, axis)
    heights = np.zeros_like(x)
    for wave in range(12):
        length = size_m / (1.5 + 0.6 * wave)
        angle, phase = random.uniform(0, 2 * math.pi, 2)
        heights += length**1.5 * np.sin(2 * math.pi / length * (x * np.cos(angle) + y * np.sin(angle)) + phase)
    start = Place(-size_m / 2 + 10.0, 0.0)
    near = np.hypot(x - start.x_m, y - start.y_m)
    heights = (heights - heights[points // 2, int(np.argmin(np.abs(axis - start.x_m)))]) * np.clip((near - 4) / 8, 0, 1)
    step = size_m / (points - 1)
    slope = np.hypot(*np.gradient(heights, step))
    heights *= steepest / float(slope.max())
    world = World(f"slopes_{seed}", terrains=[Terrain("hills", (size_m, size_m), heights, np.eye(4))])
    world.places = {"start": start, "goal": Place(size_m / 2 - 10.0, 0.0)}
    return world


def blocks_of_the_report() -> World:
    """The layout of Figures 13 and 14 of DRDC Suffield TM 2010-271 as its words tell it: flat ground, buildings as
    blocks, among them a trailer of two blocks: itself, and the platform before it. Sizes are estimates."""
    world = World("blocks", [ground(), *_fence(70.0)])
    world.solids += [
        block("trailer", 2.0, 17.0, (12.0, 3.0, 3.2), 0.0, SAND),
        block("platform", 2.0, 14.5, (4.0, 2.0, 0.9), 0.0, WOOD),
        block("workshop", -14.0, 12.0, (8.0, 6.0, 4.0), 0.1, BRICK),
        block("store", 18.0, 8.0, (6.0, 6.0, 3.0), -0.15, STEEL),
        block("garage", 6.0, -2.0, (6.0, 8.0, 3.5), 0.0, BRICK),
        block("shed", -10.0, -6.0, (4.0, 5.0, 2.5), 0.3, WOOD),
        block("container", 17.0, -13.0, (6.1, 2.4, 2.6), 0.6, STEEL),
        block("hall", -2.0, -20.0, (14.0, 6.0, 4.0), 0.0, SAND),
        block("crates", -1.0, 6.0, (1.6, 1.6, 1.4), 0.4, WOOD),
        block("wall", -22.0, -2.0, (0.4, 8.0, 1.8), 0.0, SAND),
    ]
    world.places = {"start": Place(28.0, 0.0, math.pi), "goal": Place(-28.0, 4.0, math.pi)}
    return world
