"""The range of a map's colours, changed by dragging an end of its legend."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PyQt6.QtCore import QPointF, QRectF

from studio.editor.views.shared.map_colours import Scheme
from studio.editor.views.shared.plates import legend_bar

NEAR_PX = 12
STEPS = 100
"""Ends come to lie on round numbers: so many or more over the range."""
LEAST_SHARE = 0.02
"""Of the range that there was: less is not left between the ends."""


def end_at(where: QRectF, point: QPointF) -> str:
    """Which end of a legend's bar is there: "high", "low" or none."""
    bar = legend_bar(where)
    if not where.left() <= point.x() <= bar.right() + 8:
        return ""
    near = {"high": abs(point.y() - bar.top()), "low": abs(point.y() - bar.bottom())}
    end = min(near, key=lambda name: near[name])
    return end if near[end] <= NEAR_PX else ""


def is_on_bar(where: QRectF, point: QPointF) -> bool:
    return legend_bar(where).adjusted(-8, -NEAR_PX, 8, NEAR_PX).contains(point)


@dataclass(frozen=True)
class LegendDrag:
    """One end, taken at a place; the other stays."""

    number: int
    """Of the layer."""
    end: str
    from_y: float
    low: float
    high: float
    per_pixel: float

    @classmethod
    def begun(cls, number: int, end: str, where: QRectF, point: QPointF, scheme: Scheme) -> LegendDrag:
        per_pixel = (scheme.high - scheme.low) / max(legend_bar(where).height(), 1.0)
        return cls(number, end, point.y(), scheme.low, scheme.high, per_pixel)

    def range_at(self, point: QPointF) -> tuple[float, float]:
        """Upwards is more, for both ends."""
        by = (self.from_y - point.y()) * self.per_pixel
        span = self.high - self.low
        step = 10.0 ** math.floor(math.log10(span / STEPS))
        least = span * LEAST_SHARE
        if self.end == "high":
            return self.low, max(round((self.high + by) / step) * step, self.low + least)
        return min(round((self.low + by) / step) * step, self.high - least), self.high
