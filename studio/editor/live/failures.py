"""Failures of components as lines of the console: a card tells of one only until the component is reset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class FailureLines:
    def __init__(self) -> None:
        self._told: dict[str, int] = {}
        """How many of a component have been told."""

    def forget(self) -> None:
        """Another system is looked at, or the same one anew."""
        self._told.clear()

    def new_in(self, state: Mapping[str, Any], now_ns: int, *, earlier: bool = False) -> list[dict[str, Any]]:
        """Those that have not been told yet, with their tracebacks, as the console takes lines. `earlier`: they were
        there before this window was, and nobody knows since when."""
        lines = []
        for name, told in state.get("components", {}).items():
            count = int(told.get("errors", 0))
            if count > self._told.get(name, 0) and told.get("error"):
                text = f"{'earlier: ' if earlier else ''}{_head(told)}\n{told['error']}".rstrip()
                lines.append({"time_ns": now_ns, "component": name, "level": "error", "text": text})
                self._told[name] = count
            self._told[name] = min(count, self._told.get(name, 0))
        return lines


def _head(told: Mapping[str, Any]) -> str:
    event = told.get("failed_on") or {}
    return f"failed while handling {event['topic']} #{event['sequence']}" if event.get("topic") else "failed"
