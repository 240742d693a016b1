"""The trace of a log, and of which types its topics are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.messages import MessageTypes
from studio.runtime.causality.ends import is_command_type, is_sensor_type
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

    def is_sensor(self, topic: str) -> bool:
        return is_sensor_type(self.types.get(topic, ""))

    def is_command(self, topic: str) -> bool:
        return is_command_type(self.types.get(topic, ""))


def read_traced(path: Path) -> TracedLog:
    """Reads the file; for a thread of its own."""
    with LogReader(path) as log:
        return traced(log)


def traced(log: LogReader, start_ns: int | None = None, end_ns: int | None = None, most: int = MOST_ROWS) -> TracedLog:
    """Of the handlings that the log tells of between two log times; of more than `most`, the last."""
    types = MessageTypes.builtin()
    named = {}
    for name, topic in log.topics.items():
        if not name.startswith(MACHINERY):
            known = types.find_schema(topic.schema.name)
            named[name] = known.TYPE if known is not None else topic.schema.name.rpartition("/")[2]
    return TracedLog(log.path, trace_of(log, start_ns, end_ns, most=most), named)
