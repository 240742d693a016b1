"""What hosts tell of themselves, BEAT and LOG (docs/protocol.md, sections 3 and 6), as typed values.

They are TypedDicts: what has passed here has these fields, of these types, and goes on to clients as it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Required, TypedDict, cast

from studio.errors import StudioError
from studio.messages import decode
from studio.messages.plain import String
from studio.runtime.base.refusals import Refused
from studio.runtime.base.typed_json import Finite, Malformed, Number64, read_object, typed
from studio.runtime.control_plane.of_runtime import LogLine
from studio.runtime.host.statistics import EDGES_US

MOST_BYTES = 4 << 20
LONGEST_TEXT = 100_000
LONGEST_NAME = 300
LEVELS = ("debug", "info", "notice", "warning", "error", "critical")


class ComponentReport(TypedDict, total=False):
    """Programs tell no more than state and handled."""

    state: str
    handled: Number64
    ticks: Number64
    errors: Number64
    ignored: Number64
    paused_inputs: Number64
    error: str
    trouble: str
    failed_on: dict[str, Any]
    published: dict[str, Number64]
    hears_end: bool
    by_hand: bool
    shown: dict[str, Any]
    handler_p50_us: Finite
    activation: str
    parameters: dict[str, Any]


class TopicReport(TypedDict, total=False):
    count: Number64
    lost: Number64
    bytes: Number64
    first: Number64
    last: Number64
    stale: Number64
    latency: list[Number64]
    dropped: dict[str, Number64]


class RecordingReport(TypedDict):
    file: str
    events: Number64
    bytes: Number64
    seconds: Finite
    waiting_bytes: Number64
    missing: Number64
    bookmarks: Number64
    free_bytes: Number64 | None
    bytes_per_s: Finite
    left_s: Finite | None
    full: bool


class HostReport(TypedDict, total=False):
    host: Required[str]
    components: Required[dict[str, ComponentReport]]
    pid: Number64
    topics: dict[str, TopicReport]
    waiting_bytes: Number64
    dropped_sends: Number64
    busy_s: Finite
    behind_s: Finite
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
    """Null stands for what is left out: a component that has handled nothing has no time for it."""
    content: dict[str, Any] = _without_nulls(read_object(decode(String, payload).data, MOST_BYTES))
    for part in ("components", "topics"):
        if isinstance(inner := content.get(part), dict):
            content[part] = {name: _without_nulls(told) for name, told in inner.items()}
    return content


def _without_nulls(content: Any) -> Any:
    if not isinstance(content, dict):
        return content
    return {name: value for name, value in content.items() if value is not None}


def _check_name(name: str) -> None:
    if not 0 < len(name) <= LONGEST_NAME:
        raise Malformed(f"a name of {len(name)} characters")
