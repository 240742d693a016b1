"""A host: the process that runs one or more components. `python -m studio.runtime.host.host`, started by the launcher.

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
from studio.runtime.actuator import Actuator
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.process import die_with_parent
from studio.runtime.channel.call_frames import call_topics, ends_of
from studio.runtime.channel.mailbox import Route
from studio.runtime.channel.sender import Sender
from studio.runtime.component import Component
from studio.runtime.host.ahead import made_ahead
from studio.runtime.host.component_import import import_class
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.host.data_route import DataRoute
from studio.runtime.host.executor import Executor
from studio.runtime.host.handler_times import HandlerTimes
from studio.runtime.host.host_side import HostDebugger, spare_this_thread
from studio.runtime.host.lifecycle_state import REFUSAL
from studio.runtime.plan.plan import Plan, PlannedComponent
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    BEAT_TOPIC,
    HANDLED_TOPIC,
    HELLO_TOPIC,
    HOST_PREFIX,
    KEEPS_CHECKPOINTS,
    READY_TOPIC,
    REQUEST_PREFIX,
    SWEEP_TOPIC,
    WORKS_AHEAD,
    Kind,
    Mark,
    Marker,
    subscription,
)

HELLO_EVERY_NS = 20_000_000
BEAT_EVERY_NS = 500_000_000
TRACE_EVERY_NS = 50_000_000
LOOK_EVERY_S = 0.02
BUSY_NS = 1_000_000_000
"""A handler that takes longer makes its host look busy: alive, and not to be restarted."""
BEHIND_NS = 1_000_000_000
"""A component that handles older events cannot keep up with what it receives."""
LONG_HANDLER_NS = 10_000_000
"""A handler that takes longer hands the reading of the socket over to the I/O thread."""


class Host:
    def __init__(self, run: Path, name: str, shared: Path | None, journals: Path | None = None) -> None:
        self.name = name
        self.run = run
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.plan = Plan.load(addresses.plan_file(run))
        self.executor = Executor(self.plan, name, run, shared, self.context, journals)
        self.executor.renew = self._join
        self.executor.on_marker = self._look_at
        self.executor.on_replan = self._replan
        self._times = HandlerTimes()
        self._debugger = HostDebugger(run, name, self.executor)
        self._welcomed = threading.Event()
        self._initialized = False
        self._news = threading.Event()
        """Something has happened that the I/O thread has to say at once."""
        self._incarnation = self._heard = 0
        """Of the broker that has welcomed it, and of the one that spoke last."""
        self._following: tuple[int, int, str] | None = None
        """A changed plan whose subscriptions may not stand yet: which broker told of it, its number, and what there is
        to say about it."""

    def set_up(self) -> None:
        """Import and create the components; their failures to initialize are theirs alone."""
        for planned in self.plan.on_host(self.name):
            self._add(planned)
        self.executor.make_routes()

    def _add(self, planned: PlannedComponent) -> ComponentRunner:
        runner = self.executor.add(planned, made_ahead(planned, self.plan.project) or create(planned))
        log = runner.component.log
        log.handlers[:] = [_ChannelLog(self.executor, runner.name)]
        log.setLevel(logging.INFO)
        log.propagate = False
        return runner

    def main(self) -> int:
        signal.signal(signal.SIGTERM, self._end_now)
        self._debugger.at_start()
        self.set_up()
        self._subscribe()
        executor = threading.Thread(target=self._execute, name="executor", daemon=True)
        executor.start()
        self._io(executor)
        executor.join()
        self.executor.close()
        self.context.destroy(linger=500)
        return 0 if self.executor.stopped else 1

    def _end_now(self, *_: object) -> None:
        """It has been told to stop, but may have much to handle before it hears of that. A stuck one is killed."""
        self.executor.ends_now = True

    def _execute(self) -> None:
        for runner in self.executor.runners.values():
            runner.own_thread()
            runner.obey("initialize")
        self._initialized = True
        self._news.set()
        try:
            self.executor.work()
        finally:
            self._news.set()

    def _subscribe(self) -> None:
        own = HOST_PREFIX + self.name
        for topic in (SWEEP_TOPIC, ALL_TOPIC, own):
            self.executor.routes[topic.encode()] = Route(topic)
        self.executor.receiver.connect(self._topics() - {own}, last=own)

    def _topics(self) -> set[str]:
        calls = {topic for topic in call_topics(self.executor.plan) if self._reads_call(topic)}
        return calls | {topic.decode() for topic in self.executor.routes}

    def _replan(self, number: int) -> None:
        """Executor: the system has changed. What was here before goes on as it is; what is new is created."""
        plan = Plan.load(addresses.plan_file(self.run))
        if self.name not in plan.hosts:
            return  # it is about to be told to stop
        before = self._topics()
        complaints = self.executor.replan(plan, self._join)
        proof = f"{HOST_PREFIX}{self.name}/{number}"
        with self.executor.receiver.resubscribing() as socket:
            self.executor.make_routes()
            now = self._topics()
            self.executor.routes[proof.encode()] = Route(proof)
            for topic in before - now:
                socket.unsubscribe(subscription(topic))
            for topic in (*(now - before), proof):  # subscribed to last, what arrives on it proves that all stand
                socket.subscribe(subscription(topic))
        self._following = (self._heard, number, "; ".join(complaints))
        self._welcomed.clear()

    def _join(self, planned: PlannedComponent) -> None:
        """Executor: a component that comes while the others run."""
        runner = self._add(planned)
        runner.own_thread()
        runner.obey("initialize")

    def _reads_call(self, topic: str) -> bool:
        caller, provider = ends_of(topic)
        return (provider if topic.startswith(REQUEST_PREFIX) else caller) in self.executor.runners

    def _look_at(self, marker: Marker) -> None:
        """Executor: what a marker says about the connection to the broker."""
        self._heard = marker.incarnation
        if marker.mark is Mark.WELCOME:
            self._welcome(marker)
        elif marker.incarnation != self._incarnation:
            self._welcomed.clear()

    def _welcome(self, marker: Marker) -> None:
        if self._incarnation not in (0, marker.incarnation):
            self._stop_actuators("the broker was replaced")
        self._incarnation = marker.incarnation
        if self._following is not None:
            broker, number, text = self._following
            replaced = marker.incarnation != broker  # a broker that died had asked; the next one will ask again
            if marker.about != number and not replaced:
                return  # it says nothing about the new subscriptions
            self._following = None
            proof = f"{HOST_PREFIX}{self.name}/{number}"
            with self.executor.receiver.resubscribing() as socket:
                del self.executor.routes[proof.encode()]
                socket.unsubscribe(subscription(proof))
            if not replaced:
                self.executor.answer(number, text)
        self._welcomed.set()
        self._news.set()

    def _stop_actuators(self, why: str) -> None:
        """Whether or not they were without commands for so long that they have noticed."""
        for runner in self.executor.runners.values():
            if isinstance(runner.component, Actuator):
                runner.component.stop_for_safety(why)

    # The I/O thread.

    def _io(self, executor: threading.Thread) -> None:
        sender = Sender(self.context, self.run, None, self.name)
        next_hello = next_beat = next_trace = 0
        ready_for = 0
        shown = self._shown()
        spare_this_thread()
        self._news.set()  # the first greeting does not wait
        while executor.is_alive():
            self._news.wait(LOOK_EVERY_S)
            self._news.clear()
            now_ns = monotonic_ns()
            self._debugger.look()
            since_ns = self.executor.handling_since_ns
            if since_ns and now_ns - since_ns > LONG_HANDLER_NS:
                self.executor.receiver.take_over()
            if not self._welcomed.is_set() and now_ns >= next_hello:
                sender.control(HELLO_TOPIC, Kind.HELLO, self.name.encode())
                next_hello = now_ns + HELLO_EVERY_NS
            # To every broker, and not once per greeting: a greeting of a dead broker may be answered by the next one.
            if self._initialized and self._welcomed.is_set() and ready_for != self._incarnation:
                ready_for = self._incarnation
                sender.control(READY_TOPIC, Kind.READY, self.name.encode(), KEEPS_CHECKPOINTS | WORKS_AHEAD)
            if now_ns >= next_trace:
                self._send_trace(sender)
                next_trace = now_ns + TRACE_EVERY_NS
            # What somebody may have asked for is told at once.
            if now_ns >= next_beat or shown != self._shown():
                shown = self._shown()
                self._beat(sender)
                next_beat = now_ns + BEAT_EVERY_NS
        for _ in range(2):  # the book gives what was written before it was last asked
            self._send_trace(sender)
        self._beat(sender)
        sender.close()

    def _send_trace(self, sender: Sender) -> None:
        trace = self.executor.trace.take()
        if trace is not None:
            self._times.add(trace)
            sender.control(HANDLED_TOPIC, Kind.TRACE, encode(trace))

    def _beat(self, sender: Sender) -> None:
        self.executor.tidy()
        sender.control(BEAT_TOPIC, Kind.BEAT, encode(String(json.dumps(self.report()))))

    def _shown(self) -> list[object]:
        runners = self.executor.runners.values()
        return [(runner.state, runner.activation, dict(runner.component._values), runner.stops) for runner in runners]

    def _busy_s(self) -> float:
        since_ns = self.executor.handling_since_ns
        passed_ns = monotonic_ns() - since_ns if since_ns else 0
        return round(passed_ns / SECOND_NS, 1) if passed_ns > BUSY_NS else 0.0

    def _behind_s(self) -> float:
        """How old the events are that it handles, while more wait; nobody is behind a gate that waits for him."""
        executor = self.executor
        if executor.gated or not executor.mailbox.letters:
            return 0.0
        return round(executor.age_ns / SECOND_NS, 1) if executor.age_ns > BEHIND_NS else 0.0

    def report(self) -> dict[str, object]:
        """What a heartbeat tells: states, errors, and what was seen of each topic."""
        return {
            "host": self.name,
            "pid": os.getpid(),
            "waiting_bytes": self.executor.mailbox.waiting_bytes,
            "dropped_sends": self.executor.dropped_sends,
            "busy_s": self._busy_s(),
            "behind_s": self._behind_s(),
            "malformed": self.executor.refusals.plain(),
            "components": {
                runner.name: {
                    **runner.report(),
                    "handler_p50_us": self._times.p50_us(runner.name),
                    "activation": runner.activation,
                    "parameters": dict(runner.component._values),
                }
                for runner in self.executor.runners.values()
            },
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
        more = {REFUSAL: True} if hasattr(record, REFUSAL) else {}
        self._executor.log(record.levelname.lower(), self.format(record), self._component, **more)


def main() -> int:
    die_with_parent()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal group; the launcher decides
    run, name = Path(os.environ["STUDIO_RUN"]), os.environ["STUDIO_HOST"]
    shared, journals = os.environ.get("STUDIO_SHM"), os.environ.get("STUDIO_JOURNALS")
    try:
        return Host(run, name, Path(shared) if shared else None, Path(journals) if journals else None).main()
    except StudioError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
