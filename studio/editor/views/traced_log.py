"""The trace of a log, and of which types its topics are. Reads the file; for a thread of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.messages import MessageTypes
from studio.runtime.causality.trace import MACHINERY, Trace, trace_of
from studio.runtime.recording import LogReader

MOST_ROWS = 200_000
"""Of a longer log, the last: some 150 MB."""


@dataclass(frozen=True)
class TracedLog:
    path: Path
    trace: Trace
    types: dict[str, str]
    """Topic -> the name of its type; as ROS calls it where Studio has no name of its own."""


def read_traced(path: Path) -> TracedLog:
    types = MessageTypes.builtin()
    with LogReader(path) as log:
        named = {}
        for name, topic in log.topics.items():
            if not name.startswith(MACHINERY):
                known = types.find_schema(topic.schema.name)
                named[name] = known.TYPE if known is not None else topic.schema.name.rpartition("/")[2]
        return TracedLog(path, trace_of(log, most=MOST_ROWS), named)
