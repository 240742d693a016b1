"""Scans of 361 points into a 500 x 500 height map, transform included: terrain_map against np.add.at.

np.add.at gets the same points and the same transform and sums count, height and squared height of each cell: the plain
mean, which is as little as anybody can do. terrain_map is timed twice: with its plain mean, the same work, and with the
variance of each point, more of it. Before anything is timed, the two means have to agree.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bench.harness import OURS, Contender, Report, interleave, per_call_us
from studio.messages import PoseTransform, Range3d
from studio.paths import PACKAGE
from studio.runtime.host.component_import import import_module

ADD_AT = "np.add.at"
GOAL = 0.5
SIDE, CELL_M = 500, 0.1
SCANS, BEAMS = 64, 361
FARTHEST_M, CEILING_M = 15.0, 10.0

Floats = NDArray[np.float64]


def run(rounds: int = 5) -> Report:
    report = Report("terrain", rounds)
    grids = import_module(PACKAGE.parent / "components" / "terrain_map", "height_grid")
    drive = _drive()
    peer, plain, weighted = AddAt(), TerrainMap(grids, plain_mean=True), TerrainMap(grids, plain_mean=False)
    _once(plain, drive)
    _once(peer, drive)
    _agree(plain.grid, peer)
    for what, ours in (("a scan, plain mean", plain), ("a scan, variance-weighted", weighted)):
        contenders: dict[str, Contender | None] = {
            OURS: partial(_timed, ours, drive),
            ADD_AT: partial(_timed, peer, drive),
        }
        report.add(what, "us", interleave(contenders, rounds), against=ADD_AT, goal=GOAL)
    return report


class Mapper(Protocol):
    def add(self, scan: Range3d, sensor: Floats) -> None: ...


class TerrainMap:
    """What the component does with a scan."""

    def __init__(self, grids: Any, *, plain_mean: bool) -> None:
        self.grid = grids.HeightGrid(SIDE, CELL_M, plain_mean=plain_mean)
        self.grid.follow(0.0, 0.0)
        self._noise = grids.Noise(0.005, 0.002, 0.01, plain_mean=plain_mean)
        self._body, self._attitude = np.eye(4), np.diag([1e-4, 1e-4, 1e-4])

    def add(self, scan: Range3d, sensor: Floats) -> None:
        self.grid.add(scan.points.astype(np.float64), sensor, self._body, self._attitude, self._noise, CEILING_M)


class AddAt:
    """Mean and variance of each cell with what numpy has."""

    def __init__(self) -> None:
        self.count, self.sum, self.squares = (np.zeros((SIDE, SIDE)) for _ in range(3))

    def add(self, scan: Range3d, sensor: Floats) -> None:
        points = scan.xyz.astype(np.float64) @ sensor[:3, :3].T + sensor[:3, 3]
        cells = np.floor(points[:, :2] / CELL_M).astype(np.int64) + SIDE // 2
        inside = ((cells >= 0) & (cells < SIDE)).all(axis=1)
        where, height = (cells[inside, 1], cells[inside, 0]), points[inside, 2]
        np.add.at(self.count, where, 1.0)
        np.add.at(self.sum, where, height)
        np.add.at(self.squares, where, height * height)


def _drive() -> list[tuple[Range3d, Floats]]:
    """Scans of a laser that looks down by 12 degrees onto rolling ground, from a vehicle that turns."""
    random = np.random.default_rng(7)
    made = []
    for number in range(SCANS):
        ranges_m = np.minimum(5.5 / np.cos(np.linspace(-1.4, 1.4, BEAMS)), FARTHEST_M) + random.normal(0.0, 0.05, BEAMS)
        scan = Range3d.from_polar(ranges_m, -np.pi / 2, np.pi / (BEAMS - 1), frame="laser")
        pose = PoseTransform.from_xyz_rpy(0.1 * number, 0.0, 1.15, 0.0, 0.21, 0.05 * number)
        made.append((scan, pose.matrix))
    return made


def _once(mapper: Mapper, drive: list[tuple[Range3d, Floats]]) -> None:
    for scan, sensor in drive:
        mapper.add(scan, sensor)


def _timed(mapper: Mapper, drive: list[tuple[Range3d, Floats]]) -> float:
    return per_call_us(lambda: _once(mapper, drive), at_least_ms=30.0) / SCANS


def _agree(grid: Any, peer: AddAt) -> None:
    height = grid.planes()[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        theirs = peer.sum / peer.count
    if not np.allclose(height, theirs, atol=1e-5, equal_nan=True):
        raise ValueError("np.add.at and terrain_map disagree about the heights")
