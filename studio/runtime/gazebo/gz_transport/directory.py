"""Who offers what, as far as the packets of discovery tell. Plain: time is handed in, and nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.gz_transport.packets import Offer, Packet, Told

SILENCE_NS = 3 * SECOND_NS
"""A process that has sent nothing for so long is gone. It sends its heartbeat every second."""
MOST_OFFERS = 20_000
"""Of all processes together; a network that tells more is not believed."""


@dataclass(frozen=True)
class Found:
    offer: Offer


@dataclass(frozen=True)
class Lost:
    offer: Offer
    reason: str


Change = Found | Lost


class Directory:
    def __init__(self, own_process: str) -> None:
        self._own = own_process
        self._offers: dict[str, dict[tuple[str, str, str], Offer]] = {}
        """By process; an offer is known by its name, node and address."""
        self._heard_ns: dict[str, int] = {}

    def offers(self, name: str | None = None) -> list[Offer]:
        return [offer for of_one in self._offers.values() for offer in of_one.values() if name in (None, offer.name)]

    def processes(self) -> dict[str, int]:
        """When each was last heard of."""
        return dict(self._heard_ns)

    def hear(self, packet: Packet, now_ns: int) -> list[Change]:
        if packet.process == self._own:
            return []
        if packet.kind == Told.BYE:
            return self._forget(packet.process, "it ended")
        self._heard_ns[packet.process] = now_ns
        offer = packet.offer
        if offer is None or not offer.name:
            return []
        if packet.kind == Told.ADVERTISE:
            return self._add(packet.process, offer)
        if packet.kind == Told.UNADVERTISE:
            return self._remove(packet.process, offer)
        return []

    def expire(self, now_ns: int) -> list[Change]:
        silent = [process for process, heard_ns in self._heard_ns.items() if now_ns - heard_ns > SILENCE_NS]
        return [change for process in silent for change in self._forget(process, "it has been silent for 3 s")]

    def _add(self, process: str, offer: Offer) -> list[Change]:
        mine = self._offers.setdefault(process, {})
        key = _key(offer)
        if mine.get(key) == offer or (key not in mine and self._count() >= MOST_OFFERS):
            return []
        before = mine.get(key)
        mine[key] = offer
        return [*([Lost(before, "it is now offered in another way")] if before else []), Found(offer)]

    def _remove(self, process: str, offer: Offer) -> list[Change]:
        mine = self._offers.get(process, {})
        gone = mine.pop(_key(offer), None)
        return [Lost(gone, "it is no longer offered")] if gone else []

    def _forget(self, process: str, reason: str) -> list[Change]:
        self._heard_ns.pop(process, None)
        return [Lost(offer, reason) for offer in self._offers.pop(process, {}).values()]

    def _count(self) -> int:
        return sum(map(len, self._offers.values()))

    def __iter__(self) -> Iterator[Offer]:
        return iter(self.offers())


def _key(offer: Offer) -> tuple[str, str, str]:
    return offer.name, offer.node, offer.address
