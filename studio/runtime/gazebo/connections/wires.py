"""One interface over both protocols, for what the panel shows: topics, raw messages, and the server's own verbs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from studio.runtime.gazebo.classic.client import Connected, Lost, State
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.connections.address import Address, Family
from studio.runtime.gazebo.connections.finding import CONTROL
from studio.runtime.gazebo.connections.scene import SceneModel, models_of
from studio.runtime.gazebo.gz_messages import PREFIXES, messages
from studio.runtime.gazebo.gz_transport.directory import Change, Found
from studio.runtime.gazebo.gz_transport.directory import Lost as Gone
from studio.runtime.gazebo.gz_transport.names import split_name
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.gz_transport.place import Place
from studio.runtime.gazebo.modern_server import ModernServer
from studio.runtime.gazebo.schema import Schema
from studio.runtime.gazebo.server import Feature, GazeboServer, Topic

Receive = Callable[[bytes], None]


@dataclass(frozen=True)
class Physics:
    step_s: float
    speed: float | None
    """Simulation time per real time that is wanted; 0: as fast as possible; None: the server does not tell."""


class Wire(Protocol):
    server: GazeboServer
    statistics_topic: str
    poses_topic: str

    def worlds(self) -> tuple[str, ...]: ...

    def topics(self) -> list[Topic]:
        """The names are those that `watch` takes, and stay the same when the server comes back."""

    def watch(self, topic: Topic, receive: Receive) -> Callable[[], None]: ...

    def read(self, type_name: str, payload: bytes) -> Any:
        """SchemaError where the type is not known here."""

    @property
    def next_try_ns(self) -> int:
        """0 where nothing is tried: the server says itself that it is back."""

    def models(self) -> list[SceneModel]: ...

    def physics(self) -> Physics | None: ...

    def close(self) -> None: ...


class ClassicWire:
    statistics_topic, poses_topic = "~/world_stats", "~/pose/info"

    def __init__(self, address: Address, changed: Callable[[State], None]) -> None:
        self._server = ClassicServer(address.host, address.port, changed)
        self.server: GazeboServer = self._server

    @property
    def next_try_ns(self) -> int:
        return self._server.client.next_try_ns

    def worlds(self) -> tuple[str, ...]:
        return tuple(self._server.worlds())

    def topics(self) -> list[Topic]:
        world = self._server.client.full_name("~")
        found = {Topic(_short(each.name, world), each.type_name) for each in self._server.topics()}
        return sorted(found, key=lambda each: each.name)

    def watch(self, topic: Topic, receive: Receive) -> Callable[[], None]:
        return self._server.client.subscribe(topic.name, topic.type_name, receive)

    def read(self, type_name: str, payload: bytes) -> Any:
        return classic_messages().read(type_name, payload)

    def models(self) -> list[SceneModel]:
        return models_of(self._server.scene())

    def physics(self) -> Physics | None:
        told = self._server.physics()
        return Physics(told.max_step_size, told.real_time_update_rate * told.max_step_size)

    def close(self) -> None:
        self._server.close()


def _short(name: str, world: str) -> str:
    return f"~{name.removeprefix(world)}" if name.startswith(f"{world}/") else name


class ModernWire:
    """Connected while some process offers the control of the world."""

    def __init__(self, address: Address, changed: Callable[[State], None], place: Place | None = None) -> None:
        self._address, self._changed = address, changed
        self.statistics_topic = f"/world/{address.world}/stats"
        self.poses_topic = f"/world/{address.world}/dynamic_pose/info"
        base = place or Place()
        self._node = Node(Place(base.network, address.partition, base.access), self._follow)
        self._server = ModernServer(self._node, address.world)
        self.server: GazeboServer = self._server

    next_try_ns = 0

    def worlds(self) -> tuple[str, ...]:
        return (self._address.world,)

    def topics(self) -> list[Topic]:
        found = {Topic(each.name, each.type_name) for each in self._node.offers() if not each.is_service}
        return sorted(found, key=lambda each: each.name)

    def watch(self, topic: Topic, receive: Receive) -> Callable[[], None]:
        return self._node.subscribe(topic.name, lambda sample: receive(sample.payload))

    def read(self, type_name: str, payload: bytes) -> Any:
        return _modern_schema(type_name).read(type_name, payload)

    def models(self) -> list[SceneModel]:
        return models_of(self._server.scene())

    def physics(self) -> Physics | None:
        return Physics(self._server.step_s(), None)

    def close(self) -> None:
        self._node.close()

    def _follow(self, change: Change) -> None:
        name = split_name(change.offer.name)
        world = CONTROL.match(name[1]) if name is not None and name[0] == self._address.partition else None
        if world is None or world["world"] != self._address.world or not change.offer.is_service:
            return
        match change:
            case Found():
                self._changed(Connected((self._address.world,)))
            case Gone(_, reason):
                self._changed(Lost(reason))


def _modern_schema(type_name: str) -> Schema:
    prefix = next((each for each in PREFIXES if type_name.startswith(each)), PREFIXES[0])
    return messages(prefix)


def open_wire(address: Address, changed: Callable[[State], None]) -> Wire:
    """Raises StudioError where it cannot even be tried."""
    if address.family is Family.MODERN:
        return ModernWire(address, changed)
    return ClassicWire(address, changed)


def features(wire: Wire | None) -> frozenset[Feature]:
    return wire.server.features if wire is not None else frozenset()
