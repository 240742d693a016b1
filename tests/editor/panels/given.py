"""What the tests of viewers are given: topics of a system, and messages as they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from studio.editor.live.batch import Event
from studio.messages import Map, Message

TOPICS: dict[str, Any] = {
    "/terrain_map/terrain": {
        "type": "Map",
        "count": 3,
        "bytes": 600,
        "rate_hz": 10.0,
        "latency_us": {"p50": 1500.0},
        "drops": 0,
    },
    "/platform/pose": {"type": "PoseTransform", "count": 90, "bytes": None, "rate_hz": None, "drops": 2},
    "/platform/laser": {"type": "Range3d", "count": 40},
    "/planner/path": {"type": "Range3d", "count": 1},
    "/avoid/votes": {"type": "Vote", "count": 5},
    "/arbiter/command": {"type": "Velocity", "count": 5},
}


def event(topic: str, message: Message, number: int = 1, seconds: float = 0.0) -> Event:
    return Event(topic, number, int(seconds * 1e9), message)


def terrain(rows: int = 20, columns: int = 30, value: float = 0.3) -> Map:
    heights = np.full((rows, columns), value, np.float32)
    spread = np.full((rows, columns), 0.0004, np.float32)
    return Map(
        resolution_m=0.5, origin_m=np.array([10.0, -5.0]), plane_names=("height", "variance"),
        planes=np.stack([heights, spread]),
    )  # fmt: skip
