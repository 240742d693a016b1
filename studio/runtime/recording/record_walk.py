"""Many records at once: finds where each begins, then reads their fields as columns."""

from __future__ import annotations

import struct
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.runtime.recording.checksums import Bytes
from studio.runtime.recording.errors import LogError
from studio.runtime.recording.mcap_records import PREFIX

Numbers = NDArray[np.int64]
_LENGTH = struct.Struct("<Q")


class Records(NamedTuple):
    """A run of records: where each begins and ends in `raw`, and its operation."""

    raw: NDArray[np.uint8]
    begins: Numbers
    ends: Numbers
    ops: NDArray[np.uint8]

    def of(self, op: int) -> Records:
        chosen = np.flatnonzero(self.ops == op)
        return Records(self.raw, self.begins[chosen], self.ends[chosen], self.ops[chosen])

    def bodies(self) -> list[memoryview]:
        view = memoryview(self.raw)
        places = zip(self.begins.tolist(), self.ends.tolist(), strict=True)
        return [view[begin + PREFIX.size : end] for begin, end in places]


def walk(data: Bytes, *, to_the_end: bool = True) -> Records:
    """All records of `data`, which ends with the last one; or those that are whole, if it may end anywhere."""
    begins = []
    at, end = 0, len(data)
    last = end - PREFIX.size
    length_at = _LENGTH.unpack_from
    while at <= last:
        begins.append(at)
        at += 9 + length_at(data, at + 1)[0]
    if at != end and to_the_end:
        raise LogError(f"records do not fill their {end} bytes: the last would end at {at}")
    if begins and at > end:
        at = begins.pop()
    raw: NDArray[np.uint8] = np.frombuffer(data, np.uint8)
    starts = np.array(begins, np.int64)
    return Records(raw, starts, np.array([*begins[1:], at][: len(begins)], np.int64), raw[starts])


@cache
def _within(size: int) -> Numbers:
    return np.arange(size)


def columns(raw: NDArray[np.uint8], places: Numbers, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The structures that stand at `places`, which the caller has checked to lie inside."""
    found: NDArray[Any] = raw[places[:, None] + _within(dtype.itemsize)].view(dtype).reshape(len(places))
    return found
