"""A host: the process that runs one or more components. `python -m studio.runtime.host`, started by the launcher.

Two threads: the executor runs every handler, this module's I/O thread does the receiving socket and the heartbeat, so
that a long handler (or a JIT compile) never makes the host look dead and arrivals are counted while it runs.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.messages import encode
from studio.messages.plain import String
from studio.model.spec import PythonEntry
from studio.runtime.channel import addresses
from studio.runtime.channel.frames import (
    ALL_TOPIC,
    BEAT_TOPIC,
    HELLO_TOPIC,
    HOST_PREFIX,
    READY_TOPIC,
    REPLY_PREFIX,
    REQUEST_PREFIX,
    SWEEP_TOPIC,
    Kind,
    Mark,
    Marker,
    split,
    subscription,
)
from studio.runtime.channel.mailbox import Letter, Mailbox, Route
from studio.runtime.channel.sender import Sender
from studio.runtime.clock import monotonic_ns
from studio.runtime.component import Component
from studio.runtime.component_import import import_class
from studio.runtime.executor import DataRoute, Executor
from studio.runtime.plan import Plan, PlannedComponent
from studio.runtime.process import die_with_parent

HELLO_EVERY_NS = 20_000_000
BEAT_EVERY_NS = 500_000_000
BATCH = 256


class Host:
    def __init__(self, run: Path, name: str, shared: Path | None) -> None:
        self.name = name
        self.run = run
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.mailbox = Mailbox()
        self.plan = Plan.load(addresses.plan_file(run))
        self.executor = Executor(self.plan, name, run, shared, self.context, self.mailbox)
        self._welcomed = threading.Event()
        self._ready = False
        self._incarnation = 0

    def set_up(self) -> None:
        """Import and create the components; their failures to initialize are theirs alone."""
        for planned in self.plan.on_host(self.name):
            cell = self.executor.add(planned, create(planned))
            cell.component.log.addHandler(_ChannelLog(self.executor, cell.name))
            cell.component.log.setLevel(logging.INFO)
            cell.component.log.propagate = False
        self.executor.make_routes()

    def main(self) -> int:
        self.set_up()
        executor = threading.Thread(target=self._execute, name="executor", daemon=True)
        executor.start()
        self._io(executor)
        executor.join()
        self.executor.close()
        self.context.destroy(linger=500)
        return 0

    def _execute(self) -> None:
        for cell in self.executor.cells.values():
            cell.own_thread()
            cell.obey("initialize")
        self._ready = True
        self.executor.work()

    # The I/O thread.

    def _io(self, executor: threading.Thread) -> None:
        sender = Sender(self.context, self.run, None, self.name)
        receiver = self._subscribe()
        next_hello = next_beat = 0
        ready_said = False
        while executor.is_alive():
            receiver.poll(10 if not ready_said else 100)
            self._receive(receiver)
            now = monotonic_ns()
            if not self._welcomed.is_set() and now >= next_hello:
                sender.control(HELLO_TOPIC, Kind.HELLO, self.name.encode())
                next_hello = now + HELLO_EVERY_NS
            if self._ready and self._welcomed.is_set() and not ready_said:
                sender.control(READY_TOPIC, Kind.READY, self.name.encode())
                ready_said = True
            if now >= next_beat:
                self._beat(sender)
                next_beat = now + BEAT_EVERY_NS
        self._beat(sender)
        sender.close()
        receiver.close()

    def _subscribe(self) -> zmq.Socket[bytes]:
        receiver = self.context.socket(zmq.SUB)
        receiver.rcvhwm = 0
        receiver.linger = 0
        routes = self.executor.routes
        for topic in (SWEEP_TOPIC, ALL_TOPIC, HOST_PREFIX + self.name):
            routes[topic.encode()] = Route(topic)
        topics = [topic.decode() for topic in routes]
        calls = [REQUEST_PREFIX + name for name in self.executor.cells] + [REPLY_PREFIX + self.name]
        # The host's own topic comes last (it was added last): its WELCOME proves that all others stand.
        for topic in [*calls, *topics]:
            receiver.subscribe(subscription(topic))
        receiver.connect(addresses.out_of(self.run))
        return receiver

    def _receive(self, receiver: zmq.Socket[bytes]) -> None:
        routes = self.executor.routes
        receive = receiver.recv
        batch: list[Letter] = []
        try:
            while len(batch) < BATCH:
                frame = receive(zmq.DONTWAIT)
                route = routes.get(frame[: frame.find(b"\0")])
                if route is None:
                    self._take_call(frame)
                else:
                    batch.append(Letter(frame, route))
                    if route.topic == ALL_TOPIC or route.topic.startswith(HOST_PREFIX):
                        self._look_at_marker(frame)
        except zmq.Again:
            pass
        if batch and self.mailbox.over_budget:
            # Throw events away rather than grow: their sequence numbers tell how many, the receivers go to error.
            self.executor.overflow = True
            batch = [letter for letter in batch if not isinstance(letter.route, DataRoute)]
        if batch:
            self.mailbox.put(batch)

    def _take_call(self, frame: bytes) -> None:
        try:
            topic, header, payload = split(frame)
        except StudioError as damaged:
            self.executor.log("error", f"unreadable frame: {damaged}")
            return
        self.executor.calls.arrived(topic, header, payload)
        if header.kind == Kind.REQUEST:
            self.mailbox.put([])

    def _look_at_marker(self, frame: bytes) -> None:
        """What concerns the connection is seen here at once; the executor sees the marker in its place of the stream."""
        marker = Marker.parse(split(frame)[2])
        if marker.mark is Mark.WELCOME:
            self._welcomed.set()
            self._incarnation = marker.incarnation
        elif marker.incarnation != self._incarnation and self._welcomed.is_set():
            self._welcomed.clear()

    def _beat(self, sender: Sender) -> None:
        sender.control(BEAT_TOPIC, Kind.BEAT, encode(String(json.dumps(self.report()))))

    def report(self) -> dict[str, object]:
        """What a heartbeat tells: states, errors, and what was seen of each topic."""
        return {
            "host": self.name,
            "pid": os.getpid(),
            "waiting_bytes": self.mailbox.waiting_bytes,
            "dropped_sends": self.executor.dropped_sends,
            "components": {cell.name: cell.report() for cell in self.executor.cells.values()},
            "topics": {
                route.topic: route.report() for route in self.executor.routes.values() if isinstance(route, DataRoute)
            },
        }


def create(planned: PlannedComponent) -> Component:
    """A new object of the class that the plan names."""
    module, _, cls = planned.entry.partition(":")
    return import_class(Path(planned.folder), PythonEntry(module, cls))()


class _ChannelLog(logging.Handler):
    """`self.log` of a component, sent to the runtime."""

    def __init__(self, executor: Executor, component: str) -> None:
        super().__init__()
        self._executor = executor
        self._component = component

    def emit(self, record: logging.LogRecord) -> None:
        self._executor.log(record.levelname.lower(), self.format(record), self._component)


def main() -> int:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal group; the launcher decides
    run, name = Path(os.environ["STUDIO_RUN"]), os.environ["STUDIO_HOST"]
    shared = os.environ.get("STUDIO_SHM")
    try:
        return Host(run, name, Path(shared) if shared else None).main()
    except StudioError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
