"""What of maps and scans is a hazard near the vehicle: places in the frame of the vehicle, x forward and y left."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map

Floats = NDArray[np.float64]


def nothing() -> Floats:
    return np.zeros((0, 2))


@dataclass(frozen=True)
class NearField:
    hazards: Floats = field(default_factory=nothing)
    """(N, 2): middles of cells that cannot be driven over."""
    unknown: Floats = field(default_factory=nothing)
    """(N, 2): middles of cells of which nothing is known, nor of any around them: near the vehicle all of them, farther
    away those at the border of what is known, which come first on every way."""
    half_cell_m: float = 0.0
    """A cell reaches this far beyond its middle."""
    points: Floats = field(default_factory=nothing)
    """(N, 2): what scans have met."""


def of_map(traverse: Map, vehicle: Floats, reach_m: float, near_m: float, passable: float) -> NearField:
    """The cells that are at most `reach_m` away. `vehicle` is its pose (4x4) in the frame of the map. What is beyond
    the map is not known. `near_m` holds the vehicle with its margin."""
    x_m, y_m = vehicle[0, 3], vehicle[1, 3]
    cell_m = traverse.resolution_m
    corner = np.floor((np.array([x_m, y_m]) - reach_m - traverse.origin_m) / cell_m).astype(np.int64)
    side = int(np.ceil(2.0 * reach_m / cell_m)) + 1
    part = _cut(traverse.plane("traversability"), int(corner[0]), int(corner[1]), side)
    centres = traverse.origin_m + (corner + 0.5) * cell_m
    ahead, left = vehicle[:2, 0], vehicle[:2, 1]

    def places(chosen: NDArray[np.bool_], within_m: float = reach_m) -> Floats:
        rows, columns = np.nonzero(chosen)
        off = np.stack([columns, rows], axis=1) * cell_m + centres - (x_m, y_m)
        near = off[(off**2).sum(axis=1) <= within_m * within_m]
        return np.stack([near @ (ahead / np.linalg.norm(ahead)), near @ (left / np.linalg.norm(left))], axis=1)

    known = np.isfinite(part)
    with np.errstate(invalid="ignore"):
        hazards = places(known & (part < passable))
    known = _grown(known)
    unknown = np.concatenate([places(_grown(known) & ~known), places(~known, near_m)])
    return NearField(hazards, unknown, cell_m / 2.0)


def of_scan(points: Floats, sensor: Floats, reach_m: float, step_m: float, rise: float, height_m: float) -> Floats:
    """Points (N, 3) of a scan that no wheel rolls over and that are not above the vehicle: (M, 2).

    `sensor` is its pose (4x4) in the frame of the vehicle, whose origin is on the ground. Ground that rises by `rise`
    per metre can be driven, so what is farther away may be higher.
    """
    places = points @ sensor[:3, :3].T + sensor[:3, 3]
    away = np.hypot(places[:, 0], places[:, 1])
    with np.errstate(invalid="ignore"):
        met = (away <= reach_m) & (places[:, 2] > step_m + rise * away) & (places[:, 2] < height_m)
    return places[met, :2]


def _cut(plane: NDArray[np.float32], column: int, row: int, side: int) -> NDArray[np.float32]:
    """A square of a plane, NaN where it reaches over the border."""
    part = np.full((side, side), np.nan, np.float32)
    rows, columns = plane.shape
    top, bottom = max(row, 0), min(row + side, rows)
    left, right = max(column, 0), min(column + side, columns)
    if top < bottom and left < right:
        part[top - row : bottom - row, left - column : right - column] = plane[top:bottom, left:right]
    return part


def _grown(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """With all cells around: a hole of one cell between two lines of a scan is no unknown land."""
    wide = known.copy()
    wide[:, 1:] |= known[:, :-1]
    wide[:, :-1] |= known[:, 1:]
    tall = wide.copy()
    tall[1:] |= wide[:-1]
    tall[:-1] |= wide[1:]
    return tall
