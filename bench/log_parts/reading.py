"""How each contender reads a log from its first message to its last, and seeks in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.harness import OURS
from bench.log_parts.workload import PERIOD_NS
from bench.log_parts.writing import PLAIN, PLAIN_HEAD
from studio.runtime.recording import LogReader
from studio.runtime.recording.format.checksums import crc32


def read_ours(path: Path) -> int:
    with LogReader(path) as log:
        total = sum([len(event.payload) for event in log.events()])
        if log.gaps:
            raise RuntimeError(f"gaps: {log.gaps[:3]}")
    return total


def read_mcap(path: Path) -> int:
    from mcap.reader import make_reader

    with path.open("rb") as stream:
        return sum([len(message.data) for _, _, message in make_reader(stream).iter_messages()])


def read_small_mcap(path: Path) -> int:
    from small_mcap import McapFile

    with McapFile.open(path) as log:
        return sum([len(message.data) for _, _, message in log.read_message()])


def read_rosbags(path: Path) -> int:
    from rosbags.rosbag2 import Reader

    with Reader(path) as log:
        return sum([len(data) for _, _, data in log.messages()])


def read_plain(path: Path) -> int:
    total = 0
    with path.open("rb") as stream:
        while head := stream.read(PLAIN_HEAD.size):
            _, _, length, crc = PLAIN_HEAD.unpack(head)
            payload = stream.read(length)
            if crc32(payload) != crc:
                raise RuntimeError("damaged")
            total += length
    return total


READERS: dict[str, Callable[[Path], int]] = {
    OURS: read_ours,
    "mcap": read_mcap,
    "small-mcap": read_small_mcap,
    "foxglove-sdk": read_small_mcap,
    "rosbags": read_rosbags,
    PLAIN: read_plain,
}


# Seeking: each opens a log and gives a function of the time


@contextmanager
def seek_ours(path: Path) -> Iterator[Callable[[int], object]]:
    with LogReader(path) as log:
        yield log.first_from


@contextmanager
def seek_mcap(path: Path) -> Iterator[Callable[[int], object]]:
    from mcap.reader import make_reader

    with path.open("rb") as stream:
        log = make_reader(stream)
        yield lambda time_ns: next(log.iter_messages(starting_at=time_ns))


@contextmanager
def seek_small_mcap(path: Path) -> Iterator[Callable[[int], object]]:
    from small_mcap import McapFile

    with McapFile.open(path) as log:
        yield lambda time_ns: next(iter(log.read_message(start_time_ns=time_ns)))


@contextmanager
def seek_rosbags(path: Path) -> Iterator[Callable[[int], object]]:
    from rosbags.rosbag2 import Reader

    with Reader(path) as log:
        yield lambda time_ns: next(log.messages(start=time_ns))


@contextmanager
def seek_plain(path: Path) -> Iterator[Callable[[int], object]]:
    """With a table of all messages in memory, made on opening by reading the whole file."""
    places, at = [], 0
    with path.open("rb") as stream:
        while head := stream.read(PLAIN_HEAD.size):
            places.append((at, PLAIN_HEAD.unpack(head)[2]))
            at = stream.seek(places[-1][1], os.SEEK_CUR)

        def seek(time_ns: int) -> object:
            start, length = places[time_ns // PERIOD_NS]
            stream.seek(start + PLAIN_HEAD.size)
            return crc32(stream.read(length))

        yield seek


SEEKERS: dict[str, Any] = {
    OURS: seek_ours,
    "mcap": seek_mcap,
    "small-mcap": seek_small_mcap,
    "foxglove-sdk": seek_small_mcap,
    "rosbags": seek_rosbags,
    PLAIN: seek_plain,
}
