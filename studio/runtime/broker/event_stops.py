"""Event breakpoints at the gate: what is delivered one by one is looked at before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.messages import MessageTypes, decode
from studio.runtime.base.short_values import short_fields
from studio.runtime.broker.held import Held
from studio.runtime.channel.payloads import copy_shared
from studio.runtime.control_plane.event_breakpoints import EventBreakpoint, EventBreakpoints, Hit, cause_of
from studio.runtime.wire.frames import SHARED, Kind, split


class EventStops:
    """Asked by the gate for every event while there are breakpoints; `hit` tells why it stopped last."""

    def __init__(self, points: Sequence[EventBreakpoint], types: Mapping[str, str], project: str, shared: Path | None):
        """`types`: of the topics; `project`: whose own message types there may be."""
        self.breakpoints = EventBreakpoints(list(points))
        self.hit: Hit | None = None
        self._topics = self.breakpoints.topics
        self._types = types
        self._known = MessageTypes.builtin().with_folder(Path(project)) if project else MessageTypes.builtin()
        self._shared = shared
        self._standing: tuple[str, int] | None = None
        """The event before which the system stands: it has been counted, and passes when the system goes on."""

    def before(self, event: Held) -> bool:
        """Whether the gate stops before this event."""
        if event.topic not in self._topics:
            return False
        standing, self._standing = self._standing, None
        if standing == (event.topic, event.sequence):
            return False
        self.hit = self._ask("before", event)
        if self.hit is not None:
            self._standing = (event.topic, event.sequence)
        return self.hit is not None

    def passes(self, event: Held) -> None:
        """It is delivered whatever the breakpoints say, because somebody wants exactly this one."""
        self.before(event)
        self.forget()

    def forget(self) -> None:
        """The system does not stand where it stood: it was taken back, or goes on."""
        self.hit = self._standing = None

    def after(self, event: Held) -> bool:
        """Whether the gate stops now that this event has been delivered and handled."""
        if event.topic not in self._topics:
            return False
        hit = self._ask("after", event)
        self.hit = hit or self.hit
        return hit is not None

    def take(self) -> dict[str, Any]:
        """What the last request of the gate has come to, for its reply: `hit`, or nothing."""
        hit, self.hit = self.hit, None
        return {"hit": hit.plain()} if hit is not None else {}

    def _ask(self, when: Any, event: Held) -> Hit | None:
        hit = self.breakpoints.event(when, event.topic, event.sequence, event.stamp_ns, lambda: self._message(event))
        if hit is None:
            return None
        header = split(event.frame)[1]
        return replace(hit, message=short_fields(self._message(event)), cause=cause_of(header, self._types))

    def _message(self, event: Held) -> object:
        """None for what cannot be read any more."""
        try:
            topic, header, payload = split(event.frame)
            if header.kind != Kind.DATA or topic not in self._types:
                return None
            if header.flags & SHARED:
                copied = copy_shared(self._shared, payload) if self._shared is not None else None
                if copied is None:
                    return None
                payload = memoryview(copied)
            return decode(self._known.get(self._types[topic]), payload)
        except StudioError:
            return None
