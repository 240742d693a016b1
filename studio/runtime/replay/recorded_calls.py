"""The service calls of one component in a log: what it asked, and what it went on with."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from studio.messages import ServiceCall, decode
from studio.runtime.channel.call_frames import ends_of, reply_topic, request_topic
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.wire.frames import ERROR, Event, topic_hash

Find = Callable[[str, int], LoggedEvent | None]
"""Topic and sequence -> the event in the log."""


class RecordedCalls:
    def __init__(self, log: LogReader, caller: PlannedComponent, find: Find) -> None:
        self._log = log
        self._find = find
        providers = dict.fromkeys(provider for provider, _ in caller.requires.values())
        topics = [request_topic(provider, caller.name) for provider in providers]
        self._made: dict[tuple[int, int], deque[tuple[str, int]]] = {}
        """Cause -> requests that were made while it was handled, and have not been asked for yet."""
        self._withdrawn: dict[tuple[str, int], ServiceCall] = {}
        for event in log.events([topic for topic in topics if topic in log.topics]):
            if (event.flags or 0) & ERROR:
                self._withdrawn[event.topic, event.cause_sequence or 0] = decode(ServiceCall, event.payload)
            else:
                cause = (event.cause_topic or 0, event.cause_sequence or 0)
                self._made.setdefault(cause, deque()).append((event.topic, event.sequence))
        self._replies: dict[str, _Ahead] = {}

    def request(self, topic: str, cause: Event) -> LoggedEvent | None:
        """The next request that was made while `cause` was handled, if it went to `topic`."""
        made = self._made.get((topic_hash(cause.topic), cause.sequence))
        if not made or made[0][0] != topic:
            return None
        return self._find(*made.popleft())

    def left_out(self, cause: Event) -> tuple[str, int] | None:
        """A request that was made while `cause` was handled, and has not been asked for."""
        made = self._made.pop((topic_hash(cause.topic), cause.sequence), None)
        return made[0] if made else None

    def reply(self, topic: str, sequence: int) -> ServiceCall | None:
        """What the caller went on with; None if the log does not tell."""
        if (topic, sequence) in self._withdrawn:
            return self._withdrawn[topic, sequence]
        return self.answer(topic, sequence)

    def answer(self, topic: str, sequence: int) -> ServiceCall | None:
        """What the provider answered, whether anybody still waited for it or not."""
        replies = reply_topic(*ends_of(topic))
        if replies not in self._log.topics:
            return None
        if replies not in self._replies:
            self._replies[replies] = _Ahead(event for event in self._log.events([replies]))
        ahead = self._replies[replies]
        while (event := ahead.event) is not None and (event.cause_sequence or 0) < sequence:
            ahead.go_on()
        if event is None or event.cause_sequence != sequence:
            return None
        return decode(ServiceCall, event.payload)


class _Ahead:
    """A stream whose next event can be looked at before it is taken."""

    def __init__(self, events: Iterator[LoggedEvent]) -> None:
        self._events = events
        self.event = next(events, None)

    def go_on(self) -> None:
        self.event = next(self._events, None)
