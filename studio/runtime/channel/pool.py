"""The producer's side of shared payloads: slots to write into, used again when every receiver has let go.

A receiver that holds more than is left for everybody else is behind. It is not waited for any more until it has let
go of some: it may copy what it finds, as a viewer does, and loses what was overwritten. So one that stands still takes
half of a pool at most, the next one half of the rest, and those who keep up notice nothing.
"""

from __future__ import annotations

import itertools
import secrets
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from studio.runtime.channel.budget import host_budget_bytes
from studio.runtime.channel.slot import Data, Slot
from studio.runtime.channel.slot_classes import bytes_of, class_for, exists, pages_of, slots_of
from studio.runtime.channel.slots import (
    EXPECTED,
    LENGTH,
    MOST_HOSTS,
    Hosts,
    Segment,
    checked_producer,
    pack_handle,
)

LOOKS = 64
"""How many outstanding slots one `put` looks at: a stopped receiver must not make publishing slow."""

SWEEP_EVERY = 16
"""A slot that is still out after so many later ones may belong to a frame that got lost."""

KEPT_FOR_VIEWERS = 4
"""A payload that nobody is to release is not overwritten by the next so many: who only looks on has time to copy it."""

KEPT_FOR_THE_SLOW = 4
"""One part in so many of what is left is kept for those who are behind but read: they have time to copy."""

FEW = 4
"""When one part in so many of a segment's slots is left, the next segment is made beside the publishing."""

