"""The receiver's side of shared payloads: read-only views that release their slot when the last of them dies."""

from __future__ import annotations

import os
import secrets
import struct
import threading
import weakref
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.runtime.channel.slots import (
    EVENT,
    EXPECTED,
    LEASED,
    LENGTH,
    MOST_HOSTS,
    PAGE,
    PAYLOAD_OFFSET,
    RELEASED,
    TICKET,
    WORDS_OF_PAGE,
    Handle,
    Hosts,
    Overwritten,
    PayloadError,
    Segment,
    barrier,
    checked_host,
    segments_of,
)

_Key = tuple[str, int, int]
_Root = NDArray[np.uint8]
_Found = tuple[Segment, int, _Key, int]
"""The file of a payload, the place of its slot's header, its key, its length."""


@dataclass(frozen=True)
class LeaseStatistics:
    held: int
    mapped: int
    mapped_bytes: int
    copied: int


class Leases:
    """What one host holds. Being made, it enters the host into the table of the living: from then on it is waited for.

    Open and sweep where frames arrive, in their order; views may die in any thread, also inside the garbage collector.
    """

    def __init__(self, folder: Path, host_index: int) -> None:
        self._folder = folder
        self._index = checked_host(host_index)
        self._incarnation = secrets.randbits(63) + Hosts.GONE + 1
        self._segments: dict[str, Segment] = {}
        self._slots: dict[bytes, tuple[Segment, int, int]] = {}
        """What the handles of a slot have in common -> its file, the place of its header there, its first page."""
        self._held: dict[_Key, weakref.ref[_Root]] = {}
        self._copied = 0
        self._lock = threading.Lock()
        Hosts(folder)[host_index] = self._incarnation

    @classmethod
    def offered(cls, folder: Path | None, host_index: int) -> Leases | None:
        """None for a host that has no part in shared memory, as the 65th: it gets its payloads inline."""
        return cls(folder, host_index) if folder is not None and host_index < MOST_HOSTS else None

    def open(self, handle: bytes | memoryview) -> memoryview:
        """The payload, read-only and in place. It stays as it is while this view or anything made from it is alive.

        Raises PayloadError when it cannot be had any more.
        """
        raw = bytes(handle)
        with self._lock:
            found = self._find(raw)
            root = self._lease(found)
        return memoryview(root) if root is not None else self._copy(Handle.parse(raw))

    def skip(self, handle: bytes | memoryview) -> None:
        """Release a payload without looking at it."""
        with self._lock:
            found = self._find(bytes(handle))
            segment, place, key, _ = found
            if self._is_ours(found) and key not in self._held:
                segment.words[place + RELEASED + self._index] = key[2]

    def sweep(self, producer: str, ticket: int) -> None:
        """Release what came with tickets up to `ticket` and is not held here: its frames were lost on the way.

        To be called when the producer's sweep arrives, in the order of its frames.
        """
        with self._lock:
            self._forget_removed()
            for name in segments_of(self._folder, producer):
                try:
                    self._sweep_segment(self._segment(name), ticket)
                except PayloadError:
                    continue  # it is being made, or being removed

    def tidy(self) -> None:
        """Let go of mappings whose files were removed; views into them stay good."""
        with self._lock:
            self._forget_removed()

    def statistics(self) -> LeaseStatistics:
        with self._lock:
            mapped = sum(len(segment.mapping) for segment in self._segments.values())
            return LeaseStatistics(len(self._held), len(self._segments), mapped, self._copied)

    def _find(self, handle: bytes) -> _Found:
        """What a handle names. Slots are used again and again, so the way to one is looked up once."""
        slot = handle[EVENT.size :]
        known = self._slots.get(slot)
        if known is None:
            where = Handle.parse(handle)
            segment = self._segment(where.name)
            known = self._slots[slot] = segment, segment.header(where.page), where.page
        segment, place, page = known
        ticket, length = EVENT.unpack_from(handle)
        segment.check_length(length)
        return segment, place, (segment.name, page, ticket), length

    def _lease(self, found: _Found) -> _Root | None:
        """The array that stands for the lease; None when the slot does not wait for us: it may change."""
        segment, place, key, length = found
        if key in self._held:
            return self._held[key]()
        if not self._is_ours(found):
            return None
        cell = place + RELEASED + self._index
        segment.words[cell] = key[2] | LEASED
        barrier()
        if not self._is_ours(found):  # the producer has just taken it back, as this host is behind
            segment.words[cell] = key[2]
            return None
        # Views of an array whose base is no array refer to that array itself: it dies last.
        root = segment.payload(key[1], length)
        root.setflags(write=False)
        release = partial(_release, self._held, key, segment.words, cell)
        self._held[key] = weakref.ref(root, release)
        return root

    def _is_ours(self, found: _Found) -> bool:
        """Whether the producer waits for this incarnation to release this ticket. If so, it cannot change under us."""
        segment, place, (_, _, ticket), length = found
        words = segment.words
        return (
            words[place + TICKET] == ticket != 0
            and words[place + LENGTH] == length
            and words[place + EXPECTED + self._index] == self._incarnation
            and words[place + RELEASED + self._index] != ticket
        )

    def _copy(self, where: Handle) -> memoryview:
        copied = _copy(self._folder, where)
        if copied is None:
            raise Overwritten("the shared payload was overwritten before this host read it", file=where.name)
        self._copied += 1
        return memoryview(copied)

    def _segment(self, name: str) -> Segment:
        segment = self._segments.get(name)
        if segment is None:
            self._forget_removed()
            segment = self._segments[name] = Segment.open(self._folder, name)
        return segment

    def _sweep_segment(self, segment: Segment, ticket: int) -> None:
        segment.check_size()
        tickets = segment.column(TICKET).copy()
        ours = segment.column(EXPECTED + self._index) == self._incarnation
        kept = segment.column(RELEASED + self._index) != tickets
        for slot in np.flatnonzero(ours & kept & (tickets != 0) & (tickets <= ticket)):
            page = 1 + int(slot) * segment.slot_pages
            lost = int(tickets[slot])
            if (segment.name, page, lost) not in self._held:
                segment.words[page * WORDS_OF_PAGE + RELEASED + self._index] = lost

    def _forget_removed(self) -> None:
        for name in list(self._segments):
            if not os.path.exists(self._folder / name):
                gone = self._segments.pop(name)
                self._slots = {slot: known for slot, known in self._slots.items() if known[0] is not gone}


