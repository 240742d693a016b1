"""Two maps of the same place, cell by cell. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map

Plane = NDArray[np.float32]


@dataclass(frozen=True)
class Difference:
    """B minus A on the cells of A, and what it amounts to where both know something."""

    map: Map
    both: int
    only_a: int
    only_b: int
    rms: float
    mean: float
    within: float
    """The share of the common cells whose difference is at most the tolerance."""
    values: NDArray[np.float64]
    """Of the common cells."""


def difference_of(a: Map, b: Map, plane_a: str, plane_b: str, tolerance: float) -> Difference:
    first, second = a.plane(plane_a), on_cells_of(a, b, plane_b)
    with np.errstate(invalid="ignore"):  # infinite cells
        values = second - first
    known_a, known_b = np.isfinite(first), np.isfinite(second)
    found = values[known_a & known_b].astype(np.float64)
    only_b = int(np.isfinite(b.plane(plane_b)).sum() - (known_a & known_b).sum()) if _same_grid(a, b) else None
    made = Map(
        stamp_ns=max(a.stamp_ns, b.stamp_ns),
        frame=a.frame,
        resolution_m=a.resolution_m,
        origin_m=a.origin_m,
        plane_names=("difference",),
        planes=values[None],
    )
    return Difference(
        made,
        found.size,
        int((known_a & ~known_b).sum()),
        int((~known_a & known_b).sum()) if only_b is None else only_b,
        float(np.sqrt(np.mean(found**2))) if found.size else float("nan"),
        float(found.mean()) if found.size else float("nan"),
        float((np.abs(found) <= tolerance).mean()) if found.size else float("nan"),
        found,
    )


def _same_grid(a: Map, b: Map) -> bool:
    """Whether B's cells are A's cells, perhaps others of them."""
    if not np.isclose(a.resolution_m, b.resolution_m):
        return False
    shift = (np.asarray(b.origin_m) - np.asarray(a.origin_m)) / a.resolution_m
    return bool(np.allclose(shift, np.rint(shift), atol=1e-3))


def on_cells_of(a: Map, b: Map, plane: str) -> Plane:
    """B's values at the centres of A's cells; NaN where B has none."""
    across = _places(a.columns, float(a.origin_m[0]), a.resolution_m, float(b.origin_m[0]), b.resolution_m)
    up = _places(a.rows, float(a.origin_m[1]), a.resolution_m, float(b.origin_m[1]), b.resolution_m)
    inside_across, inside_up = (across >= 0) & (across < b.columns), (up >= 0) & (up < b.rows)
    taken = np.full((a.rows, a.columns), np.nan, np.float32)
    if inside_across.any() and inside_up.any():
        rows, columns = np.flatnonzero(inside_up), np.flatnonzero(inside_across)
        taken[np.ix_(rows, columns)] = b.plane(plane)[np.ix_(up[rows], across[columns])]
    return taken


def _places(count: int, origin: float, size: float, other_origin: float, other_size: float) -> NDArray[np.intp]:
    """In which cell of the other map the centre of each cell lies."""
    centres = origin + (np.arange(count) + 0.5) * size
    # A little more than half a rounding error, so that equal grids meet cell by cell.
    return np.floor((centres - other_origin) / other_size + 1e-6).astype(np.intp)
