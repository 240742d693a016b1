"""One participant of gz-transport: topics and services of a partition, from any thread.

A thread of its own has all sockets. What is received is handed over there, so a receiver has to be quick.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from queue import Empty, SimpleQueue

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.refusals import Refusals
from studio.runtime.gazebo.gz_transport.directory import Change, Found
from studio.runtime.gazebo.gz_transport.engine import Engine
from studio.runtime.gazebo.gz_transport.names import full_name, split_name
from studio.runtime.gazebo.gz_transport.packets import Offer
from studio.runtime.gazebo.gz_transport.place import Identity, Place
from studio.runtime.gazebo.gz_transport.services import Reply, Request, Serve
from studio.runtime.gazebo.gz_transport.subscriptions import Receive

CLOSE_S = 5.0


class NoAnswer(StudioError):
    """A service did not answer, or said that it failed."""


class Node:
    def __init__(self, place: Place | None = None, changed: Callable[[Change], None] = lambda change: None) -> None:
        """`changed` hears of every topic and service that comes or goes, in the thread of the node."""
        self.place = place or Place()
        self.refusals = Refusals()
        self._me = Identity()
        self._changed = changed
        self._lock = threading.Lock()
        self._offers: dict[Offer, None] = {}
        self._engine = Engine(self.place, self._me, self.refusals, self._note)
        self._thread = threading.Thread(target=self._engine.run, name="gz-transport", daemon=True)
        self._thread.start()

    def offers(self) -> list[Offer]:
        """The topics and services of other processes in this partition; the names are without it."""
        with self._lock:
            known = list(self._offers)
        named = [(split_name(offer.name), offer) for offer in known]
        return [replace(offer, name=name[1]) for name, offer in named if name and name[0] == self.place.partition]

    def all_offers(self) -> list[Offer]:
        """Those of all partitions; the names are with them."""
        with self._lock:
            return list(self._offers)

    def heard_ns(self, process: str) -> int | None:
        """When a process was last heard of, by the machine's time; None once it is gone."""
        discoveries = (self._engine.topics, self._engine.services)
        heard = [time for each in discoveries if (time := each.directory.processes().get(process)) is not None]
        return max(heard, default=None)

    def partitions(self) -> set[str]:
        """In which something is offered, this one or others."""
        with self._lock:
            return {name[0] for offer in self._offers if (name := split_name(offer.name))}

    def subscribe(self, topic: str, receive: Receive) -> Callable[[], None]:
        """Calls `receive` with every message, also of publishers that come later. Returns what ends it."""
        name = full_name(self.place.partition, topic)
        self._do(lambda: self._engine.receive(name, receive))
        return lambda: self._do(lambda: self._engine.stop_receiving(name, receive))

    def advertise(self, topic: str, type_name: str) -> Callable[[bytes], None]:
        """Returns what publishes a payload of this type."""
        offer = self._offer(topic, self._engine.address, type_name)
        self._do(lambda: self._engine.topics.offer(offer))
        name, address, kind = offer.name.encode(), offer.address.encode(), type_name.encode()
        return lambda payload: self._do(lambda: self._engine.publish([name, address, payload, kind]))

    def unadvertise(self, topic: str) -> None:
        offer = self._offer(topic, self._engine.address, "")
        self._do(lambda: self._engine.topics.withdraw(offer))

    def provide(self, service: str, type_name: str, reply_type: str, serve: Serve) -> Callable[[], None]:
        """Answers requests by `serve`, in the thread of the node. Returns what ends it."""
        offer = self._offer(service, self._engine.service_address, type_name)
        offer = replace(offer, reply_type=reply_type, socket_id=self._engine.socket_id)
        self._do(lambda: self._engine.provide(offer, serve))
        return lambda: self._do(lambda: self._engine.withdraw(offer))

    def request(
        self, service: str, payload: bytes, type_name: str, reply_type: str, *, timeout_s: float = 5.0
    ) -> bytes:
        """The payload of the reply. A service that nobody provides yet is waited for. Never call it from a receiver."""
        reply: SimpleQueue[Reply | str] = SimpleQueue()
        name = full_name(self.place.partition, service)
        until_ns = monotonic_ns() + int(timeout_s * SECOND_NS)
        self._do(lambda: self._engine.ask(Request(name, type_name, reply_type, payload, until_ns, reply.put)))
        try:
            answer = reply.get(timeout=timeout_s + CLOSE_S)
        except Empty:
            raise NoAnswer(f"{service} did not answer: the connection to Gazebo is closed") from None
        if isinstance(answer, str):
            raise NoAnswer(answer)
        if not answer.is_good:
            raise NoAnswer(f"{service} reported a failure")
        return answer.payload

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        if self._thread.is_alive():
            self._do(self._engine.end)
            self._thread.join(CLOSE_S)

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _do(self, task: Callable[[], None]) -> None:
        if self._thread.is_alive():
            self._engine.do(task)

    def _offer(self, name: str, address: str, type_name: str) -> Offer:
        full = full_name(self.place.partition, name)
        return Offer(full, address, self._me.process, self._me.node, type_name=type_name)

    def _note(self, change: Change) -> None:
        with self._lock:
            if isinstance(change, Found):
                self._offers[change.offer] = None
            else:
                self._offers.pop(change.offer, None)
        self._changed(change)
