"""What is written: a drive of 17,334 messages and 200 MB, 5.8 kB scans, 200 B poses and 640 kB maps."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from studio.messages import Map, MessageTypes, PoseTransform, Range3d
from studio.runtime.wire.frames import HEADER, TO_ALL, VERSION

COUNTS = {"/laser": 10_000, "/pose": 7_112, "/map": 222}
BYTES = {"/laser": 5_800, "/pose": 200, "/map": 640_000}
KINDS: dict[str, Any] = {"/laser": Range3d, "/pose": PoseTransform, "/map": Map}
PERIOD_NS = 8_000_000
SEEKS = 100

Item = tuple[str, bytes]


class Workload(NamedTuple):
    items: list[Item]
    headers: list[bytes]
    """Of the events, as they come over the wire."""
    megabytes: float
    times_ns: list[int]
    """To seek to."""


def workload(scale: float) -> Workload:
    chance = np.random.default_rng(1)
    payloads = {topic: b"\0\1\0\0" + chance.bytes(size - 4) for topic, size in BYTES.items()}
    topics = [topic for topic, count in COUNTS.items() for _ in range(max(1, int(count * scale)))]
    chance.shuffle(topics)
    items = [(topic, payloads[topic]) for topic in topics]
    times_ns = (chance.integers(0, len(items) - 1, SEEKS + 1) * PERIOD_NS).tolist()
    return Workload(items, wire_headers(topics), sum(len(payload) for _, payload in items) / 1e6, times_ns)


def wire_headers(topics: list[str]) -> list[bytes]:
    counts: Counter[str] = Counter()
    headers = []
    for number, topic in enumerate(topics):
        counts[topic] += 1
        stamp_ns = number * PERIOD_NS
        headers.append(HEADER.pack(VERSION, 0, 1, 0, 0, counts[topic], stamp_ns, stamp_ns, 0, 0, TO_ALL, 0, 0))
    return headers


def schema_texts() -> dict[str, tuple[str, str]]:
    """Name and text of the type of each topic."""
    types = MessageTypes.builtin()
    return {topic: (kind.SCHEMA_NAME, types.schema_text(kind)) for topic, kind in KINDS.items()}
