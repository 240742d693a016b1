"""A room with a pillar: how far things are, and what is hit."""

from __future__ import annotations

import math
from typing import NamedTuple


class Arena(NamedTuple):
    """A rectangle around the origin, and a round pillar in it."""

    length_m: float
    width_m: float
    pillar_x_m: float
    pillar_y_m: float
    pillar_radius_m: float

    def distance(self, x_m: float, y_m: float, heading_rad: float) -> float:
        """From a place inside to the first thing that a ray meets."""
        cos, sin = math.cos(heading_rad), math.sin(heading_rad)
        walls = [
            (math.copysign(half, ray) - at) / ray
            for ray, at, half in ((cos, x_m, self.length_m / 2), (sin, y_m, self.width_m / 2))
            if abs(ray) > 1e-9
        ]
        return max(0.0, min([*walls, self._to_pillar(x_m, y_m, cos, sin)]))

    def _to_pillar(self, x_m: float, y_m: float, cos: float, sin: float) -> float:
        dx, dy = self.pillar_x_m - x_m, self.pillar_y_m - y_m
        along, across = dx * cos + dy * sin, dx * sin - dy * cos
        inside = self.pillar_radius_m**2 - across**2
        return along - math.sqrt(inside) if along > 0 and inside > 0 else math.inf

    def pushed_out(self, x_m: float, y_m: float, radius_m: float) -> tuple[float, float]:
        """Where a round thing ends up that wants to be at a place: nothing enters walls or the pillar."""
        dx, dy = x_m - self.pillar_x_m, y_m - self.pillar_y_m
        away_m, room_m = math.hypot(dx, dy), self.pillar_radius_m + radius_m
        if away_m < room_m:
            factor = room_m / max(away_m, 1e-9)
            x_m, y_m = self.pillar_x_m + dx * factor, self.pillar_y_m + dy * factor
        reach_x, reach_y = self.length_m / 2 - radius_m, self.width_m / 2 - radius_m
        return min(max(x_m, -reach_x), reach_x), min(max(y_m, -reach_y), reach_y)
