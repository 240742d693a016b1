"""What a host has handled since its process began, in a file: the way to a component's state, without the others.

A record is an event as it came (its shared payload inside) with digests of everything that was published because of it,
or a checkpoint. Going back cuts the file at the checkpoint, so it always tells the way to where the host is now. A new
process in place of the old one goes that way with other code (catching_up.py), and knows where its outputs differ.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import lz4.block

from studio.errors import StudioError
from studio.messages import encode
from studio.model.spec import GET
from studio.runtime.wire.frames import AGAIN, HEADER, SHARED, Kind

MOST_BYTES = 512 << 20
"""Of one host. Beyond that its way is not known, and a reload recomputes the whole system."""
LEAST_FREE_BYTES = 1 << 30
"""On the disk: the rest is for others."""
MOST_EARLY = 1000
"""Records before the first checkpoint. A run that takes none writes no file."""
PACKED_FROM_BYTES = 4096

BIRTH, EVENT, CHECKPOINT = 0, 1, 2
_RECORD = struct.Struct("<BBxxII")
"""What it is, whether its body is compressed, the length of the digests, the length of the body."""


class JournalError(StudioError):
    """A file that does not tell how a host came to its state."""


class Record(NamedTuple):
    kind: int
    made: bytes
    body: bytes
    end: int
    """Where the next one begins."""

    def json(self) -> Any:
        return json.loads(self.body)


class CheckpointRecord(NamedTuple):
    number: int
    live: frozenset[int]
    """All that were kept then."""

    @classmethod
    def of(cls, record: Record) -> CheckpointRecord:
        told = record.json()
        return cls(int(told["number"]), frozenset(told["live"]))


class InputJournal:
    """Written by the executor's thread alone."""

    def __init__(self, file: Path, birth: Mapping[str, Any]) -> None:
        """`birth`: what its components began with; a parameter that was changed since is changed by an event."""
        self.file = file
        self.birth = json.loads(json.dumps(birth))
        self.made = bytearray()
        """Digests of what was published since the last record."""
        self.is_known = True
        """Whether all that was handled is in it."""
        self._event = b""
        self._early: list[bytes] = [_packed(BIRTH, json.dumps(self.birth).encode())]
        self._out: BinaryIO | None = None
        self._size = 0
        self._ends: dict[int, int] = {}
        """Checkpoint -> where its record ends."""
        self.events = 0
        """That were handled, up to here."""
        self.is_handling = False
        self.events_at: dict[int, int] = {}
        """Checkpoint -> how many events were handled before it."""

    @property
    def now(self) -> int:
        """The number of the event that is being handled; between two events that of the last one."""
        return self.events if self.is_handling else self.events - 1

    def begin(self, frame: bytes, header_at: int, message: Any) -> None:
        """An event is about to be handled."""
        kind, flags = frame[header_at + 1], frame[header_at + 2]
        if kind == Kind.COMMAND and message.get("do") == "call":
            if not str(message.get("service", "")).startswith(GET):
                self.give_up()
            return  # somebody looks at a value, and nothing comes of it
        if flags & SHARED:
            header = list(HEADER.unpack_from(frame, header_at))
            header[2] = flags & ~SHARED
            payload = b"" if flags & AGAIN else encode(message)
            frame = b"".join((frame[:header_at], HEADER.pack(*header), payload))
        self._event = frame
        self.is_handling = True

    def end(self) -> bool:
        """It was handled. Whether it, and all before it, is known."""
        if self._event:
            self._write(EVENT, self._event, bytes(self.made))
            self._event = b""
            self.events += 1
        self.is_handling = False
        self.made.clear()
        return self.is_known

    def checkpoint(self, number: int, live: Iterable[int]) -> None:
        """Everything up to here is in the file afterwards, or there is none."""
        if not self.is_known:
            self.give_up()
            return
        try:
            if self._out is None:
                self._out = self.file.open("wb+", buffering=1 << 20)
                for record in self._early:
                    self._size += self._out.write(record)
                self._early.clear()
            self._write(CHECKPOINT, json.dumps({"number": number, "live": sorted(live)}).encode())
            if self._out is not None:
                self._out.flush()
            if shutil.disk_usage(self.file.parent).free < LEAST_FREE_BYTES:
                self.give_up()
        except OSError:
            self.give_up()
        self._ends[number] = self._size
        self.events_at[number] = self.events

    def restore(self, number: int) -> None:
        """The host is where it was at that checkpoint."""
        end = self._ends.get(number)
        if end is None or self._out is None:
            self.give_up()
            return
        try:
            self._cut(end)
        except OSError:  # what was not written yet does not fit on the disk
            self.give_up()
        self._ends = {each: at for each, at in self._ends.items() if at <= end}
        self._count_as_at(number)
        self.made.clear()
        self._event = b""

    def _count_as_at(self, number: int) -> None:
        self.events = self.events_at.get(number, 0)
        self.events_at = {each: events for each, events in self.events_at.items() if each in self._ends}

    def way_after(self, number: int) -> tuple[int, dict[int, int]]:
        """The file is about to be read from a checkpoint on: where that is, and the ends of all up to there."""
        end = self._ends[number]
        if self._out is not None:
            self._out.flush()
        self._ends = {each: at for each, at in self._ends.items() if at <= end}
        self._count_as_at(number)
        return end, dict(self._ends)

    def go_on_after(self, end: int, ends: Mapping[int, int]) -> None:
        """A file that was read up to there, perhaps one of another process, holds up to there."""
        if not self.is_known:
            self.give_up()
            return
        self._early.clear()
        if self._out is not None:
            self._out.close()
        self._out = self.file.open("rb+", buffering=1 << 20)
        self._ends = dict(ends)
        self._cut(end)

    def _cut(self, end: int) -> None:
        assert self._out is not None
        self._out.seek(end)
        self._out.truncate()
        self._size = end

    def give_up(self) -> None:
        """Something happened that the file does not tell: from here on there is none, nor one of a process before."""
        self.is_known = False
        self._early.clear()
        self._event = b""
        out, self._out = self._out, None
        if out is not None:
            with suppress(OSError):  # closing writes the rest, and the disk may be full
                out.close()
        with suppress(OSError):
            self.file.unlink()

    def _write(self, kind: int, body: bytes, made: bytes = b"") -> None:
        if not self.is_known:
            return
        record = _packed(kind, body, made)
        if self._out is None:
            self._early.append(record)
            if len(self._early) > MOST_EARLY:
                self.give_up()
            return
        try:
            self._size += self._out.write(record)
        except OSError:  # the disk is full: nobody else should suffer from that
            self.give_up()
        if self._size > MOST_BYTES:
            self.give_up()


