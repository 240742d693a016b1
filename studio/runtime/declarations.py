"""What a component class declares: ports, parameters, services. Descriptors that know their name and place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, overload

from studio.messages import Mail, String
from studio.model.spec import Delivery, ParameterKind, ParameterSpec, SpecError

if TYPE_CHECKING:
    from studio.runtime.component import Component

M = TypeVar("M")
Q = TypeVar("Q")
R = TypeVar("R")
V = TypeVar("V", bool, int, float, str, tuple[float, ...])

Keep = Literal["all", "latest"] | int


class Input(Generic[M]):
    """An in port of one component object.

    It keeps the newest message if the port was declared with keep="latest" or a number, or has no handler. What a
    handler takes event by event is not kept: a large message would hold its shared memory until the next one comes.
    """

    def __init__(self, port: InPort[M], has_handler: bool) -> None:
        self.name = port.name
        self.type = port.type
        self.keeps = not has_handler or port.delivery.kind != "lossless"
        self.message: M | None = None
        self.event: Any = None
        """The event that brought the message."""
        self.queue: deque[tuple[M, Any]] | None = deque(maxlen=port.queue) if port.queue else None
        """What has come and was not taken yet, with the events that brought it."""
        self.dropped = 0
        """How many were lost because the queue was full."""
        self.on_read: Callable[[Any], None] | None = None

    def arrive(self, message: M, event: Any) -> None:
        """Keep a message."""
        self.message, self.event = message, event
        if self.queue is not None:
            self.dropped += len(self.queue) == self.queue.maxlen
            self.queue.append((message, event))

    def take(self) -> list[M]:
        """All that has come since the last time, in order: for components that work by their own clock. Others that
        read the same output have queues of their own. Reading is noted in the handled trace."""
        if self.queue is None:
            hint = f"declare it: {self.name} = InPort({self.type.__name__}, queue=1000)"
            raise SpecError(f"{self.name} has no queue", hint=hint)
        taken = list(self.queue)
        self.queue.clear()
        if self.on_read is not None:
            for _, event in taken:
                if event is not None:
                    self.on_read(event)
        return [message for message, _ in taken]

    @property
    def latest(self) -> M | None:
        """The newest message that was delivered, or None before the first. Reading it is noted in the handled trace."""
        if not self.keeps:
            hint = f'declare {self.name} with keep="latest", or store what you need in on_{self.name}'
            raise SpecError(f"{self.name} has a handler, which gets each message: it keeps none", hint=hint)
        if self.on_read is not None and self.event is not None:
            self.on_read(self.event)
        return self.message


class Output(Generic[M]):
    """An out port of one component object."""

    def __init__(self, port: OutPort[M]) -> None:
        self.name = port.name
        self.type = port.type
        self.is_wired = False
        """Not one inside a source that is bound to none of its ports; known from on_activate on."""
        self.send: Callable[[str, Any, int | None], None] = _not_running

    def publish(self, message: M, *, stamp_ns: int | None = None) -> None:
        """Send `message` to everything wired to this port. Without `stamp_ns` it carries the stamp of the event being
        handled; a sensor passes its acquisition time."""
        self.check(message)
        self.send(self.name, message, stamp_ns)

    def check(self, message: object) -> None:
        if not isinstance(message, self.type):
            raise SpecError(f"port {self.name} sends {self.type.__name__}, not {type(message).__name__}")

    def take_over(self, publish: Callable[..., None]) -> None:
        """Let `publish` be called directly, without the detour through `send`: it runs for every event."""
        vars(self)["publish"] = publish  # an assignment would hide the method from completion and type checks


class Requester(Generic[Q, R]):
    """A required service of one component object: call it like a function."""

    def __init__(self, service: RequiredService[Q, R]) -> None:
        self.name = service.name
        self.request_type = service.request
        self.call: Callable[[str, Any, float], Any] = _not_running

    def __call__(self, request: Q | None = None, *, deadline_s: float = 1.0) -> R:
        """The provider's reply; ServiceError if it fails, is not wired, or has not answered within the deadline.

        Without a request it is the one that has all defaults.
        """
        request = self.request_type() if request is None else request
        if not isinstance(request, self.request_type):
            raise SpecError(f"service {self.name} takes {self.request_type.__name__}, not {type(request).__name__}")
        return cast(R, self.call(self.name, request, deadline_s))


def _not_running(name: str, *_: object) -> Any:
    raise SpecError(
        f"{name} is used before the component runs", hint="use it in on_initialize or later, not in __init__"
    )


class _Named:
    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class InPort(_Named, Generic[M]):
    """Receives messages of one type. The handler is `on_<name>`; a port without one is read by `self.<name>.latest`.

    keep="all" handles every event, keep="latest" only the newest when the component is late, keep=5 the last five.
    queue=1000 has no handler: what comes waits, up to so many, until the component asks `self.<name>.take()` for it.
    A port for Mail needs no wire: it gets what any component sends to this one.
    optional=True: the component also works when nothing is wired to the port, so `studio check` does not miss a wire.
    """

    direction: Literal["in"] = "in"
    truth = False

    def __init__(
        self, type: type[M], *, keep: Keep = "all", queue: int = 0, optional: bool = False, doc: str = ""
    ) -> None:
        if queue and keep != "all":
            raise SpecError("an in port with a queue gets every event", hint="leave keep out")
        self.type = type
        self.delivery = _delivery(keep)
        self.queue = queue
        self.optional = optional or issubclass(type, Mail)
        self.doc = doc

    @overload
    def __get__(self, instance: None, owner: type) -> InPort[M]: ...
    @overload
    def __get__(self, instance: Component, owner: type) -> Input[M]: ...
    def __get__(self, instance: Component | None, owner: type) -> InPort[M] | Input[M]:
        return self if instance is None else instance._inputs[self.name]


class OutPort(_Named, Generic[M]):
    """Sends messages of one type: `self.<name>.publish(message)`."""

    direction: Literal["out"] = "out"
    delivery = Delivery()
    optional = False

    def __init__(self, type: type[M], *, doc: str = "", truth: bool = False) -> None:
        """`truth`: what only a simulator can know; only judges can be wired to it."""
        self.type = type
        self.doc = doc
        self.truth = truth

    @overload
    def __get__(self, instance: None, owner: type) -> OutPort[M]: ...
    @overload
    def __get__(self, instance: Component, owner: type) -> Output[M]: ...
    def __get__(self, instance: Component | None, owner: type) -> OutPort[M] | Output[M]:
        return self if instance is None else instance._outputs[self.name]


class ProvidedService(_Named, Generic[Q, R]):
    """Answers requests in `serve_<name>(request) -> reply`."""

    role: Literal["provided"] = "provided"

    def __init__(self, request: type[Q], reply: type[R], *, doc: str = "") -> None:
        self.request = request
        self.reply = reply
        self.doc = doc


class RequiredService(_Named, Generic[Q, R]):
    """Calls the service wired to it: `reply = self.<name>(request)`."""

    role: Literal["required"] = "required"

    def __init__(self, request: type[Q], reply: type[R], *, doc: str = "") -> None:
        self.request = request
        self.reply = reply
        self.doc = doc

    @overload
    def __get__(self, instance: None, owner: type) -> RequiredService[Q, R]: ...
    @overload
    def __get__(self, instance: Component, owner: type) -> Requester[Q, R]: ...
    def __get__(self, instance: Component | None, owner: type) -> RequiredService[Q, R] | Requester[Q, R]:
        return self if instance is None else instance._requesters[self.name]


class RequiredValue(RequiredService[String, R]):
    """Asks an out port of another component for its value: `value = self.<name>(deadline_s=0.2)`.

    The wire leads to the service `get_<port>`, which every component has for each of its out ports: it gives what was
    published last, or what the provider's method `get_<port>` computes on demand.
    """

    def __init__(self, type: type[R], *, doc: str = "") -> None:
        super().__init__(String, type, doc=doc)


class Parameter(_Named, Generic[V]):
    """A setting that can be changed while the component runs; `self.<name>` is its value, already checked."""

    def __init__(
        self,
        default: V,
        *,
        minimum: float | None = None,
        maximum: float | None = None,
        choices: Sequence[V] = (),
        unit: str = "",
        doc: str = "",
        kind: ParameterKind | None = None,
    ) -> None:
        kinds = kind or _kind_of(default)
        self.spec = ParameterSpec("", kinds, default, minimum, maximum, tuple(choices), unit, doc)

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        self.spec = replace(self.spec, name=name)
        self.spec.check(self.spec.default)

    @overload
    def __get__(self, instance: None, owner: type) -> Parameter[V]: ...
    @overload
    def __get__(self, instance: Component, owner: type) -> V: ...
    def __get__(self, instance: Component | None, owner: type) -> Parameter[V] | V:
        return self if instance is None else cast(V, instance._values[self.name])

    def __set__(self, instance: Component, value: V) -> None:
        instance._values[self.name] = self.spec.check(value)


class State(_Named, Generic[V]):
    """Something of a component that others may see while it runs, and only the component sets: `self.<name> = ...`.

    It is a property like a parameter (`studio ctl watch driver.distance_m`), and part of what a checkpoint keeps.
    """

    def __init__(self, start: V, *, unit: str = "", doc: str = "") -> None:
        _kind_of(start)  # refuses what could not be shown
        self.start: V = start
        self.unit = unit
        self.doc = doc

    if TYPE_CHECKING:  # at run time it is a plain attribute of the object

        @overload
        def __get__(self, instance: None, owner: type) -> State[V]: ...
        @overload
        def __get__(self, instance: Component, owner: type) -> V: ...
        def __get__(self, instance: Component | None, owner: type) -> State[V] | V: ...
        def __set__(self, instance: Component, value: V) -> None: ...


def _kind_of(default: object) -> ParameterKind:
    match default:
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "string"
        case tuple():
            return "floats"
    raise SpecError(f"a parameter cannot be a {type(default).__name__}", hint="bool, int, float, str or tuple of float")


def _delivery(keep: Keep) -> Delivery:
    if keep == "all":
        return Delivery()
    return Delivery("latest") if keep == "latest" else Delivery("queue", keep)
