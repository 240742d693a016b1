"""A closed gate, asked for pieces of lockstep: what was delivered, and where that has led."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from studio.runtime.broker.gate import Delivered
from studio.runtime.processes.control import Control
from studio.runtime.stepping.history import Told


class Place(NamedTuple):
    """Where a system is, as its gate tells it."""

    position: int
    """Events that were delivered, those at the start counted."""
    now_ns: int
    inputs: dict[str, int]
    """Feeder -> how many of its inputs were delivered."""
    unrepeatable: int
    why_not: str
    branch: int
    kept: list[int]
    """Numbers of the checkpoints that hold."""
    incarnation: int

    @classmethod
    def of(cls, reply: dict[str, Any]) -> Place:
        return cls(*(reply[name] for name in cls._fields))


class Piece(NamedTuple):
    came: list[Told]
    place: Place
    more: bool
    """Whether something is left before the limit."""
    hit: bool
    """Whether an event breakpoint has stopped it."""


class CaughtUp(NamedTuple):
    """How far a new process is on the way of the one before it."""

    done: int
    total: int
    """Events, both."""
    ended: bool
    differs: bool
    """It has published something else."""
    checkpoints: list[int]
    """Those that it came by before that, and keeps."""


class GateControl:
    """One thread at a time."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._bytes: dict[int, int] = {}
        self.on_came: Callable[[Iterable[str]], None] = lambda _: None
        """Told the topics of all events that were delivered."""

    def go(
        self,
        until_ns: int | None = None,
        count: int | None = None,
        *,
        rate: float = 0.0,
        lag: int = 0,
        for_ns: int | None = None,
        goes_on: bool = False,
        muted: bool = False,
    ) -> Piece:
        """Lockstep, for a while; `goes_on`: at the pace of the piece before it; `muted`: breakpoints do not stop it."""
        reply = self._control.ask(
            "go", until_ns=until_ns, count=count, rate=rate, lag=lag, for_ns=for_ns, goes_on=goes_on, muted=muted,
            timeout_s=None,
        )  # fmt: skip
        names = reply["names"]
        came = [
            Told(names[topic], sequence, stamp_ns)
            for topic, sequence, stamp_ns in zip(reply["topics"], reply["sequences"], reply["stamps"], strict=True)
        ]
        self.on_came(event.topic for event in came)
        return Piece(came, Place.of(reply), bool(reply["more"]), "hit" in reply)

    def advance(
        self,
        count: int = 1,
        topics: Collection[str] | None = None,
        *,
        until_ns: int | None = None,
        most: int | None = None,
        effects_only: bool = False,
        muted: bool = False,
    ) -> tuple[list[Delivered], Place, bool]:
        """Events one by one; what they were, where that has led, and whether a breakpoint has stopped it."""
        reply = self._control.ask(
            "advance", count=count, topic=None if topics is None else sorted(topics), until_ns=until_ns, most=most,
            effects_only=effects_only, muted=muted, timeout_s=None,
        )  # fmt: skip
        came = [
            Delivered(name, sequence, stamp_ns, tuple((made, number) for made, number in published))
            for name, sequence, stamp_ns, published in reply["delivered"]
        ]
        self.on_came(event.topic for event in came)
        return came, Place.of(reply), "hit" in reply

    def place(self, timeout_s: float = 10.0) -> Place:
        return Place.of(self._control.ask("place", timeout_s=timeout_s))

    def upcoming(self) -> list[dict[str, Any]]:
        """What is delivered next, as far as that is known."""
        events: list[dict[str, Any]] = self._control.ask("upcoming", timeout_s=None)["events"]
        return events

    def checkpoint(self) -> int:
        number, self._bytes[number] = self._control.checkpoint()
        return number

    def checkpoint_bytes(self, number: int) -> int:
        return self._bytes[number]

    def restore(self, number: int) -> None:
        self._control.restore(number)

    def catch_up(self, host: str, for_ms: int) -> CaughtUp:
        """For so long; 0 gives it up where it is."""
        reply = self._control.catch_up(host, for_ms)
        return CaughtUp(*(reply[name] for name in CaughtUp._fields))

    def exchange(self, host: str) -> None:
        """The code of now, without a new process: the host then catches up from before its first difference."""
        self._control.exchange(host)

    def forget(self, number: int) -> None:
        self._bytes.pop(number, None)
        self._control.forget(number)

    def digest(self) -> dict[str, Any]:
        return self._control.digest()
