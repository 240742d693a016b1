"""One component by itself: messages in, messages out, without channel, clock or process. For tests of components.

    with Trial(LowPass, cutoff_hz=5.0) as trial:
        trial.send("raw", Float64(1.0))
        assert trial.sent("smooth") == [Float64(1.0)]

With `geometry="raptor"` (a model by name or file) `self.geometry` of the component answers as in a running system;
`joints` moves what can move in it.

It calls a component as a host does: one event at a time, `now()` standing at the stamp of the event being handled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import numpy as np

from studio.errors import StudioError
from studio.messages.motion import JointState
from studio.model.geometry.assembly import Model
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.flat_model import content_of
from studio.model.geometry.library import load_model
from studio.model.spec import GET, Value
from studio.runtime.component import Component, ServiceError
from studio.runtime.declarations import InPort, OutPort, ProvidedService, RequiredService
from studio.runtime.wire.frames import Event, Kind

C = TypeVar("C", bound=Component)
NS_PER_S = 1_000_000_000
TOPIC = "/trial"


class TrialError(StudioError):
    """A test that asks for a port, service or parameter that the component does not have."""


class Trial(Generic[C]):
    def __init__(
        self, cls: type[C], *, geometry: str | Path | Model | GeometryContent | None = None, **parameters: Value
    ) -> None:
        self.now_ns = 0
        self._topic = TOPIC
        self.component = component = cls()
        component.geometry.take(_content(geometry))
        component._now_ns = component._system_ns = lambda: self.now_ns
        # What an actuator asks before it moves: a command that was just sent, by the wall clock, of real origin.
        component._is_live = lambda: True
        self._kind = Kind.DATA
        component._handled = lambda: Event(self._topic, 0, self.now_ns, kind=self._kind, sent_ns=self.now_ns)
        self._sent: dict[str, list[Any]] = {name: [] for name in component._outputs}
        for output in component._outputs.values():
            output.send = self._take
            output.is_wired = True
        for requester in component._requesters.values():
            requester.call = _nobody_answers
        for name, value in parameters.items():
            self._declared(cls.__parameters__, name, "parameter")
            setattr(component, name, value)

    def __enter__(self) -> Self:
        self.component.on_initialize()
        self.component.on_activate()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.component.on_deactivate()
        self.component.on_finalize()

    def send(self, port: str, message: Any, *, at_s: float | None = None, topic: str = TOPIC) -> None:
        """Deliver `message` at an in port and run its handler. `at_s` moves the time there first; `topic` is the wire
        that it comes over."""
        declared = self._declared(type(self.component).__ports__, port, "in port", InPort)
        if not isinstance(message, declared.type):
            raise TrialError(f"{port} takes {declared.type.__name__}, not {type(message).__name__}")
        if at_s is not None:
            self.now_ns = round(at_s * NS_PER_S)
        self._topic = topic
        self.component._inputs[port].arrive(message, None)
        handler = getattr(self.component, f"on_{port}", None)
        if handler is not None:
            handler(message)

    def tick(self, after_s: float | None = None) -> None:
        """One period passes (or `after_s`), then `on_timer` is called."""
        self.now_ns += round((self.component.period_s if after_s is None else after_s) * NS_PER_S)
        self.component.on_timer()

    def joints(self, positions: Mapping[str, float], *, at_s: float | None = None) -> None:
        """Tell where joints of the geometry are, by their full names. `at_s` moves the time there first."""
        if at_s is not None:
            self.now_ns = round(at_s * NS_PER_S)
        names, values = tuple(positions), np.array(list(positions.values()), dtype=np.float64)
        self.component.geometry.hear(JointState(stamp_ns=self.now_ns, names=names, position=values), self.now_ns)

    def change_geometry(self, geometry: str | Path | Model | GeometryContent) -> None:
        """Another geometry while the component runs."""
        if self.component.geometry.take(_content(geometry)):
            self.component.on_geometry()

    def trigger(self) -> None:
        self.component.on_trigger()

    def set(self, parameter: str, value: Value) -> None:
        """Change a parameter as a user does while the component runs; one that it refuses keeps its old value."""
        self._declared(type(self.component).__parameters__, parameter, "parameter")
        old = getattr(self.component, parameter)
        setattr(self.component, parameter, value)
        self._kind = Kind.COMMAND
        try:
            self.component.on_parameter(parameter, getattr(self.component, parameter))
        except StudioError:
            setattr(self.component, parameter, old)
            raise
        finally:
            self._kind = Kind.DATA

    def call(self, service: str, request: Any) -> Any:
        """The reply of a service that the component provides."""
        self._declared(type(self.component).__services__, service, "provided service", ProvidedService)
        return getattr(self.component, f"serve_{service}")(request)

    def ask(self, port: str) -> Any:
        """The value of an out port, as others get it who ask: computed by `get_<port>`, or what was sent last."""
        self._declared(type(self.component).__ports__, port, "out port", OutPort)
        compute = getattr(self.component, GET + port, None)
        if compute is None and not self._sent[port]:
            raise ServiceError(f"nothing was published on {port} yet")
        return compute() if compute is not None else self._sent[port][-1]

    def answer(self, service: str, reply: Callable[[Any], Any]) -> None:
        """Stand in for the provider of a service that the component requires."""
        self._declared(type(self.component).__services__, service, "required service", RequiredService)
        self.component._requesters[service].call = lambda name, request, deadline_s: reply(request)

    def sent(self, port: str) -> list[Any]:
        """What the component has published on an out port so far."""
        self._declared(type(self.component).__ports__, port, "out port", OutPort)
        return list(self._sent[port])

    def _take(self, port: str, message: Any, stamp_ns: int | None) -> None:
        self._sent[port].append(message)

    def _declared(self, names: dict[str, Any], name: str, what: str, kind: type = object) -> Any:
        if not isinstance(names.get(name), kind) or name not in names:
            there = ", ".join(each for each, value in names.items() if isinstance(value, kind)) or "none"
            raise TrialError(f"{type(self.component).__name__} has no {what} {name!r}", hint=f"it has: {there}")
        return names[name]


def _content(geometry: str | Path | Model | GeometryContent | None) -> GeometryContent | None:
    if geometry is None or isinstance(geometry, GeometryContent):
        return geometry
    return content_of(load_model(geometry) if isinstance(geometry, str | Path) else geometry)


def _nobody_answers(name: str, *_: object) -> Any:
    raise ServiceError(f"no component answers {name}", hint=f'in a test: trial.answer("{name}", lambda request: ...)')
