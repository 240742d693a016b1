"""Lockstep in pieces, for a system that is controlled: each piece tells what was delivered, and where it has led.

(docs/protocol.md, section 11)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from studio.model.spec import GET
from studio.runtime.broker.agenda import NotKnownYet, Timers
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.held import Held
from studio.runtime.control_plane.of_broker import Go

MOST_SHOWN = 50


def go(forwarder: Forwarder, request: Go) -> dict[str, Any]:
    """One piece: what was delivered, as lists of equal length, and whether there is more before the limit."""
    forwarder.pause()
    gate = forwarder.gate
    book: list[tuple[str, int, int]] = []
    gate.book = book
    try:
        with muted(forwarder, request.muted):
            forwarder.lockstep(
                request.until_ns,
                request.count,
                request.rate,
                request.lag,
                for_ns=request.for_ns,
                goes_on=request.goes_on,
            )
    finally:
        gate.book = None
    names: dict[str, int] = {}
    return {
        "topics": [names.setdefault(topic, len(names)) for topic, _, _ in book],
        "sequences": [sequence for _, sequence, _ in book],
        "stamps": [stamp_ns for _, _, stamp_ns in book],
        "names": list(names),
        "more": has_more(forwarder, request.until_ns),
        **place(forwarder),
    }


@contextmanager
def muted(forwarder: Forwarder, are_muted: bool) -> Iterator[None]:
    """Event breakpoints do not stop it meanwhile: the way is only gone again."""
    gate = forwarder.gate
    stops = gate.stops
    if are_muted:
        gate.stops = None
    try:
        yield
    finally:
        if are_muted and gate.stops is None:
            gate.stops = stops


def is_a_look(command: dict[str, Any]) -> bool:
    """Whether a command asks a component for a value of its ports, and for nothing else."""
    return command.get("do") == "call" and str(command.get("service", "")).startswith(GET)


def has_more(forwarder: Forwarder, until_ns: int | None) -> bool:
    agenda = forwarder.agenda
    if agenda.effects:
        return True
    try:
        due_ns = agenda.next_stamp_ns()
    except NotKnownYet:
        return True
    return due_ns is not None and (until_ns is None or due_ns <= until_ns)


def place(forwarder: Forwarder) -> dict[str, Any]:
    """Where the system is, and whether the way there could be gone again."""
    gate = forwarder.gate
    return {
        "position": gate.delivered,
        "now_ns": gate.now_ns,
        "inputs": {feeder.name: feeder.position for feeder in forwarder.agenda.feeders},
        "unrepeatable": gate.unrepeatable,
        "why_not": gate.why_not,
        "branch": gate.branch,
        "kept": list(gate.checkpoints),
        "incarnation": forwarder.incarnation,
    }


def upcoming_at_once(forwarder: Forwarder) -> dict[str, Any]:
    """What is there just now, also while an event is being handled: `busy` then, as it may lead to others before.

    `held`: how many events were sent and wait; ticks and inputs of a log are yet to come, and are events only then.
    """
    events = upcoming(forwarder, ask_feeders=False)
    return {"events": events, "busy": bool(forwarder.waiting), "held": len(forwarder.agenda)}


def upcoming(forwarder: Forwarder, most: int = MOST_SHOWN, *, ask_feeders: bool = True) -> list[dict[str, Any]]:
    """What is delivered next, as far as it is known: what these events will lead to is not."""
    if forwarder.mode == "run":
        return []
    agenda = forwarder.agenda
    for feeder in agenda.feeders:
        if ask_feeders:
            feeder.head()  # has it send what the gate would ask for now
            forwarder.feeders.have_waiting(feeder, most)
        else:
            forwarder.feeders.ask_ahead(feeder)
    open_ended = [feeder.waiting for feeder in agenda.feeders if not feeder.ended]
    found = [_identity(event) for event in islice(agenda.effects, most)]
    # From there on more may come between.
    unknown_ns = min((waiting[-1].stamp_ns for waiting in open_ended if waiting), default=None)
    queues = [deque(islice(queue, most)) for queue in (agenda.inputs, *(feeder.waiting for feeder in agenda.feeders))]
    timers = Timers()
    timers.restore(agenda.timers.checkpoint())
    ticks: dict[str, int] = {}
    while len(found) < most:
        waiting = [queue for queue in queues if queue]
        earliest = min(waiting, key=lambda queue: queue[0].stamp_ns, default=None)
        due_ns = timers.due_ns()
        if earliest is not None and (due_ns is None or earliest[0].stamp_ns <= due_ns):
            found.append(_identity(earliest.popleft()))
        elif due_ns is not None and (unknown_ns is None or due_ns < unknown_ns):
            component, _ = timers.take()
            ticks[component] = number = ticks.get(component, 0) + 1
            topic, sequence = forwarder.own.coming_tick(component, number)
            found.append({"topic": topic, "sequence": sequence, "stamp_ns": due_ns})
        else:
            break
    return found


def _identity(event: Held) -> dict[str, Any]:
    return {"topic": event.topic, "sequence": event.sequence, "stamp_ns": event.stamp_ns}
