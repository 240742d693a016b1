"""What the feed's thread hands over, as plain values. Light to import: sockets come after the first paint."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.runtime.client.running_systems import RunningSystem

MOST_EVENTS = 500
"""Of one topic in one batch, for those who want every event; more are counted only."""
MOST_LINES = 5000


@dataclass(frozen=True)
class Event:
    """One event of the channel, decoded."""

    topic: str
    sequence: int
    stamp_ns: int
    message: Any
    """A Message, or a dictionary of what one in JSON holds."""


@dataclass(frozen=True)
class Attached:
    system: RunningSystem


@dataclass(frozen=True)
class Ended:
    """The runtime is gone: as it should, or `died` without a goodbye."""

    died: bool
    last_words: str = ""


@dataclass(frozen=True)
class Silence:
    """The runtime lives and says nothing; 0 s when it speaks again."""

    seconds: float


@dataclass(frozen=True)
class NoAttachment:
    """A system runs, but does not let us look at it."""

    why: str


Turn = Attached | Ended | Silence | NoAttachment


@dataclass(frozen=True)
class Answer:
    number: int
    reply: dict[str, Any]
    error: StudioError | None = None


@dataclass
class Batch:
    """What has happened since the last one, in the order in which it is to be taken: turns, news, lines, events."""

    turns: list[Turn] = field(default_factory=list)
    news: list[dict[str, Any]] = field(default_factory=list)
    """Snapshots and deltas, as the runtime sends them."""
    lines: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    events: dict[str, deque[Event]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """Topic -> how many events came, also those that are not kept."""
    garbled: dict[str, str] = field(default_factory=dict)
    """Topic -> the type that it has in this system, where what came cannot be read as that."""
    answers: list[Answer] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.turns or self.news or self.lines or self.counts or self.answers)
