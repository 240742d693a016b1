"""Broker and recorder in one process, without sockets: what happens on the way, and who dies when, comes from a seed.

Hosts, the ways to and from the broker, and the disk are simulated; the broker's forwarding thread and its requests, the
recorder's log book, and what keeps frames while a recorder is missing are the real ones. The world goes on whenever the
broker waits for a frame: some host handles something, some sender is late, something breaks.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from studio.messages import encode
from studio.messages.plain import Float64
from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.broker.broker_requests import BrokerRequests
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.control_plane import of_broker as asked
from studio.runtime.plan.plan import Plan, RecordingPlan
from studio.runtime.recording.reading.log_reader import LogReader
from studio.runtime.recording.recorder.interim import Interim, Once
from studio.runtime.recording.recorder.log_book import LogBook
from studio.runtime.recording.writing import log_file
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    ALL_TOPIC,
    COMMAND_PREFIX,
    INPUT,
    LAST_GATED,
    TIMER_PREFIX,
    Ack,
    Header,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    topic_hash,
)
from tests.runtime.systems import Part, plan

MOST_TURNS = 20_000
"""A world that needs more stands still."""
INBOX = 40
"""Frames that are kept for a recorder which does not read."""


def system() -> Plan:
    """Two ways from two clocks to one sink, one of which is longer, and an end where both meet."""
    made = plan(
        ticker=Part("Ticker", period_s=0.01),
        other=Part("Ticker", period_s=0.015),
        adder=Part("Adder", {"raw": "ticker.out"}),
        dice=Part("Dice", {"raw": "adder.out"}),
        merger=Part("Merger", {"left": "dice.out", "right": "other.out"}),
        sink=Part("Sink", {"raw": "ticker.out", "more": "merger.out"}),
    )
    types = {f"/{component.name}/out": "Float64" for component in made.components}
    return replace(made, types=types)


class Event(NamedTuple):
    topic: str
    sequence: int
    stamp_ns: int
    incarnation: int
    """Of the process that made it."""


class Broken(AssertionError):
    """What must hold does not hold."""


@dataclass
class SimulatedHost:
    """Publishes by what it handles, and by nothing else."""

    name: str
    place: int
    topics: set[str]
    out: deque[bytes] = field(default_factory=deque)
    """On its way to the broker, in its order."""
    inbox: deque[bytes] = field(default_factory=deque)
    incarnation: int = 0
    alive: bool = True
    gated: bool = True
    sequence: int = 0
    state: int = 0

    def handle(self) -> None:
        topic, header, payload = split(self.inbox.popleft())
        if header.kind == Kind.MARKER:
            self._obey(Marker.parse(payload))
        elif header.kind <= LAST_GATED:
            self.state = hash((self.state, topic_hash(topic), header.sequence)) & 0xFFFF
            many = 0 if header.kind == Kind.COMMAND else 1 + (self.state % 5 == 0)
            for _ in range(many):
                self.publish(header.stamp_ns, cause=(topic_hash(topic), header.sequence))
            if self.gated:
                ack = Ack(topic_hash(topic), header.sequence, published=((self.place, many),))
                self.out.append(pack(ACK_TOPIC, Kind.ACK, self.place, ack.payload()))

    def publish(self, stamp_ns: int, flags: int = 0, cause: tuple[int, int] = (0, 0)) -> None:
        self.sequence += 1
        self.out.append(
            pack(
                f"/{self.name}/out", Kind.DATA, self.sequence, encode(Float64(float(self.state))), stamp_ns=stamp_ns,
                sent_ns=stamp_ns, flags=flags, cause_topic=cause[0], cause_sequence=cause[1],
                origin=self.incarnation % 3,
            )
        )  # fmt: skip

    def _obey(self, marker: Marker) -> None:
        self.gated = marker.gated
        if marker.mark is Mark.PAUSE:
            self.out.append(pack(ACK_TOPIC, Kind.ACK, self.place, Ack(topic_hash(ALL_TOPIC), marker.number).payload()))


class SimulatedRecorder:
    """The log book behind an inbox of limited length, on a disk that may fail, and those who stand in for it."""

    def __init__(self, of: Plan, folder: Path) -> None:
        self._plan = of
        self._folder = folder
        self.files: list[Path] = []
        self.inbox: deque[bytes] = deque()
        self.lost: list[bytes] = []
        """That had no room."""
        self.tail: list[bytes] = []
        """Taken since the last flush: this dies with the process."""
        self.said: list[str] = []
        self.missing = 0
        """Events that the books have missed, as they tell it; what a dead one has not written it has not told."""
        self._told = 0
        self.once = Once()
        self._interim = Interim(folder, None, lambda _: None)
        self.alive = False
        self.begin()

    def hear(self, frame: bytes) -> None:
        if not self.alive:
            self._interim._keep_one(frame)
        elif len(self.inbox) < INBOX:
            self.inbox.append(frame)
        else:
            self.lost.append(frame)

    def handle(self) -> None:
        frame = self.inbox.popleft()
        if self.once.is_new(frame):
            self.book.take(frame)
            self.tail.append(frame)

    def flush(self) -> None:
        self.book.flush()
        self.tail.clear()
        self._told = self.book.missing

    def kill(self) -> list[bytes]:
        """Returns what dies with it: taken and not written, or not even taken."""
        self.missing += self._told
        self.book.writer._file.abandon()
        self.alive = False
        dead = [*self.tail, *self.inbox]
        self.tail, self.inbox = [], deque()
        return dead

    def begin(self) -> None:
        """A new process, whose subscriptions stand before the other one stops listening: some frames come twice."""
        file = self._folder / f"log_{len(self.files) + 1}.mcap"
        self.files.append(file)
        topics = tuple(self._plan.types)
        self.book = LogBook(
            self._plan, RecordingPlan(str(file), topics, "none"), lambda _, text: self.said.append(text)
        )
        kept, self._interim._kept = self._interim._kept, []
        self.once = Once()
        for frame in kept:
            self.once.note(frame)
            self.book.take(frame)
        self.flush()
        self.inbox.extend(kept[-3:])
        self.alive = True

    def close(self) -> None:
        while self.inbox:
            self.handle()
        self.missing += self.book.missing
        self.book.close()


class World:
    """What is behind the broker's sockets. `damage` may lose, double or change what the broker passes on."""

    def __init__(
        self,
        seed: int,
        folder: Path,
        of: Plan | None = None,
        *,
        troubles: tuple[str, ...] = (),
        damage: Callable[[bytes], list[bytes]] = lambda frame: [frame],
    ) -> None:
        self.choose = random.Random(seed)
        self.plan = of or system()
        self.troubles = troubles
        self._damage = damage
        self.passed: list[bytes] = []
        """Everything that the broker has sent out, in its order."""
        self.lost_on_the_way: Counter[str] = Counter()
        """By topic, what died with a host before it reached the broker."""
        self.hosts = {
            each.host: SimulatedHost(each.name, each.place, {i.topic for i in each.inlets} | _own_topics(each.name))
            for each in self.plan.components
        }
        self.recorder = SimulatedRecorder(self.plan, folder)
        self.died_with_recorder: list[bytes] = []
        self.replies: list[dict[str, Any]] = []
        self._is_over = False
        self._turns = 0
        self.forwarder = Forwarder(self, self.plan, Clock(ClockKind.SIMULATION, 0, 0, 0.0), 1)
        metronome: Any = SimpleNamespace(skipped=0)
        self.requests = BrokerRequests(self.forwarder, metronome, self.plan, folder)

    # The line.

    def forward(self, frame: bytes) -> None:
        for each in self._damage(frame):
            self.passed.append(each)
            topic = split(each)[0]
            for host in self.hosts.values():
                if host.alive and (topic in host.topics or topic == ALL_TOPIC):
                    host.inbox.append(each)
            if topic in self.plan.types:
                self.recorder.hear(each)

    def receive(self) -> list[bytes]:
        self._turns += 1
        if self._turns > MOST_TURNS:
            raise Broken("the broker waits for what never comes")
        self._live()
        waiting = [host for host in self.hosts.values() if host.out]
        if not waiting or self.choose.random() < 0.2:  # all of them are late
            return []
        return [self.choose.choice(waiting).out.popleft()]

    def proxy(self) -> None:
        for _ in range(self.choose.randrange(1, 8)):
            for frame in self.receive():
                self.forward(frame)

    def await_frame(self, most_ms: int) -> bool:
        return any(host.out for host in self.hosts.values())

    def wake(self) -> None: ...
    def forget_wakes(self) -> None: ...
    def close(self) -> None: ...

    # What goes on meanwhile.

    def _live(self) -> None:
        for _ in range(self.choose.randrange(4)):
            busy = [host for host in self.hosts.values() if host.alive and host.inbox]
            if busy:
                self.choose.choice(busy).handle()
        if self.recorder.alive and self.recorder.inbox and self.choose.random() < 0.7:
            self.recorder.handle()
            if self.choose.random() < 0.1:
                self.recorder.flush()
        if self.troubles and not self._is_over and self.choose.random() < 0.02:
            getattr(self, "_" + self.choose.choice(self.troubles))()

    def _kill_host(self) -> None:
        host = self.hosts["dice"]
        if not host.alive:
            return
        for _ in range(self.choose.randrange(len(host.out) + 1)):
            topic, header, _ = split(host.out.pop())
            if header.kind == Kind.DATA:
                self.lost_on_the_way[topic] += 1
        host.alive = False
        host.inbox.clear()
        self._tell(asked.Gone(host.name))

    def _revive_host(self) -> None:
        host = self.hosts["dice"]
        if host.alive or host.out:
            return
        host.alive, host.incarnation, host.sequence, host.gated = True, host.incarnation + 1, 0, self._is_gated
        self.forwarder.gone.discard(host.name)
        self._tell(asked.Back(host.name))

    def _stall_recorder(self) -> None:
        """It reads nothing while so much passes that some of it has no room."""
        for _ in range(self.choose.randrange(INBOX)):
            if self.hosts["ticker"].alive and not self._is_gated:
                self.hosts["ticker"].publish(self.forwarder.gate.now_ns, INPUT)
            if frame := next((host.out.popleft() for host in self.hosts.values() if host.out), None):
                self.forwarder._sort(frame) if self._is_gated else self.forward(frame)

    def _kill_recorder(self) -> None:
        if self.recorder.alive:
            self.died_with_recorder += self.recorder.kill()

    def _revive_recorder(self) -> None:
        if not self.recorder.alive:
            self.recorder.begin()

    @property
    def _is_gated(self) -> bool:
        return self.forwarder.mode != "run"

    def _tell(self, request: asked.BrokerRequest) -> None:
        self.requests.obey(request, self.replies.append)

    # What a test does with it.

    def ask(self, request: asked.BrokerRequest) -> dict[str, Any]:
        """As a client does; the world goes on until it is answered."""
        found: list[dict[str, Any]] = []
        self.requests.obey(request, found.append)
        with self.forwarder.lock:
            while not found:
                self.forwarder.turn()
        if not found[0].get("ok", True):
            raise Broken(str(found[0]))
        return found[0]

    def free(self, turns: int) -> None:
        """Open the gate for a while; sensors publish by themselves."""
        self.ask(asked.Run(0.0))
        with self.forwarder.lock:
            for _ in range(turns):
                for name in ("ticker", "other"):
                    if self.choose.random() < 0.3:
                        self.hosts[name].publish(self.forwarder.gate.now_ns, INPUT)
                self.forwarder.turn()
        self.ask(asked.Pause())

    def finish(self) -> str:
        """Everything comes home; a digest of all that has passed."""
        self._is_over = True
        self._revive_recorder()
        self.recorder.close()
        return hashlib.sha256(b"".join(map(_lasting, self.passed))).hexdigest()

    def delivered(self) -> list[Event]:
        """Events in the order of the channel, without markers."""
        return [event for frame in self.passed if (event := _event(frame)) is not None]

    def logged(self) -> list[list[Event]]:
        """File by file, what the recorders have written of data."""
        return [_logged(file, self.plan) for file in self.recorder.files]


