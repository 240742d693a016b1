"""A place in a log from which it is played on: forwards event by event or in stretches, and a few events back."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, repeat, takewhile

from studio.runtime.clock import SECOND_NS
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.recording.event_block import EventBlock
from studio.runtime.replay.stamp_order import MOST_BYTES, MOST_EVENTS, WINDOW_NS
from studio.runtime.replay.stretch import NOTHING, Next, Stretch

FAR_NS = 60 * SECOND_NS
"""Stamps of others that lie so far from the time of recording are of another clock: the recording's time has to do."""
LOOKED_AT = 64
SMALLEST_STRETCH, LARGEST_STRETCH, STRETCH_BYTES = 16, 512, 2 << 20
"""Events that are read at once, or taken: few after a seek, few of large ones."""


class Cursor:
    """The events of some topics in the order of their stamps, equal ones as recorded: the order of lockstep, too."""

    def __init__(self, log: LogReader, topics: Iterable[str]) -> None:
        self._log = log
        self._topics = tuple(topics)
        self._waiting: deque[Next] = deque()
        """What comes before all of the stretches."""
        self._stretch = NOTHING
        self._at = 0
        """How many events of the stretch are over."""
        self._stretches: Iterator[Stretch] = iter(())
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
        self._stretches = in_order(self._log.blocks(self._topics, start_ns=before_ns if counted else None), counted)
        self._stretch, self._at = NOTHING, 0
        wanted = set(restore)
        latest = self._pass_to(time_ns, wanted)
        for topic in wanted - latest.keys():
            latest |= self._log.latest_before(before_ns, [topic])
        last = sorted(latest.values(), key=lambda event: event.stamp_ns)
        self._waiting.extend(Next(event, -1, event.stamp_ns) for event in placed(last))

    def _pass_to(self, time_ns: int, wanted: set[str]) -> dict[str, LoggedEvent]:
        """Go past all that is played before a time; tells the last event of each topic that is wanted."""
        latest: dict[str, LoggedEvent] = {}
        while self._has_more():
            stretch, begin = self._stretch, self._at
            self._at = next((at for at in range(begin, stretch.count) if stretch.places[at] >= time_ns), stretch.count)
            places = {topic: at for at, topic in enumerate(stretch.topics[begin : self._at], begin) if topic in wanted}
            latest |= {topic: stretch.at(at).event for topic, at in places.items()}
            if self._at < stretch.count:
                break
        return latest

    def seek_place(self, time_ns: int, number: int) -> None:
        """Go on with the event that has so many before it, which is one at or after `time_ns`."""
        self.seek(time_ns)
        while (following := self.peek()) is not None and following.number < number:
            self.drop()

    def peek(self) -> Next | None:
        """The next event, which stays the next."""
        if not self._waiting:
            self._look_ahead()
        return self._waiting[0] if self._waiting else None

    def peek_played(self) -> Next | None:
        """The same, past what only restores."""
        if all(following.number < 0 for following in self._waiting):
            self._look_ahead()
        return next((following for following in self._waiting if following.number >= 0), None)

    def _look_ahead(self) -> None:
        if self._has_more():
            self._waiting.append(self._stretch.at(self._at))
            self._at += 1

    def _has_more(self) -> bool:
        """Of the stretches."""
        while self._at == self._stretch.count:
            following = next(self._stretches, None)
            if following is None:
                return False
            self._stretch, self._at = following, 0
        return True

    def drop(self) -> None:
        """Go past the event that was looked at."""
        self._waiting.popleft()

    def take(self, most: int, limit_ns: int) -> Stretch:
        """Go past the next events, up to a time, a number of them and about STRETCH_BYTES; none at the end."""
        if self._waiting:
            return self._take_waiting(most, limit_ns)
        if not self._has_more():
            return NOTHING
        begin = self._at
        end = begin + _few_of(self._stretch.payloads[begin : begin + most])
        self._at = bisect_right(self._stretch.places, limit_ns, begin, end)
        return self._stretch.part(begin, self._at)

    def _take_waiting(self, most: int, limit_ns: int) -> Stretch:
        taken: list[Next] = []
        end = _few_of([following.event.payload for following in islice(self._waiting, most)])
        while len(taken) < end:
            following = self._waiting[0]
            if following.place_ns > limit_ns and following.number >= 0:
                break
            taken.append(self._waiting.popleft())
        return Stretch.of(taken)

    def take_back(self, events: Iterable[Next]) -> None:
        """These come again, before all others."""
        self._waiting.extendleft(reversed(list(events)))


