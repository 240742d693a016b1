"""Runs small systems for tests, in process and as processes, and records what passes their channel."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import zmq

from studio.messages import encode
from studio.runtime.base.clock import ClockKind
from studio.runtime.channel.payloads import copy_shared
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent
from studio.runtime.session.session import Session
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import AGAIN, SHARED, Event, Kind, pack, split, topic_hash
from tests.waiting import await_true

PARTS = Path(__file__).parent / "parts"
_CLASS = re.compile(r"^class (\w+)\(", re.MULTILINE)
_MODULES = {name: file.stem for file in PARTS.glob("*.py") for name in _CLASS.findall(file.read_text())}


def entry_of(cls: str) -> str:
    """Of one of the components in `parts`, by the module that has it."""
    return f"{_MODULES.get(cls, 'parts')}:{cls}"


class Seen(NamedTuple):
    """What a recorder sees of an event; the payload only of data."""

    topic: str
    sequence: int
    stamp_ns: int
    cause: tuple[int, int]
    payload: bytes


@dataclass
class Part:
    """One component of a test system: `Part("Adder", raw="ticker.out")`."""

    cls: str
    wires: Mapping[str, str] = field(default_factory=dict)
    """In port -> `component.port`, several separated by spaces."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    period_s: float = 0.0
    activation: Any = "event"
    host: str = ""
    requires: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    delivery: str = "lossless"
    outlets: tuple[str, ...] = ("out", "total", "big", "small", "served", "maps")


def plan(seed: int = 1, **parts: Part) -> Plan:
    return Plan(tuple(_planned(place, name, part) for place, (name, part) in enumerate(parts.items())), seed)


def _planned(place: int, name: str, part: Part) -> PlannedComponent:
    inlets = [
        Inlet(port, "/" + end.replace(".", "/"), part.delivery)
        for port, ends in part.wires.items()
        for end in ends.split()
    ]
    activation = "periodic" if part.period_s and part.activation == "event" else part.activation
    return PlannedComponent(
        name, part.cls, place, part.host or name, activation, round(part.period_s * 1e9), dict(part.parameters),
        tuple(inlets), {port: f"/{name}/{port}" for port in part.outlets}, dict(part.requires),
        entry=entry_of(part.cls), folder=str(PARTS),
    )  # fmt: skip


class TwinRun(InProcess):
    """The twin, recorded."""

    def __init__(self, plan: Plan) -> None:
        self._seen: list[Seen] = []
        super().__init__(plan, create, tap=self._record_event)

    def _record_event(self, event: Event) -> None:
        cause = (topic_hash(str(event.cause[0])), event.cause[1]) if event.cause else (0, 0)
        payload = encode(event.message) if event.kind == Kind.DATA else b""
        self._seen.append(Seen(event.topic, event.sequence, event.stamp_ns, cause, payload))

    def channel(self) -> list[Seen]:
        return list(self._seen)

    def component(self, name: str) -> dict[str, Any]:
        return dict(self.runners[name].report())

    def close(self) -> None:
        self.stop()


class ProcessRun(Session):
    """Real processes, recorded by a lossless subscriber."""

    def __init__(self, plan: Plan, *, clock: ClockKind = ClockKind.SIMULATION, record: bool = True) -> None:
        super().__init__(plan, clock=clock, start_ns=0 if clock is ClockKind.SIMULATION else None)
        self.watcher = Watcher(self.folders.run, self.folders.shared) if record else None
        self.launch()
        if self.watcher:
            self.watcher.await_connected()

    def channel(self) -> list[Seen]:
        assert self.watcher is not None
        return self.watcher.settled()

    def channel_now(self) -> list[Seen]:
        assert self.watcher is not None
        return self.watcher.now()

    def component(self, name: str) -> dict[str, Any]:
        """A report that was made after this call."""
        asked = time.monotonic_ns()
        host = self.plan.by_name[name].host
        await_true(lambda: self.observer.heard_ns.get(host, 0) > asked + 50_000_000, f"a report of {name}")
        return self.observer.component(name)

    def close(self) -> None:
        if self.watcher:
            self.watcher.close()
        super().close()


class Watcher:
    """Everything on the channel, in its order."""

    FENCE = "/_studio/fence"

    def __init__(self, run: Path, shared: Path | None) -> None:
        self._shared = shared
        self._seen: list[Seen] = []
        self._connected = threading.Event()
        self._ended = threading.Event()
        self._last_ns = time.monotonic_ns()
        self._fence = 0
        self._fences_seen = 0
        self._push = zmq.Context.instance().socket(zmq.PUSH)
        self._push.connect(addresses.into(run))
        self._socket = zmq.Context.instance().socket(zmq.SUB)
        self._socket.rcvhwm = 0
        self._socket.subscribe(b"/")
        self._socket.connect(addresses.out_of(run))
        self._thread = threading.Thread(target=self._record, daemon=True)
        self._thread.start()

    def _record(self) -> None:
        while not self._ended.is_set():
            if self._socket.poll(20):
                self._take(self._socket.recv())
        self._socket.close(0)

    def _take(self, frame: bytes) -> None:
        topic, header, payload = split(frame)
        self._connected.set()
        if topic == self.FENCE:
            self._fences_seen = header.sequence
        if header.kind > Kind.REPLY or header.flags & AGAIN:
            return
        data = bytes(payload) if header.kind == Kind.DATA else b""
        if header.flags & SHARED:
            assert self._shared is not None
            data = copy_shared(self._shared, data) or b"overwritten"
        cause = (header.cause_topic, header.cause_sequence)
        self._seen.append(Seen(topic, header.sequence, header.stamp_ns, cause, data))
        self._last_ns = time.monotonic_ns()

    def await_connected(self) -> None:
        assert self._connected.wait(5), "the recorder got nothing from the broker"

    def await_fence(self) -> None:
        """What is sent now comes behind everything that has passed the broker: then all of that was seen.

        It is sent again if it does not come: one that was under way in a broker that died is lost.
        """
        end = time.monotonic() + 20.0
        self._fence += 1
        while self._fences_seen < self._fence:
            assert time.monotonic() < end, "waited 20 s for what was sent to arrive"
            self._push.send(pack(self.FENCE, Kind.MARKER, self._fence))
            again = time.monotonic() + 1.0
            while self._fences_seen < self._fence and time.monotonic() < again:
                time.sleep(0.002)

    def settled(self) -> list[Seen]:
        """What was seen, once nothing more arrives."""
        self.await_fence()
        time.sleep(0.05)
        while time.monotonic_ns() - self._last_ns < 50_000_000:
            time.sleep(0.02)
        return list(self._seen)

    def now(self) -> list[Seen]:
        return list(self._seen)

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._push.close(0)


Run = TwinRun | ProcessRun


def topics(seen: list[Seen]) -> list[str]:
    """`topic#sequence` of everything, without the activations at the start."""
    return [f"{event.topic}#{event.sequence}" for event in seen if not event.topic.startswith("/_studio/command")]
