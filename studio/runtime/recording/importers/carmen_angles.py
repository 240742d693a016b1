"""Where the beams of a CARMEN scan look, and in which unit a log tells it.

PARAMs are in degrees by CARMEN's own programs and in radians by others; the newer lines are in radians. No scanner is
so narrow or so wide that both would do, so the value tells its unit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_SPAN_RAD = math.pi
WIDEST_RAD = math.tau + 0.01
"""A width of up to this many is in radians: no scanner sees 6.3 degrees."""
COARSEST_RAD = 0.1
"""A step below this is in radians: 0.1 rad are 6 degrees, and 0.1 degrees are finer than any of these scanners."""


@dataclass(frozen=True)
class Angles:
    """First angle and step, and what they were taken from, in words."""

    start_rad: float
    step_rad: float
    told: str


def old_angles(count: int, params: Mapping[str, str], side: str) -> Angles:
    """Of FLASER and RLASER, which do not tell them: 180 degrees centred on the heading.

    With 181 or 361 beams there is one at each end; with 180 or 360 the last is missing. Maps of corrected logs are
    sharpest with exactly these angles, not with half a step more. A PARAM may tell another width.
    """
    gaps = count - count % 2
    span_rad, told = _span(max(gaps, 1), params, side)
    return Angles(-span_rad / 2 if gaps else 0.0, span_rad / gaps if gaps else 0.0, told)


def _span(gaps: int, params: Mapping[str, str], side: str) -> tuple[float, str]:
    width_name, step_name = f"laser_{side}_laser_fov", f"laser_{side}_laser_resolution"
    width, step = positive_param(params, width_name), positive_param(params, step_name)
    if width is not None and width <= 360.0:
        unit, span_rad = ("radians", width) if width <= WIDEST_RAD else ("degrees", math.radians(width))
        return min(span_rad, math.tau), f"PARAM {width_name} {width:g} is read as {unit}"
    if step is not None:
        unit, step_rad = ("radians", step) if step < COARSEST_RAD else ("degrees", math.radians(step))
        if step_rad * gaps <= WIDEST_RAD:
            return step_rad * gaps, f"PARAM {step_name} {step:g} is read as {unit}"
    wrong = [f"{name} {params[name]}" for name in (width_name, step_name) if name in params]
    if wrong:
        return DEFAULT_SPAN_RAD, f"PARAM {' and '.join(wrong)} is not possible: CARMEN's default is used"
    return DEFAULT_SPAN_RAD, "no PARAM says so: CARMEN's default is used"


def new_angles(count: int, start: float, width: float, step: float) -> Angles:
    """Of ROBOTLASER and RAWLASER, which tell them. A step of 0 follows from the width."""
    step = step or width / max(count - 1, 1)
    if max(abs(start), abs(width), abs(step) * max(count - 1, 0)) > WIDEST_RAD:
        return Angles(math.radians(start), math.radians(step), "its angles are read as degrees")
    return Angles(start, step, "its angles are read as radians")


def positive_param(params: Mapping[str, str], name: str) -> float | None:
    try:
        value = float(params.get(name, ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0.0 else None
