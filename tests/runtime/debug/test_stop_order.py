"""A stop is frozen first and shown second."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from studio.runtime.debug.host_line import HostLine
from studio.runtime.debug.proxy import DebugSession
from studio.runtime.debug.stops import Stop


class StoppedHost:
    """Answers as a host that stands in a handler."""

    def ask(self, command: str, arguments: Any = None) -> dict[str, Any]:
        return {"stackFrames": [{"source": {"path": "adder.py"}, "line": 22, "name": "on_raw"}]}

    def evaluate(self, function: str) -> dict[str, Any]:
        return {"component": "adder", "topic": "/platform/level", "sequence": 7}


class Watcher:
    def __init__(self) -> None:
        self.shown_before_frozen: list[Stop | None] = []

    def stopped(self, session: DebugSession, stop: Stop) -> None:
        self.shown_before_frozen.append(session.stop)

    def going(self, session: DebugSession) -> None: ...

    def event_of(self, session: DebugSession) -> dict[str, Any]:
        return {}

    def is_paused(self) -> bool:
        return True


def test_a_stop_is_shown_only_after_the_system_is_frozen(tmp_path: Path) -> None:
    watcher = Watcher()
    session = DebugSession("adder", watcher, tmp_path)
    session.line = cast(HostLine, StoppedHost())
    try:
        session.heard({"event": "stopped", "body": {"threadId": 1, "reason": "breakpoint"}})
        session.catch_up()
        assert watcher.shown_before_frozen == [None]
        assert session.stop is not None
        assert (session.stop.topic, session.stop.sequence) == ("/platform/level", 7)
    finally:
        session.line = None
        session.close()
