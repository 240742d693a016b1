"""A place in a log from which it is played on: forwards event by event, and a few events back."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NamedTuple

from studio.runtime.clock import SECOND_NS
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.replay.stamp_order import MOST_BYTES, MOST_EVENTS, WINDOW_NS

FAR_NS = 60 * SECOND_NS
"""Stamps of others that lie so far from the time of recording are of another clock: the recording's time has to do."""
LOOKED_AT = 64
SMALLEST_BLOCK, LARGEST_BLOCK, BLOCK_BYTES = 16, 512, 2 << 20
"""Events that are read at once: few after a seek, few of large ones."""


class Next(NamedTuple):
    event: LoggedEvent
    number: int
    """How many events of the played topics lie before it in the log; -1 for what only restores the state of a place."""
    place_ns: int
    """When it is played: its stamp, or that of an earlier event of its topic if stamps go backwards."""


_topic, _stamp, _payload = (itemgetter(LoggedEvent._fields.index(name)) for name in ("topic", "stamp_ns", "payload"))
"""Half the time of the attribute."""
_new_next: Any = partial(tuple.__new__, Next)
"""From a tuple of all fields: twice as fast."""


class Cursor:
    """The events of some topics in the order of their stamps, equal ones as recorded: the order of lockstep, too."""

    def __init__(self, log: LogReader, topics: Iterable[str]) -> None:
        self._log = log
        self._topics = tuple(topics)
        self._waiting: deque[Next] = deque()
        self._events: Iterator[Next] = iter(())
        self.start_ns, self.end_ns = self._span()
        self.count = sum(log.topics[topic].count for topic in self._topics)
        self.seek(self.start_ns)

    def _span(self) -> tuple[int, int]:
        firsts = [event.stamp_ns for event in placed(islice(self._log.events(self._topics), LOOKED_AT))]
        lasts = [event.stamp_ns for event in placed(islice(self._log.events(self._topics, reverse=True), LOOKED_AT))]
        return min(firsts, default=0), max(lasts, default=0)

    def seek(self, time_ns: int, restore: Iterable[str] = ()) -> None:
        """Go on with the first event at or after `time_ns`, but before it, of each topic in `restore`, the last one."""
        self._waiting.clear()
        before_ns = time_ns - WINDOW_NS
        counted = self._log.count_before(before_ns, self._topics) if time_ns > self.start_ns else 0
        self._events = in_order(self._log.events(self._topics, start_ns=before_ns if counted else None), counted)
        wanted = set(restore)
        latest: dict[str, LoggedEvent] = {}
        for following in self._events:
            if following.place_ns >= time_ns:
                self._waiting.append(following)
                break
            latest[following.event.topic] = following.event
        for topic in wanted - latest.keys():
            latest |= self._log.latest_before(before_ns, [topic])
        last = sorted((event for topic, event in latest.items() if topic in wanted), key=lambda event: event.stamp_ns)
        self._waiting.extendleft(Next(event, -1, event.stamp_ns) for event in reversed(list(placed(last))))

    def seek_place(self, time_ns: int, number: int) -> None:
        """Go on with the event that has so many before it, which is one at or after `time_ns`."""
        self.seek(time_ns)
        while (following := self.peek()) is not None and following.number < number:
            self.drop()

    def peek(self) -> Next | None:
        """The next event, which stays the next."""
        if not self._waiting:
            following = next(self._events, None)
            if following is None:
                return None
            self._waiting.append(following)
        return self._waiting[0]

    def peek_played(self) -> Next | None:
        """The same, past what only restores."""
        found = next((following for following in self._waiting if following.number >= 0), None)
        if found is None:
            found = next(self._events, None)
            if found is not None:
                self._waiting.append(found)
        return found

    def drop(self) -> None:
        """Go past the event that was looked at."""
        self._waiting.popleft()

    def take(self, most: int, limit_ns: int) -> list[Next]:
        """Go past the next events, up to a time and a number of them; none at the end."""
        taken = list(self._waiting)[:most]
        for _ in taken:
            self._waiting.popleft()
        taken += islice(self._events, most - len(taken))
        for at, following in enumerate(taken):
            if following.place_ns > limit_ns and following.number >= 0:
                self.take_back(taken[at:])
                return taken[:at]
        return taken

    def take_back(self, events: Iterable[Next]) -> None:
        """These come again, before all others."""
        self._waiting.extendleft(reversed(list(events)))


