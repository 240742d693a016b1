"""Commands for components, as the broker puts them into the channel."""

from __future__ import annotations

from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.gate import BY_HAND
from studio.runtime.broker.held import Held
from studio.runtime.wire.frames import Kind


def command(forwarder: Forwarder, component: str, payload: bytes) -> None:
    """Put a command into the channel, as an input."""
    held = _held(forwarder, component, payload)
    if forwarder.mode == "run":
        forwarder.follow(held)
        forwarder.forward(held.frame)
    else:
        forwarder.gate.admit(held)


def command_at_once(forwarder: Forwarder, component: str, payload: bytes, *, looks: bool) -> None:
    """The same, past all that waits at a closed gate. Who only `looks` at a value leaves the way back open."""
    if forwarder.mode == "run":
        command(forwarder, component, payload)
    elif looks:
        forwarder.gate.let_look(_held(forwarder, component, payload), BY_HAND)
    else:
        forwarder.gate.deliver_first([_held(forwarder, component, payload)], BY_HAND)


def command_all(forwarder: Forwarder, components: list[str], payload: bytes) -> None:
    for component in components:
        command(forwarder, component, payload)


def activate_all(forwarder: Forwarder, components: list[str], payload: bytes) -> None:
    """Everybody is active before the first of them hears anything."""
    forwarder.gate.deliver_first(_held(forwarder, component, payload) for component in components)


def deliver_waiting(forwarder: Forwarder) -> None:
    """The gate is closed in a new epoch: commands that wait there come at once, as at the start of a run."""
    inputs = forwarder.agenda.inputs
    commands = [held for held in inputs if held.kind == Kind.COMMAND]
    others = [held for held in inputs if held.kind != Kind.COMMAND]
    inputs.clear()
    inputs.extend(others)
    forwarder.gate.deliver_first(commands)


def begin_again(forwarder: Forwarder, components: list[str], payload: bytes) -> None:
    """These are new where the system stands, at its start: they are activated there, in place of those before."""
    gone = {topic for name in components for topic in forwarder.plan.by_name[name].outlets.values()}
    effects = [effect for effect in forwarder.agenda.effects if effect.topic not in gone]
    forwarder.agenda.effects.clear()
    forwarder.agenda.effects.extend(effects)
    delivered = forwarder.gate.delivered
    activate_all(forwarder, components, payload)
    forwarder.gate.delivered = delivered  # commands that come again have their place by this number
    ordered = sorted(forwarder.agenda.effects, key=lambda effect: forwarder.places.get(effect.topic, -1))
    forwarder.agenda.effects.clear()
    forwarder.agenda.effects.extend(ordered)


def _held(forwarder: Forwarder, component: str, payload: bytes) -> Held:
    now_ns = forwarder.gate.now_ns if forwarder.mode != "run" else forwarder.clock.now_ns()
    return forwarder.own.command(component, payload, now_ns, forwarder.epoch)
