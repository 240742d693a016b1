"""The producer's side of shared payloads: slots to write into, used again when every receiver has let go.

A receiver that holds more than is left for everybody else is behind. It is not waited for any more until it has let
go of some: it may copy what it finds, as a viewer does, and loses what was overwritten. So one that stands still takes
half of a pool at most, the next one half of the rest, and those who keep up notice nothing.
"""

from __future__ import annotations

import secrets
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from studio.messages.pieces import Pieces
from studio.runtime.channel.budget import host_budget_bytes
from studio.runtime.channel.slots import (
    EXPECTED,
    HEADER_WORDS,
    LENGTH,
    MOST_HOSTS,
    PAGE,
    RELEASED,
    TICKET,
    WORDS_OF_PAGE,
    Hosts,
    Segment,
    capacity_of,
    checked_producer,
    pack_handle,
    slot_field,
)

Data = bytes | bytearray | memoryview | NDArray[Any]

SEGMENT_BYTES = 4 << 20
"""Small slots share a file, or a pool would take thousands of file descriptors in every receiver."""

LOOKS = 64
"""How many outstanding slots one `put` looks at: a stopped receiver must not make publishing slow."""

SWEEP_EVERY = 16
"""A slot that is still out after so many later ones may belong to a frame that got lost."""

KEPT_FOR_VIEWERS = 4
"""A payload that nobody is to release is not overwritten by the next so many: who only looks on has time to copy it."""

KEPT_FOR_THE_SLOW = 4
"""One part in so many of what is left is kept for those who are behind but read: they have time to copy."""

RETRY_GROWTH_AFTER = 64
"""After a failure to get memory, so many `put` go by before the next try; on a full disk each try is slow."""

# Payload pages of the slot classes, four to the octave from 64 KiB: at most a fifth of a slot lies idle, and a picture
# of a round size plus its header does not take a slot of twice its size.
_CLASSES = [(4 + step) * 4 << octave for octave in range(24) for step in range(4)]
_CAPACITIES = [capacity_of(pages + 1) for pages in _CLASSES]
_STILL_FITS = 4
_FENCE_PAGES = 2
"""The least that a slot has."""


@dataclass(frozen=True)
class PoolStatistics:
    used_bytes: int
    segments: int
    slots: int
    outstanding: int
    puts: int
    refused: int


class Slot:
    """One slot as its producer knows it. `waiting`: (host index, incarnation) of those that have not let go."""

    __slots__ = ("field", "header", "kept_until", "kind", "page", "segment", "size", "ticket", "waiting")

    def __init__(self, segment: Segment, page: int, kind: int) -> None:
        self.segment = segment
        self.page = page
        self.kind = kind
        self.size = segment.slot_pages * PAGE
        self.field = slot_field(segment.name, page)
        self.header = segment.words[page * WORDS_OF_PAGE : page * WORDS_OF_PAGE + HEADER_WORDS]
        self.ticket = self.kept_until = 0
        self.waiting: list[tuple[int, int]] = []

    def is_free(self, hosts: Hosts, newest_ticket: int) -> bool:
        if newest_ticket < self.kept_until:
            return False
        header, ticket, living = self.header, self.ticket, hosts.words
        self.waiting = [
            (index, incarnation)
            for index, incarnation in self.waiting
            if header[RELEASED + index] != ticket and living[index] == incarnation
        ]
        return not self.waiting

    def void(self) -> None:
        """Until it is filled: whoever copies without a lease sees that the ticket changed."""
        self.header[TICKET] = 0
        self.header[EXPECTED : EXPECTED + MOST_HOSTS] = _NOBODY
        _fence()

    def fill(self, data: Data | Pieces) -> None:
        """Copy `data`, of the length that was reserved, and let it be read."""
        pieces = data if isinstance(data, Pieces) else Pieces((data,))
        pieces.copy_to(self.segment.payload(self.page, len(pieces)))
        _fence()
        self.header[TICKET] = self.ticket


