"""A client of one Gazebo classic server, from any thread: topics both ways, and a connection that comes back by itself.

The master of the server tells who publishes what. For each topic and publisher there is one connection. When the
server ends, everything is connected again as soon as it is back: subscriptions and publications are kept.
"""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.refusals import Refusals
from studio.runtime.gazebo.classic.connection import Connection
from studio.runtime.gazebo.classic.wire import frame, packet, read_packet
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.schema import SchemaError

PORT = 11345
FIRST_WAIT_NS, LONGEST_WAIT_NS = SECOND_NS // 4, 2 * SECOND_NS
"""Between two tries to connect: each wait is twice the one before."""
PATIENCE_S, LEAVING_S = 0.2, 0.02
CLOSE_S = 5.0
QUIET_NS, LONGEST_LEAVE_NS = SECOND_NS // 4, 2 * SECOND_NS
"""A connection that is let go of is closed when nothing has come on it for so long, or after so long at most."""

Receive = Callable[[bytes], None]
Task = Callable[[], None]


@dataclass(frozen=True)
class Connected:
    worlds: tuple[str, ...]


@dataclass(frozen=True)
class Lost:
    reason: str


State = Connected | Lost


@dataclass(frozen=True)
class Publisher:
    topic: str
    type_name: str
    host: str
    port: int


class ClassicClient:
    def __init__(
        self, host: str = "127.0.0.1", port: int = PORT, changed: Callable[[State], None] = lambda state: None
    ) -> None:
        """`changed` hears when the server is reached and when it is lost, in the thread of the client."""
        self.host, self.port = host, port
        self.refusals = Refusals()
        self._loop = _Loop(host, port, changed, self.refusals)
        self._thread = threading.Thread(target=self._loop.run, name="gazebo-classic", daemon=True)
        self._thread.start()

    @property
    def state(self) -> State:
        return self._loop.state

    @property
    def next_try_ns(self) -> int:
        """When it tries to connect again, by the machine's time."""
        return self._loop.next_try_ns

    def wait_for_server(self, timeout_s: float) -> bool:
        """Whether it was reached within this time."""
        return self._loop.reached.wait(timeout_s)

    def full_name(self, topic: str) -> str:
        """`~/scan` as the server calls it."""
        return self._loop.full_name(topic)

    def publishers(self) -> list[Publisher]:
        return sorted(self._loop.publishers, key=lambda each: (each.topic, each.host, each.port))

    def subscribe(self, topic: str, type_name: str, receive: Receive, *, latching: bool = False) -> Task:
        """`~/scan` is a topic of the server's first world. Returns what ends it."""
        wanted = Subscription(topic, type_name, receive, latching)
        self._loop.do(lambda: self._loop.subscribe(wanted))
        return lambda: self._loop.do(lambda: self._loop.unsubscribe(wanted))

    def advertise(self, topic: str, type_name: str) -> Callable[[bytes], None]:
        """Returns what publishes a payload. The last one that nobody has received yet waits for the first receiver."""
        offered = Publication(topic, type_name)
        self._loop.do(lambda: self._loop.advertise(offered))
        return lambda payload: self._loop.do(lambda: offered.publish(payload))

    def close(self) -> None:
        if self._thread.is_alive():
            self._loop.do(self._loop.end)
            self._thread.join(CLOSE_S)

    def __enter__(self) -> ClassicClient:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Subscription:
    """What is wanted, and the connections to those who publish it."""

    def __init__(self, topic: str, type_name: str, receive: Receive, latching: bool) -> None:
        self.topic, self.type_name, self.receive, self.latching = topic, type_name, receive, latching
        self.connections: dict[tuple[str, int], Connection] = {}

    def message(self, topic: str, host: str, port: int) -> Any:
        return classic_messages().new(
            "Subscribe", topic=topic, host=host, port=port, msg_type=self.type_name, latching=self.latching
        )

    def end(self) -> None:
        for connection in self.connections.values():
            connection.end()
        self.connections.clear()


