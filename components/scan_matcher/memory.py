"""What the matcher remembers: the scans, where they were taken, and the cells that they hit.

A drift that grew on the way around a block is seen when known places come into view again: the newest scans fit what
was seen just before, and beside it, shifted, what was seen long ago. Then the way around is bent so that both are one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .hit_grid import HitGrid
from .planar import Floats, Pose


@dataclass(frozen=True)
class Key:
    """A scan that is remembered."""

    pose: Pose
    points: NDArray[np.float32]
    """In the frame of the laser, (N, 2)."""
    travel_m: float
    """How far the robot had come."""

    def placed(self) -> Floats:
        return self.pose.apply(self.points.astype(np.float64))


class Memory:
    def __init__(self, cell_m: float, old_after_m: float) -> None:
        self.keys: list[Key] = []
        self._cell_m = cell_m
        self._old_after_m = old_after_m
        self._clear_cells()

    def _clear_cells(self) -> None:
        self.seen, self.old = HitGrid(self._cell_m), HitGrid(self._cell_m)
        """All that was seen, and what was seen `old_after_m` of the way ago."""
        self._old_keys = 0

    def add(self, pose: Pose, points: Floats, travel_m: float) -> None:
        key = Key(pose, points.astype(np.float32), travel_m)
        self.keys.append(key)
        self.seen.add(key.placed())
        self._age(travel_m)

    def _age(self, travel_m: float) -> None:
        while self._old_keys < len(self.keys):
            key = self.keys[self._old_keys]
            if travel_m - key.travel_m < self._old_after_m:
                break
            self.old.add(key.placed())
            self._old_keys += 1

    def last_visit(self, pose: Pose, within_m: float) -> int | None:
        """The latest of the old keys that were taken near `pose`."""
        places = np.array([key.pose[:2] for key in self.keys[: self._old_keys]]).reshape(-1, 2)
        near = np.flatnonzero(np.hypot(places[:, 0] - pose.x_m, places[:, 1] - pose.y_m) <= within_m)
        return int(near[-1]) if len(near) else None

    def bend(self, first: int, moved: Pose, travel_m: float) -> None:
        """Move the end of the way, at `travel_m`, by `moved` (in the map), and all after key `first` in proportion.

        In proportion to the way driven: nothing is known of where the error arose.
        """
        start_m = self.keys[first].travel_m
        for number in range(first + 1, len(self.keys)):
            key = self.keys[number]
            share = (key.travel_m - start_m) / (travel_m - start_m)
            self.keys[number] = replace(key, pose=key.pose.towards(moved @ key.pose, share))
        self._clear_cells()
        for key in self.keys:
            self.seen.add(key.placed())
        self._age(travel_m)