class Pool:
    """Slots of one producer, that is of one sending socket: sweeping rests on the order of its frames."""

    def __init__(self, folder: Path, producer: str, budget_bytes: int | None = None) -> None:
        """Without a budget it is twice that of a receiver: so much can be left to one that stands still."""
        self.producer = checked_producer(producer)
        self._folder = folder
        self._budget = 2 * host_budget_bytes() if budget_bytes is None else budget_bytes
        self._limit = self._budget
        """The same, or what there was when the system gave no more."""
        self._hosts = Hosts(folder)
        self._lock = threading.Lock()
        self._incarnation = secrets.token_hex(6)
        self._segments: dict[str, list[Slot]] = {}
        self._made = 0
        self._bytes = 0
        self._free: dict[int, list[Slot]] = {}
        self._out: deque[Slot] = deque()
        self._out_bytes = 0
        self._held_bytes = [0] * MOST_HOSTS
        """By the index of the host that has not let go."""
        self._fence: Slot | None = None
        self._last_ticket = 0
        self._swept_at = 0
        self._calls = 0
        self._refused = 0
        self._grow_from = 0

    def put(self, data: Data, receivers: Sequence[int]) -> bytes | None:
        """Copy `data` into a slot that the hosts `receivers` will release; the handle to send.

        None: there is no room, or a receiver has no part in shared memory, so the payload has to go inline.
        """
        reserved = self.reserve(memoryview(data).nbytes, receivers)
        if reserved is None:
            return None
        slot, handle = reserved
        slot.fill(data)
        return handle

    def reserve(self, length: int, receivers: Sequence[int], *, for_all: bool = True) -> tuple[Slot, bytes] | None:
        """The first half of `put`: a slot to fill at once, and the handle to send when that is done.

        A copy of megabytes drives everything else out of the caches, so little should be left to do after it.
        Without `for_all` it is not kept for those who are behind.
        """
        with self._lock:
            self._calls += 1
            living = self._living(receivers)
            slot = self._take(length) if living is not None else None
            if slot is None or living is None:
                self._refused += 1
                return None
            left, held = self._limit - self._out_bytes, self._held_bytes
            waiting = living if for_all else [each for each in living if held[each[0]] <= left]
            handle = self._address(slot, length, waiting)
            slot.kept_until = slot.ticket + (0 if receivers else KEPT_FOR_VIEWERS)
            if len(waiting) < len(living):
                slot.kept_until = slot.ticket + max(KEPT_FOR_VIEWERS, left // KEPT_FOR_THE_SLOW // slot.size)
            return slot, handle

    def raise_fence(self, receivers: Sequence[int]) -> int | None:
        """A ticket that a receiver releases by sweeping up to it, and so by having read all that was sent before.

        None where there is no memory for a fence. It replaces the one before.
        """
        with self._lock:
            slot = self._fence
            if slot is None:
                return None
            slot.void()
            self._expect(slot, 0, [each for index in receivers for each in self._living((index,)) or ()])
            slot.fill(b"")
            return slot.ticket

    def is_fence_passed(self) -> bool:
        with self._lock:
            return self._fence is None or self._fence.is_free(self._hosts, self._last_ticket)

    @property
    def newest_ticket(self) -> int:
        """Of the last `put`; 0 before the first. May be swept by whoever has sent the frame of that `put`."""
        return self._last_ticket

    def sweep_due(self) -> int | None:
        """A ticket up to which receivers should sweep; to be sent in order with the frames, so ask before a `put`.

        None nearly always: only when a slot has been out for long, and not at every call then.
        """
        newest = self._last_ticket
        if newest - self._swept_at < SWEEP_EVERY:
            return None
        with self._lock:
            if not self._out:
                return None
            if newest - min(slot.ticket for slot in self._out) < SWEEP_EVERY:
                return None
            self._swept_at = newest
            return newest

    def statistics(self) -> PoolStatistics:
        with self._lock:
            self._reclaim(len(self._out))
            slots = sum(len(slots) for slots in self._segments.values())
            puts = self._calls - self._refused
            segments = len(self._segments) + (self._fence is not None)
            return PoolStatistics(self._bytes, segments, slots, len(self._out), puts, self._refused)

    def close(self) -> None:
        """Remove the files, but for those with payloads that a receiver has not let go yet.

        A recorder on a busy machine opens the last ones when their producer has long ended. What stays is removed by
        whoever supervises the producer, or with the folder of the run.
        """
        with self._lock:
            awaited = {slot.segment.name for slot in self._out if not slot.is_free(self._hosts, slot.kept_until)}
            for name in self._segments.keys() - awaited:
                self._unlink(name)
            self._segments.clear()
            self._free.clear()
            self._out.clear()
            self._bytes = 0
            if self._fence is not None:
                self._unlink(self._fence.segment.name)
                self._fence = None

    def _living(self, receivers: Sequence[int]) -> list[tuple[int, int]] | None:
        """Who is to release a slot; None where one of the receivers has no part in shared memory."""
        table, living = self._hosts.words, []
        for index in receivers:
            incarnation = table[index] if 0 <= index < MOST_HOSTS else Hosts.NEVER
            if incarnation == Hosts.NEVER:
                return None
            if incarnation != Hosts.GONE:
                living.append((index, incarnation))
        return living

    def _address(self, slot: Slot, length: int, waiting: list[tuple[int, int]]) -> bytes:
        self._expect(slot, length, waiting)
        self._out.append(slot)
        self._out_bytes += slot.size
        held = self._held_bytes
        for index, _ in waiting:
            held[index] += slot.size
        return pack_handle(slot.ticket, length, slot.field)

    def _expect(self, slot: Slot, length: int, waiting: list[tuple[int, int]]) -> None:
        """Write down who is to release it."""
        header = slot.header
        self._last_ticket = slot.ticket = self._last_ticket + 1
        slot.waiting = waiting
        for index, incarnation in waiting:
            header[EXPECTED + index] = incarnation
        header[LENGTH] = length

    def _take(self, length: int) -> Slot | None:
        """The slot of a fitting class that became free last: its pages are the warmest."""
        self._reclaim(LOOKS)
        kind = bisect_left(_CAPACITIES, length)
        slot = self._pop(kind)
        if slot is None and self._grow(kind):
            slot = self._pop(kind)
        if slot is not None:
            slot.void()
        return slot

    def _pop(self, kind: int) -> Slot | None:
        for fitting in range(kind, kind + _STILL_FITS):
            if slots := self._free.get(fitting):
                return slots.pop()
        return None

    def _reclaim(self, looks: int) -> None:
        """Look at the slots that are out, in turn, and take back what every living receiver has released."""
        for _ in range(min(looks, len(self._out))):
            slot = self._out.popleft()
            before = slot.waiting
            is_free = slot.is_free(self._hosts, self._last_ticket)
            if len(slot.waiting) < len(before):
                for each in before:
                    if each not in slot.waiting:
                        self._held_bytes[each[0]] -= slot.size
            if is_free:
                self._out_bytes -= slot.size
                self._free.setdefault(slot.kind, []).append(slot)
            else:
                self._out.append(slot)

    def _grow(self, kind: int) -> bool:
        if kind >= len(_CLASSES) or self._calls < self._grow_from:
            return False
        pages = _CLASSES[kind] + 1
        wanted = max(1, SEGMENT_BYTES // (pages * PAGE))
        for slots in sorted({wanted, 1}, reverse=True):
            if self._make_room((pages * slots + 1) * PAGE) and self._add_segment(kind, pages, slots):
                return True
        return False

    def _make_room(self, needed: int) -> bool:
        """Give up segments that nobody uses, of classes that are no longer asked for."""
        if needed > self._budget:
            return False
        used = {slot.segment.name for slot in self._out}
        for name in [name for name in self._segments if name not in used]:
            if self._bytes + needed <= self._budget:
                break
            self._retire(name)
        return self._bytes + needed <= self._budget

    def _retire(self, name: str) -> None:
        slots = self._segments.pop(name)
        kind = slots[0].kind
        self._free[kind] = [slot for slot in self._free[kind] if slot.segment.name != name]
        self._bytes -= len(slots[0].segment.mapping)
        self._unlink(name)

    def _add_segment(self, kind: int, pages: int, slots: int) -> bool:
        try:
            segment = self._create(pages, slots)
        except OSError:
            # Memory or descriptors are used up; the caller sends inline and may try again later.
            self._grow_from = self._calls + RETRY_GROWTH_AFTER
            self._limit = self._bytes
            return False
        made = [Slot(segment, 1 + number * pages, kind) for number in range(slots)]
        self._segments[segment.name] = made
        self._free.setdefault(kind, []).extend(reversed(made))
        self._bytes += len(segment.mapping)
        self._limit = self._budget
        self._make_fence()
        return True

    def _make_fence(self) -> None:
        """While there is memory."""
        if self._fence is None:
            with suppress(OSError):  # it is tried again with the next segment
                self._fence = Slot(self._create(_FENCE_PAGES, 1), 1, 0)

    def _create(self, pages: int, slots: int) -> Segment:
        self._made += 1
        return Segment.create(self._folder, f"{self.producer}~{self._incarnation}~{self._made}", pages, slots)

    def _unlink(self, name: str) -> None:
        with suppress(FileNotFoundError):
            (self._folder / name).unlink()


def _fence() -> None:
    """Taking and giving back a lock orders what was written before and what is written after."""
    with _FENCE:
        pass


_FENCE = threading.Lock()
_NOBODY = memoryview(bytes(8 * MOST_HOSTS)).cast("Q")
