"""A field of a log's topic as numbers over time. Reads the file; for a thread of its own. No Qt in here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.editor.views.plots.series import MOST
from studio.editor.views.shared.field_drag import Field
from studio.errors import StudioError
from studio.messages import MessageTypes, decode
from studio.messages.field_paths import numbers_in, parse_path, value_at
from studio.messages.json_content import json_content
from studio.runtime.recording import LogReader


@dataclass(frozen=True)
class LoggedSeries:
    times_s: NDArray[np.float64]
    """As the log has them."""
    values: NDArray[np.float64]


def read_series(path: Path, wanted: Field, folder: Path | None, logged_as: str = "") -> LoggedSeries:
    """`folder`: of the project, whose own types the log may have. `logged_as`: the topic's name in logs, if another."""
    where = parse_path(wanted.path)
    with LogReader(path) as log:
        topic = logged_as if logged_as in log.topics and wanted.topic not in log.topics else wanted.topic
        read_message = _reader(log, topic, folder)
        count = min(log.topics[topic].count, MOST)
        times, values = np.empty(count), np.empty(count)
        read = 0  # of a damaged log it may be fewer than its index tells
        for event in islice(log.events([topic]), count):
            times[read], values[read] = event.stamp_ns / 1e9, _number(value_at(read_message(event.payload), where))
            read += 1
    order = np.argsort(times[:read], kind="stable")  # events are in the order of the log, not of their stamps
    return LoggedSeries(times[order], values[order])


def numbers_of(path: Path, topic: str, folder: Path | None) -> list[str]:
    """The fields of a topic that can be plotted: those of its first message."""
    with LogReader(path) as log:
        read_message = _reader(log, topic, folder)
        event = next(log.events([topic]), None)
        return list(numbers_in(read_message(event.payload))) if event is not None else []


def _reader(log: LogReader, topic: str, folder: Path | None) -> Callable[[memoryview], object]:
    """Makes messages of the payloads of a topic."""
    known = log.topics.get(topic)
    if known is None:
        raise StudioError(f"there is no topic {topic} in this log", file=log.path)
    if known.encoding == "json":
        return lambda payload: json_content(bytes(payload).decode(errors="replace")) or {}
    if (known.encoding, known.schema.encoding) == ("protobuf", "protobuf"):
        from studio.messages.protobuf_content import ProtobufReader  # takes 100 ms, and most logs have no Protobuf

        return ProtobufReader(known.schema.name, known.schema.data).content
    builtin = MessageTypes.builtin()
    kind = (builtin.with_folder(folder) if folder is not None else builtin).find_schema(known.schema.name)
    if kind is None:
        raise StudioError(f"{topic} has a type that Studio does not know: {known.schema.name}", file=log.path)
    return partial(decode, kind)


def _number(value: object) -> float:
    try:
        return float(value) if value is not None else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise StudioError("the field is not a number") from None
