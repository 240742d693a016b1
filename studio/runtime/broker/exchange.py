"""What the broker and the hosts say to each other: frames come in and are sorted, markers go out, answers are awaited.

All of it happens in the forwarding thread; the gate and what is done with it are in `forwarder`, which builds on this.
"""

from __future__ import annotations

import traceback
from collections.abc import Set
from typing import NamedTuple

from studio.errors import StudioError
from studio.messages import decode
from studio.messages.plain import String
from studio.runtime.base.clock import FARTHEST_NS, Clock
from studio.runtime.base.refusals import Refusals
from studio.runtime.base.typed_json import read_object
from studio.runtime.broker.agenda import Agenda
from studio.runtime.broker.ahead import Ahead
from studio.runtime.broker.broker_sockets import BrokerLine
from studio.runtime.broker.feeders import Feeders
from studio.runtime.broker.gate import Gate
from studio.runtime.broker.held import Held
from studio.runtime.broker.jobs import Jobs
from studio.runtime.broker.listeners import Listeners
from studio.runtime.broker.own_events import OwnEvents
from studio.runtime.broker.ticking import Ticking, TickingState
from studio.runtime.channel.naming import sender_of
from studio.runtime.plan.plan import Plan
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    COMMAND_PREFIX,
    END_PREFIX,
    ERROR,
    INPUT,
    LAST_GATED,
    REWOUND_PREFIX,
    WAKE_TOPIC,
    Ack,
    FrameError,
    Header,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    topic_hash,
)


class ForwarderState(NamedTuple):
    """The forwarder's part of a checkpoint."""

    ticking: TickingState
    sequences: dict[str, int]
    clock: Clock
    epoch: int


