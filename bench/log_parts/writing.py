"""How each contender writes a log."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path

from bench.harness import OURS
from bench.log_parts.workload import COUNTS, KINDS, PERIOD_NS, Workload, schema_texts
from studio.runtime.recording import LogWriter
from studio.runtime.recording.format.checksums import crc32

_AT_ONCE = 16
"""So many frames are taken from the socket between two looks at the clock."""


def write_ours(path: Path, work: Workload) -> None:
    """As the recorder does it."""
    log = LogWriter(path)
    numbers = {topic: log.add_topic(topic, kind) for topic, kind in KINDS.items()}
    now_ns = time.monotonic_ns
    for number, ((topic, payload), header) in enumerate(zip(work.items, work.headers, strict=True)):
        log.write_frame(numbers[topic], header, payload, number * PERIOD_NS)
        if number % _AT_ONCE == 0:
            log.tick(now_ns())
    log.close(sync=False)


def write_mcap(path: Path, work: Workload) -> None:
    from mcap.writer import CompressionType, Writer

    with path.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.NONE)
        writer.start("ros2", "bench")
        numbers = {}
        for topic, (name, text) in schema_texts().items():
            schema = writer.register_schema(name, "ros2msg", text.encode())
            numbers[topic] = writer.register_channel(topic, "cdr", schema)
        for number, (topic, payload) in enumerate(work.items):
            writer.add_message(numbers[topic], number * PERIOD_NS, payload, number * PERIOD_NS, number)
        writer.finish()  # type: ignore[no-untyped-call]


def write_small_mcap(path: Path, work: Workload) -> None:
    from small_mcap import CompressionType, McapWriter

    with path.open("wb") as stream:
        writer = McapWriter(stream, compression=CompressionType.NONE)
        writer.start("ros2", "bench")
        numbers = {}
        for number, (topic, (name, text)) in enumerate(schema_texts().items(), 1):
            writer.add_schema(number, name, "ros2msg", text.encode())
            writer.add_channel(number, topic, "cdr", number)
            numbers[topic] = number
        for number, (topic, payload) in enumerate(work.items):
            writer.add_message(numbers[topic], number * PERIOD_NS, payload, number * PERIOD_NS, number)
        writer.finish()


def write_foxglove(path: Path, work: Workload) -> None:
    import foxglove
    from foxglove.mcap import MCAPWriteOptions

    context = foxglove.Context()
    options = MCAPWriteOptions(compression=None, profile="ros2")
    with foxglove.open_mcap(path, context=context, writer_options=options):
        channels = {}
        for topic, (name, text) in schema_texts().items():
            schema = foxglove.Schema(name=name, encoding="ros2msg", data=text.encode())
            channels[topic] = foxglove.Channel(topic, message_encoding="cdr", schema=schema, context=context)
        for number, (topic, payload) in enumerate(work.items):
            channels[topic].log(payload, log_time=number * PERIOD_NS)


def write_rosbags(path: Path, work: Workload) -> None:
    from rosbags.rosbag2 import StoragePlugin, Writer

    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connections = {
            topic: writer.add_connection(topic, name, msgdef=text, rihs01="RIHS01_" + "0" * 64)
            for topic, (name, text) in schema_texts().items()
        }
        for number, (topic, payload) in enumerate(work.items):
            writer.write(connections[topic], number * PERIOD_NS, payload)


PLAIN = "plain file"
PLAIN_HEAD = struct.Struct("<QBII")


def write_plain(path: Path, work: Workload) -> None:
    """Time, topic, length and CRC before each message, and nothing else: about the least that a log can do."""
    places = {topic: number for number, topic in enumerate(COUNTS)}
    with path.open("wb") as stream:
        for number, (topic, payload) in enumerate(work.items):
            stream.write(PLAIN_HEAD.pack(number * PERIOD_NS, places[topic], len(payload), crc32(payload)))
            stream.write(payload)


WRITERS: dict[str, Callable[[Path, Workload], object]] = {
    OURS: write_ours,
    "mcap": write_mcap,
    "small-mcap": write_small_mcap,
    "foxglove-sdk": write_foxglove,
    "rosbags": write_rosbags,
    PLAIN: write_plain,
}
