"""One field over another instead of over time."""

from __future__ import annotations

from collections.abc import Sequence

from studio.editor.views.plots.plot_curve import Curve
from studio.editor.views.plots.series import Floats

MOST_AGAINST = 100_000
"""Points of one field over another; a line of more costs too much time."""


def draw_against(curves: Sequence[Curve]) -> str:
    """The second field over the first, and what is seen in words; others are not seen."""
    for curve in curves:
        curve.item.setData([], [])
    if len(curves) < 2:
        return "XY needs two fields"
    across, up = against(curves)
    every = -(-len(up) // MOST_AGAINST) or 1
    curves[1].item.setData(across[::every], up[::every], connect="finite")
    words = f"{curves[1].what.path} over {curves[0].what.path}"
    if every > 1:
        words += f" · one of {every} points of {len(up):,}".replace(",", "\u2009")
    return words


def against(curves: Sequence[Curve]) -> tuple[Floats, Floats]:
    """Both fields at the moments of the second; a field that came later is left out until it has come."""
    first, second = curves[0], curves[1]
    across, up = first.series, second.series
    places = across.times.searchsorted(up.times + (second.shift_s - first.shift_s), side="right") - 1
    known = places >= 0
    return across.values[places[known]], up.values[known]