class Exchange:
    # Made by the forwarder: they deliver with its help.
    gate: Gate[Held]
    listeners: Listeners
    _ahead: Ahead

    def __init__(self, line: BrokerLine, plan: Plan, clock: Clock, incarnation: int) -> None:
        self.plan = plan
        self.clock = clock
        self.incarnation = incarnation
        self.epoch = 0
        self.mode = "pause"
        self.waiting: set[str] = set()
        """Hosts whose acknowledgement is missing."""
        self.gone: set[str] = set()
        self.ended = False
        self.refusals = Refusals()
        """Frames that were not of this protocol."""
        self.agenda: Agenda[Held] = Agenda(self.make_tick)
        self.own = OwnEvents(incarnation)
        self.feeders = Feeders(self, self.agenda)
        self.ticking = Ticking(plan, self.agenda.timers)
        self._line = line
        self.forward = line.forward
        self.wake = line.wake
        self.jobs = Jobs(self.wake)
        self._names: dict[int, str] = {}
        """Hosts and recorder, by the index that they acknowledge with."""
        self._marker = 0
        self._acks: list[tuple[str, Ack]] = []
        self._effects: list[Held] = []

    # Frames.

    def absorb(self) -> None:
        """Take in one message, waiting a moment for it: gated frames are held, acknowledgements kept, others passed."""
        for frame in self._line.receive():
            self._sort(frame)
        self.jobs.do_small()

    def _take_in(self, most: int) -> None:
        """The same of so many messages that are there already, and nothing else."""
        while most and self._line.await_frame(0):
            most -= 1
            for frame in self._line.receive():
                self._sort(frame)

    def _sort(self, frame: bytes) -> None:
        try:
            self._sort_readable(frame, *split(frame))
        except StudioError as malformed:
            self.refuse(frame, malformed)
        except Exception as failure:  # no frame may take the channel down
            traceback.print_exc()
            self.refuse(frame, failure)

    def refuse(self, frame: bytes, why: object) -> None:
        self.refusals.add(sender_of(frame, self.plan), why)

    def _sort_readable(self, frame: bytes, topic: str, header: Header, payload: memoryview) -> None:
        if header.kind == Kind.ACK:
            ack = Ack.parse(payload)
            if header.flags & ERROR:
                ack = ack._replace(refused=True)
            if header.sequence not in self._names:
                raise FrameError(f"an acknowledgement of host number {header.sequence}, which does not exist")
            self._take_ack(self._names[header.sequence], ack)
        elif header.kind <= LAST_GATED:
            if not -FARTHEST_NS <= header.stamp_ns <= FARTHEST_NS:  # what could not be reckoned with
                raise FrameError(f"its stamp is {header.stamp_ns} ns")
            self._hold(Held(frame, topic, header.sequence, header.stamp_ns, header.kind), header)
        elif header.kind == Kind.MARKER and topic.startswith(END_PREFIX):
            self.feeders.hear_end(topic.removeprefix(END_PREFIX), header.sequence)
        elif header.kind == Kind.MARKER and topic.startswith(REWOUND_PREFIX):
            self.feeders.hear_rewound(topic.removeprefix(REWOUND_PREFIX), header.sequence)
        elif header.kind == Kind.SWEEP:
            self._pass_sweep(frame)
        elif topic != WAKE_TOPIC:
            self.forward(frame)

    def _pass_sweep(self, frame: bytes) -> None:
        """A sweep must not overtake the payloads it speaks of: while a frame is held, it waits for the next one."""
        if not len(self.agenda) and not self._effects and not self._ahead.is_under_way:
            self.forward(frame)

    def _hold(self, held: Held, header: Header) -> None:
        if not header.flags & INPUT:
            self._effects.append(held)
        elif (feeder := self.feeders.of(held.topic)) is not None:
            feeder.received += 1
            feeder.waiting.append(held)
        else:
            self.gate.note_unrepeatable(f"{held.topic} came from outside the log")
            self.agenda.inputs.append(held)

    def keep_strays(self) -> None:
        """Hold what arrived while no event was being delivered."""
        self.agenda.effects.extend(self._effects)
        self._effects.clear()

    def follow(self, held: Held, latest_ns: int = FARTHEST_NS) -> None:
        """Commands change who ticks, from their time on, but from `latest_ns` if they claim a later one."""
        if held.kind == Kind.COMMAND:
            try:
                command = read_object(decode(String, split(held.frame)[2]).data)
                stamp_ns = min(held.stamp_ns, latest_ns)
                self.ticking.observe(held.topic.removeprefix(COMMAND_PREFIX), command, stamp_ns)
            except StudioError as malformed:  # its receiver says so too
                self.refuse(held.frame, malformed)

    def make_tick(self, component: str, due_ns: int) -> Held:
        return self.own.tick(component, due_ns, self.epoch)

    # Answers.

    def _await(self, event: Held, hosts: set[str]) -> None:
        """Wait, without a time limit, until all `hosts` have acknowledged and the effects they announced are here."""
        topic = topic_hash(event.topic)
        expected = len(self._effects)
        receivers = frozenset(hosts)
        self.waiting = hosts
        self._acks.clear()
        while not self.ended:
            expected += self._take_acks(topic, event.sequence)
            hosts -= self.gone
            if not hosts and (len(self._effects) >= expected or receivers & self.gone):
                break
            self.absorb()
        self.waiting = set()

    def _take_ack(self, host: str, ack: Ack) -> None:
        if self.listeners.takes(host, ack):
            return
        if self._ahead.takes(host, self._effects):
            self._effects = []
        else:
            self._acks.append((host, ack))

    def _take_acks(self, topic: int, sequence: int) -> int:
        """Strike off the hosts that have acknowledged this event; returns how many effects they announce."""
        announced = 0
        for host, ack in self._acks:
            if ack.topic == topic and ack.sequence == sequence:
                self.waiting.discard(host)
                announced += sum(count for _, count in ack.published)
        self._acks.clear()
        return announced

    def ask_hosts(
        self, mark: Mark, about: int = 0, whom: Set[str] | None = None, topic: str = ALL_TOPIC
    ) -> tuple[int, dict[str, Ack]]:
        """Send a marker that everybody answers; returns its number and the answers. Those who die give none."""
        self._acks.clear()
        number = self.mark(mark, about, topic)
        self.waiting = set(self.plan.hosts if whom is None else whom) - self.gone
        answers: dict[str, Ack] = {}
        while self.waiting and not self.ended:
            self.absorb()
            named = [(host, ack) for host, ack in self._acks if ack.topic == topic_hash(ALL_TOPIC)]
            answers |= {host: ack for host, ack in named if ack.sequence == number}
            self._acks.clear()
            self.waiting -= answers.keys() | self.gone
        self.waiting = set()
        self.keep_strays()
        return number, answers

    # Markers.

    def mark(self, mark: Mark, about: int = 0, topic: str = ALL_TOPIC) -> int:
        self._marker += 1
        self.mark_on(topic, mark, self._marker, about)
        return self._marker

    def mark_on(self, topic: str, mark: Mark, number: int, about: int = 0) -> None:
        marker = Marker(mark, number, self.mode != "run", self.clock, self.epoch, self.incarnation, about)
        self.forward(pack(topic, Kind.MARKER, number, marker.payload()))

    # Checkpoints: see system_checkpoints.

    def checkpoint(self) -> ForwarderState:
        """What the forwarder itself decides by, besides the gate."""
        return ForwarderState(self.ticking.checkpoint(), dict(self.own.sequences), self.clock, self.epoch)

    def restore(self, state: ForwarderState) -> None:
        self.ticking.restore(state.ticking)
        self.own.sequences = dict(state.sequences)
        self.clock, self.epoch = state.clock, state.epoch
