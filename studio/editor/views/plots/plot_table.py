"""What a plot shows, as rows of a table."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from studio.editor.views.plots.plot_against import against
from studio.editor.views.plots.plot_curve import Curve


def rows_over_time(curves: Sequence[Curve], first_s: float, last_s: float) -> Iterator[list[str]]:
    """One row per point: field, seconds, value."""
    yield ["field", "time_s", "value"]
    for curve in curves:
        for time, value in zip(*curve.within(first_s, last_s), strict=True):
            yield [curve.name, repr(float(time)), repr(float(value))]


def rows_against(curves: Sequence[Curve], first: float, last: float) -> Iterator[list[str]]:
    """Of one field over another both values."""
    yield [curve.name for curve in curves[:2]]
    for across, up in zip(*against(curves), strict=True):
        if first <= across <= last:
            yield [repr(float(across)), repr(float(up))]


def write_table(path: Path, rows: Iterable[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
