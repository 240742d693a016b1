"""The sockets of one participant, and the loop that serves them. Everything here belongs to one thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from queue import Empty, SimpleQueue

import zmq

from studio.runtime.base.clock import monotonic_ns
from studio.runtime.base.refusals import Refusals
from studio.runtime.gazebo.gz_transport.access import endpoint
from studio.runtime.gazebo.gz_transport.directory import Change, Found, Lost
from studio.runtime.gazebo.gz_transport.discovery import Discovery
from studio.runtime.gazebo.gz_transport.multicast import open_both
from studio.runtime.gazebo.gz_transport.packets import Offer, Told
from studio.runtime.gazebo.gz_transport.place import Identity, Place
from studio.runtime.gazebo.gz_transport.services import Request, Serve, Services
from studio.runtime.gazebo.gz_transport.subscriptions import QUEUE, Receive, Subscriptions

PATIENCE_MS = 200
"""The longest sleep: heartbeats and silence are looked at between."""
SOON_MS = 5
"""While a connection is being made."""

Task = Callable[[], None]


class Engine:
    def __init__(self, place: Place, me: Identity, refusals: Refusals, changed: Callable[[Change], None]) -> None:
        """Made by the thread that wants a node, which gets NoDiscovery; from `run` on it belongs to another one."""
        self._me = me
        self._changed = changed
        network = place.network
        topics, services = open_both(network)
        self.topics = Discovery(me.process, topics, refusals)
        self.services = Discovery(me.process, services, refusals)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._guard = place.access.guard(self._context)
        self._publisher = self._context.socket(zmq.PUB)
        self._publisher.sndhwm = QUEUE
        place.access.ask(self._publisher)
        self._publisher.bind(f"tcp://{network.address}:*")
        self.address = endpoint(self._publisher)
        self._subscriptions = Subscriptions(self._context, place.access, refusals)
        self._calls = Services(self._context, network.address, me.node, place.access, refusals)
        self.service_address, self.socket_id = self._calls.address, self._calls.socket_id
        self._tasks: SimpleQueue[Task] = SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK)
        self._is_over = False

    # ---- from any thread

    def do(self, task: Task) -> None:
        self._tasks.put(task)
        os.eventfd_write(self._wake, 1)

    # ---- tasks

    def publish(self, frames: list[bytes]) -> None:
        # Also without a known subscriber: servers of classic Gazebo never say that they subscribe.
        self._publisher.send_multipart(frames, zmq.DONTWAIT)

    def receive(self, name: str, receive: Receive) -> None:
        self._subscriptions.add(name, receive)
        self.topics.ask_for(name)
        for offer in self.topics.directory.offers(name):
            self._connect(offer)

    def stop_receiving(self, name: str, receive: Receive) -> None:
        for offer in self._subscriptions.remove(name, receive):
            self.topics.tell(Told.END_CONNECTION, self._me.as_subscriber(offer))

    def ask(self, request: Request) -> None:
        self._calls.ask(request)
        self.services.ask_for(request.name)
        self._calls.send_to(self.services.directory.offers(), monotonic_ns())

    def provide(self, offer: Offer, serve: Serve) -> None:
        self._calls.serve(offer.name, serve)
        self.services.offer(offer)

    def withdraw(self, offer: Offer) -> None:
        self._calls.unserve(offer.name)
        self.services.withdraw(offer)

    def end(self) -> None:
        self._is_over = True

    # ---- the loop

    def run(self) -> None:
        try:
            while not self._is_over:
                self._turn()
        finally:
            self._close()

    def _turn(self) -> None:
        ready = self._wait()
        now_ns = monotonic_ns()
        if self._wake in ready:
            self._obey()
        for discovery, follow in ((self.topics, self._follow_topic), (self.services, self._follow_service)):
            for change in [*discovery.receive(now_ns), *discovery.beat(now_ns)]:
                follow(change)
                self._changed(change)
        for socket in list(self._subscriptions.sockets()):
            if socket in ready:
                self._subscriptions.receive(socket)
        for socket, take in self._calls.sockets():
            if socket in ready:
                take(now_ns)
        self._calls.retry(now_ns)
        self._calls.send_to(self.services.directory.offers(), now_ns)

    def _wait(self) -> set[object]:
        """What has something to read: sockets, or numbers of files."""
        poller = zmq.Poller()
        for file in (self._wake, self.topics.fileno(), self.services.fileno()):
            poller.register(file, zmq.POLLIN)
        for socket in (*self._subscriptions.sockets(), *(socket for socket, _ in self._calls.sockets())):
            poller.register(socket, zmq.POLLIN)
        return {each for each, _ in poller.poll(SOON_MS if self._calls.is_waiting else PATIENCE_MS)}

    def _obey(self) -> None:
        os.eventfd_read(self._wake)
        while True:
            try:
                task = self._tasks.get_nowait()
            except Empty:
                return
            task()

    def _follow_topic(self, change: Change) -> None:
        match change:
            case Found(offer):
                if self._subscriptions.is_wanted(offer.name):
                    self._connect(offer)
            case Lost(offer, _):
                self._subscriptions.disconnect(offer)

    def _follow_service(self, change: Change) -> None:
        if isinstance(change, Lost):
            self._calls.lose(change.offer)

    def _connect(self, offer: Offer) -> None:
        if self._subscriptions.connect(offer):
            self.topics.tell(Told.NEW_CONNECTION, self._me.as_subscriber(offer))

    def _close(self) -> None:
        self.topics.close()
        self.services.close()
        self._subscriptions.close()
        self._calls.close()
        self._publisher.close(linger=0)
        if self._guard is not None:
            self._guard.stop()
        self._context.term()
        os.close(self._wake)
