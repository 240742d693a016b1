"""The same events as a log of ours and as one of LCM's."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

from studio.messages import Range3d
from studio.runtime.recording import LogWriter

START_NS = 1_600_000_000_000_000_000
RATES_HZ = {"/bench/scan": 100.0, "/bench/pose": 37.6, "/bench/map": 10.0}
SCAN_BYTES = 5800
_BODY = struct.Struct("<4sq")


class Item(NamedTuple):
    topic: str
    time_ns: int
    """Since the start."""
    payload: bytes


def payload(number: int, size: int) -> bytes:
    """As CDR begins, then the number of the event, then nothing of interest."""
    return _BODY.pack(b"\0\1\0\0", number) + bytes(size - _BODY.size)


def three_streams(seconds: float) -> list[Item]:
    """100, 37.6 and 10 Hz, by time, numbered from 0."""
    times = [
        (round(at * 1e9 / rate_hz), topic)
        for topic, rate_hz in RATES_HZ.items()
        for at in range(int(seconds * rate_hz))
    ]
    return [Item(topic, time_ns, payload(number, 1000)) for number, (time_ns, topic) in enumerate(sorted(times))]


def scans(count: int) -> list[Item]:
    """Scans of 5.8 kB, a thousand a second."""
    return [Item("/bench/scan", number * 1_000_000, payload(number, SCAN_BYTES)) for number in range(count)]


def write_ours(path: Path, items: list[Item]) -> Path:
    with LogWriter(path) as log:
        channels = {topic: log.add_topic(topic, Range3d) for topic in dict.fromkeys(item.topic for item in items)}
        counts = dict.fromkeys(channels, 0)
        for topic, time_ns, content in items:
            counts[topic] += 1
            at_ns = START_NS + time_ns
            log.write(channels[topic], content, log_time_ns=at_ns, sequence=counts[topic], stamp_ns=at_ns, flags=1)
    return path


def write_lcm(path: Path, items: list[Item]) -> Path:
    import lcm

    log = lcm.EventLog(str(path), "w", overwrite=True)
    for topic, time_ns, content in items:
        log.write_event((START_NS + time_ns) // 1000, topic, content)
    log.close()
    return path
