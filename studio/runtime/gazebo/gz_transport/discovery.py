"""Finds what other processes offer, and tells them what this one offers. Used by one thread."""

from __future__ import annotations

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.base.refusals import Refusals
from studio.runtime.gazebo.gz_transport.directory import Change, Directory
from studio.runtime.gazebo.gz_transport.multicast import Multicast
from studio.runtime.gazebo.gz_transport.packets import BadPacket, Offer, Packet, Scope, Told, read_packet, write_packet

HEARTBEAT_NS = SECOND_NS
MOST_AT_ONCE = 500


class Discovery:
    """Of topics, or of services: each has a port of its own."""

    def __init__(self, process: str, multicast: Multicast, refusals: Refusals) -> None:
        self._process = process
        self._multicast = multicast
        self._refusals = refusals
        self._own: dict[tuple[str, str], Offer] = {}
        self._next_heartbeat_ns = 0
        self.directory = Directory(process)

    def fileno(self) -> int:
        return self._multicast.fileno()

    def offer(self, offer: Offer) -> None:
        self._own[offer.name, offer.node] = offer
        self.tell(Told.ADVERTISE, offer)

    def withdraw(self, offer: Offer) -> None:
        if self._own.pop((offer.name, offer.node), None) is not None:
            self.tell(Told.UNADVERTISE, offer)

    def ask_for(self, name: str) -> None:
        """Who offers this answers at once, and not only at its next heartbeat."""
        self._send(Packet(Told.SUBSCRIBE, self._process, topic=name))

    def receive(self, now_ns: int) -> list[Change]:
        changes: list[Change] = []
        for _ in range(MOST_AT_ONCE):
            received = self._multicast.receive()
            if received is None:
                break
            try:
                packet = read_packet(received[0])
            except BadPacket as bad:
                self._refusals.add(f"discovery from {received[1]}", bad)
                continue
            self._answer(packet)
            changes += self.directory.hear(packet, now_ns)
        return changes

    def beat(self, now_ns: int) -> list[Change]:
        """Once in a while: the own heartbeat, and an end to what has fallen silent."""
        if now_ns >= self._next_heartbeat_ns:
            self._next_heartbeat_ns = now_ns + HEARTBEAT_NS
            self._send(Packet(Told.HEARTBEAT, self._process))
            for offer in self._own.values():
                self.tell(Told.ADVERTISE, offer)
        return self.directory.expire(now_ns)

    def close(self) -> None:
        self._send(Packet(Told.BYE, self._process))
        self._multicast.close()

    def _answer(self, packet: Packet) -> None:
        if packet.kind == Told.SUBSCRIBE and packet.process != self._process:
            for (name, _), offer in self._own.items():
                if name == packet.topic:
                    self.tell(Told.ADVERTISE, offer)

    def tell(self, kind: Told, offer: Offer) -> None:
        if offer.scope != Scope.PROCESS:
            self._send(Packet(kind, self._process, offer))

    def _send(self, packet: Packet) -> None:
        self._multicast.send(write_packet(packet))