def _own_topics(name: str) -> set[str]:
    return {TIMER_PREFIX + name, COMMAND_PREFIX + name}


def _event(frame: bytes) -> Event | None:
    topic, header, _ = split(frame)
    return _made(topic, header) if header.kind <= LAST_GATED else None


def _made(topic: str, header: Header) -> Event:
    return Event(topic, header.sequence, header.stamp_ns, header.origin)


def _lasting(frame: bytes) -> bytes:
    """Markers tell a moment of the machine's clock."""
    return b"" if split(frame)[1].kind == Kind.MARKER else frame


def _logged(file: Path, of: Plan) -> list[Event]:
    with LogReader(file) as log:
        return [
            Event(each.topic, each.sequence, each.stamp_ns, each.origin or 0)
            for each in log.events()
            if each.topic in of.types
        ]


# What must hold, whatever happens.


def check_order(events: list[Event], lost: Counter[str]) -> None:
    """Each producer's events pass once and in its order; only what died with one is missing, at its end."""
    last: dict[str, Event] = {}
    for event in events:
        before = last.get(event.topic)
        if before is not None and event.incarnation == before.incarnation and event.sequence != before.sequence + 1:
            raise Broken(f"{event.topic} #{event.sequence} came after #{before.sequence}")
        if (before is None or event.incarnation != before.incarnation) and event.sequence != 1:
            raise Broken(f"{event.topic} begins with #{event.sequence}")
        last[event.topic] = event
    assert all(count >= 0 for count in lost.values())


