"""Finds the pose at which a scan fits the map best: a wide search, then a fine descent.

The search tries every pose of a raster around the guess on a coarse field, so it cannot get stuck beside the right one
(correlative scan matching). From the best of them Gauss-Newton climbs the field, coarse first and then fine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .likelihood_field import LikelihoodField, halved
from .planar import Floats, Pose, wrapped
from .scan_lines import Scan

STEPS = 20
LONGEST_STEP = np.array([0.1, 0.1, 0.05])
"""m, m, rad: the field is not straight for longer."""
WIDE_POINTS = 120
NEAR_REACH_M, NEAR_REACH_RAD = 0.4, 0.1
NEAR = 0.1
"""Likelihood in the coarse field, of echoes near the map."""
NOISE = 0.005
"""Of the information in the strongest direction: as much comes from walls whose direction is known to 4 degrees."""
SMALL_STEP = np.array([1e-4, 1e-4, 1e-5])
APART_CELLS = 4
"""Places farther from the found one than this are other places."""


@dataclass(frozen=True)
class Search:
    """How far around the guess, and how far the guess is trusted."""

    reach_m: float
    reach_rad: float
    step_rad: float
    guess_deviation_m: float
    guess_deviation_rad: float
    wide: bool = False
    """So far around that a coarse search comes first."""

    def near(self) -> Search:
        """The search that is left around the result of a wide one."""
        return replace(self, reach_m=NEAR_REACH_M, reach_rad=NEAR_REACH_RAD, wide=False)


@dataclass(frozen=True)
class Match:
    pose: Pose
    score: float
    """Mean likelihood of the echoes, 0 to 1."""
    overlap: float = 1.0
    """Share of the echoes that lie near the map."""
    certainty: float = 1.0
    """How much the echoes count in the direction with the least information: at 0 only the guess does."""
    rival: float = 0.0
    """The best score of another place within reach, as a share of `score`: near 1, the echoes do not tell which."""


def match(
    scan: Scan, guess: Pose, hit: NDArray[np.bool_], corner_m: Floats, cell_m: float, search: Search,
    deviations_m: tuple[float, ...],
) -> Match:  # fmt: skip
    """`deviations_m` falls from coarse to fine; the first belongs to a grid of twice the cells."""
    points, reach_m = scan.points, search.reach_m  # of the wide search, where there is one
    if search.wide:
        guess, search = _wide_start(points, guess, hit, corner_m, cell_m, search), search.near()
    field = coarse = LikelihoodField(halved(hit), corner_m, 2.0 * cell_m, deviations_m[0])
    pose = climb(coarse, scan, best_on_raster(coarse, points, guess, search), guess, search)
    for deviation_m in deviations_m[1:]:
        field = LikelihoodField(hit, corner_m, cell_m, deviation_m)
        pose = climb(field, scan, pose, guess, search)
    placed = pose.apply(points)
    overlap = float((coarse.at(placed)[0] > NEAR).mean())
    matrix, _ = _information(field, scan, pose)
    strengths, _, _ = _directions(matrix, scan.size_m)
    score = float(field.at(placed)[0].mean())
    rival = _best_elsewhere(field, placed, _weakest_way(matrix), reach_m) / score if score else 0.0
    return Match(pose, score, overlap, float(_shares(strengths)[0]), rival)


def _weakest_way(matrix: Floats) -> Floats:
    """Of the directions in the plane, the one in which the echoes hold the robot least."""
    way: Floats = np.linalg.eigh(matrix[:2, :2])[1][:, 0]
    return way


def _best_elsewhere(field: LikelihoodField, placed: Floats, way: Floats, reach_m: float) -> float:
    """The best score along `way`, apart from the found place: in a row of equal boxes it is as good one box on."""
    shifts_m = np.arange(APART_CELLS, reach_m / field.cell_m + 1.0) * field.cell_m
    both = [*shifts_m.tolist(), *(-shifts_m).tolist()]
    return max((float(field.at(placed + shift_m * way)[0].mean()) for shift_m in both), default=0.0)


def _wide_start(
    points: Floats, guess: Pose, hit: NDArray[np.bool_], corner_m: Floats, cell_m: float, search: Search
) -> Pose:
    """The best pose of a wide raster, on cells of four times the size: good enough to search around it."""
    field = LikelihoodField(halved(halved(hit)), corner_m, 4.0 * cell_m, 8.0 * cell_m)
    return best_on_raster(field, points[:: max(1, len(points) // WIDE_POINTS)], guess, search)


def best_on_raster(field: LikelihoodField, points: Floats, guess: Pose, search: Search) -> Pose:
    """The best pose of a raster: one cell of the field apart, `search.step_rad` in yaw."""
    reach = round(search.reach_m / field.cell_m)
    shifts = np.arange(-reach, reach + 1)
    turns = round(search.reach_rad / search.step_rad)
    rows, columns = field.values.shape
    flat = field.values.ravel()
    shift_row, shift_column = (each.ravel() for each in np.meshgrid(shifts, shifts, indexing="ij"))
    shift_m = np.hypot(shift_row, shift_column) * field.cell_m
    doubt = 0.5 * (shift_m / search.guess_deviation_m) ** 2 / len(points)
    best, found = -math.inf, guess
    # From the guess outwards: of equally good poses the nearest wins, so an empty map leaves the guess as it is.
    for turn in sorted(range(-turns, turns + 1), key=abs):
        yaw_rad = turn * search.step_rad
        turned = Pose(guess.x_m, guess.y_m, guess.yaw_rad + yaw_rad)
        place = np.floor((turned.apply(points) - field.corner_m) / field.cell_m)
        # Echoes from which a shift would lead out of the field find nothing there, so they count as 0.
        inside = ((place >= reach) & (place < (columns - reach, rows - reach))).all(axis=1)
        column, row = place[inside].astype(np.intp).T
        looked_up = flat[(row * columns + column)[None, :] + (shift_row * columns + shift_column)[:, None]]
        scores = looked_up.sum(axis=1) / len(points) - doubt
        scores -= 0.5 * (yaw_rad / search.guess_deviation_rad) ** 2 / len(points)
        at = int(scores.argmax())
        if scores[at] > best:
            best = float(scores[at])
            x_m, y_m = shift_column[at] * field.cell_m, shift_row[at] * field.cell_m
            found = Pose(guess.x_m + float(x_m), guess.y_m + float(y_m), wrapped(guess.yaw_rad + yaw_rad))
    return found


def climb(field: LikelihoodField, scan: Scan, start: Pose, guess: Pose, search: Search) -> Pose:
    """Gauss-Newton on the squared lack of likelihood, plus what it costs to leave the guess."""
    belief = np.array([search.guess_deviation_m, search.guess_deviation_m, search.guess_deviation_rad]) ** -2.0
    pose = start
    for _ in range(STEPS):
        step = _step(field, scan, pose, guess, belief)
        pose = Pose(pose.x_m + step[0], pose.y_m + step[1], wrapped(pose.yaw_rad + step[2]))
        if (np.abs(step) < SMALL_STEP).all():
            break
    return pose


def _step(field: LikelihoodField, scan: Scan, pose: Pose, guess: Pose, belief: Floats) -> Floats:
    matrix, pull = _without_noise(*_information(field, scan, pose), scan.size_m)
    left = np.array([pose.x_m - guess.x_m, pose.y_m - guess.y_m, wrapped(pose.yaw_rad - guess.yaw_rad)])
    matrix[np.diag_indices(3)] += belief
    step: Floats = np.clip(np.linalg.solve(matrix, pull - belief * left), -LONGEST_STEP, LONGEST_STEP)
    return step


def _information(field: LikelihoodField, scan: Scan, pose: Pose) -> tuple[Floats, Floats]:
    """How sharply the echoes fix x, y and yaw: the information matrix (3, 3); and where they pull (3,)."""
    placed = pose.apply(scan.points)
    value, slope_x, slope_y = field.at(placed)
    slope_x, slope_y = _across_walls(scan, pose, slope_x, slope_y)
    slope_yaw = slope_y * (placed[:, 0] - pose.x_m) - slope_x * (placed[:, 1] - pose.y_m)
    slopes = (slope_x, slope_y, slope_yaw)
    lack = 1.0 - value
    # Sums by hand, not a matrix product, whose order of summing is the library's: replays have to agree to the bit.
    matrix = np.array([[float((one * other).sum()) for other in slopes] for one in slopes])
    return matrix, np.array([float((slope * lack).sum()) for slope in slopes])


def _without_noise(matrix: Floats, pull: Floats, size_m: float) -> tuple[Floats, Floats]:
    """The information less what noise alone would give: along a bare corridor nothing is left, and the guess counts.

    Walls whose direction is known to within some degrees seem to show a little of how far along them the robot is.
    """
    strengths, forth, back = _directions(matrix, size_m)
    shares = _shares(strengths)
    true_matrix = (back[:, None, :] * back[None, :, :] * (shares * strengths)).sum(axis=2)
    true_pull = (back * (shares * (forth * pull[:, None]).sum(axis=0))).sum(axis=1)
    return true_matrix, true_pull


def _directions(matrix: Floats, size_m: float) -> tuple[Floats, Floats, Floats]:
    """The information in each of its three main directions, the weakest first; these directions, and their inverse
    (columns)."""
    scale = np.array([1.0, 1.0, 1.0 / size_m])
    strengths, directions = np.linalg.eigh(matrix * scale[:, None] * scale)
    return strengths, directions * scale[:, None], directions / scale[:, None]


def _shares(strengths: Floats) -> Floats:
    """The share of each that is not noise."""
    shares: Floats = np.clip(1.0 - NOISE * strengths[2] / np.maximum(strengths, 1e-12), 0.0, 1.0)
    return shares


def _across_walls(scan: Scan, pose: Pose, slope_x: Floats, slope_y: Floats) -> tuple[Floats, Floats]:
    """The slopes without their part along the wall on which an echo lies.

    The field falls off along a wall where the known part of the wall ends. That shows how far the laser has seen, and
    not where the robot is: it would hold each new scan back.
    """
    sine, cosine = math.sin(pose.yaw_rad), math.cos(pose.yaw_rad)
    normal_x = cosine * scan.normals[:, 0] - sine * scan.normals[:, 1]
    normal_y = sine * scan.normals[:, 0] + cosine * scan.normals[:, 1]
    across = slope_x * normal_x + slope_y * normal_y
    along = scan.along
    return along * slope_x + (1.0 - along) * across * normal_x, along * slope_y + (1.0 - along) * across * normal_y
