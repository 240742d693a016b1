"""What clients of a runtime may do by hand besides steering: call a service, ask a port, hand in or publish a message.

Everything becomes a command of the channel (`hand_commands` carries it out). What is made up by hand never looks real:
from then on, all that follows from the component counts as simulated, so that no real actuator obeys it, until the
sources are switched and actuators armed again. Who sends as `real` answers for it, as one who holds a joystick does.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.messages import Message, MessageTypes, decode, encode
from studio.messages.plain_data import as_plain, from_plain
from studio.model.close_matches import did_you_mean
from studio.model.spec import GET
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.turns import Turns
from studio.runtime.control_plane.of_runtime import AskPort, Call, Send
from studio.runtime.plan.plan import Plan, PlannedComponent
from studio.runtime.processes.supervision import Condition
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import Origin

Job = Callable[[], dict[str, Any]]

SEND_WITHIN_S = 3.0
"""How long a component may take to handle what is sent to it."""
LONGEST_S = 3600.0


class HandRefused(StudioError):
    """Something that cannot be done by hand."""


class HandRequests:
    def __init__(self, session: Session, turns: Turns, *, lockstep: bool = False) -> None:
        """`turns`: one at a time may change the system."""
        self._session = session
        self._turns = turns
        self._lockstep = lockstep
        self._numbers = threading.Lock()
        # Random, so that a log that is played, with the commands of its own day, does not answer for us.
        self._number = secrets.randbelow(2**31)

    # Calls.

    def ask(self, asked: AskPort) -> Job:
        return self.call(Call(asked.component, GET + asked.port, asked.deadline_s))

    def call(self, asked: Call) -> Job:
        name, service, content, deadline_s = asked.component, asked.service, asked.request, asked.deadline_s
        component = self._component(name)
        if not 0 < deadline_s <= LONGEST_S:
            raise HandRefused(f"a deadline of {deadline_s} s is not possible", hint="e.g. 1.0")
        request_type, reply_type = self._service_types(component, service)
        request = self._message(request_type, {} if content is None else content)
        reply_class = self._types().get(reply_type)

        def job() -> dict[str, Any]:
            command = {"do": "call", "service": service, "request": as_plain(request), **_for(component, request)}
            started_ns = monotonic_ns()
            body = self._obeyed(component, command, deadline_s, f"{name}.{service}", at_once=True)
            passed_s = (monotonic_ns() - started_ns) / SECOND_NS
            return {"reply": as_plain(decode(reply_class, body)), "type": reply_type, "seconds": round(passed_s, 4)}

        return job

    def _service_types(self, component: PlannedComponent, service: str) -> tuple[str, str]:
        known = services_of(component, self._session.plan)
        if service not in known:
            what = f"{component.name} provides no service {service}"
            hint = did_you_mean(service, known) or f"it has: {', '.join(known) or 'none'}"
            raise HandRefused(what, hint=hint)
        return known[service]

    # Messages.

    def send(self, asked: Send) -> Job:
        to, content, real = asked.to, asked.message, asked.real
        component, do, port, kind = self._end(to)
        made = self._message(kind, content)
        message = as_plain(made)
        origin = int(Origin.REAL if real else Origin.SIMULATED)
        command = {"do": do, "port": port, "message": message, "origin": origin, **_for(component, made)}

        def job() -> dict[str, Any]:
            changed = [] if real else self._count_as_simulated(component.name)
            told = {"to": f"{component.name}.{port}", "message": message, "simulated": changed}
            if self._session.mode != "run" and not self._lockstep:
                self._session.command(component.name, command)
                return {**told, "effect": "when the system goes on"}
            self._obeyed(component, command, SEND_WITHIN_S, to)
            return {**told, "effect": "now"}

        return job

    def _end(self, to: str) -> tuple[PlannedComponent, str, str, str]:
        """Where `to` leads: the component, what it is to do, the port, and the type of its messages."""
        plan = self._session.plan
        topic = to if to.startswith("/") else "/" + to.replace(".", "/", 1)
        producer = plan.producers.get(topic)
        if producer is not None:
            port = next(port for port, each in producer.outlets.items() if each == topic)
            return self._component(producer.name), "publish", port, plan.types[topic]
        if topic in plan.types:
            raise HandRefused(f"{topic} comes from a log", hint="send to an in port instead: component.port")
        name, _, port = to.removeprefix("/").replace("/", ".", 1).partition(".")
        component = self._component(name)
        if port not in component.accepts:
            known = [*component.accepts, *component.outlets]
            raise HandRefused(f"{name} has no port {port}", hint=did_you_mean(port, known) or _it_has(known))
        return component, "deliver", port, component.accepts[port]

    def _count_as_simulated(self, name: str) -> list[str]:
        """From here on what follows from this component is not real. Returns those who were, until now."""
        before = self._session.plan
        # Where time is not the wall's, no real actuator obeys anything.
        if self._lockstep or before.by_name[name].origin != Origin.REAL:
            return []
        with self._turns.take():
            before = self._session.plan
            self._session.change(before.with_made_up_data([name]))
        after = self._session.plan.by_name
        return [each.name for each in before.components if each.origin != after[each.name].origin]

    # Both.

    def _component(self, name: str) -> PlannedComponent:
        plan = self._session.plan
        found = plan.by_name.get(name)
        if found is None:
            hint = did_you_mean(name, plan.by_name) or _it_has(plan.by_name)
            raise HandRefused(f"there is no component {name}", hint=hint)
        condition = self._session.supervisor.condition(found.host)
        if condition not in (Condition.RUNNING, Condition.HUNG):
            hint = f"studio ctl restart {name}"
            raise HandRefused(f"{name} is not ready: its process is {condition.value}", hint=hint)
        if found.command and name not in self._session.obedient_programs():
            hint = "its program lacks some commands: see docs/protocol.md, sections 7 and 10"
            raise HandRefused(f"{name} is a program that cannot be used by hand", hint=hint)
        return found

    def _types(self) -> MessageTypes:
        project = self._session.plan.project
        return MessageTypes.builtin().with_folder(Path(project)) if project else MessageTypes.builtin()

    def _message(self, kind: str, content: Any) -> Message:
        return from_plain(self._types().get(kind), content)

    def _obeyed(
        self, component: PlannedComponent, command: dict[str, Any], within_s: float, what: str, *, at_once: bool = False
    ) -> bytes:
        """Put a command into the channel and wait for its answer; the encoded reply."""
        with self._numbers:
            self._number = number = (self._number + 1) % 2**32
        end_ns = monotonic_ns() + int(within_s * SECOND_NS)
        command = {**command, "id": number}
        if at_once and self._session.mode != "run" and not self._lockstep:
            self._session.command_at_once(component.name, command, within_s)
        else:
            self._session.command(component.name, command)
        left_s = max(0.0, (end_ns - monotonic_ns()) / SECOND_NS)
        found = self._session.observer.await_answer(number, left_s + GRACE_S)
        if found is None:
            state = self._session.observer.component(component.name).get("state", "silent")
            raise HandRefused(f"{what} did not answer within {within_s:g} s", hint=f"{component.name} is {state}")
        error, body = found
        if error:
            raise HandRefused(error)
        return body


def _for(component: PlannedComponent, message: Message) -> dict[str, str]:
    """Programs do not know the fields of messages by name."""
    return {"cdr": bytes(encode(message)).hex()} if component.command else {}


GRACE_S = 0.1
"""An answer goes through one more process than a deadline is meant for."""


def services_of(component: PlannedComponent, plan: Plan) -> dict[str, tuple[str, str]]:
    """What can be called: the component's services, and `get_<port>` for each of its out ports."""
    asked = {GET + port: ("String", plan.types.get(topic, "")) for port, topic in component.outlets.items()}
    return {**asked, **component.provides}


def _it_has(names: Iterable[str]) -> str:
    return f"there are: {', '.join(names) or 'none'}"
