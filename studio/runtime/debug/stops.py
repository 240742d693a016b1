"""Where a debugged host stands."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from studio.runtime.debug.host_line import DebugError, HostLine


@dataclass(frozen=True)
class Stop:
    thread: int
    reason: str
    text: str = ""
    component: str = ""
    file: str = ""
    line: int = 0
    function: str = ""
    topic: str = ""
    sequence: int = 0

    def shown(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in ("component", "reason", "text", "file", "line", "function")}


def find_stop(line: HostLine, body: dict[str, Any]) -> Stop:
    """What a `stopped` event means: the line of code, and the event that is being handled there."""
    thread, reason = int(body.get("threadId", 0)), str(body.get("reason", ""))
    text = str(body.get("description") or body.get("text") or "")
    with suppress(DebugError):
        frames = line.ask("stackTrace", {"threadId": thread, "startFrame": 0, "levels": 1})["stackFrames"]
        top = frames[0] if frames else {}
        event = line.evaluate("situation") or {}
        return Stop(
            thread,
            reason,
            text,
            str(event.get("component", "")),
            str(top.get("source", {}).get("path", "")),
            int(top.get("line", 0)),
            str(top.get("name", "")),
            str(event.get("topic", "")),
            int(event.get("sequence", 0)),
        )
    return Stop(thread, reason, text)
