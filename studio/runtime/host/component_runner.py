"""Runs one component: gives it events one at a time, catches its failures, and counts what it publishes.

A runner knows no sockets. The host gives it events from the channel, the in-process twin hands them over directly; both
get what it publishes through `effect`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from studio.messages import Float64, Mail, MessageTypes, String
from studio.messages.motion import JointState
from studio.model.geometry.content import GeometryContent
from studio.model.spec import GET
from studio.runtime.actuator import Actuator
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.base.short_values import short_fields
from studio.runtime.base.typed_json import Malformed
from studio.runtime.component import Component, ServiceError
from studio.runtime.declarations import InPort, Input, OutPort, Output
from studio.runtime.geometry import Geometry
from studio.runtime.host.lifecycle_state import REFUSAL, LifecycleState, Refusal
from studio.runtime.lifecycle import LifecycleError, State
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.wire.frames import COMMAND_PREFIX, INPUT, TIMER_PREFIX, Event, Kind, make_event

Effect = Callable[[Event], object]
Stray = Callable[["ComponentRunner", Event], None]
Trace = Callable[[str, str, int, int, int, list[tuple[str, int]], list[tuple[str, int]]], None]
"""Component, topic, sequence, start, end, what was read, what was published: a line of the handled trace."""
Call = Callable[["ComponentRunner", str, Any, float], Any]
Handler = Callable[[Any], None]

_DATA, _TIMER = int(Kind.DATA), int(Kind.TIMER)
_ACTIVE = State.ACTIVE
_TYPES = MessageTypes.builtin()
_NOT_KEPT: Input[Any] = Input(InPort(Float64), has_handler=True)
"""In the place of an in port, for what goes to none."""


class ComponentRunner(LifecycleState):
    def __init__(
        self,
        component: Component,
        planned: PlannedComponent,
        *,
        effect: Effect,
        stray: Stray,
        call: Call,
        now_ns: Callable[[], int],
        seed: int = 0,
        geometry: GeometryContent | None = None,
        project: str = "",
    ) -> None:
        super().__init__(component, planned)
        component.geometry.take(geometry)
        component.project = Path(project) if project else None
        self.place = planned.place
        self.ignored = 0
        self.handled = 0
        self.ticks = 0
        """How often `on_timer` was called."""
        self.paused_inputs = 0
        """Inputs that were dropped at the source because the system was paused."""
        self.event: Event | None = None
        """What is being handled."""
        self.published = 0
        self.trace: Trace | None = None
        self.last: dict[str, Any] = {}
        """Out port -> what was last published there: anybody may ask for it."""
        self.sequences = dict.fromkeys(planned.outlets.values(), 0)
        self._effect = effect
        """Takes what a handler publishes."""
        self._stray = stray
        """Takes what another thread publishes: an input."""
        self._call = call
        self._system_ns = now_ns
        self._executor = threading.get_ident()
        self._reads: list[tuple[str, int]] = []
        self._sent: list[tuple[str, int]] = []
        self._refused_links: set[str] = set()
        self._routes = self._make_routes()
        self._bind(seed)

    def _make_routes(self) -> dict[str, list[tuple[Input[Any], Handler | None]]]:
        """Topic -> the in ports it goes to, with their handlers."""
        routes: dict[str, list[tuple[Input[Any], Handler | None]]] = {}
        if self.planned.joints:  # before its own handler of the same topic, if it has one
            routes[self.planned.joints] = [(_Joints(self.component.geometry), None)]
        for inlet in self.planned.inlets:
            handler = getattr(self.component, "on_" + inlet.port, None)
            entry = self.component._inputs[inlet.port]
            if entry.type is Mail:
                entry, handler = _NOT_KEPT, partial(self._take_mail, inlet.port)
            routes.setdefault(inlet.topic, []).append((entry, handler))
        for link in self.planned.links:
            routes.setdefault(link.topic, []).append((_NOT_KEPT, partial(self._set_linked, link.parameter)))
        return routes

    @property
    def kinds(self) -> dict[str, type[Any]]:
        """Topic -> the class of its messages."""
        kinds: dict[str, type[Any]] = {link.topic: _TYPES.get(link.type) for link in self.planned.links}
        if self.planned.joints:
            kinds[self.planned.joints] = JointState
        ports = type(self.component).__ports__
        return kinds | {inlet.topic: ports[inlet.port].type for inlet in self.planned.inlets}

    def _bind(self, seed: int) -> None:
        component = self.component
        component.name = self.name
        component.log = logging.getLogger(self.name)
        component.random = np.random.default_rng(seed_of(seed, self.name))
        component._now_ns = self.now_ns
        component._system_ns = self._system_ns
        component._handled = lambda: self.event
        component._activation = lambda: self.activation
        for output in component._outputs.values():
            output.send = _too_early
        for requester in component._requesters.values():
            requester.call = self._call_service
        for entry in component._inputs.values():
            entry.on_read = self._note_read
        for name, value in self.planned.parameters.items():
            component._values[name] = type(component).__parameters__[name].spec.check(value)

    def open_outputs(self) -> None:
        # In a source, what is bound has the name of the source; all else is there to be looked at only.
        is_inside = any(not topic.startswith(f"/{self.name}/") for topic in self.planned.outlets.values())
        for port, output in self.component._outputs.items():
            topic = self.planned.outlets.get(port)
            output.is_wired = topic is not None and (topic.startswith(f"/{self.name}/") != is_inside)
            output.take_over(self._publisher(topic, output) if topic else _into_nothing)

    def replan(self, planned: PlannedComponent) -> None:
        """Other wires, another place or origin; nothing else of the component changes."""
        self.planned, self.place = planned, planned.place
        for topic in planned.outlets.values():
            self.sequences.setdefault(topic, 0)
        self._routes = self._make_routes()
        if self.state is not State.CREATED:
            self.open_outputs()

    def own_thread(self) -> None:
        """Declare the calling thread the executor: what others publish counts as input."""
        self._executor = threading.get_ident()

    def now_ns(self) -> int:
        event = self.event
        if event is not None and threading.get_ident() == self._executor:
            return event.stamp_ns
        return self._system_ns()

    # Publishing and calling: what the component does.

    def _publisher(self, topic: str, output: Output[Any]) -> Callable[..., None]:
        # Looked up once: this runs for every event that is published.
        sequences, effect, thread, origin = self.sequences, self._effect, threading.get_ident, self.planned.origin
        kind, last, port = output.type, self.last, output.name

        def publish(message: Any, *, stamp_ns: int | None = None) -> None:
            if type(message) is not kind:
                output.check(message)
            last[port] = message
            sequences[topic] = sequence = sequences[topic] + 1
            cause = self.event
            if cause is None or thread() != self._executor:
                now_ns = self._system_ns()
                stamp = now_ns if stamp_ns is None else stamp_ns
                event = make_event((topic, sequence, stamp, message, None, _DATA, None, now_ns, INPUT, origin, 0))
                self._stray(self, event)
                return
            stamp = cause.stamp_ns if stamp_ns is None else stamp_ns
            named = (cause.topic, cause.sequence)
            self.published += 1
            if self.trace is not None:
                self._sent.append((topic, sequence))
            effect(make_event((topic, sequence, stamp, message, None, _DATA, named, stamp, 0, origin, 0)))

        return publish

    def _call_service(self, name: str, request: Any, deadline_s: float) -> Any:
        if name not in self.planned.requires:
            raise ServiceError(f"{self.name}.{name} is not wired to a provider", hint="add a <service> wire")
        if self.event is None or threading.get_ident() != self._executor:
            raise ServiceError(f"{self.name}.{name} was called outside a handler", hint="call it in a handler")
        return self._call(self, name, request, deadline_s)

    def _note_read(self, event: Event) -> None:
        if self.trace is not None:
            self._reads.append((event.topic, event.sequence))

    # Handling: what happens to the component.

    def handle(self, event: Event) -> int:
        """Give the component one event; returns how many events it published. Its exceptions end here."""
        self.event = event
        self.published = 0
        trace = self.trace
        start_ns = monotonic_ns() if trace is not None else 0
        try:
            kind = event.kind
            if kind == _DATA:
                # Inlined, as it runs for every event.
                message, active = event.message, self.state is _ACTIVE
                for entry, handler in self._routes[event.topic]:
                    if entry.keeps:
                        if entry.queue is None or not active:
                            entry.message, entry.event = message, event
                        else:
                            entry.arrive(message, event)
                    if not active:
                        self.ignored += 1
                    elif handler is not None:
                        handler(message)
            elif kind == _TIMER:
                self._on_tick()
            else:
                self._on_command(event)
        except Exception as failure:
            self.fail(failure)
        self.event = None
        self.handled += 1
        if trace is not None:
            trace(self.name, event.topic, event.sequence, start_ns, monotonic_ns(), self._reads, self._sent)
            if self._reads:
                self._reads = []
            if self._sent:
                self._sent = []
        return self.published

    def fail(self, failure: Exception) -> None:
        event = self.event
        self.failed_on = {} if event is None else {
            "topic": event.topic, "sequence": event.sequence, "stamp_ns": event.stamp_ns,
            "message": short_fields(event.message),
        }  # fmt: skip
        super().fail(failure)

    def _on_tick(self) -> None:
        if self.state is State.ACTIVE and self.activation == "periodic":
            self.ticks += 1
            self.component.on_timer()
        else:
            self.ignored += 1

    def _on_command(self, event: Event) -> None:
        command = event.message if isinstance(event.message, dict) else json.loads(event.message)
        try:
            self.command(command)
        except Refusal as refused:
            self.component.log.warning("%s", refused, extra={REFUSAL: True})
        except Malformed as malformed:
            self.component.log.warning("malformed command: %s", malformed, extra={REFUSAL: True})

    def obey(self, verb: str) -> None:
        """A life-cycle command from the machinery itself, at the start and the end of a run."""
        self.handle(Event(command_topic(self.name), 0, self._system_ns(), {"do": verb}, kind=Kind.COMMAND))

    def _set_linked(self, name: str, message: Any) -> None:
        """An output that a parameter is linked to has a new value. One that does not fit leaves the old one."""
        try:
            self.set_parameter(name, message.data)
        except Refusal as refused:
            if name not in self._refused_links:  # once, and not with every event
                self._refused_links.add(name)
                self.component.log.warning("the link to %s: %s", name, refused)
        else:
            self._refused_links.discard(name)

    def serve(self, service: str, request: Any, event: Event) -> Any:
        """Answer a service request nested in another component's handler."""
        outer, self.event = self.event, event
        published, self.published = self.published, 0
        start_ns = monotonic_ns() if self.trace is not None else 0
        try:
            return self.respond(service, request)
        finally:
            self.event = outer
            self.served, self.published = self.published, published
            if self.trace is not None:
                self.trace(self.name, event.topic, event.sequence, start_ns, monotonic_ns(), self._reads, self._sent)
                self._reads, self._sent = [], []

    def service_types(self, service: str) -> tuple[type[Any], type[Any]] | None:
        """The classes of request and reply; None if there is no such service. `get_<out port>` is always there."""
        cls = type(self.component)
        declared = cls.__services__.get(service)
        if declared is not None and declared.role == "provided":
            return declared.request, declared.reply
        port = cls.__ports__.get(service.removeprefix(GET)) if service.startswith(GET) else None
        return (String, port.type) if isinstance(port, OutPort) else None

    def respond(self, service: str, request: Any) -> Any:
        """The reply to a request, whose type has been looked at."""
        declared = type(self.component).__services__.get(service)
        if declared is not None and declared.role == "provided":
            return getattr(self.component, "serve_" + service)(request)
        port = service.removeprefix(GET)
        compute = getattr(self.component, service, None)
        if compute is not None:
            value = compute()
            self.component._outputs[port].check(value)
            return value
        if port not in self.last:
            raise ServiceError(f"{self.name} has published nothing on {port} yet", hint="ask again later")
        return self.last[port]

    def take(self, port: str, message: Any) -> None:
        """Let a message in at an in port, as what the event at hand brought."""
        entry = self.component._inputs[port]
        if entry.keeps:
            entry.arrive(message, self.event)
        handler = getattr(self.component, "on_" + port, None)
        if handler is not None:
            handler(message)

    def _take_mail(self, port: str, mail: Mail) -> None:
        """Every inbox hears every outbox."""
        if mail.is_for(self.name):
            self.take(port, mail)

    served = 0
    """How many events the last service call published."""

    def report(self) -> dict[str, object]:
        """What a heartbeat tells of this component."""
        return {
            "state": self.state.value,
            "handled": self.handled,
            "ticks": self.ticks,
            "errors": self.errors,
            "ignored": self.ignored,
            "paused_inputs": self.paused_inputs,
            "error": self.error,
            "trouble": self.component.trouble,
            "failed_on": self.failed_on,
            "published": dict(self.sequences),
            "hears_end": self.hears_end,
            "shown": {name: shown(getattr(self.component, name)) for name in type(self.component).__states__},
        }

    @property
    def stops(self) -> tuple[str, str]:
        """What keeps it from its work, and the safety stop that holds it: people hear of both at once."""
        stop = self.component.safety_stop if isinstance(self.component, Actuator) else ""
        return self.component.trouble, stop

    def forget_trace(self) -> None:
        """Of what was begun elsewhere."""
        self._reads, self._sent = [], []

    @property
    def hears_end(self) -> bool:
        """Whether it has something to do when a log has ended."""
        return type(self.component).on_end is not Component.on_end


class _Joints(Input[Any]):
    """In the place of an in port: tells the geometry how joints move, also while the component is not active."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(InPort(JointState), has_handler=False)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "event" and self.message is not None and value is not None:  # set after the message
            self._geometry.hear(self.message, value.stamp_ns)


def shown(value: Any) -> Any:
    """A state as JSON can hold it; a component may set it to anything."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (tuple, list)):
        return [shown(each) for each in value]
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def seed_of(run_seed: int, name: str) -> int:
    """A component's own seed: the same in every process and run, different for every name."""
    return int.from_bytes(hashlib.sha256(f"{run_seed}/{name}".encode()).digest()[:8], "little")


def tick_topic(component: str) -> str:
    return TIMER_PREFIX + component


def command_topic(component: str) -> str:
    return COMMAND_PREFIX + component


def _too_early(name: str, *_: Any) -> None:
    """Before the barrier nobody may be there to hear it, and its place in the order would be chance."""
    raise LifecycleError(
        f"{name} published before the component was initialized", hint="publish in on_activate or later"
    )


def _into_nothing(*_: Any, **__: Any) -> None:
    """An out port that no topic belongs to; only in plans made by hand."""
