"""What a component for one device needs of a server, classic or modern: one topic to hear, or one to publish."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.classic.client import ClassicClient, Lost
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.connections.address import Address, Family
from studio.runtime.gazebo.gz_messages import GZ, PREFIXES, messages
from studio.runtime.gazebo.gz_transport.multicast import Network
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.gz_transport.place import Place
from studio.runtime.gazebo.gz_transport.subscriptions import Sample
from studio.runtime.gazebo.schema import Schema

APART_NS = SECOND_NS // 10
"""Server and system may be so far apart before the stamps are set anew."""
Kinds = Mapping[Family, tuple[str, ...]]
"""Types, without what a family puts before them, that a device can send or take."""
Take = Callable[[Any], None]
Fields = Callable[[Callable[..., Any]], dict[str, Any]]
"""Gets what makes messages by their type, and gives the fields of one."""
Tell = Callable[[Fields], None]


class DeviceLine:
    """Opened by the component, heard by a thread of the client."""

    def __init__(self, server: str, topic: str) -> None:
        self.address, self.topic = Address.parse(server), topic
        self.is_classic = self.address.family is Family.CLASSIC
        self._strange = ""
        self._client: ClassicClient | None = None
        self._node: Node | None = None
        self._ask: Callable[[bytes], None] | None = None
        if self.is_classic:
            self._client = ClassicClient(self.address.host, self.address.port)
        else:
            self._node = Node(Place(Network.of_environment(), self.address.partition))

    def hear(self, kinds: Kinds, take: Take) -> Callable[[], None]:
        """Returns what ends it. Also of a server that comes later, or comes back."""
        if self._client is not None:
            (kind,) = kinds[Family.CLASSIC]
            schema = classic_messages()
            return self._client.subscribe(self.topic, schema.full(kind), lambda body: take(schema.read(kind, body)))
        assert self._node is not None

        def receive(sample: Sample) -> None:
            schema = _schema(sample.type_name)
            short = schema.short(sample.type_name)
            fits = short in kinds[Family.MODERN]
            self._strange = "" if fits else f"{self.topic} carries {sample.type_name}"
            if fits:
                take(schema.read(short, sample.payload))

        return self._node.subscribe(self.topic, receive)

    def hear_model(self, name: str, take: Take) -> Callable[[], None]:
        """A model of Gazebo classic once, as it is now: nothing tells of one at rest. It is asked for with each of the
        server's statistics until the answer has come. Returns what ends that."""
        client, schema = self._client, classic_messages()
        assert client is not None
        number = uuid.uuid4().int % 2**31
        asked = schema.new("Request", id=number, request="entity_info", data=name).SerializeToString()
        self._ask = self._ask or client.advertise("~/request", schema.full("Request"))
        ask, ends = self._ask, list[Callable[[], None]]()

        def end() -> None:
            while ends:
                ends.pop()()

        def receive(body: bytes) -> None:
            told = schema.read("Response", body)
            if ends and told.id == number and told.response == "success":
                end()
                take(schema.read("Model", told.serialized_data))

        ends.append(client.subscribe("~/response", schema.full("Response"), receive))
        ends.append(client.subscribe("~/world_stats", schema.full("WorldStatistics"), lambda body: ask(asked)))
        return end

    def tell(self, kinds: Kinds) -> Tell:
        """Returns what publishes a message; its fields are made by what is given, with the messages of the server."""
        (kind,) = kinds[self.address.family]
        advertised: dict[str, Callable[[bytes], None]] = {}

        def publish(fields: Fields) -> None:
            schema = classic_messages() if self.is_classic else messages(self._prefix())
            send = advertised.get(schema.prefix)
            if send is None:  # how a modern server names its types is known once it is seen
                send = advertised[schema.prefix] = self._advertise(schema.full(kind))
            send(schema.new(kind, **fields(schema.new)).SerializeToString())

        return publish

    def _advertise(self, type_name: str) -> Callable[[bytes], None]:
        if self._client is not None:
            return self._client.advertise(self.topic, type_name)
        assert self._node is not None
        return self._node.advertise(self.topic, type_name)

    @property
    def trouble(self) -> str:
        """Why nothing can come; empty while something may."""
        if self._client is not None:
            state = self._client.state
            if isinstance(state, Lost):
                return f"no Gazebo server at {self.address}: {state.reason}"
            there = {each.topic for each in self._client.publishers()}
            return "" if self._client.full_name(self.topic) in there else f"the server has no topic {self.topic}"
        assert self._node is not None
        there = {each.name for each in self._node.offers() if not each.is_service}
        name = "/" + self.topic.lstrip("/")
        if name not in there:
            return f"no process offers {name} in the partition {self.address.partition}"
        return self._strange

    def close(self) -> None:
        for each in (self._client, self._node):
            if each is not None:
                each.close()

    def _prefix(self) -> str:
        """As the server names its types; before one is seen, as the versions of today do."""
        assert self._node is not None
        kinds = [each.type_name for each in self._node.offers()]
        return next((prefix for prefix in PREFIXES if any(kind.startswith(prefix) for kind in kinds)), GZ)


@dataclass
class ServerTime:
    """Stamps by the clock of the server, as times of the system. A server that was paused or reset, or that is slower
    than the clock, begins anew at the present."""

    origin_ns: int | None = None

    def stamp_ns(self, server_ns: int, now_ns: int) -> int:
        if self.origin_ns is None or not -APART_NS <= now_ns - (self.origin_ns + server_ns) <= APART_NS:
            self.origin_ns = now_ns - server_ns
        return self.origin_ns + server_ns


def _schema(type_name: str) -> Schema:
    return messages(next((each for each in PREFIXES if type_name.startswith(each)), GZ))


class NoDevice(StudioError):
    """A device that this kind of server does not have."""
