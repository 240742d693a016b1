"""What a receiver saw of a topic: counts, losses by sequence, and latency."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

EDGES_US = (
    10, 15, 20, 30, 40, 50, 60, 75, 90, 110, 130, 160, 190, 220, 260, 310, 370, 440, 520, 620, 740, 880, 1050, 1250,
    1500, 1800, 2150, 2500, 3000, 4000, 5000, 7000, 10_000, 15_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
)  # fmt: skip
"""Upper edges of the latency classes: about 20 % apart where systems live."""
_EDGES_NS = tuple(edge * 1000 for edge in EDGES_US)

MOST_TOLD = 2**63 - 1
"""A report tells no higher number: readers refuse the whole report, and its host would look silent. Forged frames can
make a count as high as they like."""
NEW_BROKER = 1 << 39
"""What a restarted broker sends itself goes on 2^40 further on: a jump, and no loss."""


class TopicStatistics:
    __slots__ = ("bytes", "count", "epoch", "first", "last", "lost", "slots")

    def __init__(self) -> None:
        self.count = 0
        self.bytes = 0
        self.first = 0
        self.last = 0
        self.epoch = 0
        self.lost = 0
        """Events that never arrived, counted exactly from the sequence, within an epoch: in the next one somebody else
        may send, who counts from elsewhere."""
        self.slots = [0] * (len(EDGES_US) + 1)

    def saw(self, sequence: int, size: int, age_ns: int, epoch: int = 0) -> None:
        if not self.count:
            self.first = sequence
        self.count += 1
        self.bytes += size
        missing = sequence - self.last - 1
        if 0 < missing < NEW_BROKER and self.last and epoch == self.epoch:
            self.lost += missing
        self.last, self.epoch = sequence, epoch
        self.slots[bisect_left(_EDGES_NS, age_ns)] += 1

    def missed(self) -> None:
        """What was seen last could not be had any more."""
        self.count -= 1
        self.lost += 1

    def summary(self) -> dict[str, object]:
        counts = {"count": self.count, "bytes": self.bytes, "lost": self.lost, "first": self.first, "last": self.last}
        return {**{name: told(count) for name, count in counts.items()}, "latency": self.slots}


def told(count: int) -> int:
    """As a report can tell it."""
    return min(count, MOST_TOLD)


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


@dataclass
class TopicTotals:
    """One topic over all hosts of a run, put together from their reports."""

    count: int = 0
    """Events that have passed, whoever published them and whether or not anybody receives them."""
    bytes: int | None = None
    """The payloads, also those in shared memory, as the receiver that saw most has counted; None if no receiver has."""
    drops: int | None = None
    """Events that a receiver did not get: lost on the way or replaced by newer ones; each receiver counts. None if
    nobody receives the topic."""
    slots: list[int] = field(default_factory=lambda: [0] * (len(EDGES_US) + 1))

    def latency_us(self, share: float) -> float | None:
        return percentile_us(self.slots, share)


def topic_totals(
    reports: Iterable[Mapping[str, Any]], topics: Iterable[str], played: Mapping[str, int] = MappingProxyType({})
) -> dict[str, TopicTotals]:
    """What the hosts' reports tell of `topics`, in their order. `played`: what the player of a log has sent of each.

    That counts alone where there is a player: the sequences of a log do not begin with 1, and leave out what is passed
    over, so that its receivers cannot tell from them how many there were.
    """
    totals = {topic: TopicTotals() for topic in topics}
    for report in reports:
        for component in report["components"].values():
            for topic, count in component.get("published", {}).items():
                if topic in totals:
                    totals[topic].count = max(totals[topic].count, count)
        for topic, seen in report.get("topics", {}).items():
            if topic in totals:
                _add_receiver(totals[topic], seen)
    for topic in played.keys() & totals.keys():
        totals[topic].count = played[topic]
    return totals


def _add_receiver(total: TopicTotals, seen: Mapping[str, Any]) -> None:
    # A producer that was killed reports less than its receivers have seen. A program may report no more than `count`
    # and `lost` (docs/protocol.md, section 6).
    total.count = max(total.count, seen.get("last", seen.get("count", 0)))
    if "bytes" in seen:
        total.bytes = max(total.bytes or 0, seen["bytes"])
    total.drops = (total.drops or 0) + seen.get("lost", 0) + sum(seen.get("dropped", {}).values())
    if "latency" in seen:
        total.slots = [one + other for one, other in zip(total.slots, seen["latency"], strict=True)]
