"""Files of shared payloads: a segment is a file of slots, a handle names one of them (docs/protocol.md, section 8)."""

from __future__ import annotations

import fcntl
import mmap
import os
import re
import stat
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.errors import StudioError

PAGE = 4096
WORDS_OF_PAGE = PAGE // 8
MOST_HOSTS = 64
LONGEST = 1 << 40
"""A payload of more bytes fits into no memory: its handle is damaged."""

PAYLOAD_OFFSET = PAGE - 4
"""In the slot. The body of a CDR payload starts 4 bytes later, so it begins a page: every number in it is aligned."""

# Places in a slot's header, in words of 8 bytes.
TICKET = 0
LENGTH = 1
RELEASED = 8
EXPECTED = RELEASED + MOST_HOSTS
HEADER_WORDS = EXPECTED + MOST_HOSTS

LEASED = 1 << 63
"""Added to the ticket in a host's released cell: it looks at the payload in place, which must not change."""

_MAGIC = int.from_bytes(b"STUDIOP1", "little")
_HANDLE = struct.Struct("<QQIHHQ")
EVENT = struct.Struct("<QQ")
"""The first two words of a handle: ticket and length. The rest is the same for all handles of a slot."""
_SLOT = struct.Struct("<IHHQ")
_PRODUCER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_SEGMENT = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})~[0-9a-f]{1,32}~[0-9]{1,9}")
_HOSTS = "hosts"
_BARRIER = threading.Lock()


class PayloadError(StudioError):
    """A payload in shared memory that cannot be had: a stale or damaged handle, or a folder that cannot be used."""


class Overwritten(PayloadError):
    """A payload that its producer has not kept for who wants it: he was started after it was sent, or is behind."""


class Handle(NamedTuple):
    """What travels over the socket instead of a payload."""

    name: str
    page: int
    ticket: int
    length: int

    def pack(self) -> bytes:
        return pack_handle(self.ticket, self.length, slot_field(self.name, self.page))

    @classmethod
    def parse(cls, handle: bytes | memoryview) -> Handle:
        """Checks the form; whether the slot exists is for the segment to say."""
        try:
            ticket, length, page, size, _, _ = _HANDLE.unpack_from(handle)
            name = bytes(handle[_HANDLE.size :]).decode("ascii")
        except (struct.error, UnicodeDecodeError) as error:
            raise PayloadError(f"damaged handle of a shared payload: {error}") from None
        if size != len(name) or ticket == 0 or producer_of(name) is None:
            raise PayloadError("damaged handle of a shared payload")
        return cls(name, page, ticket, length)


def slot_field(name: str, page: int) -> bytes:
    """What the handles of a slot have in common: where it is."""
    raw = name.encode()
    return _SLOT.pack(page, len(raw), 0, 0) + raw


def pack_handle(ticket: int, length: int, slot: bytes) -> bytes:
    """A handle from the field of its slot: nothing but the event changes from one to the next."""
    return EVENT.pack(ticket, length) + slot


def shared_length(handle: bytes | memoryview) -> int:
    """The size of the payload that a handle stands for; 0 for a damaged handle, which its reader will report."""
    length = int(EVENT.unpack_from(handle)[1]) if len(handle) >= EVENT.size else 0
    return length if length <= LONGEST else 0


@lru_cache(maxsize=1024)
def producer_of(name: str) -> str | None:
    """The producer that a segment's file name tells; None for every other name, such as one that leaves the folder."""
    match = _SEGMENT.fullmatch(name)
    return match.group(1) if match else None


def checked_producer(name: str) -> str:
    if not _PRODUCER.fullmatch(name):
        raise PayloadError(f"{name!r} cannot name a producer", hint="letters, digits, _ . and - only")
    return name


def segments_of(folder: Path, producer: str) -> list[str]:
    """File names of a producer's segments, of all its incarnations."""
    try:
        return [name for name in os.listdir(folder) if producer_of(name) == producer]
    except FileNotFoundError:
        return []


