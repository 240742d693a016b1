"""What was open lately: projects, logs and vehicles, the last one first, each with when it was opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Protocol

Kind = Literal["project", "log", "vehicle"]
KEY, OLD_KEY = "recent_things", "recent"
MOST = 12
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
SURELY_TODAY_S = 6 * HOUR_S
"""So young, hours are told also across midnight."""


class Store(Protocol):
    """The part of the settings that is needed here."""

    def text(self, name: str) -> str: ...
    def set_text(self, name: str, value: str) -> None: ...
    def names(self, name: str) -> list[str]: ...


@dataclass(frozen=True)
class Recent:
    path: str
    kind: Kind
    opened_s: float
    """Seconds since 1970."""
    words: str = ""
    """Of a log: how long it is, and how large."""

    @property
    def place(self) -> Path:
        return Path(self.path)

    @property
    def is_there(self) -> bool:
        return (self.place / "system.xml").is_file() if self.kind == "project" else self.place.exists()


class RecentBook:
    def __init__(self, store: Store, now_s: Callable[[], float]) -> None:
        self._store = store
        self.now_s = now_s

    def all(self) -> list[Recent]:
        """Also what is not there any more: it may be on a disk that is not plugged in."""
        text = self._store.text(KEY)
        if not text:
            return [Recent(path, "project", _written_s(Path(path))) for path in self._store.names(OLD_KEY)]
        try:
            return [found for each in json.loads(text) if (found := _read(each)) is not None]
        except json.JSONDecodeError:  # somebody has edited the file
            return []

    def add(self, path: Path, kind: Kind = "project", words: str = "") -> None:
        path = path.resolve()
        others = [each for each in self.all() if each.path != str(path)]
        self._write([Recent(str(path), kind, self.now_s(), words), *others])

    def remove(self, path: Path) -> None:
        self._write([each for each in self.all() if each.path != str(path)])

    def clear(self) -> None:
        self._write([])

    def _write(self, things: list[Recent]) -> None:
        self._store.set_text(KEY, json.dumps([asdict(each) for each in things[:MOST]]))


def _read(told: object) -> Recent | None:
    """None for what somebody has written into the file by hand, and is none."""
    match told:
        case {
            "path": str(path),
            "kind": "project" | "log" | "vehicle" as kind,
            "opened_s": int() | float() as opened_s,
            **more,
        }:
            return Recent(path, kind, opened_s, str(more.get("words", "")))
    return None


def _written_s(folder: Path) -> float:
    try:
        return (folder / "system.xml").stat().st_mtime
    except OSError:
        return 0.0


def age_words(then_s: float, now_s: float) -> str:
    """`12 min ago`, `2 hours ago`, `yesterday`, `3 days ago`, then the date: by the calendar of this place."""
    age_s = now_s - then_s
    if age_s < MINUTE_S:  # or a clock that was set back
        return "just now"
    if age_s < HOUR_S:
        return f"{int(age_s // MINUTE_S)} min ago"
    then, now = (datetime.fromtimestamp(each, UTC).astimezone() for each in (then_s, now_s))
    days = (now.date() - then.date()).days
    if days == 0 or age_s < SURELY_TODAY_S:
        hours = int(age_s // HOUR_S)
        return f"{hours} hour{'' if hours == 1 else 's'} ago"
    if days == 1:
        return "yesterday"
    if days < 7:
        return f"{days} days ago"
    return f"{then:%d %b}" if then.year == now.year else f"{then:%d %b %Y}"


def date_words(then_s: float) -> str:
    """In full, for a tool tip."""
    return f"{datetime.fromtimestamp(then_s, UTC).astimezone():%A, %d %B %Y, %H:%M}"
