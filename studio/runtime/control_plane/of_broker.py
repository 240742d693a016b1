"""What may be asked of the broker (docs/protocol.md, section 9): one class for each verb."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from studio.runtime.base.typed_json import Count, TimeNs
from studio.runtime.control_plane.event_breakpoints import EventBreakpoint
from studio.runtime.control_plane.request import Request, verbs_of
from studio.runtime.wire.frames import FASTEST

Rate = Annotated[float, Meta(ge=0.0, le=FASTEST)]
"""Of a clock or a lockstep; 0 is one that stands, or goes as fast as it can."""
Epoch = Annotated[int, Meta(ge=0, le=2**32 - 1)]


class BrokerRequest(Request, frozen=True): ...


# fmt: off
class Status(BrokerRequest, frozen=True): ...
class Pause(BrokerRequest, frozen=True): ...
class Upcoming(BrokerRequest, frozen=True): ...
class Coming(BrokerRequest, frozen=True): ...
class Place(BrokerRequest, frozen=True): ...
class Checkpoint(BrokerRequest, frozen=True): ...
class Digest(BrokerRequest, frozen=True): ...
class Drain(BrokerRequest, frozen=True): ...
class DeliverCommands(BrokerRequest, frozen=True): ...
class Replan(BrokerRequest, frozen=True): ...
class Stop(BrokerRequest, frozen=True): ...
class End(BrokerRequest, frozen=True): ...
# fmt: on


class HostNews(BrokerRequest, frozen=True):
    """The supervisor's word on a host."""

    host: str


class OfFeeder(BrokerRequest, frozen=True):
    name: str


class OfCheckpoint(BrokerRequest, frozen=True):
    checkpoint: Count


# fmt: off
class Gone(HostNews, frozen=True): ...
class Back(HostNews, frozen=True): ...
class Begins(HostNews, frozen=True): ...
class Held(HostNews, frozen=True): ...
class Released(HostNews, frozen=True): ...
class Recall(OfFeeder, frozen=True): ...
class Unfeed(OfFeeder, frozen=True): ...
class Restore(OfCheckpoint, frozen=True): ...
class Forget(OfCheckpoint, frozen=True): ...
# fmt: on


class Exchange(BrokerRequest, frozen=True):
    host: str


class Start(BrokerRequest, frozen=True):
    mode: Literal["run", "pause", "lockstep"] = "run"


class Run(BrokerRequest, frozen=True):
    rate: Rate = 1.0


class Step(BrokerRequest, frozen=True):
    count: Count = 1
    topic: str | None = None


class Advance(BrokerRequest, frozen=True):
    count: Count = 1
    topic: str | list[str] | None = None
    """One, or a list of them."""
    until_ns: TimeNs | None = None
    most: Count | None = None
    effects_only: bool = False
    muted: bool = False


class Lockstep(BrokerRequest, frozen=True):
    until_ns: TimeNs | None = None
    count: Count | None = None
    rate: Rate = 0.0
    lag: Count = 0


class Go(BrokerRequest, frozen=True):
    until_ns: TimeNs | None = None
    count: Count | None = None
    rate: Rate = 0.0
    lag: Count = 0
    for_ns: TimeNs | None = None
    goes_on: bool = False
    muted: bool = False


class CatchUp(BrokerRequest, frozen=True):
    host: str
    for_ms: Annotated[int, Meta(ge=0, le=2**32)]


class Command(BrokerRequest, frozen=True):
    component: str
    command: dict[str, Any]
    at_once: bool = False


class Feed(BrokerRequest, frozen=True):
    name: str
    topics: tuple[str, ...] = ()
    plays: bool = False
    rewindable: bool = False


class SetStops(BrokerRequest, frozen=True, tag="stops"):
    list: tuple[EventBreakpoint, ...] | None = None
    """Those of `who` from now on; None: as they are."""
    who: str = ""
    muted: bool = False


class Jump(BrokerRequest, frozen=True):
    to_ns: TimeNs
    epoch: Epoch = 0
    clock: Literal["wall", "log", "simulation"] | None = None
    anew: tuple[str, ...] = ()


class SetClock(BrokerRequest, frozen=True, tag="clock"):
    rate: Rate
    now_ns: TimeNs | None = None


VERBS = verbs_of(BrokerRequest)