class _Leaving:
    """A connection that the server was asked to forget."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._until_ns = monotonic_ns() + LONGEST_LEAVE_NS
        connection.mute()

    def is_over(self) -> bool:
        now_ns = monotonic_ns()
        if now_ns >= self._until_ns or now_ns - self.connection.heard_ns >= QUIET_NS:
            self.connection.end()
        return self.connection.is_over


class Publication:
    def __init__(self, topic: str, type_name: str) -> None:
        self.topic, self.type_name = topic, type_name
        self.receivers: list[Connection] = []
        self._unheard: bytes | None = None

    def publish(self, payload: bytes) -> None:
        self.receivers = [receiver for receiver in self.receivers if not receiver.is_over]
        self._unheard = None if self.receivers else payload
        for receiver in self.receivers:
            receiver.send(frame(payload))

    def add(self, receiver: Connection) -> None:
        self.receivers.append(receiver)
        if self._unheard is not None:
            self.publish(self._unheard)


class _Loop:
    """Everything that belongs to the thread of the client."""

    def __init__(self, host: str, port: int, changed: Callable[[State], None], refusals: Refusals) -> None:
        self._host, self._port = host, port
        self._changed = changed
        self._refusals = refusals
        self.state: State = Lost("not connected yet")
        self.publishers: set[Publisher] = set()
        self._selector = selectors.DefaultSelector()
        self._tasks: SimpleQueue[Task] = SimpleQueue()
        self._woken, self._wake = socket.socketpair()
        self._woken.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ, self._obey)
        self._subscriptions: list[Subscription] = []
        self._leaving: list[_Leaving] = []
        self._publications: list[Publication] = []
        self._master: Connection | None = None
        self._listener: socket.socket | None = None
        self._incoming: set[Connection] = set()
        self._worlds: tuple[str, ...] = ()
        self.next_try_ns, self._wait_ns = 0, FIRST_WAIT_NS
        self.reached = threading.Event()
        self._is_ending = self._is_over = False

    def do(self, task: Task) -> None:
        self._tasks.put(task)
        if not self._is_over:
            self._wake.send(b"x")

    def run(self) -> None:
        try:
            while not self._is_over:
                if self._master is None and monotonic_ns() >= self.next_try_ns and not self._is_ending:
                    self._connect()
                for key, events in self._selector.select(LEAVING_S if self._leaving else PATIENCE_S):
                    key.data(events)
                self._leaving = [each for each in self._leaving if not each.is_over()]
                self._is_over = self._is_ending and not self._leaving
        finally:
            self._close()

    # ---- tasks

    def subscribe(self, wanted: Subscription) -> None:
        self._subscriptions.append(wanted)
        self._ask_for(wanted)

    def unsubscribe(self, wanted: Subscription) -> None:
        if wanted in self._subscriptions:
            self._subscriptions.remove(wanted)
            self._let_go(wanted)

    def advertise(self, offered: Publication) -> None:
        self._publications.append(offered)
        self._tell_of(offered)

    def end(self) -> None:
        self._is_ending = True
        while self._subscriptions:
            self._let_go(self._subscriptions.pop())

    def _let_go(self, wanted: Subscription) -> None:
        """First the server is asked to forget the receiver. A server that loses one while it sends to it waits for
        ever for the end of that, and sends nothing more on this topic, to nobody."""
        for connection in wanted.connections.values():
            if self._master is None or not connection.is_open:
                connection.end()
                continue
            receiver = wanted.message(self.full_name(wanted.topic), connection.own_host, connection.own_port)
            self._master.send(packet("unsubscribe", receiver))
            self._leaving.append(_Leaving(connection))
        wanted.connections.clear()

    def _obey(self, events: int) -> None:
        self._woken.recv(4096)
        while True:
            try:
                task = self._tasks.get_nowait()
            except Empty:
                return
            task()

    # ---- the master

    def _connect(self) -> None:
        self.next_try_ns = monotonic_ns() + self._wait_ns
        self._wait_ns = min(2 * self._wait_ns, LONGEST_WAIT_NS)
        try:
            self._master = Connection.to(self._selector, self._host, self._port, self._hear_master, self._lose)
        except OSError as error:
            self._lose(error.strerror or str(error))

    def _hear_master(self, body: bytes) -> None:
        kind, payload = read_packet(body)
        try:
            self._follow(kind, payload)
        except SchemaError as error:
            self._refusals.add("master", error)

    def _follow(self, kind: str, payload: bytes) -> None:
        schema = classic_messages()
        match kind:
            case "topic_namepaces_init":  # spelt so
                self._greet(tuple(schema.read("GzString_V", payload).data))
            case "topic_namespace_add":
                self._greet((*self._worlds, schema.read("GzString", payload).data))
            case "publishers_init":
                for told in schema.read("Publishers", payload).publisher:
                    self._add(_publisher(told))
            case "publisher_add" | "publisher_advertise" | "publisher_subscribe":
                self._add(_publisher(schema.read("Publish", payload)))
            case "publisher_del" | "unadvertise":
                self.publishers.discard(_publisher(schema.read("Publish", payload)))

    def _greet(self, worlds: tuple[str, ...]) -> None:
        """The server is there; a world may still be missing."""
        self._worlds = tuple(dict.fromkeys(worlds))
        self._wait_ns = FIRST_WAIT_NS
        if not self._worlds:
            return
        for wanted in self._subscriptions:
            self._ask_for(wanted)
        for offered in self._publications:
            self._tell_of(offered)
        self._become(Connected(self._worlds))

    def _lose(self, reason: str) -> None:
        if self._master is not None:
            self._master.end()
        self._master = None
        self._worlds = ()
        self.publishers = set()
        for wanted in self._subscriptions:
            wanted.end()
        for leaving in self._leaving:
            leaving.connection.end()
        for connection in list(self._incoming):
            connection.end()
        self._incoming.clear()
        if self._listener is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None
        self._become(Lost(reason))

    def _become(self, state: State) -> None:
        if state != self.state:
            self.state = state
            if isinstance(state, Connected):
                self.reached.set()
            else:
                self.reached.clear()
            self._changed(state)

    # ---- what is wanted

    def _ask_for(self, wanted: Subscription) -> None:
        if self._master is not None and self._worlds:
            host, port = self._listening()
            self._master.send(packet("subscribe", wanted.message(self.full_name(wanted.topic), host, port)))
            for publisher in self.publishers:
                self._join(wanted, publisher)

    def _add(self, publisher: Publisher) -> None:
        self.publishers.add(publisher)
        for wanted in self._subscriptions:
            self._join(wanted, publisher)

    def _join(self, wanted: Subscription, publisher: Publisher) -> None:
        address = publisher.host, publisher.port
        is_own = self._listener is not None and address == self._listener.getsockname()
        if is_own or publisher.topic != self.full_name(wanted.topic) or address in wanted.connections:
            return
        if publisher.type_name != wanted.type_name:
            why = f"{publisher.topic} carries {publisher.type_name}, not {wanted.type_name}"
            self._refusals.add(f"publisher of {publisher.topic}", why)
            return
        try:
            connection = Connection.to(
                self._selector, *address, wanted.receive, lambda reason: self._drop(wanted, publisher, reason)
            )
        except OSError as error:
            self._refusals.add(f"publisher of {publisher.topic}", error.strerror or error)
            return
        wanted.connections[address] = connection
        connection.send(packet("sub", wanted.message(publisher.topic, *self._listening())))

    def _drop(self, wanted: Subscription, publisher: Publisher, reason: str) -> None:
        self._refusals.add(f"publisher of {publisher.topic}", reason)
        wanted.connections.pop((publisher.host, publisher.port), None)
        self.publishers.discard(publisher)

    # ---- what is offered

    def _tell_of(self, offered: Publication) -> None:
        if self._master is not None and self._worlds:
            host, port = self._listening()
            told = classic_messages().new(
                "Publish", topic=self.full_name(offered.topic), msg_type=offered.type_name, host=host, port=port
            )
            self._master.send(packet("advertise", told))

    def _listening(self) -> tuple[str, int]:
        """Where publishers of the server reach this client: on the address that reaches the server."""
        if self._listener is None:
            assert self._master is not None
            self._listener = socket.create_server((self._master.own_host, 0))
            self._listener.setblocking(False)
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        host, port = self._listener.getsockname()
        return host, port

    def _accept(self, events: int) -> None:
        if self._listener is None:
            return  # The master was lost by an event of the same turn.
        try:
            tcp, _ = self._listener.accept()
        except OSError:
            return  # It has gone again.
        tcp.setblocking(False)
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(
            self._selector,
            tcp,
            lambda body: self._serve(connection, body),
            lambda reason: self._incoming.discard(connection),
        )
        self._incoming.add(connection)

    def _serve(self, connection: Connection, body: bytes) -> None:
        kind, payload = read_packet(body)
        try:
            topic = classic_messages().read("Subscribe", payload).topic if kind == "sub" else ""
        except SchemaError as error:
            self._refusals.add("subscriber", error)
            return
        for offered in self._publications:
            if self.full_name(offered.topic) == topic:
                offered.add(connection)

    def full_name(self, topic: str) -> str:
        if not topic.startswith("~"):
            return topic
        world = self._worlds[0] if self._worlds else "default"
        return f"/gazebo/{world.removeprefix('/gazebo/')}{topic[1:]}"

    def _close(self) -> None:
        self._lose("closed")
        self._selector.close()
        self._woken.close()
        self._wake.close()


def _publisher(told: Any) -> Publisher:
    return Publisher(told.topic, told.msg_type, told.host, told.port)
