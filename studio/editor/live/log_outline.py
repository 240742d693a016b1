"""What a time line shows of a log: its streams, how dense they are, its gaps. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.messages import MessageTypes
from studio.runtime.recording.reading.log_reader import LogReader

BINS = 1200
OWN = "/_studio/"
LONG_NS, MANY_PERIODS = 1_000_000_000, 8
"""A gap is longer than a second, and than so many periods of its stream."""
MOST_COUNTED = 100_000
"""Events in the part that is looked at that are counted one by one."""
MOST_LOOKED_AT = 500_000
"""Gaps are looked for event by event; in longer logs that would take too long."""


@dataclass(frozen=True)
class LaneGap:
    """A time in which a stream says nothing, or events of it that are missing."""

    start_ns: int
    end_ns: int
    missing: int = 0

    @property
    def words(self) -> str:
        seconds = (self.end_ns - self.start_ns) / 1e9
        length = f"gap {seconds:.1f} s" if seconds >= 0.1 else "gap"
        return f"{length}, {self.missing} missing" if self.missing else length


@dataclass
class Lane:
    """One stream of the log."""

    topic: str
    type: str
    count: int
    rate_hz: float
    density: NDArray[np.float64]
    """Over the whole log."""
    close: NDArray[np.float64] | None = None
    """Over the part of it that is looked at, see `Outline.close_ns`."""
    played_as: str = ""
    """The topic of the system that it feeds; empty if it is not played."""
    enabled: bool = False
    gaps: tuple[LaneGap, ...] = ()


@dataclass
class Outline:
    path: Path
    size: int
    start_ns: int
    end_ns: int
    events: int
    lanes: list[Lane] = field(default_factory=list)
    close_ns: tuple[int, int] | None = None
    """The part of which the lanes know more."""
    knows_gaps: bool = True
    """False for a log that is too long to look for them."""

    @property
    def length_ns(self) -> int:
        return max(self.end_ns - self.start_ns, 1)

    @property
    def density(self) -> NDArray[np.float64]:
        """Of everything that is in it."""
        whole = np.zeros(BINS)
        for lane in self.lanes:
            whole += lane.density
        return whole


def read_outline(path: Path) -> Outline:
    """From the index of the log; takes long only for one that was never finished."""
    types = MessageTypes.builtin()
    with LogReader(path) as log:
        outline = Outline(path, log.size, log.start_ns, log.end_ns, 0)
        outline.knows_gaps = log.event_count <= MOST_LOOKED_AT
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
    return outline


def read_density(path: Path, start_ns: int, end_ns: int) -> dict[str, NDArray[np.float64]]:
    """Of every topic in a part of the log: event by event where they are not too many, else as the index has it."""
    edges = np.linspace(start_ns, end_ns, BINS + 1).astype(np.int64)
    with LogReader(path) as log:
        found = {name: log.density(name, edges) for name in log.topics if not name.startswith(OWN)}
        if sum(float(each.sum()) for each in found.values()) <= MOST_COUNTED:
            times: dict[str, list[int]] = {name: [] for name in found}
            for event in log.events(list(found), start_ns=start_ns, end_ns=end_ns) if found else ():
                times[event.topic].append(event.log_time_ns)
            found = {name: np.histogram(each, edges)[0].astype(np.float64) for name, each in times.items()}
    return found


def read_gaps(path: Path) -> dict[str, tuple[LaneGap, ...]]:
    """Topic -> its gaps; goes through all events, so not for the longest logs."""
    found: dict[str, list[LaneGap]] = {}
    with LogReader(path) as log:
        topics = [name for name in log.topics if not name.startswith(OWN)]
        if not topics or log.event_count > MOST_LOOKED_AT:
            return {}
        length_ns = max(log.end_ns - log.start_ns, 1)
        long_ns = {name: max(LONG_NS, MANY_PERIODS * length_ns // max(log.topics[name].count, 1)) for name in topics}
        before: dict[str, tuple[int, int]] = {}
        for event in log.events(topics):
            last_ns, last = before.get(event.topic, (event.log_time_ns, event.sequence - 1))
            # Others number as they please; ours count every event that there was.
            missing = max(0, event.sequence - last - 1) if event.flags is not None else 0
            if missing or event.log_time_ns - last_ns > long_ns[event.topic]:
                found.setdefault(event.topic, []).append(LaneGap(last_ns, event.log_time_ns, missing))
            before[event.topic] = event.log_time_ns, event.sequence
    return {topic: tuple(gaps) for topic, gaps in found.items()}


def time_of_event(path: Path, topics: list[str], number: int) -> int:
    """When `number` events of these topics have been before: by halves, with the index."""
    with LogReader(path) as log:
        low, high = log.start_ns, log.end_ns + 1
        while low < high:
            middle = (low + high) // 2
            if log.count_before(middle + 1, topics) > number:
                high = middle
            else:
                low = middle + 1
        return min(low, log.end_ns)
