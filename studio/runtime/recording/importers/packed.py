"""Messages and files that the recorder of ROS 2 has compressed one by one: told by their first bytes.

Only the list of a bag's files says that they are, and loose files have lost it. A message in CDR begins with a zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from studio.messages import MessageError
from studio.model.files import open_regular
from studio.runtime.recording.format.chunk import Chunk, checked_content
from studio.runtime.recording.format.compression import unpack_zstd, unpack_zstd_file
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import MESSAGE, PREFIX, Op
from studio.runtime.recording.importers.output import Watch
from studio.runtime.recording.reading.log_index import OWN_LIBRARY, read_header

ZSTD = b"\x28\xb5\x2f\xfd"
ENDING = ".zstd"
_CDR_HEADER_BYTES = 4

Payload = TypeVar("Payload", bytes, memoryview)


def plain(payload: Payload) -> Payload | bytes:
    """A message in CDR as it was before the recorder compressed it, if it did. Raises MessageError for all else."""
    if _is_cdr(payload):
        return payload
    try:
        found = unpack_zstd(payload) if payload[: len(ZSTD)] == ZSTD else bytes(payload)
    except LogError as error:
        raise MessageError(error.message) from error
    if not _is_cdr(found):
        raise MessageError(f"is neither CDR nor CDR compressed by zstd; it begins with {found[:4].hex(' ')}")
    return found


def _is_cdr(payload: bytes | memoryview) -> bool:
    return len(payload) >= _CDR_HEADER_BYTES and payload[0] == 0


def needs_copy(path: Path) -> bool:
    """Whether an MCAP file cannot be read as it is: its messages are of ROS 1, or compressed one by one, which the
    first one tells."""
    try:
        with LogSource(path) as source:
            profile, library, at = read_header(source)
            if library.startswith(OWN_LIBRARY):
                return False
            return profile == "ros1" or _first_payload(source, at)[: len(ZSTD)] == ZSTD
    except LogError:
        return False  # told when it is read


def _first_payload(source: LogSource, at: int) -> bytes:
    while at + PREFIX.size <= source.size:
        op, length = PREFIX.unpack(source.read(at, PREFIX.size))
        end = at + PREFIX.size + length
        if op == Op.MESSAGE:
            return source.read(at + MESSAGE.size, min(len(ZSTD), end - at - MESSAGE.size))
        if op == Op.CHUNK:
            chunk = Chunk(checked_content(source.read(at, end - at), must_have_crc=False, is_own=False)[1])
            if len(chunk):
                return bytes(chunk.payload(0)[: len(ZSTD)])
        elif op == Op.DATA_END:
            break
        at = end
    return b""


@contextmanager
def unpacked(files: list[Path], beside: Path, watch: Watch) -> Iterator[list[Path]]:
    """The same files, those that are compressed by copies that last as long as this does. `beside`: the new log."""
    packed = [file for file in files if is_packed_file(file)]
    if not packed:
        yield files
        return
    try:
        with TemporaryDirectory(prefix=".unpacked-", dir=beside.parent) as folder:
            copies = {file: Path(folder) / file.name.removesuffix(ENDING) for file in packed}
            for file, copy in copies.items():
                unpack_zstd_file(file, copy, watch.at)
            yield [copies.get(file, file) for file in files]
    except OSError as error:
        raise LogError(f"cannot be decompressed: {error.strerror or error}", file=packed[0]) from error


def is_packed_file(path: Path) -> bool:
    try:
        with open_regular(path) as file:
            return file.read(len(ZSTD)) == ZSTD
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}", file=path) from error
