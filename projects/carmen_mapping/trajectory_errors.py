"""How far one trajectory is from another: poses (N, 3) of x, y in metres and yaw in radians, in any two frames.

Absolute: after the one shift and turn that fit best, the distance between the two at each pose. A single wrong turn
early on spoils it for the rest. Relative: for two poses some metres apart, the difference between how the two
trajectories get from one to the other. It sees each mistake once, which is why comparisons of SLAM programs use it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DISTANCES_M = (1.0, 10.0)


@dataclass(frozen=True)
class RelativeError:
    """Means over all pairs of poses that lie `distance_m` apart along the reference."""

    distance_m: float
    pairs: int
    translation_m: float
    rotation_rad: float
    per_metre: float
    """Metres of error for each metre driven."""


@dataclass(frozen=True)
class TrajectoryError:
    poses: int
    rmse_m: float
    largest_m: float
    relative: tuple[RelativeError, ...]

    def json(self) -> dict[str, Any]:
        return asdict(self)


def compare(estimate: Floats, reference: Floats, distances_m: tuple[float, ...] = DISTANCES_M) -> TrajectoryError:
    off_m = np.hypot(*(fitted(estimate[:, :2], reference[:, :2]) - reference[:, :2]).T)
    relative = tuple(relative_error(estimate, reference, distance_m) for distance_m in distances_m)
    return TrajectoryError(
        len(reference),
        float(np.sqrt((off_m**2).mean())),
        float(off_m.max()),
        tuple(one for one in relative if one.pairs),
    )


def path_m(poses: Floats) -> Floats:
    """The length of the path up to each pose."""
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(poses[:, :2], axis=0).T))])


def fitted(places: Floats, onto: Floats) -> Floats:
    """`places` shifted and turned so that the squared distances to `onto` are least."""
    mine, theirs = places - places.mean(axis=0), onto - onto.mean(axis=0)
    x, y = mine.T
    turn_rad = np.arctan2((x * theirs[:, 1] - y * theirs[:, 0]).sum(), (mine * theirs).sum())
    sine, cosine = np.sin(turn_rad), np.cos(turn_rad)
    turned: Floats = np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=1) + onto.mean(axis=0)
    return turned


def relative_error(estimate: Floats, reference: Floats, distance_m: float) -> RelativeError:
    along_m = path_m(reference)
    last = np.searchsorted(along_m, along_m + distance_m)
    first = np.flatnonzero(last < len(reference))
    last = last[first]
    if not len(first):
        return RelativeError(distance_m, 0, 0.0, 0.0, 0.0)
    mine, theirs = _between(estimate[first], estimate[last]), _between(reference[first], reference[last])
    error = _between(theirs, mine)
    translation_m = np.hypot(error[:, 0], error[:, 1])
    return RelativeError(
        distance_m,
        len(first),
        float(translation_m.mean()),
        float(np.abs(error[:, 2]).mean()),
        float((translation_m / (along_m[last] - along_m[first])).mean()),
    )


def _between(first: Floats, last: Floats) -> Floats:
    """Each of `last` as seen from its partner in `first`."""
    sine, cosine = np.sin(first[:, 2]), np.cos(first[:, 2])
    x, y = (last - first)[:, :2].T
    turn = (last[:, 2] - first[:, 2] + np.pi) % (2 * np.pi) - np.pi
    return np.stack([cosine * x + sine * y, cosine * y - sine * x, turn], axis=1)
