"""A component's part of a checkpoint: all that decides what it does next."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.state_digest import digest_of
from studio.runtime.base.state_size import size_of
from studio.runtime.declarations import Input
from studio.runtime.geometry import GeometryState
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.wire.frames import Event

_COUNTS = ("state", "error", "failed_on", "activation", "errors", "ignored", "handled", "ticks", "paused_inputs")


@dataclass(frozen=True)
class RunnerState:
    """What is remembered of one component."""

    own: Any
    """What its save_state gave."""
    values: dict[str, Any]
    random: Mapping[str, Any]
    latest: dict[str, tuple[Any, Event | None]]
    last: dict[str, Any]
    """What was last published on each out port."""
    queues: dict[str, list[tuple[Any, Event | None]]]
    """What waits at in ports to be taken."""
    sequences: dict[str, int]
    counts: dict[str, Any]
    """Life cycle and counters, by their names in the runner."""
    geometry: GeometryState

    def size(self) -> int:
        """About how many bytes it takes."""
        return size_of(self.own, self.latest)


def checkpoint(runner: ComponentRunner, keep: Callable[[Any], Any] = lambda message: message) -> RunnerState:
    """All that decides what a component does next; `keep` makes of a delivered message one that may be kept."""
    component = runner.component
    try:
        own = component.save_state()
    except Exception as failure:
        hint = "write save_state and load_state for state that cannot be copied"
        raise StudioError(f"{runner.name} cannot save its state: {_short(failure)}", hint=hint) from failure
    return RunnerState(
        own=own,
        values=dict(component._values),
        random=copy.deepcopy(component.random.bit_generator.state),
        latest={name: _kept(entry, keep) for name, entry in component._inputs.items()},
        last=dict(runner.last),
        queues={name: _kept_queue(entry, keep) for name, entry in component._inputs.items() if entry.queue},
        sequences=dict(runner.sequences),
        counts={name: getattr(runner, name) for name in _COUNTS},
        geometry=component.geometry.checkpoint(),
    )


def restore(runner: ComponentRunner, saved: RunnerState) -> None:
    component = runner.component
    try:
        component.load_state(saved.own)
    except Exception as failure:
        hint = "restore incomplete: go to another event, or restart the system"
        raise StudioError(f"{runner.name} cannot restore its state: {_short(failure)}", hint=hint) from failure
    component._values.update(saved.values)
    component.random.bit_generator.state = copy.deepcopy(saved.random)
    for name, (message, event) in saved.latest.items():
        entry = component._inputs[name]
        entry.message, entry.event = message, event
        if entry.queue is not None:
            entry.queue.clear()
            entry.queue.extend(saved.queues.get(name, ()))
    runner.last.clear()
    runner.last.update(saved.last)
    component.geometry.restore(saved.geometry)
    runner.sequences.update(saved.sequences)
    for name, value in saved.counts.items():
        setattr(runner, name, value)
    runner.forget_trace()


def digest(runner: ComponentRunner) -> str:
    """Of the state that decides what a component does next: the same digest, the same future."""
    saved = checkpoint(runner)
    latest = {name: message for name, (message, _) in saved.latest.items()}
    for name, waiting in saved.queues.items():
        latest[f"queue of {name}"] = [message for message, _ in waiting]
    geometry = (runner.component.geometry.digest, *saved.geometry[1:]) if runner.planned.geometry else ()
    runtime = (saved.values, saved.random, latest, saved.sequences, runner.state.value, runner.activation, runner.error)
    try:
        return digest_of((saved.own, runtime, *geometry))
    except Exception as failure:
        raise StudioError(f"the state of {runner.name} has no digest: {_short(failure)}") from failure


def _kept(entry: Input[Any], keep: Callable[[Any], Any]) -> tuple[Any, Event | None]:
    if entry.event is None:
        return entry.message, None
    message = keep(entry.message)
    return message, entry.event._replace(message=message, payload=None)


def _kept_queue(entry: Input[Any], keep: Callable[[Any], Any]) -> list[tuple[Any, Event | None]]:
    kept = []
    for waiting, event in entry.queue or ():
        message = keep(waiting)
        kept.append((message, event and event._replace(message=message, payload=None)))
    return kept


def _short(failure: Exception) -> str:
    return f"{type(failure).__name__}: {failure}"