def in_order(events: Iterable[LoggedEvent], number: int = 0) -> Iterator[Next]:
    """As `by_stamp` has them, with a stamp to play them by, numbered from `number` on."""
    return chain.from_iterable(_blocks_in_order(iter(events), number))


def _blocks_in_order(source: Iterator[LoggedEvent], number: int) -> Iterator[list[Next]]:
    """In blocks, with as little as can be for each event: flat out a player has a few microseconds for it.

    Most logs are in this order already, and then nothing has to be sorted.
    """
    order = _Order()
    size = SMALLEST_BLOCK
    while block := list(islice(source, size)):
        if block[0].flags is None:
            block = list(placed(block))
        block_bytes = order.add(block)
        size = min(2 * size, LARGEST_BLOCK) if block_bytes < BLOCK_BYTES else SMALLEST_BLOCK
        ready = order.take(block[-1].log_time_ns - WINDOW_NS, number)
        number += len(ready)
        yield ready
    yield order.take(None, number)


class _Order:
    """Events that are held back until no earlier one can come."""

    def __init__(self) -> None:
        self._events: list[LoggedEvent] = []
        self._places: list[int] = []
        """When each is played, ascending."""
        self._latest: dict[str, int] = {}
        """Topic -> the place of its last event."""
        self._sizes: list[int] = []
        """Of their payloads."""
        self._highest = -FAR_NS
        self._bytes = 0

    def add(self, block: list[LoggedEvent]) -> int:
        """Returns how many bytes the payloads are."""
        topics: list[str] = list(map(_topic, block))
        stamps: list[int] = list(map(_stamp, block))
        sizes = list(map(len, map(_payload, block)))
        size = sum(sizes)
        self._bytes += size
        self._sizes += sizes
        if stamps == sorted(stamps) and stamps[0] >= self._highest:
            places = stamps
        else:
            places = [self._place(topic, stamp_ns) for topic, stamp_ns in zip(topics, stamps, strict=True)]
        self._latest.update(zip(topics, places, strict=True))
        self._places += places
        self._events += block
        if places is stamps:
            self._highest = stamps[-1]
        else:
            self._highest = max(self._highest, *places)
            self._sort()
        return size

    def _place(self, topic: str, stamp_ns: int) -> int:
        """Its stamp, or that of an earlier event of its topic if stamps go backwards."""
        self._latest[topic] = place_ns = max(stamp_ns, self._latest.get(topic, stamp_ns))
        return place_ns

    def _sort(self) -> None:
        """Equal places stay in the order of the log."""
        rows = sorted(zip(self._places, self._events, self._sizes, strict=True), key=itemgetter(0))
        self._places, self._events, self._sizes = map(list, zip(*rows, strict=True))

    def take(self, until_ns: int | None, number: int) -> list[Next]:
        """All up to a place, or more if there are too many; numbered from `number` on."""
        is_full = len(self._events) > MOST_EVENTS or self._bytes > MOST_BYTES
        count = len(self._events) if until_ns is None or is_full else bisect_right(self._places, until_ns)
        events, places = self._events[:count], self._places[:count]
        self._bytes -= sum(self._sizes[:count])
        del self._events[:count], self._places[:count], self._sizes[:count]
        return list(map(_new_next, zip(events, range(number, number + count), places, strict=True)))


def placed(events: Iterable[LoggedEvent]) -> Iterator[LoggedEvent]:
    """With a stamp by which it can be played. Logs of others may have none, or those of a clock of its own."""
    for event in events:
        if event.flags is None and (not event.stamp_ns or abs(event.stamp_ns - event.log_time_ns) > FAR_NS):
            yield event._replace(stamp_ns=event.log_time_ns)
        else:
            yield event
