"""What a log contains and where: taken from its summary, so that opening does not depend on the length of the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from studio.messages import EventHeaders
from studio.runtime.recording.format.checksums import crc32
from studio.runtime.recording.format.chunk import Names
from studio.runtime.recording.format.chunk_table import ChunkTable, table_of
from studio.runtime.recording.format.errors import LogError, repair_command
from studio.runtime.recording.format.header_batch import HEADERS_TOPIC
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import (
    FOOTER,
    MAGIC,
    NO_SCHEMA,
    PREFIX,
    AttachmentIndex,
    Channel,
    Fields,
    Footer,
    MetadataIndex,
    Op,
    Schema,
    Statistics,
)
from studio.runtime.recording.format.record_walk import walk
from studio.runtime.wire.frames import topic_hash

OWN_LIBRARY = "robot-systems-studio"
_LONGEST_HEADER = 64 * 1024


@dataclass
class Definitions:
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)

    def learn(self, schemas: Iterable[memoryview], channels: Iterable[memoryview]) -> None:
        """Take in definitions; one number has one meaning in a log."""
        for body in schemas:
            schema = Schema.parse(body)
            if not schema.number:
                continue  # no channel can mean it: 0 stands for none
            if self.schemas.setdefault(schema.number, schema) != schema:
                raise LogError(f"schema {schema.number} is defined in two ways")
        for body in channels:
            channel = Channel.parse(body)
            if self.channels.setdefault(channel.number, channel) != channel:
                raise LogError(f"channel {channel.number} is defined in two ways")

    def schema_of(self, channel: Channel) -> Schema:
        return self.schemas.get(channel.schema_number, NO_SCHEMA)


@dataclass
class LogIndex:
    """`problems` tells what is wrong with a log that can be read all the same, e.g. that it was never finished."""

    profile: str
    library: str
    definitions: Definitions
    chunks: ChunkTable
    counts: Mapping[int, int]
    """Messages of each channel."""
    attachments: list[AttachmentIndex]
    metadata: list[MetadataIndex]
    is_finished: bool = True
    problems: list[str] = field(default_factory=list)

    @property
    def is_own(self) -> bool:
        return self.library.startswith(OWN_LIBRARY)


class HeaderTooLong(LogError):
    """A header of ours says that it goes on after what is in it. Others may put more there, we do not."""

    def __init__(self, profile: str, library: str, end: int) -> None:
        super().__init__("its header is damaged")
        self.profile = profile
        self.library = library
        self.end = end


def read_header(source: LogSource) -> tuple[str, str, int]:
    """Profile and library, and where the first record after the header begins."""
    first = source.read(0, min(source.size, _LONGEST_HEADER))
    if not first.startswith(MAGIC):
        hint = f"if it was one: {repair_command(source.path)}" if source.path.suffix == ".mcap" else ""
        raise LogError("is not an MCAP file", file=source.path, hint=hint)
    if len(first) < len(MAGIC) + PREFIX.size:
        raise LogError("ends before it begins: it holds no record", file=source.path)
    op, length = PREFIX.unpack_from(first, len(MAGIC))
    start = len(MAGIC) + PREFIX.size
    if op != Op.HEADER or start + length > len(first):
        raise source.damaged("it does not begin with a header")
    fields = Fields(memoryview(first)[start : start + length])
    profile, library = fields.text(), fields.text()
    if fields.left and library.startswith(OWN_LIBRARY):
        raise HeaderTooLong(profile, library, start + fields.at)
    return profile, library, start + length


def read_footer(source: LogSource) -> Footer | None:
    """None if the log was not finished, or its end is damaged."""
    length = FOOTER.size + len(MAGIC)
    if source.size < len(MAGIC) + length:
        return None
    data = source.read(source.size - length, length)
    op, size, *values = FOOTER.unpack_from(data)
    if not data.endswith(MAGIC) or op != Op.FOOTER or size != FOOTER.size - PREFIX.size:
        return None
    return Footer(*values)


def read_summary(source: LogSource, *, believe_header: bool = True) -> LogIndex | None:
    """The index of a log, or None if it has no summary or one that does not tell where each message is."""
    footer = read_footer(source)
    if footer is None or not footer.summary_start:
        return None
    end = source.size - FOOTER.size - len(MAGIC)
    if footer.summary_start > end:
        raise source.damaged("its summary would begin after its end")
    data = source.read(footer.summary_start, source.size - footer.summary_start - len(MAGIC))
    if footer.summary_crc and crc32(memoryview(data)[:-4]) != footer.summary_crc:
        raise source.damaged("the checksum of its summary is wrong")
    records = walk(memoryview(data)[: end - footer.summary_start])
    profile, library, _ = read_header(source) if believe_header else ("", "", 0)
    definitions = Definitions()
    definitions.learn(records.of(Op.SCHEMA).bodies(), records.of(Op.CHANNEL).bodies())
    chunks = table_of(records.of(Op.CHUNK_INDEX), source.size)
    statistics = [Statistics.parse(body) for body in records.of(Op.STATISTICS).bodies()]
    if not statistics or chunks is None or not _tells_all(definitions, chunks, statistics[0]):
        return None
    attachments = [AttachmentIndex.parse(body) for body in records.of(Op.ATTACHMENT_INDEX).bodies()]
    metadata = [MetadataIndex.parse(body) for body in records.of(Op.METADATA_INDEX).bodies()]
    if (len(attachments), len(metadata)) != (statistics[0].attachments, statistics[0].metadata):
        return None
    return LogIndex(profile, library, definitions, chunks, statistics[0].counts, attachments, metadata)


def _tells_all(definitions: Definitions, chunks: ChunkTable, told: Statistics) -> bool:
    """Writers may leave out message indexes, channels, schemas: then the summary is not enough."""
    if not int(chunks.messages.sum()) == told.messages == sum(told.counts.values()):
        return False
    channels = definitions.channels
    filled = {number for number, count in told.counts.items() if count}
    wanted = {channels[number].schema_number for number in filled & channels.keys()}
    return filled <= channels.keys() and wanted - {0} <= definitions.schemas.keys()


def topic_names(definitions: Definitions) -> dict[int, str]:
    """Channel -> topic. Of writers that mean another type by the same name, the first keeps it."""
    meant: dict[str, tuple[object, ...]] = {}
    names: dict[int, str] = {}
    for number, channel in definitions.channels.items():
        schema = definitions.schema_of(channel)
        meaning, name = (channel.encoding, *schema[1:]), channel.topic
        while meant.setdefault(name, meaning) != meaning:
            name += f" ({schema.name or channel.encoding or 'of another type'})"
        names[number] = name
    return names


def names_of(definitions: Definitions) -> Names:
    topics = topic_names(definitions)
    carriers = (
        number
        for number, channel in definitions.channels.items()
        if channel.topic == HEADERS_TOPIC and definitions.schema_of(channel).name == EventHeaders.SCHEMA_NAME
    )
    hashes = {number: topic_hash(channel.topic) for number, channel in definitions.channels.items()}
    return Names(topics, hashes, frozenset(carriers))
