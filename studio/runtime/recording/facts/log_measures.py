"""Reads out of a log what can be compared with a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studio.errors import StudioError
from studio.messages import MessageTypes
from studio.messages.codec import decode
from studio.messages.message import Message
from studio.messages.range3d import Range3d
from studio.model.geometry.assembly import Model
from studio.model.geometry.flat_model import model_of
from studio.model.geometry.measured import Measured
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.recording.facts.logged_geometry import geometries_of
from studio.runtime.recording.reading.log_reader import LogReader

LOOKED_AT = 200
"""Events of a topic that are decoded, spread over the log; the rate is taken from all."""


def measures_of(path: Path) -> list[Measured]:
    types = MessageTypes.builtin()
    with LogReader(path) as log:
        return [_measured(log, name, types.find_schema(topic.schema.name))
                for name, topic in log.topics.items() if not name.startswith("/_studio/")]  # fmt: skip


def geometry_of(path: Path) -> Model | None:
    """The geometry that the log was recorded with: the last one, where it was changed meanwhile."""
    with LogReader(path) as log:
        found = geometries_of(log)
    return model_of(found[-1]) if found else None


def _measured(log: LogReader, topic: str, kind: type[Message] | None) -> Measured:
    made = Measured(topic)
    statistics = log.statistics(topic)
    count, first, last = statistics.count, statistics.first_ns, statistics.last_ns
    if first is not None and last is not None and last > first:
        made.rate_hz = (count - 1) / ((last - first) / SECOND_NS)
    if kind is None:
        return made
    step = max(1, count // LOOKED_AT)
    for number, event in enumerate(log.events([topic])):
        if number % step == 0:
            try:
                _look(made, decode(kind, event.payload))
            except StudioError:
                continue  # a damaged event says nothing about the sensor
    return made


def _look(made: Measured, message: Message) -> None:
    frame = getattr(message, "frame", "")
    if isinstance(frame, str) and frame:
        made.frames.add(frame)
    if not isinstance(message, Range3d):
        return
    points = message.points[np.isfinite(message.points).all(axis=1)].astype(np.float64)
    if not len(points):
        return
    low, high = float(points[:, 3].min()), float(points[:, 3].max())
    angles = np.degrees(np.arctan2(points[:, 1], points[:, 0]))
    span = float(angles.max() - angles.min())
    made.nearest_m = low if made.nearest_m is None else min(made.nearest_m, low)
    made.farthest_m = high if made.farthest_m is None else max(made.farthest_m, high)
    made.span_deg = span if made.span_deg is None else max(made.span_deg, span)