def _few_of(payloads: Sequence[memoryview]) -> int:
    """How many of the first make up STRETCH_BYTES; all, if they do not."""
    before = accumulate(map(len, payloads), initial=0)
    return sum(1 for _ in takewhile(STRETCH_BYTES.__gt__, islice(before, len(payloads))))


def in_order(blocks: Iterable[EventBlock], number: int = 0) -> Iterator[Stretch]:
    """As `by_stamp` has the events, with a stamp to play them by, numbered from `number` on.

    Most logs are in this order already, and then nothing has to be sorted.
    """
    order = _Order()
    size, count, block_bytes = SMALLEST_STRETCH, 0, 0
    for block in blocks:
        if not block.topics:
            continue
        block_bytes += order.add(block)
        count += len(block.topics)
        if count < size and block_bytes < STRETCH_BYTES:
            continue
        size = min(2 * size, LARGEST_STRETCH) if block_bytes < STRETCH_BYTES else SMALLEST_STRETCH
        ready = order.take(block.times[-1] - WINDOW_NS, number)
        number += ready.count
        yield ready
        count = block_bytes = 0
    yield order.take(None, number)


class _Order:
    """Events that are held back until no earlier one can come."""

    def __init__(self) -> None:
        self._topics: list[str] = []
        self._stamps: list[int] = []
        self._payloads: list[memoryview] = []
        self._blocks: list[EventBlock] = []
        self._rows: list[int] = []
        self._places: list[int] = []
        """When each is played, ascending."""
        self._latest: dict[str, int] = {}
        """Topic -> the place of its last event."""
        self._highest = -FAR_NS
        self._bytes = 0

    def add(self, block: EventBlock) -> int:
        """Returns how many bytes the payloads are."""
        topics, stamps = block.topics, list(_placed_stamps(block))
        size = sum(map(len, block.payloads))
        self._bytes += size
        is_in_order = stamps == sorted(stamps) and stamps[0] >= self._highest
        places = stamps if is_in_order else list(map(self._place, topics, stamps))
        self._latest.update(zip(topics, places, strict=True))
        self._topics += topics
        self._stamps += stamps
        self._payloads += block.payloads
        self._blocks += repeat(block, len(topics))
        self._rows += range(len(topics))
        self._places += places
        self._highest = max(self._highest, stamps[-1] if is_in_order else max(places))
        if not is_in_order:
            self._sort()
        return size

    def _place(self, topic: str, stamp_ns: int) -> int:
        """Its stamp, or that of an earlier event of its topic if stamps go backwards."""
        self._latest[topic] = place_ns = max(stamp_ns, self._latest.get(topic, stamp_ns))
        return place_ns

    def _sort(self) -> None:
        """Equal places stay in the order of the log."""
        order = sorted(range(len(self._places)), key=self._places.__getitem__)
        self._topics = [self._topics[at] for at in order]
        self._stamps = [self._stamps[at] for at in order]
        self._payloads = [self._payloads[at] for at in order]
        self._blocks = [self._blocks[at] for at in order]
        self._rows = [self._rows[at] for at in order]
        self._places = [self._places[at] for at in order]

    def take(self, until_ns: int | None, number: int) -> Stretch:
        """All up to a place, or more if there are too many; numbered from `number` on."""
        places = self._places
        is_full = len(places) > MOST_EVENTS or self._bytes > MOST_BYTES
        count = len(places) if until_ns is None or is_full else bisect_right(places, until_ns)
        taken = Stretch(
            self._topics[:count],
            self._stamps[:count],
            self._payloads[:count],
            self._blocks[:count],
            self._rows[:count],
            range(number, number + count),
            places[:count],
        )
        self._bytes -= sum(map(len, taken.payloads))
        for column in (self._topics, self._stamps, self._payloads, self._blocks, self._rows, places):
            del column[:count]
        return taken


def _placed_stamps(block: EventBlock) -> Iterable[int]:
    """As `placed` has them."""
    if block.has_headers:
        return block.stamps
    return map(_placed_stamp, block.stamps, block.times)


def _placed_stamp(stamp_ns: int, log_time_ns: int) -> int:
    return stamp_ns if stamp_ns and abs(stamp_ns - log_time_ns) <= FAR_NS else log_time_ns


def placed(events: Iterable[LoggedEvent]) -> Iterator[LoggedEvent]:
    """With a stamp by which it can be played. Logs of others may have none, or those of a clock of its own."""
    for event in events:
        stamp_ns = event.stamp_ns if event.flags is not None else _placed_stamp(event.stamp_ns, event.log_time_ns)
        yield event if stamp_ns == event.stamp_ns else event._replace(stamp_ns=stamp_ns)
