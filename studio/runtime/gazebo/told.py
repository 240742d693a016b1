"""What both kinds of servers tell in the same words: times, places, statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.schema import Schema
from studio.runtime.gazebo.server import GazeboError, Placement, Statistics
from studio.runtime.gazebo.waiting import Newest

TRIES = 100
"""Questions until the world is as it was wanted."""


def ns_of(time: Any) -> int:
    return int(time.sec) * SECOND_NS + int(time.nsec)


def statistics_of(told: Any) -> Statistics:
    return Statistics(ns_of(told.sim_time), ns_of(told.real_time), told.paused, told.iterations)


def placement_of(pose: Any) -> Placement:
    at, turned = pose.position, pose.orientation
    return Placement((at.x, at.y, at.z), (turned.x, turned.y, turned.z, turned.w))


def pose_fields(schema: Schema, placement: Placement) -> dict[str, Any]:
    """Of a Pose."""
    return {
        "position": schema.new("Vector3d", **dict(zip("xyz", placement.position_m, strict=True))),
        "orientation": schema.new("Quaternion", **dict(zip("xyzw", placement.orientation, strict=True))),
    }


def await_models(
    entities: Callable[[], dict[str, Placement]],
    statistics: Newest[Any],
    fits: Callable[[dict[str, Placement]], bool],
    otherwise: str,
    hint: str,
    patience_s: float,
) -> None:
    """Asks for the models, with each new statistics, until they fit."""
    for _ in range(TRIES):
        if fits(entities()):
            return
        statistics.wait(lambda told: True, patience_s, after=statistics.count)
    raise GazeboError(otherwise, hint=hint)
