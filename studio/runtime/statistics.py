"""What a receiver saw of a topic: counts, losses by sequence, and latency."""

from __future__ import annotations

import bisect

EDGES_US = (
    10, 15, 20, 30, 40, 50, 60, 75, 90, 110, 130, 160, 190, 220, 260, 310, 370, 440, 520, 620, 740, 880, 1050, 1250,
    1500, 1800, 2150, 2500, 3000, 4000, 5000, 7000, 10_000, 15_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
)  # fmt: skip
"""Upper edges of the latency classes: about 20 % apart where systems live."""


class TopicStatistics:
    __slots__ = ("bytes", "count", "last", "lost", "slots")

    def __init__(self) -> None:
        self.count = 0
        self.bytes = 0
        self.last = 0
        self.lost = 0
        """Events that never arrived, counted exactly from the sequence."""
        self.slots = [0] * (len(EDGES_US) + 1)

    def saw(self, sequence: int, size: int, age_ns: int) -> None:
        self.count += 1
        self.bytes += size
        if sequence != self.last + 1 and self.last and sequence > self.last:
            self.lost += sequence - self.last - 1
        self.last = sequence
        self.slots[bisect.bisect_left(EDGES_US, age_ns / 1000)] += 1

    def summary(self) -> dict[str, object]:
        return {"count": self.count, "bytes": self.bytes, "lost": self.lost, "last": self.last, "latency": self.slots}


def percentile_us(slots: list[int], share: float) -> float | None:
    """The latency below which `share` of the events stayed (upper edge of its class); None without events."""
    total = sum(slots)
    if not total:
        return None
    seen = 0
    for index, count in enumerate(slots):
        seen += count
        if seen >= share * total:
            return float(EDGES_US[min(index, len(EDGES_US) - 1)])
    return float(EDGES_US[-1])
