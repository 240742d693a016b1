"""The base class that component authors subclass, and all they import besides the messages.

Everything that enters a component is an event, handled one at a time by one thread: no locks are needed. A component
asks `self.now()` for the time and `self.random` for randomness, so that its outputs are a function of its inputs and
a log replays bit for bit.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from studio.errors import StudioError
from studio.messages import Mail, Message
from studio.model.geometry.rotations import GeometryError
from studio.model.spec import Activation, Category, SpecError, Value
from studio.runtime.declarations import (
    InPort,
    Input,
    OutPort,
    Output,
    Parameter,
    ProvidedService,
    Requester,
    RequiredService,
    RequiredValue,
    State,
)
from studio.runtime.geometry import Geometry
from studio.runtime.handlers import check_handlers

__all__ = [
    "NOTICE", "Component", "GeometryError", "InPort", "OutPort", "Parameter", "ProvidedService", "RequiredService",
    "RequiredValue", "ServiceError", "State",
]  # fmt: skip

NOTICE = 25
"""A level of the log between INFO and WARNING, for what people wait for: `self.log.log(NOTICE, "reached the goal")`.
The window says it in its status bar, too."""
logging.addLevelName(NOTICE, "NOTICE")


class ServiceError(StudioError):
    """A service call that got no answer, or an error for one."""


class Component:
    """One unit of robot software. Subclasses declare ports and parameters and write `on_<port>` handlers."""

    category: ClassVar[Category] = "processor"
    icon: ClassVar[str] = ""
    tags: ClassVar[tuple[str, ...]] = ()
    activations: ClassVar[tuple[Activation, ...]] = ("event",)
    period_s: ClassVar[float] = 0.1
    parameter_sets: ClassVar[Mapping[str, Mapping[str, Value]]] = {}
    needs_geometry: ClassVar[bool] = False
    """Whether it fails in a system without a geometry: the check says so before the system runs."""
    brings_geometry: ClassVar[str] = ""
    """The assembly that a system with this component takes where it has none: the vehicle of a simulator."""

    __ports__: ClassVar[dict[str, InPort[Any] | OutPort[Any]]] = {}
    __services__: ClassVar[dict[str, ProvidedService[Any, Any] | RequiredService[Any, Any]]] = {}
    __parameters__: ClassVar[dict[str, Parameter[Any]]] = {}
    __states__: ClassVar[dict[str, State[Any]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__ports__ = _declared(cls, (InPort, OutPort))
        cls.__services__ = _declared(cls, (ProvidedService, RequiredService))
        cls.__parameters__ = _declared(cls, (Parameter,))
        cls.__states__ = _declared(cls, (State,))
        if cls.__ports__ or cls.__services__:
            in_ports = [name for name, port in cls.__ports__.items() if isinstance(port, InPort)]
            provided = [name for name, each in cls.__services__.items() if isinstance(each, ProvidedService)]
            for name in in_ports:
                if getattr(cls.__ports__[name], "queue", 0) and hasattr(cls, "on_" + name):
                    hint = f"read them in on_timer, or declare {name} without a queue"
                    raise SpecError(
                        f"{cls.__name__}.{name} has both a queue and a handler; only one of them can get the messages",
                        hint=hint,
                    )
            check_handlers(cls, Component, in_ports, provided)

    def __new__(cls, *args: Any, **kwargs: Any) -> Component:
        # Here and not in __init__, so that a subclass that forgets super().__init__() still works.
        self = super().__new__(cls)
        self._inputs = {
            name: Input(port, hasattr(cls, "on_" + name))
            for name, port in cls.__ports__.items()
            if isinstance(port, InPort)
        }
        self._outputs = {name: Output(port) for name, port in cls.__ports__.items() if isinstance(port, OutPort)}
        services = cls.__services__.items()
        self._requesters = {name: Requester(each) for name, each in services if isinstance(each, RequiredService)}
        # Found in the object itself before the class's descriptors are asked: one call less for every use of a port.
        vars(self).update(self._inputs | self._outputs | self._requesters)
        self._values = {name: parameter.spec.default for name, parameter in cls.__parameters__.items()}
        vars(self).update({name: state.start for name, state in cls.__states__.items()})
        self._now_ns = self._system_ns = _no_clock
        self._handled = self._is_live = _nothing
        self._activation = lambda: cls.activations[0]
        self.name = cls.__name__
        self.project = None
        self.geometry = Geometry()
        self.random = np.random.default_rng(0)
        self.log = logging.getLogger(cls.__name__)
        return self

    name: str
    """The component's name in the system; set before on_initialize."""
    project: Path | None
    """The folder of the project that it runs in: what a parameter names lies there. None where there is no project."""
    geometry: Geometry
    """Where frames are and what sensors and vehicle can do; of the whole system, from on_initialize on."""
    random: np.random.Generator
    """Randomness that replays: seeded from the run's seed and the component's name."""
    log: logging.Logger

    _inputs: dict[str, Input[Any]]
    _outputs: dict[str, Output[Any]]
    _requesters: dict[str, Requester[Any, Any]]
    _values: dict[str, Value]
    _now_ns: Any
    _system_ns: Any
    """The system clock, also while an event is handled: for ages of commands, never for results."""
    _handled: Any
    """Gives the event that is being handled, if any."""
    _is_live: Any

    trouble: str = ""
    """What keeps it from its work though it is active, for a person: a device that does not answer, votes that do not
    come. Drivers override it with a property. It stops an armed vehicle that the component leads to (safety.md)."""
    _activation: Any

    @property
    def activation(self) -> Activation:
        """The mode it runs in: a handler of one that can also run periodically or by trigger may only take note."""
        return cast(Activation, self._activation())

    def now(self) -> int:
        """System time in ns: in a handler the stamp of the event being handled, elsewhere the system clock."""
        return int(self._now_ns())

    def came_from(self) -> str:
        """In a handler the topic of the event being handled, which tells apart the wires to one port; elsewhere ""."""
        event = self._handled()
        return "" if event is None else str(event.topic)

    def is_live(self) -> bool:
        """Whether the system runs by the wall clock, so that devices may be touched: not in replays and lockstep."""
        return bool(self._is_live())

    def mail(self, to: str, content: Message) -> None:
        """Send `content` to the inbox of the component called `to` ("*": of all), through this one's out port for Mail.

        Such ports need no wires. Who gets it: `inbox = InPort(Mail)` and `def on_inbox(self, mail)`.
        """
        outbox = next((output for output in self._outputs.values() if output.type is Mail), None)
        if outbox is None:
            raise SpecError(f"{type(self).__name__} has no outbox", hint="declare it: outbox = OutPort(Mail)")
        outbox.publish(Mail.of(content, to=to, sender=self.name))

    # Life cycle, in the order in which they are called. Override what is needed.

    def on_initialize(self) -> None:
        """Once, after the parameters are set: open devices, allocate, compile."""

    def on_activate(self) -> None:
        """From here on handlers are called."""

    def on_deactivate(self) -> None:
        """Handlers are no longer called; may be activated again."""

    def on_error(self, error: Exception) -> None:
        """A handler raised `error`; the component is in state error until it is reset."""

    def on_reset(self) -> None:
        """Leave the error state: bring everything back to where activation can start."""

    def on_finalize(self) -> None:
        """Once, at the end: close what on_initialize opened."""

    # What else may happen.

    def on_timer(self) -> None:
        """Called every period when the component runs periodically."""

    def on_trigger(self) -> None:
        """Called once per external trigger when the component is run by trigger."""

    def on_parameter(self, name: str, value: Value) -> None:
        """A parameter was changed to `value`, which has been checked and is already in place."""

    def on_geometry(self) -> None:
        """The geometry was changed while the system runs, and is already in place; also called when not active."""

    def on_end(self) -> None:
        """The log that was played or replayed has ended: the time to publish what is left to say, a last map say."""

    def on_clock_jump(self) -> None:
        """The sources were switched or the log was moved: time has jumped, forget what depends on continuity."""

    # Checkpoints.

    def save_state(self) -> Any:
        """Everything that decides future outputs. The default copies all of the object's own attributes."""
        return copy.deepcopy({name: vars(self)[name] for name in self._own_names()}, self._stays())

    def load_state(self, state: Any) -> None:
        """Take back what save_state gave."""
        for name in self._own_names():
            delattr(self, name)
        vars(self).update(copy.deepcopy(state, self._stays()))

    def _stays(self) -> dict[int, Any]:
        """What a copy refers to as it is: an attribute may hold a method of the component, or one of its ports."""
        runtime = (
            self, self.geometry, self.random, self.log, self._inputs, self._outputs, self._requesters, self._values,
        )  # fmt: skip
        ports = (*self._inputs.values(), *self._outputs.values(), *self._requesters.values())
        return {id(each): each for each in (*runtime, *ports)}

    def _own_names(self) -> list[str]:
        declared = {*self.__ports__, *self.__services__}
        return [name for name in vars(self) if name not in _NOT_STATE and name not in declared]


_NOT_STATE = frozenset({
    "_inputs", "_outputs", "_requesters", "_values", "_now_ns", "_system_ns", "_handled", "_is_live", "_activation",
    "name", "random", "log", "geometry", "project",
})  # fmt: skip
"""What the runtime owns: parameters, randomness and latest inputs are saved by the runtime itself."""


def _no_clock() -> int:
    raise StudioError("now() was called before the component runs", hint="call it in on_initialize or later")


def _nothing() -> None:
    return None


def _declared(cls: type, kinds: tuple[type, ...]) -> dict[str, Any]:
    """Declarations of `cls` and its bases, in order, base classes first; an overriding one keeps its base's place."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, kinds):
                found[name] = value
            elif name in found:
                del found[name]
    return found
