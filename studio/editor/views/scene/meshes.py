"""Shapes, frames, maps and paths as triangles and lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from studio.editor.views.scene.batches import (
    Batch,
    Colours,
    Floats,
    Lines,
    Triangles,
    all_of,
    colour_of,
    moved,
    shaded,
)
from studio.editor.views.shared.map_colours import STEPS, Scheme
from studio.messages import Map
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere

AXIS_COLOURS = ("#FF6B62", "#62D68B", "#6CB0FF")
PLAIN = "#8F9AA8"
"""Of a shape that names no colour."""
GRID_Z_M = -0.06
AROUND = 20
"""Sides of what is round."""
HEIGHTS = ("height", "mean", "elevation", "terrain")


def shape_batches(shape: Shape) -> tuple[Batch, ...]:
    """In the axes of its body or moving part. A mesh is in a file of its own: see `solid_batches`."""
    match shape:
        case Box():
            faces, edges = _box(shape.size)
        case Cylinder():
            faces, edges = _cylinder(shape.radius, shape.length)
        case Sphere():
            faces, edges = _sphere(shape.radius), np.zeros((0, 2, 3))
        case _:
            return ()
    return solid_batches(shape, faces, edges)


def solid_batches(shape: Shape, faces: Floats, edges: Floats) -> tuple[Batch, ...]:
    """With the colour and at the place of a shape."""
    colour = _colour(shape.colour)
    edge = _edge(colour)
    faces, edges = moved(faces, shape.pose.matrix), moved(edges, shape.pose.matrix)
    lines: tuple[Batch, ...] = (Lines(edges, all_of(edge, len(edges))),) if len(edges) else ()
    return (Triangles(faces, shaded(faces, all_of(colour, len(faces)))), *lines)


def _colour(text: str) -> tuple[int, int, int, int]:
    try:
        parts = [min(max(float(word), 0.0), 1.0) for word in text.split()]
    except ValueError:
        parts = []
    if len(parts) not in (3, 4):
        return colour_of(PLAIN)
    red, green, blue = (round(255 * part) for part in parts[:3])
    return red, green, blue, round(255 * (parts[3] if len(parts) == 4 else 1.0))


def _edge(colour: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Darker than its face; of a face that is dark already, lighter."""
    red, green, blue, opacity = colour
    if red + green + blue < 240:
        return min(red + 80, 255), min(green + 80, 255), min(blue + 80, 255), opacity
    return red * 9 // 20, green * 9 // 20, blue * 9 // 20, opacity


def _box(size: Sequence[float]) -> tuple[Floats, Floats]:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    corners = signs * np.asarray(size) / 2
    # Corner i has the bits x, y, z; each face as two triangles, counter-clockwise from outside.
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [
        [corners[a], corners[b], corners[c]] for q in quads for a, b, c in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))
    ]
    edges = [[corners[i], corners[i | bit]] for i in range(8) for bit in (1, 2, 4) if not i & bit]
    return np.array(faces), np.array(edges)


def _cylinder(radius: float, length: float) -> tuple[Floats, Floats]:
    turns = np.arange(AROUND + 1) * 2 * math.pi / AROUND
    ring = np.stack([radius * np.cos(turns), radius * np.sin(turns)], axis=1)
    low, high = (np.column_stack([ring, np.full(AROUND + 1, z)]) for z in (-length / 2, length / 2))
    faces = []
    for i in range(AROUND):
        faces += [[low[i], low[i + 1], high[i + 1]], [low[i], high[i + 1], high[i]]]
        faces += [[high[i], high[i + 1], [0, 0, length / 2]], [low[i + 1], low[i], [0, 0, -length / 2]]]
    edges = [[end[i], end[i + 1]] for end in (low, high) for i in range(AROUND)]
    return np.array(faces, float), np.array(edges, float)


