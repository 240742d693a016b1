"""ROS's LaserScan as Range3d."""

from __future__ import annotations

from functools import cache
from typing import Any

from studio.messages import MessageError, Range3d
from studio.runtime.clock import SECOND_NS

LASER_SCAN = "sensor_msgs/msg/LaserScan"


def range3d_of_scan(payload: bytes | memoryview) -> Range3d:
    """Beams without an echo are left out, and so are intensities."""
    try:
        scan = _store().deserialize_cdr(payload, LASER_SCAN)
    except Exception as error:  # rosbags raises its own and several others
        raise MessageError(f"these {len(payload)} bytes are not a LaserScan: {error}") from error
    stamp = scan.header.stamp
    return Range3d.from_polar(
        scan.ranges,
        scan.angle_min,
        scan.angle_increment,
        minimum_m=scan.range_min,
        maximum_m=scan.range_max,
        stamp_ns=stamp.sec * SECOND_NS + stamp.nanosec,
        frame=scan.header.frame_id,
    )


@cache
def _store() -> Any:
    # Takes 100 ms, which only those pay who have such a message.
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.LATEST)
