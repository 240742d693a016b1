"""The life cycle of a component (RTC): created, inactive, active, error, and what leads from one to the next."""

from __future__ import annotations

from enum import Enum

from studio.errors import StudioError


class State(Enum):
    CREATED = "created"
    INACTIVE = "inactive"
    ACTIVE = "active"
    PAUSED = "paused"
    """Active, but what arrives passes it by until it is woken up; it keeps its state."""
    ERROR = "error"
    FINAL = "final"


class LifecycleError(StudioError):
    """A life-cycle command that does not fit the component's state."""


TRANSITIONS: dict[tuple[State, str], State] = {
    (State.CREATED, "initialize"): State.INACTIVE,
    (State.INACTIVE, "activate"): State.ACTIVE,
    (State.ACTIVE, "deactivate"): State.INACTIVE,
    (State.ACTIVE, "pause"): State.PAUSED,
    (State.PAUSED, "wakeup"): State.ACTIVE,
    (State.PAUSED, "deactivate"): State.INACTIVE,
    (State.ERROR, "reset"): State.INACTIVE,
    (State.CREATED, "finalize"): State.FINAL,
    (State.INACTIVE, "finalize"): State.FINAL,
    (State.ACTIVE, "finalize"): State.FINAL,
    (State.PAUSED, "finalize"): State.FINAL,
    (State.ERROR, "finalize"): State.FINAL,
}


def after(state: State, command: str) -> State:
    """The state that `command` leads to from `state`."""
    try:
        return TRANSITIONS[state, command]
    except KeyError:
        possible = [name for (source, name) in TRANSITIONS if source is state]
        raise LifecycleError(
            f"cannot {command} a component that is {state.value}", hint="possible now: " + ", ".join(possible)
        ) from None
