"""What processes of gz-transport tell each other about topics and services, in UDP packets.

A packet is the length of its body in two bytes, little-endian, and the body: a `Discovery`. All versions of
gz-transport read each other's packets: the names of types are not in them, only field numbers.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from studio.runtime.gazebo.gz_messages import messages
from studio.runtime.gazebo.schema import SchemaError

WIRE_VERSION = 10
WITH_STATISTICS = 100
"""Added to the version by processes that have statistics of topics switched on."""
_LENGTH = struct.Struct("<H")


class Told(IntEnum):
    ADVERTISE = 1
    SUBSCRIBE = 2
    UNADVERTISE = 3
    HEARTBEAT = 4
    BYE = 5
    NEW_CONNECTION = 6
    END_CONNECTION = 7
    SUBSCRIBERS_REQUEST = 8
    SUBSCRIBERS_REPLY = 9


class Scope(IntEnum):
    PROCESS = 0
    HOST = 1
    ALL = 2


@dataclass(frozen=True)
class Offer:
    """One topic that a process publishes, or one service that it provides."""

    name: str
    """With its partition."""
    address: str
    process: str
    node: str
    scope: int = Scope.ALL
    type_name: str = ""
    """Of a topic's messages, or of a service's requests."""
    reply_type: str = ""
    socket_id: str = ""
    """Of the replier; a topic has none."""
    ctrl: str = ""
    """In NEW_CONNECTION: the process that publishes."""

    @property
    def is_service(self) -> bool:
        return bool(self.socket_id or self.reply_type)


@dataclass(frozen=True)
class Packet:
    kind: int
    """A `Told`, or a number that a later version added."""
    process: str
    offer: Offer | None = None
    topic: str = ""
    """That SUBSCRIBE asks for."""
    version: int = WIRE_VERSION
    is_relayed: bool = False


class BadPacket(Exception):
    """Bytes that are no packet of a version that is spoken here."""


def read_packet(datagram: bytes) -> Packet:
    if len(datagram) < _LENGTH.size or _LENGTH.unpack_from(datagram)[0] != len(datagram) - _LENGTH.size:
        raise BadPacket("its length differs from the length in its header")
    try:
        read = messages().read("Discovery", datagram[_LENGTH.size :])
    except SchemaError as error:
        raise BadPacket(error.message) from None
    if read.version not in (WIRE_VERSION, WIRE_VERSION + WITH_STATISTICS):
        raise BadPacket(f"its version is {read.version} and not {WIRE_VERSION}")
    if not read.process_uuid:
        raise BadPacket("it does not say which process sends it")
    offer = _offer(read.pub) if read.HasField("pub") else None
    return Packet(read.type, read.process_uuid, offer, read.sub.topic, read.version, read.flags.relay)


def _offer(read: Any) -> Offer:
    offer = Offer(read.topic, read.address, read.process_uuid, read.node_uuid, read.scope)
    if read.HasField("srv_pub"):
        told = read.srv_pub
        return replace(offer, type_name=told.request_type, reply_type=told.response_type, socket_id=told.socket_id)
    return replace(offer, type_name=read.msg_pub.msg_type, ctrl=read.msg_pub.ctrl)


def write_packet(packet: Packet) -> bytes:
    schema = messages()
    told = schema.new("Discovery", version=packet.version, process_uuid=packet.process, type=packet.kind)
    if packet.topic:
        told.sub.topic = packet.topic
    if packet.offer is not None:
        offer, pub = packet.offer, told.pub
        pub.topic, pub.address, pub.scope = offer.name, offer.address, offer.scope
        pub.process_uuid, pub.node_uuid = offer.process, offer.node
        if offer.is_service:
            pub.srv_pub.socket_id = offer.socket_id
            pub.srv_pub.request_type, pub.srv_pub.response_type = offer.type_name, offer.reply_type
        else:
            pub.msg_pub.ctrl, pub.msg_pub.msg_type = offer.ctrl, offer.type_name
    body: bytes = told.SerializeToString()
    return _LENGTH.pack(len(body)) + body