RETRY_GROWTH_AFTER = 64
"""After a failure to get memory, so many `put` go by before the next try; on a full disk each try is slow."""

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
        self._numbers = itertools.count(1)
        self._bytes = 0
        self._free: dict[int, list[Slot]] = {}
        self._out: deque[Slot] = deque()
        self._awaited_bytes = 0
        """Of the slots that somebody has not let go; what is only kept can be had."""
        self._held_bytes = [0] * MOST_HOSTS
        """By the index of the host that has not let go."""
        self._fence: Slot | None = None
        self._last_ticket = 0
        self._swept_at = 0
        self._calls = 0
        self._refused = 0
        self._grow_from = 0
        self.short_of: int | None = None
        """The class of slots of which few are left: it is time for `grow_ahead`."""

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
            living = self._living(receivers)
            slot = self._take(length, for_all) if living is not None else None
            self._calls += 1
            if slot is None or living is None:
                self._refused += 1
                return None
            left, held = self._limit - self._awaited_bytes, self._held_bytes
            waiting = living if for_all else [each for each in living if held[each[0]] <= left]
            handle = self._address(slot, length, waiting)
            slot.kept_until = self._calls + (0 if receivers else KEPT_FOR_VIEWERS)
            if len(waiting) < len(living):
                slot.kept_until = self._calls + max(KEPT_FOR_VIEWERS, left // KEPT_FOR_THE_SLOW // slot.size)
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
            return self._fence is None or self._fence.is_free(self._hosts, self._calls)

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
            # When more are out than could have come since, one is old: so thousands need not be looked at.
            if len(self._out) < SWEEP_EVERY and not any(newest - slot.ticket >= SWEEP_EVERY for slot in self._out):
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
        held = self._held_bytes
        if waiting:
            self._awaited_bytes += slot.size
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

    def _take(self, length: int, for_all: bool) -> Slot | None:
        """The slot of a fitting class that became free last: its pages are the warmest."""
        self._reclaim(LOOKS)
        kind = class_for(length)
        slot = self._pop(kind)
        if slot is None and self._grow(kind):
            slot = self._pop(kind)
        if slot is None:
            slot = self._oldest_kept(kind)
        if slot is None and not for_all:
            self._take_back()
            slot = self._pop(kind)
        if slot is not None:
            slot.void()
            slots = slots_of(slot.kind)
            is_short = len(self._free.get(slot.kind, ())) <= slots // FEW
            if is_short and self._bytes + bytes_of(slot.kind, slots) <= self._budget:
                self.short_of = slot.kind
        return slot

    def _pop(self, kind: int) -> Slot | None:
        for fitting in range(kind, kind + _STILL_FITS):
            if slots := self._free.get(fitting):
                return slots.pop()
        return None

    def _take_back(self) -> None:
        """There is less memory than was counted on: who holds more than his part loses what he has not looked at.

        The oldest first, until those who are behind hold no more than is left for everybody else.
        """
        held = self._held_bytes
        for slot in sorted(itertools.islice(self._out, LOOKS), key=lambda slot: slot.ticket):
            left = self._bytes - self._awaited_bytes
            if not slot.waiting or any(held[index] <= left for index, _ in slot.waiting):
                continue
            for host in [each for each in slot.waiting if slot.strike(each)]:
                held[host[0]] -= slot.size
            if not slot.waiting:
                self._out.remove(slot)
                self._awaited_bytes -= slot.size
                self._free.setdefault(slot.kind, []).append(slot)

    def _oldest_kept(self, kind: int) -> Slot | None:
        """One that is only kept for those who may copy it: a new payload is worth more to those who keep up."""
        looked_at = itertools.islice(self._out, LOOKS)
        kept = [slot for slot in looked_at if not slot.waiting and kind <= slot.kind < kind + _STILL_FITS]
        if not kept:
            return None
        oldest = min(kept, key=lambda slot: slot.ticket)
        self._out.remove(oldest)
        return oldest

    def _reclaim(self, looks: int) -> None:
        """Look at the slots that are out, in turn, and take back what every living receiver has released."""
        for _ in range(min(looks, len(self._out))):
            slot = self._out.popleft()
            before = slot.waiting
            is_free = slot.is_free(self._hosts, self._calls)
            if len(slot.waiting) < len(before):
                for each in before:
                    if each not in slot.waiting:
                        self._held_bytes[each[0]] -= slot.size
                if not slot.waiting:
                    self._awaited_bytes -= slot.size
            if is_free:
                self._free.setdefault(slot.kind, []).append(slot)
            else:
                self._out.append(slot)

    def grow_ahead(self) -> None:
        """From another thread than the one that publishes: get the memory that will be wanted next.

        The system takes milliseconds for it, in which nobody else waits.
        """
        with self._lock:
            kind, self.short_of = self.short_of, None
            if kind is None or self._calls < self._grow_from:
                return
            slots = slots_of(kind)
            needed = bytes_of(kind, slots)
            if self._bytes + needed > self._budget:
                return
            self._bytes += needed
        segment = self._create(pages_of(kind), slots)
        with self._lock:
            self._bytes -= needed
            self._add_segment(kind, segment)

    def _grow(self, kind: int) -> bool:
        if not exists(kind) or self._calls < self._grow_from:
            return False
        for slots in sorted({slots_of(kind), 1}, reverse=True):
            if self._make_room(bytes_of(kind, slots)):
                segment = self._create(pages_of(kind), slots)
                if self._add_segment(kind, segment):
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

    def _add_segment(self, kind: int, segment: Segment | None) -> bool:
        if segment is None:
            # Memory or descriptors are used up; the caller sends inline and may try again later.
            self._grow_from = self._calls + RETRY_GROWTH_AFTER
            self._limit = self._bytes
            return False
        pages = segment.slot_pages
        made = [Slot(segment, 1 + number * pages, kind) for number in range(segment.slots)]
        self._segments[segment.name] = made
        self._free.setdefault(kind, []).extend(reversed(made))
        self._bytes += len(segment.mapping)
        self._limit = self._budget
        if self._fence is None and (fence := self._create(_FENCE_PAGES, 1)) is not None:  # while there is memory
            self._fence = Slot(fence, 1, 0)
        return True

    def _create(self, pages: int, slots: int) -> Segment | None:
        name = f"{self.producer}~{self._incarnation}~{next(self._numbers)}"
        try:
            return Segment.create(self._folder, name, pages, slots)
        except OSError:
            return None

    def _unlink(self, name: str) -> None:
        with suppress(FileNotFoundError):
            (self._folder / name).unlink()
