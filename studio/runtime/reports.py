"""What hosts tell of themselves, BEAT and LOG (docs/protocol.md, sections 3 and 6), as typed values.

They are TypedDicts: what has passed here has these fields, of these types, and goes on to clients as it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NotRequired, Required, TypedDict, cast

from studio.errors import StudioError
from studio.messages import decode
from studio.messages.plain import String
from studio.runtime.refusals import Refused
from studio.runtime.statistics import EDGES_US
from studio.runtime.typed_json import Malformed, read_object, typed

MOST_BYTES = 4 << 20
LONGEST_TEXT = 100_000
LONGEST_NAME = 300
LEVELS = ("debug", "info", "notice", "warning", "error", "critical")


class LogLine(TypedDict):
    component: str
    level: str
    text: str
    refusal: NotRequired[bool]
    """It is what a component says to a command."""


class ToldLine(LogLine):
    """A log line as clients of the runtime get it."""

    time_ns: int


class ComponentReport(TypedDict, total=False):
    """Programs tell no more than state and handled."""

    state: str
    handled: int
    ticks: int
    errors: int
    ignored: int
    paused_inputs: int
    error: str
    trouble: str
    failed_on: dict[str, Any]
    published: dict[str, int]
    hears_end: bool
    by_hand: bool
    shown: dict[str, Any]
    handler_p50_us: float
    activation: str
    parameters: dict[str, Any]


class TopicReport(TypedDict, total=False):
    count: int
    lost: int
    bytes: int
    first: int
    last: int
    stale: int
    latency: list[int]
    dropped: dict[str, int]


class RecordingReport(TypedDict):
    file: str
    events: int
    bytes: int
    seconds: float
    waiting_bytes: int
    missing: int
    bookmarks: int
    free_bytes: int | None
    bytes_per_s: float
    left_s: float | None
    full: bool


class HostReport(TypedDict, total=False):
    host: Required[str]
    components: Required[dict[str, ComponentReport]]
    pid: int
    topics: dict[str, TopicReport]
    waiting_bytes: int
    dropped_sends: int
    busy_s: float
    behind_s: float
    recording: RecordingReport
    malformed: dict[str, Refused]


def read_log_line(payload: memoryview | bytes) -> LogLine:
    line = cast(LogLine, typed(LogLine, _content(payload)))  # type: ignore[redundant-cast]
    _check_name(line["component"])
    if line["level"] not in LEVELS:  # Python knows levels between these, and calls them "level 25"
        line["level"] = "info"
    line["text"] = line["text"][:LONGEST_TEXT]
    return line


def read_report(payload: memoryview | bytes) -> HostReport:
    report = cast(HostReport, typed(HostReport, _content(payload)))  # type: ignore[redundant-cast]
    _check_name(report["host"])
    for topic in report.get("topics", {}).values():
        if "latency" in topic and len(topic["latency"]) != len(EDGES_US) + 1:
            raise Malformed(f"a table of {len(topic['latency'])} latencies, not of {len(EDGES_US) + 1}")
    return report


def speaker(payload: memoryview | bytes) -> str:
    """Who has sent a report, as far as that can be read of one that is refused; empty if not."""
    with suppress(StudioError):
        host = _content(payload).get("host")
        return host if isinstance(host, str) else ""
    return ""


def _content(payload: memoryview | bytes) -> dict[str, Any]:
    return read_object(decode(String, payload).data, MOST_BYTES)


def _check_name(name: str) -> None:
    if not 0 < len(name) <= LONGEST_NAME:
        raise Malformed(f"a name of {len(name)} characters")
