"""What became of a log that was brought in from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.runtime.recording.format.errors import LogError

SHOWN_DAMAGES = 20
MOST_NAMES = 100
"""A damaged file may seem to hold any number of kinds of lines."""
OTHERS = "(others)"


class ImportCancelled(LogError):
    """Somebody asked to stop. What had been written is gone."""


@dataclass
class TopicReport:
    """A topic of the new log."""

    name: str
    type: str
    """Studio's short name where it knows the type, else the name of the schema."""
    source: str
    """What it was made of: lines of a kind, or a type that was converted."""
    count: int = 0
    first_ns: int | None = None
    last_ns: int | None = None

    def take(self, stamp_ns: int) -> None:
        self.count += 1
        self.first_ns = stamp_ns if self.first_ns is None else min(self.first_ns, stamp_ns)
        self.last_ns = stamp_ns if self.last_ns is None else max(self.last_ns, stamp_ns)


@dataclass
class NotMapped:
    count: int
    reason: str


@dataclass(frozen=True)
class Damage:
    """A piece of the input that could not be read and was passed over."""

    line: int | None
    reason: str

    def __str__(self) -> str:
        return self.reason if self.line is None else f"line {self.line}: {self.reason}"


@dataclass
class ImportReport:
    """`notes` tell how the input was read and what was odd about it, in words; the new log keeps them."""

    source: Path
    output: Path
    form: str
    topics: dict[str, TopicReport] = field(default_factory=dict)
    start_ns: int = 0
    end_ns: int = 0
    """Log times of the first and last event."""
    not_mapped: dict[str, NotMapped] = field(default_factory=dict)
    damage_count: int = 0
    damages: list[Damage] = field(default_factory=list)
    """The first ones; `damage_count` counts all."""
    notes: list[str] = field(default_factory=list)

    @property
    def event_count(self) -> int:
        return sum(topic.count for topic in self.topics.values())

    @property
    def loss(self) -> str:
        """That some of it is missing, in one sentence; empty if nothing is."""
        if not (self.not_mapped or self.damage_count):
            return ""
        return f"some of {self.source} could not be imported (studio convert {self.source} OUT.mcap lists them)"

    def leave_out(self, name: str, reason: str, count: int = 1) -> None:
        """Count something that has no place in a Studio log."""
        if name not in self.not_mapped and len(self.not_mapped) >= MOST_NAMES:
            name = OTHERS
        self.not_mapped.setdefault(name, NotMapped(0, reason)).count += count

    def damaged(self, reason: str, line: int | None = None) -> None:
        self.damage_count += 1
        if len(self.damages) < SHOWN_DAMAGES:
            self.damages.append(Damage(line, reason))

    def to_json(self) -> dict[str, Any]:
        return {
            "source": str(self.source),
            "output": str(self.output),
            "form": self.form,
            "events": self.event_count,
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
            "topics": [vars(topic) for topic in self.topics.values()],
            "not_mapped": _plain(self.not_mapped),
            "damage_count": self.damage_count,
            "damages": [vars(damage) for damage in self.damages],
            "notes": self.notes,
        }


def _plain(not_mapped: Mapping[str, NotMapped]) -> list[dict[str, Any]]:
    return [{"name": name, **vars(entry)} for name, entry in not_mapped.items()]
