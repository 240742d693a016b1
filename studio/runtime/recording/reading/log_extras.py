"""Attachments and metadata of a log, checked."""

from __future__ import annotations

from studio.runtime.recording.format.checksums import crc32
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import PREFIX, AttachmentIndex, Fields, MetadataIndex, Op
from studio.runtime.recording.format.metadata import opened


def read_attachment(source: LogSource, index: AttachmentIndex, *, is_own: bool) -> bytes:
    body = _body(source, Op.ATTACHMENT, index.offset, index.length)
    fields = Fields(body)
    told = fields.u64(), fields.u64(), fields.text(), fields.text(), fields.u64()
    if told != (index.log_time_ns, index.create_time_ns, index.name, index.media_type, index.size):
        raise source.damaged(f"attachment {index.name!r} does not match the index")
    data = bytes(fields.take(index.size))
    covered = fields.at
    crc = fields.u32()
    if (is_own and fields.left) or (crc and crc != crc32(body[:covered])):
        raise source.damaged(f"the checksum of attachment {index.name!r} is not that of its content")
    return data


def read_metadata(source: LogSource, index: MetadataIndex, *, is_own: bool) -> dict[str, str]:
    body = _body(source, Op.METADATA, index.offset, index.length)
    try:
        name, values = parse_metadata(body, is_own=is_own)
    except LogError as error:
        raise source.damaged(error.message) from error
    if name != index.name:
        raise source.damaged(f"metadata {index.name!r} does not match the index")
    return values


def parse_metadata(body: memoryview, *, is_own: bool) -> tuple[str, dict[str, str]]:
    """Name and values, checked as far as they can be: others have no checksum and may put more into the record."""
    fields = Fields(body)
    name, values = fields.text(), fields.text_map()
    if is_own and fields.left:
        raise LogError(f"metadata {name!r} and its record differ in length")
    return name, opened(name, values, must_be_sealed=is_own)


def _body(source: LogSource, wanted: Op, offset: int, length: int) -> memoryview:
    record = source.read(offset, length)
    if length < PREFIX.size or PREFIX.unpack_from(record) != (wanted, length - PREFIX.size):
        raise source.damaged(f"there is no {wanted.name.lower()} at byte {offset}, where the index says")
    return memoryview(record)[PREFIX.size :]
