"""A component's life: its state and parameters, and the commands that change them (docs/protocol.md, section 7)."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from studio.errors import StudioError
from studio.model.geometry.content import GeometryContent
from studio.runtime.actuator import Actuator
from studio.runtime.base.typed_json import TimeNs, typed
from studio.runtime.component import Component
from studio.runtime.lifecycle import LifecycleError, State, after
from studio.runtime.plan.plan import PlannedComponent

REFUSAL = "refusal"
"""Marks, in the log, what a component says to a command; it may warn of other things too."""


class Refusal(StudioError):
    """A command that cannot be carried out: it is logged and changes nothing."""


class SafetyStop(Struct, frozen=True):
    why: str = ""
    was_armed: bool = False


class Resume(Struct, frozen=True):
    since_ns: TimeNs | None = None
    """Only a stop that happened since then."""


class LifecycleState:
    """The part of a runner that commands speak to."""

    def __init__(self, component: Component, planned: PlannedComponent) -> None:
        self.component = component
        self.planned = planned
        self.name = planned.name
        self.state = State.CREATED
        self.error = ""
        """The traceback of the failure that led to state error."""
        self.failed_on: dict[str, Any] = {}
        """The event that was being handled then; empty if there was none."""
        self.errors = 0
        self.activation = planned.activation
        self.by_hand: Callable[[dict[str, Any]], None] = self._not_by_hand
        """Carries out what a person does to the component."""

    def open_outputs(self) -> None:
        """From here on the component may publish."""
        raise NotImplementedError

    def command(self, command: dict[str, Any]) -> None:
        """Carry out a command of docs/protocol.md, section 7."""
        match command:
            case {"do": "set", "name": str(name), "value": value}:
                self.set_parameter(name, value)
            case {"do": "mode", "activation": str(activation)}:
                self._set_activation(activation)
            case {"do": "trigger"}:
                if self.state is State.ACTIVE:
                    self.component.on_trigger()
            case {"do": "end"}:
                if self.state is State.ACTIVE:
                    self.component.on_end()
            case {"do": "clock-jump"}:
                self.component.geometry.jump()
                self.component.on_clock_jump()
            case {"do": "resume" | "safety-stop"}:
                self._mind_safety(command)
            case {"do": "geometry"}:
                self._take_geometry(command)
            case {"do": "call" | "deliver" | "publish"}:
                self.by_hand(command)
            case {"do": "initialize" | "activate" | "deactivate" | "pause" | "wakeup" | "reset" | "finalize" as verb}:
                self._transit(verb)
            case _:
                raise Refusal(f"unknown command {command!r}")

    def _mind_safety(self, command: dict[str, Any]) -> None:
        component = self.component
        if not isinstance(component, Actuator):
            raise Refusal(f"{self.name} is not an actuator, so it has no safety stop")
        if command["do"] == "safety-stop":
            stop = typed(SafetyStop, command)
            component.stop_for_safety(stop.why, was_armed=stop.was_armed)
            return
        since_ns = typed(Resume, command).since_ns
        try:
            component.let_go_on(since_ns)
        except StudioError as error:
            raise Refusal(error.message, hint=error.hint) from error

    def _transit(self, verb: str) -> None:
        try:
            state = after(self.state, verb)
        except LifecycleError as error:
            raise Refusal(error.message, hint=error.hint) from None
        if verb not in ("pause", "wakeup"):  # the component itself does not notice
            getattr(self.component, "on_" + verb)()
        if verb in ("initialize", "reset"):  # a component that is reset may have failed to initialize
            self.open_outputs()
        if verb == "activate":
            for entry in self.component._inputs.values():
                if entry.queue:
                    entry.queue.clear()
        elif verb == "reset":
            self.error, self.failed_on = "", {}
        self.state = state

    def _take_geometry(self, command: dict[str, Any]) -> None:
        try:
            content = GeometryContent.of_json(command)
        except StudioError as error:
            raise Refusal(error.message, hint=error.hint) from error
        if self.component.geometry.take(content) and self.state is not State.CREATED:
            self.component.on_geometry()

    def set_parameter(self, name: str, value: object) -> None:
        """Check and set. A component refuses a value by raising a StudioError in on_parameter; the old one stays."""
        declared = type(self.component).__parameters__.get(name)
        if declared is None:
            known = ", ".join(type(self.component).__parameters__) or "none"
            raise Refusal(f"{self.name} has no parameter {name}", hint=f"it has: {known}")
        old = self.component._values[name]
        try:
            checked = declared.spec.check(tuple(value) if isinstance(value, list) else value)
            self.component._values[name] = checked
            self.component.on_parameter(name, checked)
        except StudioError as error:
            self.component._values[name] = old
            raise Refusal(error.message, hint=error.hint) from error

    def _set_activation(self, activation: str) -> None:
        if activation not in type(self.component).activations:
            possible = ", ".join(type(self.component).activations)
            raise Refusal(f"{self.name} cannot run in mode {activation}", hint=f"it can: {possible}")
        self.activation = activation

    def fail(self, failure: Exception) -> None:
        """Put the component into error: its code has failed, or its queue grew beyond its budget."""
        self.errors += 1
        self.error = "".join(traceback.format_exception(failure))
        self.state = State.ERROR
        try:
            self.component.on_error(failure)
        except Exception:
            self.error += "\non_error failed too:\n" + traceback.format_exc()

    def _not_by_hand(self, command: dict[str, Any]) -> None:
        raise Refusal(f"{self.name} cannot be used by hand here")
