"""The first field in which two messages differ."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from studio.messages import Message


class FieldDifference(NamedTuple):
    path: str
    """`pose.position[1]`"""
    a: Any
    b: Any


def first_difference(a: Any, b: Any, tolerance: float = 0.0) -> FieldDifference | None:
    """None if all numbers are within `tolerance`, which makes NaN equal NaN; without one, to the last bit."""
    return next(_differences("", a, b, tolerance), None)


def _differences(path: str, a: Any, b: Any, tolerance: float) -> Iterator[FieldDifference]:
    if type(a) is not type(b):
        yield FieldDifference(path, _plain(a), _plain(b))
    elif isinstance(a, Message):
        for name in vars(a):
            yield from _differences(f"{path}.{name}" if path else name, vars(a)[name], vars(b)[name], tolerance)
    elif isinstance(a, np.ndarray):
        yield from _array_differences(path, a, b, tolerance)
    elif isinstance(a, (tuple, list)):
        if len(a) != len(b):
            yield FieldDifference(f"len({path})", len(a), len(b))
        for index, (one, other) in enumerate(zip(a, b, strict=False)):
            yield from _differences(f"{path}[{index}]", one, other, tolerance)
    elif not (_is_close(a, b, tolerance) if isinstance(a, float) else a == b):
        yield FieldDifference(path, _plain(a), _plain(b))


def _is_close(a: float, b: float, tolerance: float) -> bool:
    if not tolerance:
        return struct.pack("<d", a) == struct.pack("<d", b)
    return abs(a - b) <= tolerance or a == b or (a != a and b != b)


def _array_differences(path: str, a: Any, b: Any, tolerance: float) -> Iterator[FieldDifference]:
    if a.shape != b.shape or a.dtype != b.dtype:
        yield FieldDifference(path, f"{a.dtype}{list(a.shape)}", f"{b.dtype}{list(b.shape)}")
        return
    for place in np.argwhere(_differing(a, b, tolerance))[:1].tolist():
        index = tuple(place)
        where = "".join(f"[{number}]" for number in index)
        yield FieldDifference(path + where, _plain(a[index]), _plain(b[index]))


def _differing(a: Any, b: Any, tolerance: float) -> Any:
    if a.dtype.kind != "f":
        return a != b
    if not tolerance:
        bits = f"u{a.dtype.itemsize}"
        return np.ascontiguousarray(a).view(bits) != np.ascontiguousarray(b).view(bits)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):  # infinities are equal or not, their difference tells nothing
        near = np.abs(wide_a - wide_b) <= tolerance
    return ~(near | (wide_a == wide_b) | (np.isnan(wide_a) & np.isnan(wide_b)))


def _plain(value: Any) -> Any:
    """For people and for JSON."""
    if isinstance(value, np.generic):
        return _plain(value.item())
    return value if isinstance(value, (bool, int, float, str)) or value is None else repr(value)
