"""Events of a log in the order in which they are played: by stamp, equal ones as recorded, as in lockstep.

Most blocks of a log are in this order already. They are passed on as they are, without a copy of a column; only where
blocks overlap are the events of the overlap sorted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.playing.playback_block import PlaybackBlock
from studio.runtime.recording import LoggedEvent
from studio.runtime.recording.format.event_block import EventBlock, bytes_of
from studio.runtime.replay.stamp_order import MOST_BYTES, MOST_EVENTS, WINDOW_NS

FAR_NS = 60 * SECOND_NS
"""Stamps of others that lie so far from the time of recording are of another clock: the recording's time has to do."""
FEW = 16
"""Events that are let go at once where they are too many bytes."""


def in_order(blocks: Iterable[EventBlock], number: int = 0) -> Iterator[PlaybackBlock]:
    """As `by_stamp` has the events, with a stamp to play them by, numbered from `number` on."""
    order = _Order()
    for block in blocks:
        if block.topics:
            order.add(block)
            for piece in order.take(block.times[-1] - WINDOW_NS):
                yield piece.numbered(number)
                number += len(piece.topics)
    for piece in order.take(None):
        yield piece.numbered(number)
        number += len(piece.topics)


class _Piece(NamedTuple):
    """Events that follow each other; `places` tells when each is played, ascending."""

    topics: Sequence[str]
    stamps: Sequence[int]
    payloads: Sequence[memoryview]
    places: Sequence[int]
    blocks: Sequence[EventBlock]
    rows: Sequence[int]
    """Where the whole event is found: of each its block and its place there, and nothing of other events."""

    def numbered(self, number: int) -> PlaybackBlock:
        topics, stamps, payloads, places, blocks, rows = self
        count = len(topics)
        return PlaybackBlock(
            topics, stamps, payloads, range(number, number + count), places, lambda at: blocks[at].event(rows[at])
        )

    def part(self, first: int, last: int) -> _Piece:
        return _Piece._make(column[first:last] for column in self)

    def sorted(self) -> _Piece:
        """By place; equal ones stay in the order in which they are."""
        order = sorted(range(len(self.places)), key=self.places.__getitem__)
        return _Piece._make([column[at] for at in order] for column in self)


class _Order:
    """Events that are held back until no earlier one can come."""

    def __init__(self) -> None:
        self._pieces: deque[_Piece] = deque()
        """None begins before the one before it has ended."""
        self._count = 0
        self._bytes = 0
        self._latest: dict[str, int] = {}
        """Topic -> the place of its last event."""
        self._highest = -FAR_NS

    def add(self, block: EventBlock) -> None:
        stamps = _placed_stamps(block)
        places = sorted(stamps)
        is_in_order = places[0] >= self._highest and places == list(stamps)
        if not is_in_order:
            places = list(map(self._place, block.topics, stamps))
        self._latest.update(zip(block.topics, places, strict=True))
        self._count += len(places)
        self._bytes += bytes_of(block.payloads)
        count = len(places)
        piece = _Piece(block.topics, stamps, block.payloads, places, [block] * count, range(count))
        self._pieces.append(piece if is_in_order else self._merged(piece, min(places)))
        self._highest = max(self._highest, self._pieces[-1].places[-1])

    def _place(self, topic: str, stamp_ns: int) -> int:
        """Its stamp, or that of an earlier event of its topic if stamps go backwards."""
        self._latest[topic] = place_ns = max(stamp_ns, self._latest.get(topic, stamp_ns))
        return place_ns

    def _merged(self, latest: _Piece, lowest_ns: int) -> _Piece:
        """All that is played after the first of the new ones; equal places stay in the order of the log."""
        later = [latest]
        while self._pieces and self._pieces[-1].places[-1] > lowest_ns:
            piece = self._pieces.pop()
            begin = bisect_right(piece.places, lowest_ns)
            if begin:
                self._pieces.append(piece.part(0, begin))
            later.insert(0, piece.part(begin, len(piece.topics)) if begin else piece)
        return _Piece._make(list(chain(*columns)) for columns in zip(*later, strict=True)).sorted()

    def take(self, until_ns: int | None) -> Iterator[_Piece]:
        """All that is over at a place, and the first ones if there is too much."""
        while self._pieces and (until_ns is None or self._pieces[0].places[-1] <= until_ns):
            yield self._taken(self._pieces.popleft())
        while self._count > MOST_EVENTS or self._bytes > MOST_BYTES:
            piece = self._pieces.popleft()
            few = min(len(piece.topics), max(self._count - MOST_EVENTS, FEW))
            if few < len(piece.topics):
                self._pieces.appendleft(piece.part(few, len(piece.topics)))
            yield self._taken(piece.part(0, few))

    def _taken(self, piece: _Piece) -> _Piece:
        self._count -= len(piece.topics)
        self._bytes -= bytes_of(piece.payloads)
        return piece


def _placed_stamps(block: EventBlock) -> Sequence[int]:
    """As `placed` has them. Whether there are headers is asked only where it matters: they would have to be read."""
    stamps, times = block.stamps, block.times
    first_ns, last_ns = min(stamps), max(stamps)
    if first_ns > 0 and times[-1] - first_ns <= FAR_NS and last_ns - times[0] <= FAR_NS:  # all are, then
        return stamps
    if block.has_headers():
        return stamps
    return list(map(_placed_stamp, stamps, times))


def _placed_stamp(stamp_ns: int, log_time_ns: int) -> int:
    return stamp_ns if stamp_ns and abs(stamp_ns - log_time_ns) <= FAR_NS else log_time_ns


def placed(events: Iterable[LoggedEvent]) -> Iterator[LoggedEvent]:
    """With a stamp by which it can be played. Logs of others may have none, or those of a clock of its own."""
    for event in events:
        stamp_ns = event.stamp_ns if event.flags is not None else _placed_stamp(event.stamp_ns, event.log_time_ns)
        yield event if stamp_ns == event.stamp_ns else event._replace(stamp_ns=stamp_ns)