class Segment:
    """A mapped file: one page that tells its division, then slots of a header page and a payload each.

    A file never changes its size and is only ever unlinked, so that no reader can fault on a page that is gone.
    Nothing here closes the mapping: it lives as long as an array made from it.
    """

    __slots__ = ("mapping", "name", "numbers", "slot_pages", "slots", "words")

    def __init__(self, name: str, mapping: mmap.mmap, slot_pages: int, slots: int) -> None:
        self.name = name
        self.mapping = mapping
        self.slot_pages = slot_pages
        self.slots = slots
        # Reading and writing one word through a memoryview is one 8-byte move: what makes a cell atomic.
        self.words = memoryview(mapping).cast("Q")
        self.numbers: NDArray[np.uint64] = np.frombuffer(mapping, np.uint64)

    @classmethod
    def create(cls, folder: Path, name: str, slot_pages: int, slots: int) -> Segment:
        """Make the file with all its memory; OSError when there is not enough.

        Its lock says that the producer lives: the mapping holds on to the open file, and with it to the lock.
        """
        size = _size(slot_pages, slots)
        with _opened(folder / name, os.O_CREAT | os.O_EXCL) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(file).st_nlink == 0:
                    raise OSError("removed before it was locked")
                # A sparse file on a full tmpfs would kill the writer by SIGBUS; this says ENOSPC instead.
                os.posix_fallocate(file, 0, size)
                mapping = mmap.mmap(file, size, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
            except OSError:
                os.unlink(folder / name)
                raise
        segment = cls(name, mapping, slot_pages, slots)
        segment.words[1], segment.words[2] = slot_pages, slots
        segment.words[0] = _MAGIC
        return segment

    @classmethod
    def open(cls, folder: Path, name: str) -> Segment:
        """Map another's file, trusting nothing that it says."""
        try:
            with _opened(folder / name) as file:
                size = os.fstat(file).st_size
                if size < PAGE:
                    raise PayloadError("not a file of payloads", file=name)
                mapping = mmap.mmap(file, size)
        except FileNotFoundError:
            if _has_others(folder, name):
                raise Overwritten("the shared payload was released before this host read it", file=name) from None
            raise PayloadError("the shared payload is gone, because its producer has ended", file=name) from None
        except (OSError, ValueError) as error:
            raise PayloadError(f"the shared payload is gone: {error}", file=name) from None
        magic, slot_pages, slots = struct.unpack_from("<QQQ", mapping)
        if magic != _MAGIC or slot_pages < 2 or slots < 1 or size != _size(slot_pages, slots):
            raise PayloadError("not a file of payloads", file=name)
        return cls(name, mapping, slot_pages, slots)

    def header(self, page: int) -> int:
        """The index in `words` of the slot that begins with this page, if the file has it."""
        slot, between = divmod(page - 1, self.slot_pages)
        if between or not 0 <= slot < self.slots:
            raise PayloadError("the handle refers to a slot that this file does not have", file=self.name)
        return page * WORDS_OF_PAGE

    def check_length(self, length: int) -> None:
        if length > capacity_of(self.slot_pages):
            raise PayloadError("the handle refers to more bytes than the slot has", file=self.name)
        self.check_size()

    def check_size(self) -> None:
        """Touching a page that somebody cut off would end the process."""
        if self.mapping.size() < len(self.mapping):
            raise PayloadError("the file of payloads was truncated", file=self.name)

    def payload(self, page: int, length: int) -> NDArray[np.uint8]:
        return np.frombuffer(self.mapping, np.uint8, length, page * PAGE + PAYLOAD_OFFSET)

    def column(self, place: int) -> NDArray[np.uint64]:
        """One word of the header, of every slot."""
        return self.numbers[WORDS_OF_PAGE + place :: self.slot_pages * WORDS_OF_PAGE]


class Hosts:
    """The table of living hosts: per host index the number of its present incarnation.

    NEVER: it has not said that it can use shared memory, so its payloads go inline. GONE: it died.

    A slot names the incarnations that are to release it. One that no longer stands in the table is not waited for, and
    a host that was started again cannot take what was meant for its predecessor as its own.
    """

    NEVER = 0
    GONE = 1

    def __init__(self, folder: Path) -> None:
        try:
            with _opened(folder / _HOSTS, os.O_CREAT) as file:
                os.posix_fallocate(file, 0, PAGE)
                self.words = memoryview(mmap.mmap(file, PAGE)).cast("Q")
        except OSError as error:
            raise PayloadError(f"cannot use the folder of shared payloads: {error}", file=folder) from None

    def __getitem__(self, index: int) -> int:
        return self.words[index]

    def __setitem__(self, index: int, incarnation: int) -> None:
        self.words[checked_host(index)] = incarnation


def checked_host(index: int) -> int:
    if not 0 <= index < MOST_HOSTS:
        raise PayloadError(f"host index {index} is not 0 to {MOST_HOSTS - 1}", hint="other hosts get payloads inline")
    return index


def barrier() -> None:
    """Taking and giving back a lock orders what was written before and what is read or written after."""
    with _BARRIER:
        pass


def capacity_of(slot_pages: int) -> int:
    return slot_pages * PAGE - PAYLOAD_OFFSET


def _has_others(folder: Path, name: str) -> bool:
    """Whether the incarnation of a producer that made this file still has files: it has only given up this one."""
    incarnation = name.rpartition("~")[0] + "~"
    try:
        return any(each.startswith(incarnation) for each in os.listdir(folder))
    except FileNotFoundError:
        return False


def _size(slot_pages: int, slots: int) -> int:
    return PAGE * (1 + slot_pages * slots)


@contextmanager
def _opened(path: Path, flags: int = 0) -> Iterator[int]:
    """A plain file, open for reading and writing. Neither a link nor a pipe can be slipped in."""
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(f"{path.name} is not a plain file")
        yield file
    finally:
        os.close(file)