def _sphere(radius: float) -> Floats:
    turns = np.arange(AROUND + 1) * 2 * math.pi / AROUND
    tilts = np.linspace(-math.pi / 2, math.pi / 2, AROUND // 2 + 1)
    grid = radius * np.array(
        [[[math.cos(t) * math.cos(a), math.cos(t) * math.sin(a), math.sin(t)] for a in turns] for t in tilts]
    )
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    return np.concatenate([np.stack(corners, axis=2).reshape(-1, 3, 3) for corners in ((a, b, c), (a, c, d))])


def axes(length_m: float) -> Lines:
    """x red, y green, z blue; whoever shows them puts letters beside."""
    points = np.zeros((3, 2, 3))
    points[[0, 1, 2], 1, [0, 1, 2]] = length_m
    return Lines(points, np.array([colour_of(text) for text in AXIS_COLOURS], np.uint8), 2.0)


def ground_grid(centre: Floats, step_m: float, lines: int, colour: tuple[int, int, int, int]) -> Lines:
    """Squares around a place, on round coordinates; a little below z = 0, where they do not shine through ground."""
    middle = np.round(centre[:2] / step_m) * step_m
    reach = step_m * lines / 2
    places = (np.arange(lines + 1) - lines / 2) * step_m
    along = np.zeros((lines + 1, 2, 3))
    along[:, 0, 0], along[:, 1, 0] = middle[0] - reach, middle[0] + reach
    along[:, :, 1] = (middle[1] + places)[:, None]
    across = np.zeros((lines + 1, 2, 3))
    across[:, 0, 1], across[:, 1, 1] = middle[1] - reach, middle[1] + reach
    across[:, :, 0] = (middle[0] + places)[:, None]
    points = np.concatenate([along, across])
    points[..., 2] = GRID_Z_M
    return Lines(points, all_of(colour, len(points)))


def polyline(points: Floats, colour: tuple[int, int, int, int], width: float) -> Lines:
    """Through all places that are finite, in their order."""
    known = points[np.isfinite(points).all(axis=1)]
    pairs = np.stack([known[:-1], known[1:]], axis=1) if len(known) > 1 else np.zeros((0, 2, 3))
    return Lines(pairs, all_of(colour, len(pairs)), width)


def height_plane(map_: Map) -> str:
    """The plane that tells heights in metres; empty if it has none: then the ground is flat."""
    return next((name for name in map_.plane_names if any(word in name.lower() for word in HEIGHTS)), "")


def surface(map_: Map, plane: str, scheme: Scheme, most: int) -> Triangles:
    """A map as ground: its heights, in the colours of a plane; at most about `most` squares."""
    if plane not in map_.plane_names or map_.rows < 2 or map_.columns < 2:
        return Triangles(np.zeros((0, 3, 3)), np.zeros((0, 4), np.uint8))
    by = max(1, math.ceil(math.sqrt(map_.rows * map_.columns / most)))
    values = thinned(np.asarray(map_.plane(plane), np.float64), by)
    tall = height_plane(map_)
    heights = (
        thinned(np.asarray(map_.plane(tall), np.float64), by) if tall else np.where(np.isfinite(values), 0.0, np.nan)
    )
    rows, columns = heights.shape
    if rows < 2 or columns < 2:
        return Triangles(np.zeros((0, 3, 3)), np.zeros((0, 4), np.uint8))
    step = map_.resolution_m * by
    x = float(map_.origin_m[0]) + (np.arange(columns) + 0.5) * step
    y = float(map_.origin_m[1]) + (np.arange(rows) + 0.5) * step
    grid = np.stack([*np.meshgrid(x, y), heights], axis=2)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    corners = np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 2, 3, 3)
    known = np.isfinite(corners).all(axis=(1, 2, 3)) & np.isfinite(values[:-1, :-1]).reshape(-1)
    points = corners[known].reshape(-1, 3, 3)
    colours = np.repeat(_looked_up(values[:-1, :-1].reshape(-1)[known], scheme), 2, axis=0)
    return Triangles(points, shaded(points, colours))


def thinned(values: Floats, by: int) -> Floats:
    """Blocks of cells as one: the value farthest from 0, so that a single post does not vanish."""
    if by == 1:
        return values
    rows, columns = values.shape[0] // by * by, values.shape[1] // by * by
    blocks = values[:rows, :columns].reshape(rows // by, by, columns // by, by)
    low = np.where(np.isfinite(blocks), blocks, np.inf).min(axis=(1, 3))
    high = np.where(np.isfinite(blocks), blocks, -np.inf).max(axis=(1, 3))
    found = np.where(np.abs(high) >= np.abs(low), high, low)
    return np.where(np.isfinite(found), found, np.nan)


def _looked_up(values: Floats, scheme: Scheme) -> Colours:
    table = scheme.table()
    share = (values - scheme.low) / (scheme.high - scheme.low)
    mixed = table[np.clip(share * (STEPS - 1), 0, STEPS - 1).astype(int)]
    return np.stack([(mixed >> shift & 255).astype(np.uint8) for shift in (16, 8, 0, 24)], axis=1)
