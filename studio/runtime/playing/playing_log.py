"""What every player of a log has, however it gives its events to the system: the log, its streams, range and loop."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import NamedTuple

from studio.messages import Message, MessageTypes
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.base.errors import ReplayError
from studio.runtime.control_plane.condition import Condition, parse_condition
from studio.runtime.playing.actual_rate import ActualRate
from studio.runtime.playing.cursor import Cursor
from studio.runtime.playing.played import Played
from studio.runtime.playing.player_state import PlayerState


class Sent(NamedTuple):
    """What was played of each topic of the system: another player of the same log goes on from there."""

    counts: Mapping[str, int] = MappingProxyType({})
    last: Mapping[str, int] = MappingProxyType({})
    """The sequence of the last event."""


NOTHING_SENT = Sent()


class PlayingLog:
    """Commands may come from any thread; they return when they are done."""

    def __init__(self, played: Played, types: MessageTypes, name: str) -> None:
        if not played.topics:
            raise ReplayError("there is nothing to play", file=played.log.path, hint="choose other topics")
        self.played = played
        self._types = types
        self._name = name
        # In the order of the log, so that equal choices share what the reader keeps for them.
        self._cursor = Cursor(played.log, tuple(topic for topic in played.log.topics if topic in played.topics))
        self._rate = 1.0
        self._loop = False
        self._loops = 0
        self._range: tuple[int, int] | None = None
        self._condition: Condition | None = None
        """It stops behind the first event of which this holds."""
        self._stopped: str | None = None
        self._lock = threading.RLock()
        self._actual_rate = ActualRate()

    @property
    def start_ns(self) -> int:
        return self._cursor.start_ns

    @property
    def end_ns(self) -> int:
        return self._cursor.end_ns

    def begin_at_end(self) -> None:
        """Before it is attached: it follows another player, whose log had ended."""
        self._stopped = "end"

    def set_loop(self, loop: bool) -> None:
        self._loop = loop

    def _first_ns(self) -> int:
        return self._range[0] if self._range else self.start_ns

    def _within_range(self, time_ns: int) -> int:
        low, high = self._range or (self.start_ns, self.end_ns)
        return min(max(time_ns, low), high)

    def _range_between(self, start_ns: int | None, end_ns: int | None) -> tuple[int, int] | None:
        """Both ends are included; without ends, there is no range."""
        if start_ns is None and end_ns is None:
            return None
        low = self.start_ns if start_ns is None else start_ns
        high = self.end_ns if end_ns is None else end_ns
        if low > high:
            raise ReplayError("the range ends before it begins", hint="give the earlier time first")
        return low, high

    def _streams_like(self, pattern: str) -> dict[str, str]:
        """Topic of the log -> topic of the system, of the streams that fit by either."""
        streams = self.played.streams
        found = {
            logged: topic
            for logged, topic in streams.items()
            if fnmatchcase(topic, pattern) or fnmatchcase(logged, pattern)
        }
        if not found:
            raise ReplayError(f"no stream matches {pattern}", hint=f"there are {', '.join(streams.values())}")
        return found

    def _check_played(self, topic: str) -> None:
        if topic not in self.played.topics.values():
            raise ReplayError(f"{topic} is not played", hint=f"there are {', '.join(self.played.topics.values())}")

    def _parse_condition(self, text: str) -> tuple[Condition, str, type[Message]]:
        """A condition on a field of a stream, by its topic in the log or the system; that in the log, and its type."""
        names = {logged: logged for logged in self.played.streams}
        names |= {topic: logged for logged, topic in self.played.streams.items()}
        condition = parse_condition(text, names)
        logged = names[condition.topic]
        kind = self._types.find_schema(self.played.log.topics[logged].schema.name)
        if kind is None:
            raise ReplayError(f"{condition.topic} has a type that Studio does not know", file=self.played.log.path)
        return condition, logged, kind

    def _state(
        self,
        *,
        playing: bool,
        time_ns: int,
        number: int,
        streams: dict[str, bool],
        stopped: str | None,
        sent: int,
        behind_ns: int = 0,
    ) -> PlayerState:
        position_ns = time_ns - (0 if self._rate == float("inf") else round(behind_ns * self._rate))
        actual = self._actual_rate.measured(monotonic_ns(), position_ns, self._rate, playing=playing)
        return PlayerState(
            playing=playing,
            time_ns=time_ns,
            start_ns=self.start_ns,
            end_ns=self.end_ns,
            number=number,
            count=self._cursor.count,
            rate=self._rate,
            loop=self._loop,
            loops=self._loops,
            range_ns=self._range,
            streams=streams,
            condition=self._condition.text if self._condition is not None else "",
            stopped=stopped,
            sent=sent,
            actual_rate=actual,
            behind_ns=behind_ns,
        )
