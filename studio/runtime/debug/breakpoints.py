"""The breakpoints of several debug clients on one host, merged: debugpy knows one list per file, the last one."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

Wanted = dict[str, Any]
"""A breakpoint as a client asks for it: line, condition, hitCondition, logMessage."""

PENDING = {"reason": "pending"}
"""The process is not there, or its breakpoints are off for a while: nobody knows yet."""


@dataclass
class Kept:
    """One breakpoint of one client, under a number of ours that stays when others change theirs."""

    number: int
    wanted: Wanted
    told: dict[str, Any] = field(default_factory=dict)
    """What the debugger said about it last: verified, line, message."""

    def answer(self) -> dict[str, Any]:
        line = {"line": self.wanted["line"]} if "line" in self.wanted else {}
        return {"verified": False, **line, **(self.told or PENDING), "id": self.number}


class Breakpoints:
    """Everybody's wishes by file, and which of them stand behind each of the debugger's own numbers."""

    def __init__(self) -> None:
        self._by_file: dict[str, dict[Hashable, list[Kept]]] = {}
        self._sources: dict[str, dict[str, Any]] = {}
        self._owners: dict[int, list[Kept]] = {}
        """Number of the debugger -> whose breakpoints stand behind it."""
        self._sent: dict[str, list[list[Kept]]] = {}
        self._count = 0

    def put(self, client: Hashable, source: dict[str, Any], wanted: Iterable[Wanted]) -> list[Kept]:
        """A client's list for a file replaces the one it had."""
        path = path_of(source)
        self._sources[path] = {"path": path, **({"name": source["name"]} if "name" in source else {})}
        kept = []
        for each in wanted:
            self._count += 1
            kept.append(Kept(self._count, dict(each)))
        clients = self._by_file.setdefault(path, {})
        clients.pop(client, None)
        if kept:
            clients[client] = kept
        return kept

    def leave(self, client: Hashable) -> list[str]:
        """Its breakpoints are gone; returns the files they were in."""
        touched = [path for path, clients in self._by_file.items() if client in clients]
        for path in touched:
            del self._by_file[path][client]
        return touched

    @property
    def files(self) -> list[str]:
        return [path for path, clients in self._by_file.items() if clients]

    def merged(self, path: str) -> dict[str, Any]:
        """The arguments of `setBreakpoints` for a file."""
        by_line: dict[tuple[int, int], list[Kept]] = {}
        for kept in self._by_file.get(path, {}).values():
            for each in kept:
                place = int(each.wanted.get("line", 0)), int(each.wanted.get("column", 0) or 0)
                by_line.setdefault(place, []).append(each)
        self._sent[path] = list(by_line.values())
        source = self._sources.get(path, {"path": path})
        return {"source": source, "breakpoints": [_union([each.wanted for each in here]) for here in self._sent[path]]}

    def answered(self, path: str, told: list[dict[str, Any]]) -> None:
        """The debugger's answer to the merged list."""
        for kept, about in zip(self._sent.get(path, []), told, strict=False):
            if isinstance(about.get("id"), int):
                self._owners[about["id"]] = kept
            for each in kept:
                each.told = {key: value for key, value in about.items() if key != "id"}

    def answers(self, path: str) -> list[dict[str, Any]]:
        """Of everybody's in a file, what is known by now."""
        return [each.answer() for kept in self._by_file.get(path, {}).values() for each in kept]

    def behind(self, number: int) -> list[int]:
        """Our numbers of those who stand behind a number of the debugger."""
        return [kept.number for kept in self._owners.get(number, [])]

    def changed(self, about: dict[str, Any]) -> list[dict[str, Any]]:
        """The debugger has news of a breakpoint: what to tell, one for each that stands behind it."""
        kept = self._owners.get(about.get("id", -1), [])
        for each in kept:
            each.told |= {key: value for key, value in about.items() if key != "id"}
        return [each.answer() for each in kept]


def path_of(source: dict[str, Any]) -> str:
    return os.path.abspath(str(source.get("path") or source.get("name") or ""))


def _union(wishes: list[Wanted]) -> Wanted:
    """One that stops whenever one of them would. A place that should stop and log stops."""
    if len(wishes) == 1:
        return wishes[0]
    stopping = [each for each in wishes if not each.get("logMessage")] or wishes
    union = dict(stopping[0])
    conditions = [str(each.get("condition") or "") for each in stopping]
    hits = {str(each.get("hitCondition") or "") for each in stopping}
    union.pop("condition", None)
    if all(conditions):
        union["condition"] = " or ".join(f"({condition})" for condition in dict.fromkeys(conditions))
    if len(hits) > 1:
        union.pop("hitCondition", None)
    return union
