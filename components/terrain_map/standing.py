"""The ground below a vehicle: it cannot be seen, and is known all the same, because the vehicle stands on it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Outline(Protocol):
    """The geometry's `outline()`: distances from the origin of the vehicle, which is on the ground."""

    @property
    def front_m(self) -> float: ...
    @property
    def rear_m(self) -> float: ...
    @property
    def left_m(self) -> float: ...
    @property
    def right_m(self) -> float: ...


def below(outline: Outline, cell_m: float) -> NDArray[np.float64]:
    """Points (N, 4) on the ground below the vehicle, in its frame, at least one in each cell; all of range 1 m."""
    across = [
        np.linspace(-low, high, max(2, int(np.ceil((low + high) / (cell_m / 2.0))) + 1))
        for low, high in ((outline.rear_m, outline.front_m), (outline.right_m, outline.left_m))
    ]
    x, y = (each.ravel() for each in np.meshgrid(*across))
    return np.stack([x, y, np.zeros_like(x), np.ones_like(x)], axis=1)
