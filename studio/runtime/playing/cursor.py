"""A place in a log from which it is played on: forwards event by event or in stretches, and a few events back."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, takewhile

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.playing.playback_block import NOTHING, Next, PlaybackBlock
from studio.runtime.playing.playing_order import in_order, placed
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.recording.format.event_block import bytes_of
from studio.runtime.replay.stamp_order import WINDOW_NS

LOOKED_AT = 64
STRETCH_BYTES = 2 << 20
"""About how much is taken at once."""


class Cursor:
    """The events of some topics in the order of their stamps, equal ones as recorded: the order of lockstep, too."""

    def __init__(self, log: LogReader, topics: Iterable[str]) -> None:
        self._log = log
        self.topics = tuple(topics)
        self._waiting: deque[Next] = deque()
        """What comes before all of the stretches."""
        self._stretch = NOTHING
        self._at = 0
        """How many events of the stretch are over."""
        self._blocks: Iterator[PlaybackBlock] = iter(())
        self.start_ns, self.end_ns = self._span()
        self.count = sum(log.topics[topic].count for topic in self.topics)
        self.seek(self.start_ns)

    def _span(self) -> tuple[int, int]:
        firsts = [event.stamp_ns for event in placed(islice(self._log.events(self.topics), LOOKED_AT))]
        lasts = [event.stamp_ns for event in placed(islice(self._log.events(self.topics, reverse=True), LOOKED_AT))]
        return min(firsts, default=0), max(lasts, default=0)

    def seek(self, time_ns: int, restore: Iterable[str] = ()) -> None:
        """Go on with the first event at or after `time_ns`, but before it, of each topic in `restore`, the last one."""
        self._waiting.clear()
        before_ns = time_ns - WINDOW_NS
        counted = self._log.count_before(before_ns, self.topics) if time_ns > self.start_ns else 0
        self._blocks = in_order(self._log.blocks(self.topics, start_ns=before_ns if counted else None), counted)
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

    def number_at(self, time_ns: int) -> int:
        """How many events lie before a time; goes there."""
        if time_ns <= self.start_ns:
            return 0
        self.seek(time_ns)
        following = self.peek()
        return following.number if following is not None else self.count

    def some_before(self, time_ns: int, most: int) -> int:
        """A time between which and this one some events lie, but not more than that."""
        number, back_ns = self.number_at(time_ns), SECOND_NS // 2
        while time_ns - back_ns > self.start_ns and number - self.number_at(time_ns - back_ns) < most // 10:
            back_ns *= 2
        while back_ns and number - self.number_at(time_ns - back_ns) > most:
            back_ns //= 2
        return max(self.start_ns, time_ns - back_ns)

    @property
    def restored(self) -> int:
        """How many of the next only restore what was last there."""
        return sum(following.number < 0 for following in self._waiting)

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
            following = next(self._blocks, None)
            if following is None:
                return False
            self._stretch, self._at = following, 0
        return True

    def drop(self) -> None:
        """Go past the event that was looked at."""
        self._waiting.popleft()

    def take(self, most: int, limit_ns: int) -> PlaybackBlock:
        """Go past the next events, up to a time, a number of them and about STRETCH_BYTES; none at the end."""
        if self._waiting:
            return self._take_waiting(most, limit_ns)
        if not self._has_more():
            return NOTHING
        stretch, begin = self._stretch, self._at
        end = begin + _few_of(stretch.payloads[begin : begin + most])
        self._at = bisect_right(stretch.places, limit_ns, begin, end)
        return stretch.part(begin, self._at)

    def _take_waiting(self, most: int, limit_ns: int) -> PlaybackBlock:
        taken: list[Next] = []
        end = _few_of([following.event.payload for following in islice(self._waiting, most)])
        while len(taken) < end:
            following = self._waiting[0]
            if following.place_ns > limit_ns and following.number >= 0:
                break
            taken.append(self._waiting.popleft())
        return PlaybackBlock.of(taken)

    def take_back(self, events: Iterable[Next]) -> None:
        """These come again, before all others."""
        self._waiting.extendleft(reversed(list(events)))


def _few_of(payloads: Sequence[memoryview]) -> int:
    """How many of the first make up STRETCH_BYTES; all, if they do not."""
    if bytes_of(payloads) <= STRETCH_BYTES:
        return len(payloads)
    before = accumulate(map(len, payloads), initial=0)
    return sum(1 for _ in takewhile(STRETCH_BYTES.__gt__, islice(before, len(payloads))))
