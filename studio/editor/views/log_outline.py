"""What a time line shows of a log: its streams, how dense they are, its bookmarks and gaps. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.messages import MessageTypes
from studio.runtime.recording.log_reader import LogReader

BINS = 1200
OWN = "/_studio/"


@dataclass
class Lane:
    """One stream of the log."""

    topic: str
    type: str
    count: int
    rate_hz: float
    density: NDArray[np.float64]
    played_as: str = ""
    """The topic of the system that it feeds; empty if it is not played."""
    enabled: bool = False


@dataclass
class Outline:
    path: Path
    size: int
    start_ns: int
    end_ns: int
    events: int
    lanes: list[Lane] = field(default_factory=list)
    bookmarks: list[tuple[int, str]] = field(default_factory=list)

    @property
    def length_ns(self) -> int:
        return max(self.end_ns - self.start_ns, 1)


def read_outline(path: Path) -> Outline:
    """From the index of the log; takes long only for one that was never finished."""
    types = MessageTypes.builtin()
    with LogReader(path) as log:
        outline = Outline(path, log.size, log.start_ns, log.end_ns, 0)
        edges = np.linspace(log.start_ns, log.end_ns, BINS + 1).astype(np.int64)
        seconds = max((log.end_ns - log.start_ns) / 1e9, 1e-9)
        for name, topic in log.topics.items():
            if name.startswith(OWN):
                continue
            kind = types.find_schema(topic.schema.name)
            type_name = kind.TYPE if kind is not None else topic.schema.name.rpartition("/")[2]
            rate = topic.count / seconds
            outline.lanes.append(Lane(name, type_name, topic.count, rate, log.density(name, edges)))
            outline.events += topic.count
        outline.bookmarks = [(time_ns, bookmark.text) for time_ns, bookmark in log.bookmarks()]
    return outline
