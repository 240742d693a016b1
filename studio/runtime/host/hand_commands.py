"""What a person does to one component by hand, as its host carries it out: call a service, hand in a message, publish.

These are commands of the channel (docs/protocol.md, section 7): in order, recorded, and repeated by a replay like all
that enters a component. Whoever gave one hears, by a REPLY to nobody's call, what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from studio.errors import StudioError
from studio.messages import encode
from studio.messages.plain_data import from_plain
from studio.model.close_matches import did_you_mean
from studio.runtime.actuator import Actuator
from studio.runtime.base.typed_json import typed
from studio.runtime.command_rules import Refused
from studio.runtime.component import ServiceError
from studio.runtime.declarations import InPort, OutPort
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.lifecycle import State
from studio.runtime.wire.frames import Kind, Origin

Answer = Callable[[ComponentRunner, int, bytes, str], None]
"""The component, the number of the command, the encoded reply, and an error in its place."""


class HandError(StudioError):
    """Something done by hand that this component cannot do."""


class HandCommand(Struct, frozen=True, kw_only=True):
    id: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 0
    """The answer carries it."""


class Call(HandCommand, frozen=True):
    service: str
    request: Any
    """Read by the service's type."""


class Deliver(HandCommand, frozen=True):
    port: str
    message: Any
    """Read by the port's type."""
    origin: Origin = Origin.SIMULATED


class Publish(HandCommand, frozen=True):
    port: str
    message: Any


KINDS: dict[str, type[Call | Deliver | Publish]] = {"call": Call, "deliver": Deliver, "publish": Publish}


def obey(runner: ComponentRunner, command: Mapping[str, Any], answer: Answer) -> None:
    """Carry out a command and answer it. What a handler raises is told, and then fails the component as ever. Raises
    Malformed, and does nothing, where it is not what the protocol asks for."""
    asked = typed(KINDS[command["do"]], dict(command))
    number = asked.id
    try:
        body = _done(runner, asked)
    except (HandError, ServiceError) as refused:
        answer(runner, number, b"", str(refused))
    except Exception as failure:
        answer(runner, number, b"", f"{runner.name} failed: {failure}")
        raise
    else:
        answer(runner, number, body, "")


def _done(runner: ComponentRunner, asked: Call | Deliver | Publish) -> bytes:
    match asked:
        case Call():
            return _call(runner, asked.service, asked.request)
        case Deliver():
            _deliver(runner, asked.port, asked.message, asked.origin)
        case Publish():
            _publish(runner, asked.port, asked.message)
    return b""


def _call(runner: ComponentRunner, service: str, request: Any) -> bytes:
    if runner.state is not State.ACTIVE:
        raise ServiceError(f"{runner.name} is {runner.state.value} and does not serve {service}")
    types = runner.service_types(service)
    if types is None:
        raise ServiceError(f"{runner.name} provides no service {service}")
    return bytes(encode(runner.respond(service, _message(types[0], request))))


def _deliver(runner: ComponentRunner, port: str, content: Any, origin: Origin) -> None:
    """Let the component handle a message as if it had come at an in port."""
    declared = type(runner.component).__ports__.get(port)
    if not isinstance(declared, InPort):
        names = [name for name, each in type(runner.component).__ports__.items() if isinstance(each, InPort)]
        raise HandError(f"{runner.name} has no in port {port}", hint=did_you_mean(port, names))
    if runner.state is not State.ACTIVE:
        raise HandError(f"{runner.name} is {runner.state.value} and handles nothing")
    message = _message(declared.type, content)
    assert runner.event is not None, "commands are events"
    # An actuator looks at what it is told: data, of this origin, that was sent when the command was given.
    runner.event = runner.event._replace(message=message, kind=Kind.DATA, origin=origin)
    before = _refusals(runner)
    runner.take(port, message)
    for reason, count in _refusals(runner).items():
        if count > before.get(reason, 0):
            raise HandError(f"{runner.name} refuses it: {reason}", hint=_REMEDIES.get(reason, ""))


def _refusals(runner: ComponentRunner) -> dict[str, int]:
    return dict(runner.component.refused) if isinstance(runner.component, Actuator) else {}


_REMEDIES: dict[str, str] = {
    Refused.ORIGIN: "a message sent by hand counts as simulated; --real lets it count as real",
    Refused.EPOCH: "the sources were switched: arm it again",
    Refused.DISARMED: "arm it: studio ctl arm",
    Refused.STOPPED: "resume it: studio ctl resume",
    Refused.LATCHED: "reset it with studio ctl trigger, then arm it again",
}


def _publish(runner: ComponentRunner, port: str, content: Any) -> None:
    """Publish a message in the component's name; it need not be active."""
    declared = type(runner.component).__ports__.get(port)
    if not isinstance(declared, OutPort):
        names = [name for name, each in type(runner.component).__ports__.items() if isinstance(each, OutPort)]
        raise HandError(f"{runner.name} has no out port {port}", hint=did_you_mean(port, names))
    if runner.state is State.CREATED:
        raise HandError(f"{runner.name} is not ready yet")
    runner.component._outputs[port].publish(_message(declared.type, content))


def _message(kind: type[Any], content: Any) -> Any:
    try:
        return from_plain(kind, content)
    except StudioError as error:
        raise HandError(error.message, hint=error.hint) from None
