"""What a laser makes of the ways its beams go: noise, bias, drop-outs, resolution, and points of what is left.

Plain loops over numbers, which numba compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

NOTHING = np.empty(0)
"""Instead of random numbers that are not needed."""


# One function without helpers: numba's cache on disk does not notice that a function which another one calls changed.
def echoes(
    ranges: Any, columns: Any, noise: Any, noise_m: float, bias_m: float, chance: Any, dropout: float, step_m: float,
    least_m: float, most_m: float,
) -> Any:  # fmt: skip
    """Rows x, y, z, range of the beams that come back. `columns` are those of a beam of 1 m."""
    points = np.empty((len(ranges), 4), np.float32)
    count = 0
    for beam in range(len(ranges)):
        way = ranges[beam]
        if way < 0.0 or (len(chance) and chance[beam] < dropout):
            continue
        if len(noise):
            way += noise[beam] * noise_m
        way += bias_m
        if step_m > 0.0:
            way = np.rint(way / step_m) * step_m
        if way < least_m or way > most_m:
            continue
        for column in range(4):
            points[count, column] = columns[beam, column] * np.float32(way)
        count += 1
    return points[:count]


@cache
def compiled_echoes() -> Callable[..., NDArray[np.float32]]:
    """Machine code, made once and kept on disk."""
    import numba

    numbers = "float64[::1]"
    signature = (
        f"float32[:,::1]({numbers}, float32[:,::1], {numbers}, float64, float64, {numbers}, float64, float64, float64, "
        "float64)"
    )
    made: Callable[..., NDArray[np.float32]] = numba.njit(signature, cache=True, error_model="numpy")(echoes)
    return made