def copy_shared(folder: Path, handle: bytes | memoryview) -> bytes | None:
    """A payload for one who does not count as a receiver; None when it was overwritten or removed meanwhile."""
    return _copy(folder, Handle.parse(handle))


def _copy(folder: Path, where: Handle) -> bytes | None:
    try:
        file = os.open(folder / where.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _copy_checked(file, where)
    except OSError:
        return None
    finally:
        os.close(file)


def _copy_checked(file: int, where: Handle) -> bytes | None:
    """Reads instead of mapping: no fault can hit, and the length in a damaged handle is cut to what is there."""
    start = where.page * PAGE
    stamp = struct.pack("<QQ", where.ticket, where.length)
    if where.length > os.fstat(file).st_size or os.pread(file, 16, start) != stamp:
        return None
    data = os.pread(file, where.length, start + PAYLOAD_OFFSET)
    unchanged = os.pread(file, 16, start) == stamp
    return data if unchanged and len(data) == where.length else None


def _release(
    held: dict[_Key, weakref.ref[_Root]], key: _Key, words: memoryview, cell: int, _dead: weakref.ref[_Root]
) -> None:
    """Runs in whatever thread dropped the last view, so it takes no lock.

    The cell comes first: while the key is there nobody leases the same ticket again, and afterwards the cell tells.
    """
    words[cell] = key[2]
    del held[key]
