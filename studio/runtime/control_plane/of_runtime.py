"""What clients may ask of a runtime (docs/protocol.md, section 12): one class for each verb, and each player action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from studio.errors import StudioError
from studio.runtime.base.log_compression import WHEN_RECORDING
from studio.runtime.base.typed_json import Count, Finite, TimeNs
from studio.runtime.control_plane.request import Request, verb_of, verbs_of
from studio.runtime.wire.frames import FASTEST

PROTOCOL = 1
ATTACH = "attach"
"""The socket's name in the folder of the run."""


class NotAttached(StudioError):
    """A request of one who has not attached, or was silent for so long that he was forgotten."""


class LogLine(TypedDict):
    component: str
    level: str
    text: str
    refusal: NotRequired[bool]
    """It is what a component says to a command."""


class ToldLine(LogLine):
    """A log line as clients get it."""

    time_ns: int


class RuntimeRequest(Request, frozen=True): ...


# fmt: off
class Alive(RuntimeRequest, frozen=True): ...
class GetSnapshot(RuntimeRequest, frozen=True, tag="snapshot"): ...
class GetGeometry(RuntimeRequest, frozen=True, tag="geometry"): ...
class Release(RuntimeRequest, frozen=True): ...
class Stop(RuntimeRequest, frozen=True): ...
class GetSystem(RuntimeRequest, frozen=True, tag="system"): ...
class Reset(RuntimeRequest, frozen=True): ...
class Held(RuntimeRequest, frozen=True): ...
class Digest(RuntimeRequest, frozen=True): ...
class Cancel(RuntimeRequest, frozen=True): ...
class IntoHandler(RuntimeRequest, frozen=True): ...
# fmt: on


class Attach(RuntimeRequest, frozen=True):
    """What a client says first."""

    name: str = "somebody"
    look: bool = True


class Take(RuntimeRequest, frozen=True):
    force: bool = False


class GetOutput(RuntimeRequest, frozen=True, tag="output"):
    name: str
    """Of a process."""


# Components.


class Command(RuntimeRequest, frozen=True):
    component: str
    command: dict[str, Any]


class SetParameter(RuntimeRequest, frozen=True, tag="set"):
    component: str
    name: str
    value: Any


class SetMode(RuntimeRequest, frozen=True, tag="mode"):
    component: str
    activation: str
    period_s: Finite | None = None


class Restart(RuntimeRequest, frozen=True):
    name: str
    """Of a component or a host."""


class Again(RuntimeRequest, frozen=True):
    component: str


class Call(RuntimeRequest, frozen=True):
    component: str
    service: str
    deadline_s: Finite
    request: Any = None
    """Read by the service's type."""


class AskPort(RuntimeRequest, frozen=True, tag="ask"):
    component: str
    port: str
    deadline_s: Finite


class Send(RuntimeRequest, frozen=True):
    to: str
    message: Any
    """Read by the port's type."""
    real: bool = False


# The system as a whole.


class Reload(RuntimeRequest, frozen=True):
    restart: bool = False
    text: str | None = None


class Switch(RuntimeRequest, frozen=True):
    sources: tuple[str, ...] | None = None
    mode: str = ""


class Record(RuntimeRequest, frozen=True):
    on: bool = True
    file: str = ""
    topics: tuple[Annotated[str, Meta(max_length=300)], ...] | None = None
    """Patterns; a long one takes minutes to be read."""
    compression: str = WHEN_RECORDING


class Bookmark(RuntimeRequest, frozen=True):
    text: str = ""
    time_ns: TimeNs | None = None


# The gate.


class SetGate(RuntimeRequest, frozen=True, tag="gate"):
    mode: Literal["run", "pause"] | None = None
    kind: Literal["lockstep", "free"] | None = None
    rate: Annotated[float, Meta(ge=0.0, le=FASTEST)] | None = None


class Events(RuntimeRequest, frozen=True):
    """How many steps, of which topic."""

    count: Count = 1
    topic: str | None = None


class Step(Events, frozen=True): ...


class Back(Events, frozen=True): ...


class GoTo(RuntimeRequest, frozen=True):
    position: Count | None = None
    time_ns: TimeNs | None = None


class SetEventBreakpoints(RuntimeRequest, frozen=True, tag="event_breakpoints"):
    list: tuple[dict[str, Any], ...]
    """All of them; each is checked against the system."""


# The debugger.


class Debug(RuntimeRequest, frozen=True):
    component: str
    on: bool = True


class Freezing(RuntimeRequest, frozen=True):
    on: bool


class Continue(RuntimeRequest, frozen=True):
    gate: Literal["run", "pause"] | None = None
    """None: as it was before."""


# The player of a log.


class PlayerAction(Request, frozen=True, tag_field="action", tag=verb_of): ...


class AtTime(PlayerAction, frozen=True):
    time_ns: TimeNs


class OfTopic(PlayerAction, frozen=True):
    topic: str


# fmt: off
class Play(PlayerAction, frozen=True): ...
class Pause(PlayerAction, frozen=True): ...
class GiveUp(PlayerAction, frozen=True): ...
class Single(PlayerAction, frozen=True): ...
class Seek(AtTime, frozen=True): ...
class Jump(AtTime, frozen=True): ...
class NextOf(OfTopic, frozen=True): ...
class PreviousOf(OfTopic, frozen=True): ...
# fmt: on


class SeekBy(PlayerAction, frozen=True):
    seconds: Finite


class Burst(PlayerAction, frozen=True):
    count: Count


class PlayBack(PlayerAction, frozen=True, tag="back"):
    count: Count = 1


class Loop(PlayerAction, frozen=True):
    on: bool


class StopWhen(PlayerAction, frozen=True):
    condition: str = ""


class SetRate(PlayerAction, frozen=True, tag="rate"):
    rate: Finite | None
    """None is flat out: JSON has no infinity."""


class SetRange(PlayerAction, frozen=True, tag="range"):
    start_ns: TimeNs | None = None
    end_ns: TimeNs | None = None


class Enable(PlayerAction, frozen=True):
    topic: str
    on: bool = True


ACTIONS = verbs_of(PlayerAction)
VERBS: Mapping[str, type[Request] | Mapping[str, type[Request]]] = {**verbs_of(RuntimeRequest), "player": ACTIONS}
