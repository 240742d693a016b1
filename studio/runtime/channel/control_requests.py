"""What may be asked of the broker (docs/protocol.md, section 9), as typed values: one class for each verb.

The JSON of a request becomes one of these at the border, or is refused there; nobody behind it looks into a dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from studio.model.close_matches import did_you_mean
from studio.runtime.channel.frames import FASTEST
from studio.runtime.typed_json import Between, Count, Malformed, TimeNs, read_object, typed

Rate = Annotated[float, Between(0.0, FASTEST)]
"""Of a clock or a lockstep; 0 is one that stands, or goes as fast as it can."""
Epoch = Annotated[int, Between(0, 2**32 - 1)]


@dataclass(frozen=True)
class Request:
    DO: ClassVar[str]


@dataclass(frozen=True)
class Status(Request):
    DO = "status"


@dataclass(frozen=True)
class Start(Request):
    DO = "start"
    mode: Literal["run", "pause", "lockstep"] = "run"


@dataclass(frozen=True)
class Pause(Request):
    DO = "pause"


@dataclass(frozen=True)
class Run(Request):
    DO = "run"
    rate: Rate = 1.0


@dataclass(frozen=True)
class Step(Request):
    DO = "step"
    count: Count = 1
    topic: str | None = None


@dataclass(frozen=True)
class Advance(Request):
    DO = "advance"
    count: Count = 1
    topic: Any = None
    """One, or a list of them."""
    until_ns: TimeNs | None = None
    most: Count | None = None
    effects_only: bool = False
    muted: bool = False

    def __post_init__(self) -> None:
        topics = self.topic if isinstance(self.topic, list) else [self.topic]
        if not all(topic is None or isinstance(topic, str) for topic in topics):
            raise Malformed("topic must be a text, or a list of them")


@dataclass(frozen=True)
class Lockstep(Request):
    DO = "lockstep"
    until_ns: TimeNs | None = None
    count: Count | None = None
    rate: Rate = 0.0
    lag: Count = 0


@dataclass(frozen=True)
class Go(Request):
    DO = "go"
    until_ns: TimeNs | None = None
    count: Count | None = None
    rate: Rate = 0.0
    lag: Count = 0
    for_ns: TimeNs | None = None
    goes_on: bool = False
    muted: bool = False


@dataclass(frozen=True)
class Upcoming(Request):
    DO = "upcoming"


@dataclass(frozen=True)
class Coming(Request):
    DO = "coming"


@dataclass(frozen=True)
class Place(Request):
    DO = "place"


@dataclass(frozen=True)
class Checkpoint(Request):
    DO = "checkpoint"


@dataclass(frozen=True)
class Restore(Request):
    DO = "restore"
    checkpoint: Count


@dataclass(frozen=True)
class Forget(Request):
    DO = "forget"
    checkpoint: Count


@dataclass(frozen=True)
class Digest(Request):
    DO = "digest"


@dataclass(frozen=True)
class CatchUp(Request):
    DO = "catch_up"
    host: str
    for_ms: Annotated[int, Between(0, 2**32)]


@dataclass(frozen=True)
class Exchange(Request):
    DO = "exchange"
    host: str


@dataclass(frozen=True)
class Command(Request):
    DO = "command"
    component: str
    command: dict[str, Any]
    at_once: bool = False


@dataclass(frozen=True)
class Feed(Request):
    DO = "feed"
    name: str
    topics: tuple[str, ...] = ()
    plays: bool = False
    rewindable: bool = False


@dataclass(frozen=True)
class Unfeed(Request):
    DO = "unfeed"
    name: str


@dataclass(frozen=True)
class SetStops(Request):
    DO = "stops"
    list: tuple[dict[str, Any], ...] | None = None
    """Those of `who` from now on; None: as they are."""
    who: str = ""
    muted: bool = False


@dataclass(frozen=True)
class Drain(Request):
    DO = "drain"


@dataclass(frozen=True)
class DeliverCommands(Request):
    DO = "deliver_commands"


@dataclass(frozen=True)
class Recall(Request):
    DO = "recall"
    name: str


@dataclass(frozen=True)
class Jump(Request):
    DO = "jump"
    to_ns: TimeNs
    epoch: Epoch = 0
    clock: Literal["wall", "log", "simulation"] | None = None
    anew: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replan(Request):
    DO = "replan"


@dataclass(frozen=True)
class HostNews(Request):
    """The supervisor's word on a host."""

    host: str


@dataclass(frozen=True)
class Gone(HostNews):
    DO = "gone"


@dataclass(frozen=True)
class Back(HostNews):
    DO = "back"


@dataclass(frozen=True)
class Begins(HostNews):
    DO = "begins"


@dataclass(frozen=True)
class HeldByDebugger(HostNews):
    DO = "held"


@dataclass(frozen=True)
class Released(HostNews):
    DO = "released"


@dataclass(frozen=True)
class SetClock(Request):
    DO = "clock"
    rate: Rate
    now_ns: TimeNs | None = None


@dataclass(frozen=True)
class Stop(Request):
    DO = "stop"


@dataclass(frozen=True)
class End(Request):
    DO = "end"


_CLASSES: tuple[type[Request], ...] = (
    Status, Start, Pause, Run, Step, Advance, Lockstep, Go, Upcoming, Coming, Place, Checkpoint, Restore, Forget,
    Digest, CatchUp, Exchange, Command, Feed, Unfeed, SetStops, Drain, DeliverCommands, Recall, Jump, Replan, Gone,
    Back, Begins, HeldByDebugger, Released, SetClock, Stop, End,
)  # fmt: skip
VERBS: dict[str, type[Request]] = {each.DO: each for each in _CLASSES}


@dataclass(frozen=True)
class Asked:
    """A request with what its answer has to carry."""

    request: Request
    number: Any = field(default=None)
    """The client's own, of any kind."""


def read_request(raw: bytes) -> Asked:
    """Raises Malformed, with the number that its answer carries, if it has one."""
    content = read_object(raw)
    do = content.get("do")
    found = VERBS.get(do) if isinstance(do, str) else None
    number = content.get("id")
    if found is None:
        shown = do[:40] if isinstance(do, str) else do
        raise Malformed(f"unknown request {shown!r}", hint=did_you_mean(str(shown), VERBS), number=number)
    try:
        return Asked(typed(found, content), number)
    except Malformed as malformed:
        malformed.number = number
        raise
