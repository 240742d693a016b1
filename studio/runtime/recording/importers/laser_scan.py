"""ROS's LaserScan as Range3d."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from studio.messages import MessageError, Range3d, encode
from studio.runtime.base.clock import SECOND_NS

LASER_SCAN = "sensor_msgs/msg/LaserScan"


class LaserScans:
    """Converts the scans of one topic. Beams without an echo are left out and counted, and so are intensities."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._beams = self._missing = self._unlimited = 0

    def convert(self, payload: bytes | memoryview) -> bytes:
        try:
            scan = _store().deserialize_cdr(payload, LASER_SCAN)
        except Exception as error:  # rosbags raises its own and several others
            raise MessageError(f"these {len(payload)} bytes are not a LaserScan: {error}") from error
        if not math.isfinite(scan.angle_min) or not math.isfinite(scan.angle_increment):
            raise MessageError("its angles are not finite numbers")
        message = Range3d.from_polar(
            scan.ranges,
            scan.angle_min,
            scan.angle_increment,
            minimum_m=scan.range_min if scan.range_min > 0.0 else np.nextafter(0.0, 1.0),
            maximum_m=self._maximum_m(scan),
            stamp_ns=scan.header.stamp.sec * SECOND_NS + scan.header.stamp.nanosec,
            frame=scan.header.frame_id,
        )
        self._beams += len(scan.ranges)
        self._missing += len(scan.ranges) - len(message)
        return encode(message)

    def _maximum_m(self, scan: Any) -> float:
        """A driver that does not fill it in would cost every echo."""
        if scan.range_max > 0.0:
            return float(scan.range_max)
        self._unlimited += 1
        return math.inf

    def notes(self) -> list[str]:
        """What became of the beams, in words."""
        notes = []
        if self._missing:
            notes.append(f"{self._missing} of {self._beams} beams of {self._topic} had no echo and were left out")
        if self._unlimited:
            notes.append(f"{self._unlimited} scans of {self._topic} have no range_max above 0: it was ignored")
        return notes


@cache
def _store() -> Any:
    # Takes 100 ms, which only those pay who have such a message.
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.LATEST)
