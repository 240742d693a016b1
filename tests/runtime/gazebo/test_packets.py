"""Packets of discovery, and what they tell about who offers what."""

from __future__ import annotations

import random

import pytest

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.gz_transport.directory import Directory, Found, Lost
from studio.runtime.gazebo.gz_transport.packets import BadPacket, Offer, Packet, Told, read_packet, write_packet

TOPIC = Offer("@/p@/scan", "tcp://127.0.0.1:4000", "process", "node", type_name="gz.msgs.LaserScan")
SERVICE = Offer(
    "@/p@/control", "tcp://127.0.0.1:4001", "process", "node", 2, "gz.msgs.WorldControl", "gz.msgs.Boolean", "socket"
)


@pytest.mark.parametrize(
    "packet",
    [
        Packet(Told.HEARTBEAT, "process"),
        Packet(Told.SUBSCRIBE, "process", topic="@/p@/scan"),
        Packet(Told.ADVERTISE, "process", TOPIC),
        Packet(Told.ADVERTISE, "process", SERVICE),
        Packet(4711, "process"),
    ],
)
def test_a_packet_survives_its_bytes(packet: Packet) -> None:
    assert read_packet(write_packet(packet)) == packet


def test_packets_of_other_versions_and_wrong_lengths_are_refused() -> None:
    good = write_packet(Packet(Told.HEARTBEAT, "process"))
    for bad in (b"", b"\x01", good + b"x", good[:-1], write_packet(Packet(Told.HEARTBEAT, "process", version=9))):
        with pytest.raises(BadPacket):
            read_packet(bad)


def test_mutated_packets_are_read_or_refused(scaled) -> None:
    random.seed(11)
    directory, seeds = Directory("me"), [write_packet(Packet(Told.ADVERTISE, "p", each)) for each in (TOPIC, SERVICE)]
    for number in range(scaled(100_000)):
        body = bytearray(random.choice(seeds)[2:])
        for _ in range(random.randrange(1, 5)):
            body[random.randrange(len(body))] = random.randrange(256)
        try:
            directory.hear(read_packet(len(body).to_bytes(2, "little") + bytes(body)), number)
        except BadPacket:
            continue
    assert directory.expire(10**15) or not directory.offers()


def test_an_offer_is_found_once_and_lost_with_its_process() -> None:
    directory = Directory("me")
    assert directory.hear(Packet(Told.ADVERTISE, "process", TOPIC), 0) == [Found(TOPIC)]
    assert directory.hear(Packet(Told.ADVERTISE, "process", TOPIC), SECOND_NS) == []
    assert directory.hear(Packet(Told.BYE, "process"), SECOND_NS) == [Lost(TOPIC, "it ended")]
    assert directory.offers() == []


def test_a_process_that_is_silent_for_three_seconds_is_lost() -> None:
    directory = Directory("me")
    directory.hear(Packet(Told.ADVERTISE, "process", TOPIC), 0)
    directory.hear(Packet(Told.HEARTBEAT, "process"), 2 * SECOND_NS)
    assert directory.expire(5 * SECOND_NS) == []
    assert directory.expire(5 * SECOND_NS + 1) == [Lost(TOPIC, "it has been silent for 3 s")]


def test_own_packets_are_not_heard() -> None:
    directory = Directory("process")
    assert directory.hear(Packet(Told.ADVERTISE, "process", TOPIC), 0) == []
    assert directory.offers() == []
