"""Imports numba and gets it going, which takes a second: for processes that are forked from here.

Loading one compiled function makes numba set up its typing and its compiler; the function itself is of no use.
"""

from __future__ import annotations

import numba


@numba.njit("float64(float64)", cache=True)
def _nothing(value: float) -> float:
    return value