def check_all_arrived(world: World) -> None:
    """What hosts have published has passed, waits at the gate, or died on the way."""
    passed = Counter(event.topic for event in world.delivered())
    agenda = world.forwarder.agenda
    held = Counter(held.topic for held in (*agenda.effects, *agenda.inputs))
    for host in world.hosts.values():
        if host.incarnation:
            continue  # its last process counts from 1 again
        topic = f"/{host.name}/out"
        waiting = sum(split(frame)[1].kind == Kind.DATA for frame in host.out)
        found = passed[topic] + held[topic] + waiting + world.lost_on_the_way[topic]
        if found != host.sequence:
            raise Broken(f"{topic}: {host.sequence} were published, {found} are accounted for")


def check_log(world: World) -> None:
    """Every event that passed is in one file, once, or in a gap that is counted."""
    passed: dict[str, set[int]] = {}
    for event in world.delivered():
        if event.topic in world.plan.types:
            passed.setdefault(event.topic, set()).add(event.sequence)
    files = world.logged()
    seen: set[tuple[str, int]] = set()
    for event in (event for file in files for event in file):
        if (event.topic, event.sequence) in seen:
            raise Broken(f"{event.topic} #{event.sequence} is in the log twice")
        seen.add((event.topic, event.sequence))
    told: dict[str, set[int]] = {}
    counted = 0
    for file in world.recorder.files:
        with LogReader(file) as log:
            for gap in log.check():
                counted += gap.lost
                told.setdefault(gap.topic, set()).update(range(gap.after + 1, gap.before))
    dead = (*world.died_with_recorder, *world.recorder.lost)
    excused = {(topic, header.sequence) for topic, header, _ in map(split, dead)}
    for topic, numbers in passed.items():
        logged = {number for name, number in seen if name == topic}
        inner = [
            range(min(found), max(found)) for file in files if (found := [e.sequence for e in file if e.topic == topic])
        ]
        for number in numbers - logged - told.get(topic, set()):
            # What died with a recorder, or had no room, is between two files or at an end: within one it is a gap.
            if (topic, number) not in excused or any(number in each for each in inner):
                raise Broken(f"{topic} #{number} passed, and is in no log and no gap")
        if wrong := told.get(topic, set()) & logged:
            raise Broken(f"{topic}: {sorted(wrong)} are in the log and in a gap")
    if counted != world.recorder.missing:
        raise Broken(f"the log has gaps of {counted} events, the recorder has counted {world.recorder.missing}")


def fail_disk(monkeypatch: pytest.MonkeyPatch, after_writes: int, error: int) -> None:
    """From then on every write fails after half of its bytes."""
    writes = 0
    write = log_file._write_all

    def failing(fd: int, data: Any) -> None:
        nonlocal writes
        writes += 1
        if writes <= after_writes:
            write(fd, data)
            return
        os.write(fd, memoryview(data)[: len(data) // 2])
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(log_file, "_write_all", failing)
