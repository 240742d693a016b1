"""The executor of a host: runs every handler of its components, one letter after the other, in channel order."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zmq

from studio.errors import StudioError
from studio.messages import decode, encode
from studio.messages.plain import String
from studio.model.spec import Delivery
from studio.runtime.cell import Cell
from studio.runtime.channel.calls import Calls
from studio.runtime.channel.frames import (
    ACK_TOPIC,
    AGAIN,
    ALL_TOPIC,
    INPUT,
    SHARED,
    TO_ALL,
    Ack,
    Event,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    topic_hash,
)
from studio.runtime.channel.mailbox import Letter, Mailbox, Route
from studio.runtime.channel.payloads import Leases
from studio.runtime.channel.receiver import Receiver
from studio.runtime.channel.sender import Sender
from studio.runtime.clock import Clock, monotonic_ns
from studio.runtime.component import Component
from studio.runtime.lifecycle import State
from studio.runtime.plan import Plan, PlannedComponent
from studio.runtime.statistics import TopicStatistics


class DataRoute(Route):
    """A topic with the cells that handle it, the class of its messages, and what was seen of it."""

    gated = True

    def __init__(self, topic: str, cells: list[tuple[Cell, Delivery]], message_class: type[Any] | None) -> None:
        super().__init__(topic, [delivery for _, delivery in cells])
        self.cells = [cell for cell, _ in cells]
        self.message_class = message_class
        self.statistics = TopicStatistics()
        self.objects: dict[int, Any] = {}
        """Messages published by this very host, by sequence: they need no decoding when they come back in order."""
        self.local = False
        self.turns: tuple[int, Any] = (0, None)

    def report(self) -> dict[str, object]:
        dropped = {self.cells[limited.index].name: limited.dropped for limited in self.limited}
        return {**self.statistics.summary(), "dropped": dropped}


class Executor:
    def __init__(
        self,
        plan: Plan,
        host: str,
        run: Path,
        shared: Path | None,
        context: zmq.Context[zmq.Socket[bytes]],
    ) -> None:
        self.plan = plan
        self.host = host
        self.index = plan.hosts[host]
        self.mailbox = Mailbox()
        self.receiver = Receiver(context, run, self.mailbox, self._take_call)
        self.routes = self.receiver.routes
        self.clock = Clock.wall()
        self.gated = True
        self.epoch = 0
        self.stopped = False
        self.handling_since_ns = 0
        """When the executor last took a letter; 0 while it has nothing to do."""
        self.on_marker: Callable[[Marker], None] = lambda _: None
        self._run, self._shared, self._context = run, shared, context
        self._senders = threading.local()
        self._sender_list: list[Sender] = []
        self._leases = Leases(shared, self.index) if shared is not None else None
        self.calls = Calls(self)
        self.cells: dict[str, Cell] = {}
        self._receiving_hosts = {
            topic: tuple({plan.hosts[component.host] for component in components})
            for topic, components in plan.receivers.items()
        }

    def now_ns(self) -> int:
        return self.clock.now_ns()

    # Setting up.

    def add(self, planned: PlannedComponent, component: Component) -> Cell:
        cell = Cell(component, planned, emit=self._emit, call=self.calls.call, now_ns=self.now_ns, seed=self.plan.seed)
        self.cells[planned.name] = cell
        return cell

    def make_routes(self) -> None:
        """Once all cells are there: which topic goes to which of them."""
        for topic, components in self.plan.receivers.items():
            cells = [(self.cells[c.name], _delivery(c, topic)) for c in components if c.name in self.cells]
            if cells:
                self.routes[topic.encode()] = DataRoute(topic, cells, _message_class(cells[0][0], topic))
        for cell in self.cells.values():
            for topic in cell.planned.outlets.values():
                route = self.routes.get(topic.encode())
                if isinstance(route, DataRoute):
                    route.local = True

    def sender(self) -> Sender:
        """The calling thread's own sender."""
        sender: Sender | None = getattr(self._senders, "own", None)
        if sender is None:
            name = f"{self.host}.{len(self._sender_list)}"
            sender = self._senders.own = Sender(self._context, self._run, self._shared, name)
            self._sender_list.append(sender)
        return sender

    @property
    def dropped_sends(self) -> int:
        return sum(sender.dropped for sender in self._sender_list)

    # Handling.

    def work(self) -> None:
        """Handle letters until STOP. The calling thread becomes the executor."""
        for cell in self.cells.values():
            cell.own_thread()
        self._own = self.sender()
        while not self.stopped:
            self.handling_since_ns = 0
            letter = self.receiver.next()
            self.handling_since_ns = monotonic_ns()
            self.calls.serve_waiting()
            if letter is not None:
                self.handle(letter)

    def _take_call(self, frame: bytes) -> None:
        """Whoever reads the socket: requests and replies go past the mailbox."""
        try:
            self.calls.arrived(*split(frame))
        except StudioError as damaged:
            self.log("error", f"unreadable frame: {damaged}")

    def handle(self, letter: Letter) -> None:
        dropped = self.mailbox.open(letter)
        try:
            _, header, payload = split(letter.frame)
            if header.kind <= Kind.COMMAND:
                self._handle_event(letter.route, header, payload, dropped)
            elif header.kind == Kind.MARKER:
                self._handle_marker(Marker.parse(payload))
            elif header.kind == Kind.SWEEP and self._leases is not None:
                self._leases.sweep(bytes(payload).decode(), header.sequence)
        except StudioError as damaged:
            self.log("error", f"cannot read an event on {letter.route.topic}: {damaged}")

    def _handle_event(self, route: Route, header: Any, payload: memoryview, dropped: list[int]) -> None:
        assert isinstance(route, DataRoute)
        if self.receiver.overflow:
            self._give_up()
        if not header.flags & AGAIN:
            now_ns = self.clock.now_ns() if not self.gated else header.sent_ns
            route.statistics.saw(header.sequence, len(payload), now_ns - header.sent_ns)
        if len(dropped) == len(route.cells):
            self._let_go(header, payload)
            return
        message = self._message(route, header, payload)
        event = Event(
            route.topic,
            header.sequence,
            header.stamp_ns,
            message,
            None,
            header.kind,
            None,
            header.sent_ns,
            header.flags,
            header.origin,
            header.epoch,
        )
        if not self.gated:
            for index, cell in enumerate(route.cells):
                if index not in dropped:
                    cell.handle(event)
            return
        self._own.hold()
        self.calls.begin()
        published = [(cell.place, cell.handle(event)) for cell in route.cells if header.target in (TO_ALL, cell.place)]
        ack = Ack(topic_hash(route.topic), header.sequence, header.target, self.calls.counts(published))
        self._own.release(pack(ACK_TOPIC, Kind.ACK, self.index, ack.payload()))

    def _give_up(self) -> None:
        """More waits than this host may keep: its lossless receivers have failed to keep up."""
        self.receiver.overflow = False
        budget_mb = self.mailbox.budget_bytes // 2**20
        hint = 'make it faster or use keep="latest"'
        failure = StudioError(f"more than {budget_mb} MB of events were waiting", hint=hint)
        for cell in self.cells.values():
            if cell.state is State.ACTIVE and any(inlet.delivery == "lossless" for inlet in cell.planned.inlets):
                cell.fail(failure)

    def _message(self, route: DataRoute, header: Any, payload: memoryview) -> Any:
        if header.target != TO_ALL:
            return self._message_for_turns(route, header, payload)
        return self._read(route, header, payload)

    def _let_go(self, header: Any, payload: memoryview) -> None:
        """A shared payload that is not looked at is free at once."""
        if header.flags & SHARED and self._leases is not None:
            self._leases.skip(payload)

    def _message_for_turns(self, route: DataRoute, header: Any, payload: memoryview) -> Any:
        """An event that comes once per receiver is read once: its shared memory is let go after the first time."""
        if not header.flags & AGAIN:
            route.turns = (header.sequence, self._read(route, header, payload))
        sequence, message = route.turns
        return message if sequence == header.sequence else self._read(route, header, payload)

    def _read(self, route: DataRoute, header: Any, payload: memoryview) -> Any:
        if route.local and (known := route.objects.pop(header.sequence, None)) is not None:
            self._let_go(header, payload)
            return known
        if header.flags & SHARED:
            if self._leases is None:
                raise StudioError("a shared payload, but this host has no shared memory")
            payload = self._leases.open(payload)
        if header.kind == Kind.COMMAND:
            return json.loads(decode(String, payload).data)
        if route.message_class is None:
            return None
        return decode(route.message_class, payload)

    def _handle_marker(self, marker: Marker) -> None:
        self.on_marker(marker)
        if marker.mark is Mark.ALIVE:
            return
        self.clock, self.gated, self.epoch = marker.clock, marker.gated, marker.epoch
        self.receiver.greedy = not marker.gated
        if marker.mark is Mark.PAUSE:
            ack = Ack(topic_hash(ALL_TOPIC), marker.number)
            self._own.control(ACK_TOPIC, Kind.ACK, ack.payload(), self.index)
        elif marker.mark is Mark.STOP:
            self._finish()

    def _finish(self) -> None:
        for cell in self.cells.values():
            if cell.state is State.ACTIVE:
                cell.obey("deactivate")
            cell.obey("finalize")
        self.stopped = True

    # What cells ask for.

    def _emit(self, cell: Cell, event: Event) -> None:
        if event.flags & INPUT and self.gated and self.clock.stands:
            cell.paused_inputs += 1
            return
        if not self.gated and not event.flags & INPUT:
            event.sent_ns = self.clock.now_ns()
        route = self.routes.get(event.topic.encode())
        if route is not None and isinstance(route, DataRoute):
            route.objects[event.sequence] = event.message
        payload = encode(event.message)
        if not self.sender().event(event, payload, self._receiving_hosts.get(event.topic, ()), self.epoch):
            self._forget(route, event.sequence)

    def _forget(self, route: Route | None, sequence: int) -> None:
        if isinstance(route, DataRoute):
            route.objects.pop(sequence, None)

    def log(self, level: str, text: str, component: str = "") -> None:
        line = json.dumps({"component": component or self.host, "level": level, "text": text})
        self.sender().send(pack("/_studio/log", Kind.LOG, 0, encode(String(line))))

    def tidy(self) -> None:
        """Now and then: give back the memory of producers that are gone."""
        if self._leases is not None:
            self._leases.tidy()

    def close(self) -> None:
        self.receiver.close()
        for sender in self._sender_list:
            sender.close()


def _delivery(component: PlannedComponent, topic: str) -> Delivery:
    """A component that takes one topic at several ports gets it as the most demanding of them wants it."""
    deliveries = [inlet.parsed() for inlet in component.inlets if inlet.topic == topic]
    rank = {"lossless": 0, "queue": 1, "latest": 2}
    return min(deliveries, key=lambda each: (rank[each.kind], -each.depth)) if deliveries else Delivery()


def _message_class(cell: Cell, topic: str) -> type[Any] | None:
    ports = type(cell.component).__ports__
    return next((ports[inlet.port].type for inlet in cell.planned.inlets if inlet.topic == topic), None)
