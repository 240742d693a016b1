"""Goes through a damaged log and finds what is intact in it, whatever comes between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from studio.runtime.recording.format.checksums import Bytes, crc32
from studio.runtime.recording.format.chunk import Chunk, checked_content
from studio.runtime.recording.format.compression import LARGEST_CHUNK_BYTES
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import (
    DATA_END,
    MAGIC,
    PREFIX,
    AttachmentIndex,
    ChunkHead,
    Fields,
    MetadataIndex,
    Op,
)
from studio.runtime.recording.format.record_walk import walk
from studio.runtime.recording.reading.log_extras import parse_metadata, read_attachment
from studio.runtime.recording.reading.log_index import OWN_LIBRARY, Definitions, HeaderTooLong, read_header
from studio.runtime.recording.reading.log_scan import (
    LOOSE,
    WINDOW_BYTES,
    Progress,
    attachment_index,
    check_shape,
    end_crc,
)

_HEAD_BYTES = PREFIX.size + 28 + 4 + 8 + 8
"""As long as the beginning of a chunk gets, up to its content."""
_NAME_LENGTH_AT = PREFIX.size + 28


@dataclass(frozen=True)
class Piece:
    """Messages that belong together: a chunk, or messages that lie in the file without one."""

    offset: int
    length: int
    is_loose: bool
    is_checked: bool
    """By a checksum. What has none is kept, because others write so, but it is said."""
    after_damage: bool
    """Whether something was lost between this piece and the one before."""


@dataclass
class Salvage:
    """What was found, in the order of the file."""

    profile: str = "ros2"
    library: str = ""
    pieces: list[Piece] = field(default_factory=list)
    definitions: Definitions = field(default_factory=Definitions)
    attachments: list[AttachmentIndex] = field(default_factory=list)
    metadata: list[MetadataIndex] = field(default_factory=list)
    damages: list[tuple[int, int, str]] = field(default_factory=list)
    """First byte, byte after the last, and what was wrong there."""
    reached_end: bool = False
    """Whether the end of the data was found, so that nothing can be missing behind the last piece."""

    @property
    def is_own(self) -> bool:
        return self.library.startswith(OWN_LIBRARY)


def salvage(source: LogSource, progress: Progress) -> Salvage:
    return _Salvager(source, progress).run()


class _Salvager:
    def __init__(self, source: LogSource, progress: Progress) -> None:
        self._source = source
        self._progress = progress
        self._found = Salvage()
        self._damaged_before = False
        self._last_ns = 0

    def run(self) -> Salvage:
        found, size = self._found, self._source.size
        at = self._begin()
        while at < size and not found.reached_end:
            self._progress(at, size)
            try:
                at = self._take(at)
            except LogError as error:
                at = self._skip(at, error.message)
        return found

    def _begin(self) -> int:
        """Where the first record after the header begins; a header that is damaged is done without."""
        try:
            self._found.profile, self._found.library, at = read_header(self._source)
        except HeaderTooLong as error:
            self._found.profile, self._found.library, at = error.profile, error.library, error.end
            self._found.damages.append((len(MAGIC), at, error.message))
        except LogError as error:
            return self._skip(min(len(MAGIC), self._source.size), error.message)
        return at

    def _skip(self, at: int, why: str) -> int:
        """Where the next intact thing begins. First it is looked for where the damaged record says that it ends.

        That length may be what is damaged, and end at a record further on just by chance. So what is inside has to
        agree with it; otherwise no intact chunk may be passed over. (Where it agrees, the inside is not searched: an
        attachment may be a log itself.)
        """
        after = self._next_by_length(at)
        if after is None:
            after = next_chunk(self._source, at + 1)
        elif not self._is_so_long(at, after - at):
            after = min(after, next_chunk(self._source, at + 1))
        self._found.damages.append((at, after, why))
        self._damaged_before = True
        return after

    def _is_so_long(self, at: int, length: int) -> bool:
        """Whether a record, of whatever kind, has lengths in it that add up to its own."""
        record = self._source.read(at, min(length, WINDOW_BYTES))
        return any(_adds_up(kind, record, length) for kind in (Op.CHUNK, Op.ATTACHMENT, Op.METADATA, Op.MESSAGE_INDEX))

    def _next_by_length(self, at: int) -> int | None:
        if at < len(MAGIC) or at + PREFIX.size > self._source.size:
            return None
        _, length = PREFIX.unpack(self._source.read(at, PREFIX.size))
        after = at + PREFIX.size + length
        if after >= self._source.size:
            return None
        probe = _Salvager(self._source, self._progress)
        probe._damaged_before, probe._last_ns = True, self._last_ns
        probe._found.library = self._found.library
        try:
            probe._take(after)
        except LogError:
            return None
        return int(after)

    def _take(self, at: int) -> int:
        """Take in the record at `at` if it is intact, and tell where the next one begins."""
        if at + PREFIX.size > self._source.size:
            raise LogError("the file ends within a record")
        op, length = PREFIX.unpack(self._source.read(at, PREFIX.size))
        end = int(at + PREFIX.size + length)
        if end > self._source.size:
            raise LogError("the file ends within a record")
        if op in LOOSE:
            return self._take_loose(at)
        if op == Op.CHUNK:
            self._take_chunk(at, end - at)
        elif op == Op.ATTACHMENT:
            head, is_own = self._source.read(at, min(end - at, WINDOW_BYTES)), self._found.is_own
            index = attachment_index(at, head, end - at, is_own=is_own)
            read_attachment(self._source, index, is_own=is_own)
            self._found.attachments.append(index)
        elif op == Op.METADATA:
            self._take_metadata(at, end - at)
        elif op == Op.DATA_END:
            end_crc(self._source.read(at, min(end - at, 2 * DATA_END.size)), self._found.is_own)
            self._found.reached_end = True
        elif end - at > LARGEST_CHUNK_BYTES:
            raise LogError("a record is too long")
        else:
            body = self._source.read(at, end - at)[PREFIX.size :]
            check_shape(op, memoryview(body), self._found.is_own or self._damaged_before)
        return end

    def _take_chunk(self, at: int, length: int) -> None:
        if length > LARGEST_CHUNK_BYTES:
            raise LogError("a chunk is too long")
        is_own = self._found.is_own
        head, content, _ = checked_content(self._source.read(at, length), must_have_crc=is_own, is_own=is_own)
        self._keep(content, Piece(at, length, False, bool(head.crc), self._damaged_before))

    def _take_loose(self, at: int) -> int:
        """Messages without a chunk are believed only up to the first damage: nothing proves where the next begins."""
        if self._damaged_before or self._found.is_own:
            raise LogError("there are messages outside of chunks")
        window = self._source.read(at, min(WINDOW_BYTES, self._source.size - at))
        records = walk(window, to_the_end=False)
        count = next((row for row, op in enumerate(records.ops.tolist()) if op not in LOOSE), len(records.ops))
        if not count:
            _, length = PREFIX.unpack_from(window)
            if length > LARGEST_CHUNK_BYTES:
                raise LogError("a message is too long")
            data = self._source.read(at, PREFIX.size + length)
        else:
            data = window[: int(records.ends[count - 1])]
        self._keep(data, Piece(at, len(data), True, False, False))
        return at + len(data)

    def _keep(self, content: Bytes, piece: Piece) -> None:
        chunk = Chunk(content)
        if len(chunk) and self._found.is_own:
            if chunk.times[0] < self._last_ns:
                raise LogError("a chunk is older than the one before it")
            self._last_ns = chunk.times[-1]
        self._found.definitions.learn(*chunk.definitions)
        self._found.pieces.append(piece)
        self._damaged_before = False

    def _take_metadata(self, at: int, length: int) -> None:
        if length > LARGEST_CHUNK_BYTES:
            raise LogError("metadata is too long")
        body = memoryview(self._source.read(at, length))[PREFIX.size :]
        name, _ = parse_metadata(body, is_own=self._found.is_own)
        self._found.metadata.append(MetadataIndex(at, length, name))


def _adds_up(kind: Op, record: bytes, length: int) -> bool:
    """Whether a record that begins so and has this length would be one of this kind, judged by its lengths alone."""
    body = memoryview(record)[PREFIX.size :]
    try:
        if kind == Op.CHUNK:
            head, at = ChunkHead.parse(body)
            return PREFIX.size + at + head.stored_size == length
        if kind == Op.ATTACHMENT:
            return attachment_index(0, record, length, is_own=True).length == length
        if kind == Op.METADATA:
            fields = Fields(body)
            fields.text()
            return PREFIX.size + fields.u32() + fields.at == length
        check_shape(Op.MESSAGE_INDEX, body, True)
        return len(record) == length
    except LogError:
        return False


def next_chunk(source: LogSource, start: int) -> int:
    """Where the next chunk begins whose checksum is right; the end of the file if there is none."""
    for at in _likely_chunks(source, start):
        try:
            head, before = ChunkHead.parse(
                memoryview(source.read(at, min(_HEAD_BYTES, source.size - at)))[PREFIX.size :]
            )
            length = PREFIX.size + before + head.stored_size
            if head.crc and length <= min(LARGEST_CHUNK_BYTES, source.size - at):
                checked_content(source.read(at, length), must_have_crc=True, is_own=True)
                return at
        except LogError:
            continue
    return source.size


def _likely_chunks(source: LogSource, start: int) -> Iterator[int]:
    """Places where the operation of a chunk stands, and lengths that are not absurd."""
    for base in range(start, source.size - _HEAD_BYTES, WINDOW_BYTES):
        window = source.read(base, min(WINDOW_BYTES + _HEAD_BYTES, source.size - base))
        raw = np.frombuffer(window, np.uint8)
        places = np.flatnonzero(raw[: min(WINDOW_BYTES, len(raw) - _HEAD_BYTES)] == Op.CHUNK)
        for within in range(6, 9):
            places = places[raw[places + within] == 0]
        places = places[raw[places + _NAME_LENGTH_AT] <= 4]
        for within in range(1, 4):
            places = places[raw[places + _NAME_LENGTH_AT + within] == 0]
        yield from (base + place for place in places.tolist())


def content_of(source: LogSource, piece: Piece) -> tuple[Bytes, str, bytes]:
    """The content of a piece, and compression and bytes as it is stored."""
    record = source.read(piece.offset, piece.length)
    if piece.is_loose:
        return record, "", record
    head, content, stored = checked_content(record, must_have_crc=piece.is_checked, is_own=False)
    return content, head.compression, bytes(stored)


def new_head(chunk: Chunk, content: Bytes, compression: str, stored: bytes) -> ChunkHead:
    """All from the content: what a damaged record says of times is not to be believed."""
    times = (chunk.times[0], chunk.times[-1]) if len(chunk) else (0, 0)
    return ChunkHead(*times, len(content), crc32(content), compression, len(stored))