def _packed(kind: int, body: bytes, made: bytes = b"") -> bytes:
    is_packed = len(body) >= PACKED_FROM_BYTES
    if is_packed:
        body = lz4.block.compress(body)
    return b"".join((_RECORD.pack(kind, is_packed, len(made), len(body)), made, body))


class WrittenJournal:
    """The file of a process that has ended, read from its beginning."""

    def __init__(self, file: Path, start: int = 0) -> None:
        """`start`: where a record begins; what is before it was read already."""
        try:
            self._in = file.open("rb", buffering=1 << 20)
        except OSError as error:
            raise JournalError(f"its inputs are not known: {error.strerror}", file=file) from None
        self.events = 0
        try:
            self.live = CheckpointRecord.of(self._read(self._last_checkpoint())).live
            """The checkpoints that were kept when it was last written."""
        except BaseException:
            self._in.close()
            raise
        self._in.seek(start)

    def close(self) -> None:
        self._in.close()

    def _last_checkpoint(self) -> int:
        """Where its record begins; counts the events."""
        last = -1
        for kind, at in self._heads():
            self.events += kind == EVENT
            last = at if kind == CHECKPOINT else last
        if last < 0:
            raise JournalError("its inputs are not known: no checkpoint")
        return last

    def _heads(self) -> Iterator[tuple[int, int]]:
        self._in.seek(0)
        at = 0
        while len(head := self._in.read(_RECORD.size)) == _RECORD.size:
            kind, _, made, body = _RECORD.unpack(head)
            yield kind, at
            at += _RECORD.size + made + body
            self._in.seek(made + body, 1)

    def _read(self, at: int) -> Record:
        self._in.seek(at)
        record = self.next()
        if record is None:
            raise JournalError("its inputs are not known: the file is damaged")
        return record

    def next(self) -> Record | None:
        head = self._in.read(_RECORD.size)
        if not head:
            return None
        try:
            kind, is_packed, made_bytes, body_bytes = _RECORD.unpack(head)
            made, body = self._in.read(made_bytes), self._in.read(body_bytes)
            if len(made) + len(body) != made_bytes + body_bytes:
                raise JournalError("its inputs are not known: the file is damaged")
            return Record(kind, made, lz4.block.decompress(body) if is_packed else body, self._in.tell())
        except (struct.error, lz4.block.LZ4BlockError):
            raise JournalError("its inputs are not known: the file is damaged") from None
