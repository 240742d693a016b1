"""Two maps of the same place, cell by cell. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map

Plane = NDArray[np.float32]
BARS = 41


@dataclass(frozen=True)
class Difference:
    """B minus A on the cells of A, and what it amounts to where both know something."""

    plane: str
    tolerance: float
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
    reach: float
    """How far the bars of the distribution go to both sides; what is farther is in the outer ones."""
    counts: NDArray[np.float64]
    """How many cells each bar has."""


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
        plane_a,
        tolerance,
        made,
        found.size,
        int((known_a & ~known_b).sum()),
        int((~known_a & known_b).sum()) if only_b is None else only_b,
        float(np.sqrt(np.mean(found**2))) if found.size else float("nan"),
        float(found.mean()) if found.size else float("nan"),
        float((np.abs(found) <= tolerance).mean()) if found.size else float("nan"),
        found,
        *_distribution(found, tolerance),
    )


def _distribution(differences: NDArray[np.float64], tolerance: float) -> tuple[float, NDArray[np.float64]]:
    spread = float(np.percentile(np.abs(differences), 98)) if differences.size else 0.0
    reach = max(spread, 2 * tolerance)
    # By a product and not np.histogram, which is ten times as slow for equal bars.
    places = np.clip(((differences + reach) * (BARS / (2 * reach))).astype(np.intp), 0, BARS - 1)
    return reach, np.bincount(places, minlength=BARS).astype(np.float64)


def figures_of(found: Difference, unit: str) -> list[tuple[str, str, str]]:
    """Word, number and unit of each."""
    if not found.both:
        return [("cells in both", "0", ""), ("only in A", f"{found.only_a}", ""), ("only in B", f"{found.only_b}", "")]
    return [
        ("RMS difference", f"{found.rms:.3f}", unit),
        ("mean B − A", _signed(found.mean), unit),
        (f"within ± {found.tolerance:g} {unit}".strip(), f"{found.within * 100:.0f}", "%"),
        ("cells in both", _count(found.both), ""),
        ("only in A · B", f"{_count(found.only_a)} · {_count(found.only_b)}", ""),
    ]


def _signed(number: float) -> str:
    words = f"{number:+.3f}"
    return "0.000" if words in ("+0.000", "-0.000") else words.replace("-", "−")


def _count(number: int) -> str:
    return f"{number:,}".replace(",", "\u2009")


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
