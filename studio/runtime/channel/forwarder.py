"""The forwarding thread of the broker: in mode run a proxy in C, otherwise the gate, over the same sockets.

Only this thread touches the sockets; others hand it jobs, which get it out of the proxy too (TERMINATE on its control
socket gives the sockets back within 0.2 ms, nothing lost or reordered).
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Set
from pathlib import Path
from typing import NamedTuple

import zmq

from studio.errors import StudioError
from studio.messages import decode
from studio.messages.plain import String
from studio.runtime.channel.agenda import Agenda
from studio.runtime.channel.ahead import Ahead, quieted
from studio.runtime.channel.broker_sockets import WAIT_MS, BrokerSockets
from studio.runtime.channel.feeders import Feeders
from studio.runtime.channel.frames import (
    ALL_TOPIC,
    COMMAND_PREFIX,
    END_PREFIX,
    ERROR,
    HOST_PREFIX,
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
    retarget,
    split,
    topic_hash,
)
from studio.runtime.channel.gate import BY_HAND, RAN_FREELY, Gate
from studio.runtime.channel.held import Held
from studio.runtime.channel.jobs import Jobs
from studio.runtime.channel.listeners import QUIET_HOSTS, Listeners
from studio.runtime.channel.own_events import OwnEvents
from studio.runtime.channel.ticking import Ticking, TickingState
from studio.runtime.clock import Clock, monotonic_ns
from studio.runtime.plan import RECORDER, Plan

LATE_NS = 250_000_000
"""A paced lockstep that is later than this goes on from where it is, and does not catch up."""
_NOBODY: frozenset[str] = frozenset()
_RECORDER = frozenset((RECORDER,))


class ForwarderState(NamedTuple):
    """The forwarder's part of a checkpoint."""

    ticking: TickingState
    sequences: dict[str, int]
    clock: Clock
    epoch: int


class Forwarder:
    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], run: Path, plan: Plan, clock: Clock, incarnation: int
    ) -> None:
        self.clock = clock
        self.incarnation = incarnation
        self.epoch = 0
        self.mode = "pause"
        self.waiting: set[str] = set()
        """Hosts whose acknowledgement is missing."""
        self.gone: set[str] = set()
        self.excused: set[str] = set()
        """Hosts that a debugger holds: a pause does not wait for them."""
        self.lock = threading.Lock()
        """Guards timers and sequences: held by this thread while the gate is closed, by the metronome for each tick."""
        self.agenda: Agenda[Held] = Agenda(self.make_tick)
        self.gate = Gate(self.agenda, self)
        self.gate.now_ns = clock.now_ns()
        self.own = OwnEvents(incarnation)
        self.gate.on_repeat = self.own.count_again
        self.feeders = Feeders(self, self.agenda)
        self.ticking = Ticking(plan, self.agenda.timers)
        self.on_paused: Callable[[], None] = lambda: None
        self.ended = False
        self._sockets = BrokerSockets(context, run)
        self.forward = self._sockets.forward
        self.wake = self._sockets.wake
        self.jobs = Jobs(self.wake)
        self._marker = 0
        self._pace: Clock | None = None
        self._ends_ns: int | None = None
        """When the lockstep that is under way has gone on for long enough."""
        self._ahead = Ahead(self)
        self.lag = 0
        """How many events those who only listen may be behind, in the lockstep that is under way."""
        self._able: set[str] = set()
        self._follow_plan(plan)
        self._plan_version = 0
        self._acks: list[tuple[str, Ack]] = []
        self._effects: list[Held] = []

    def _follow_plan(self, plan: Plan) -> None:
        self.plan = plan
        self._index_of = {**plan.hosts, RECORDER: plan.recorder_index}
        self._names = {index: name for name, index in self._index_of.items()}
        self._hosts_of = {topic: {c.host for c in components} for topic, components in plan.receivers.items()}
        self._one_by_one = {topic for topic in plan.receivers if plan.one_by_one(topic)}
        self.places = {topic: component.place for topic, component in plan.producers.items()}
        self._answering = {topic: plan.can_answer(topic) for topic in plan.receivers}
        self.listeners = Listeners(plan, self._able)
        self._ahead.follow_plan(plan)

    def learn(self, host: str, able: bool) -> None:
        """Whether a host knows how to work ahead, and to listen without acknowledging."""
        able = able and self._index_of.get(host, QUIET_HOSTS) < QUIET_HOSTS  # the others could not be told
        self._able.add(host) if able else self._able.discard(host)
        self._ahead.follow_plan(self.plan)

    # The thread.

    def main(self) -> None:
        with self.lock:
            while not self.ended:
                self._sockets.forget_wakes()
                if not self.jobs.waiting:
                    self._go_on()
                self.jobs.do()
        self._sockets.close()

    def _go_on(self) -> None:
        if self.mode == "run":
            self.lock.release()
            self._sockets.proxy()
            self.lock.acquire()
        else:
            self.absorb()
            self.keep_strays()

    # Jobs.

    def pause(self) -> None:
        """Stop forwarding; return when every host has handled what was delivered to it."""
        if self.mode == "pause":
            return
        self.mode = "pause"
        self.clock = self.clock.with_rate(0.0)
        self.gate.now_ns = max(self.gate.now_ns, self.clock.base_ns)
        number = self.mark(Mark.PAUSE)
        self.waiting = set(self.plan.hosts) - self.gone - self.excused
        self._acks.clear()
        while self.waiting and not self.ended:
            self.absorb()
            self._take_acks(topic_hash(ALL_TOPIC), number)
            self.waiting -= self.gone | self.excused
        self.waiting = set()
        self.on_paused()
        self.keep_strays()

    def keep_strays(self) -> None:
        """Hold what arrived while no event was being delivered."""
        self.agenda.effects.extend(self._effects)
        self._effects.clear()

    def run(self, rate: float = 1.0) -> None:
        """Open the gate: what was held goes first, then the proxy takes over."""
        if self.mode == "run":
            return
        self.clock = self.clock.stopped_at(max(self.gate.now_ns, self.clock.now_ns())).with_rate(rate)
        self.mode = "run"
        self.gate.note_unrepeatable(RAN_FREELY)
        self.mark(Mark.STATE)
        for held in [*self.agenda.effects, *self.agenda.inputs]:
            self.follow(held)
            self.forward(held.frame)
        self.agenda.effects.clear()
        self.agenda.inputs.clear()

    def resume(self, mode: str) -> None:
        """Go on where a broker that died has left off; what it held is lost, and missing in the sequence."""
        now_ns = self.clock.now_ns()
        for component in self.plan.by_name:
            self.ticking.observe(component, {"do": "activate"}, now_ns)
        if mode == "run":
            self.run(self.clock.rate or 1.0)

    def step(self, count: int, topic: str | None) -> list[tuple[str, int]]:
        return self.gate.step(count, topic)

    def lockstep(
        self,
        until_ns: int | None,
        count: int | None,
        rate: float,
        lag: int = 0,
        *,
        for_ns: int | None = None,
        goes_on: bool = False,
    ) -> int:
        """`lag`: how many events those who have nothing to say may be behind. When it returns, nobody is.

        `for_ns`: it ends after so long; `goes_on`: the same pace as before, so that pieces make one whole.
        """
        if not rate:
            self._pace = None
        elif not goes_on or self._pace is None or self._pace.rate != rate:
            self._pace = self.clock.stopped_at(self.gate.now_ns).with_rate(rate)
        self.mode = "lockstep"
        self.lag = lag
        self._ends_ns = None if for_ns is None else monotonic_ns() + for_ns
        try:
            return self.gate.lockstep(until_ns, count, rate)
        finally:
            self._ends_ns = None
            self._settle(0)
            self.lag = 0
            self.mode = "pause"

    def welcome(self, host: str) -> None:
        self.gone.discard(host)
        self.mark_on(HOST_PREFIX + host, Mark.WELCOME, 0)
        if version := self._plan_version:
            self.mark_on(f"{HOST_PREFIX}{host}/{version}", Mark.WELCOME, 0, version)

    def replan(self, plan: Plan) -> dict[str, str]:
        """The system has changed. Returns, when all who stay have followed, what they complain about; it is paused.

        Those who leave are told to stop; those who are new are expected to greet.
        """
        self.pause()
        self.gate.note_unrepeatable("the system was changed since then")
        leaving, coming = self.plan.greeted - plan.greeted, plan.greeted - self.plan.greeted
        self._follow_plan(plan)
        self.ticking.take(plan)
        self.gone = (self.gone - leaving) | coming
        self._plan_version = self._marker + 1
        programs = {component.host for component in plan.components if component.command}  # they know no plan
        _, answers = self.ask_hosts(Mark.REPLAN, whom=plan.greeted - programs)
        for host in leaving - {RECORDER}:  # a recorder ends by itself, before
            self.mark_on(HOST_PREFIX + host, Mark.STOP, 0)
        return {host: ack.text for host, ack in answers.items() if ack.text}

    def command(self, component: str, payload: bytes) -> None:
        """Put a command into the channel, as an input."""
        held = self._command(component, payload)
        if self.mode == "run":
            self.follow(held)
            self.forward(held.frame)
        else:
            self.gate.admit(held)

    def command_at_once(self, component: str, payload: bytes, *, looks: bool) -> None:
        """The same, past all that waits at a closed gate. Who only `looks` at a value leaves the way back open."""
        if self.mode == "run":
            self.command(component, payload)
        elif looks:
            self.gate.let_look(self._command(component, payload), BY_HAND)
        else:
            self.gate.deliver_first([self._command(component, payload)], BY_HAND)

    def _command(self, component: str, payload: bytes) -> Held:
        now_ns = self.gate.now_ns if self.mode != "run" else self.clock.now_ns()
        return self.own.command(component, payload, now_ns, self.epoch)

    def command_all(self, components: list[str], payload: bytes) -> None:
        for component in components:
            self.command(component, payload)

    def activate_all(self, components: list[str], payload: bytes) -> None:
        """Everybody is active before the first of them hears anything."""
        self.gate.deliver_first(self._command(component, payload) for component in components)

    def begin_again(self, components: list[str], payload: bytes) -> None:
        """These are new where the system stands, at its start: they are activated there, in place of those before."""
        gone = {topic for name in components for topic in self.plan.by_name[name].outlets.values()}
        effects = [effect for effect in self.agenda.effects if effect.topic not in gone]
        self.agenda.effects.clear()
        self.agenda.effects.extend(effects)
        delivered = self.gate.delivered
        self.activate_all(components, payload)
        self.gate.delivered = delivered  # commands that come again have their place by this number
        ordered = sorted(self.agenda.effects, key=lambda effect: self.places.get(effect.topic, -1))
        self.agenda.effects.clear()
        self.agenda.effects.extend(ordered)

    def stop(self) -> None:
        """The end of the run: no more ticks; what hosts still say is passed on as before."""
        self.agenda.timers.stop_all()
        self.mark(Mark.STOP)

    def end(self) -> None:
        """From any thread: give up whatever is being waited for, and end."""
        self.ended = True
        self.wake()

    # The gate's deliverer.

    def deliver(self, event: Held) -> list[Held]:
        self.follow(event)
        self._effects = []
        if event.topic in self._one_by_one:
            if self.lag and event.topic in self.plan.recorded:
                self.let_lag()
                self.listeners.expect(_RECORDER - self.gone, event)
            self._deliver_in_turns(event)
        else:
            hosts: Set[str] = self._hosts_of.get(event.topic, _NOBODY)
            frame = event.frame
            is_recorded = event.topic in self.plan.recorded
            if self.lag and (hosts or is_recorded):
                self.let_lag()  # before the event goes out: nothing else is under way
                listening = hosts - self._answering.get(event.topic, _NOBODY)
                listening = (listening | _RECORDER if is_recorded else listening) - self.gone
                hosts = hosts - listening
                frame = quieted(event, self.listeners.quiet(listening))
                self.listeners.expect(listening, event)
            self.forward(frame)
            if hosts:
                self._await(event, set(hosts))
        effects, self._effects = self._effects, []
        if len(effects) > 1:
            effects.sort(key=lambda effect: self.places.get(effect.topic, -1))
        return effects

    def _deliver_in_turns(self, event: Held) -> None:
        for turn, component in enumerate(self.plan.receivers[event.topic]):
            self.forward(retarget(event.frame, component.place, turn > 0))
            # Every host with a receiver acknowledges every turn, so that frames stay in step.
            self._await(event, set(self._hosts_of[event.topic]))

    def go_ahead(self, until_ns: int | None) -> int:
        return self._ahead.go(until_ns)

    def let_lag(self) -> None:
        """Ask those who listen how far they are, and wait for who is too far behind."""
        for host in self.listeners.to_ask(self.lag // 2):
            self._ask_listener(host)
        if self.listeners.late(4 * self.lag):
            self._settle(2 * self.lag)

    def _ask_listener(self, host: str) -> None:
        self._marker += 1
        self.listeners.ask(host, self._marker)
        self.mark_on(HOST_PREFIX + host, Mark.SYNC, self._marker)

    def _settle(self, most: int) -> None:
        """Wait until nobody is more than `most` events behind."""
        for host in self.listeners.to_ask(0):
            self._ask_listener(host)
        while not self.ended:
            self.listeners.forget(self.gone)
            self.waiting = self.listeners.late(most)
            if not self.waiting:
                break
            self.absorb()

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

    def interrupted(self) -> bool:
        self.jobs.do_small()
        is_over = self._ends_ns is not None and monotonic_ns() > self._ends_ns
        return self.jobs.interrupted or is_over or self.ended

    def wait_until(self, stamp_ns: int, rate: float) -> bool:
        assert self._pace is not None
        while not self.interrupted():
            left_ns = (stamp_ns - self._pace.now_ns()) / rate
            if left_ns < -LATE_NS:  # it stood still, in a debugger perhaps, and does not hurry after it
                self._pace = self._pace.stopped_at(stamp_ns).with_rate(rate)
            if left_ns <= 0:
                return True
            if self._sockets.pull.poll(math.ceil(min(WAIT_MS, left_ns / 1e6))):
                self.absorb()
        return False

    # Frames.

    def absorb(self) -> None:
        """Take in one message, waiting a moment for it: gated frames are held, acknowledgements kept, others passed."""
        for frame in self._sockets.receive():
            self._sort(frame)
        self.jobs.do_small()

    def _sort(self, frame: bytes) -> None:
        try:
            self._sort_readable(frame, *split(frame))
        except FrameError:
            self.damaged += 1

    def _sort_readable(self, frame: bytes, topic: str, header: Header, payload: memoryview) -> None:
        if header.kind == Kind.ACK:
            ack = Ack.parse(payload)
            if header.flags & ERROR:
                ack = ack._replace(refused=True)
            self._take_ack(self._names.get(header.sequence, ""), ack)
        elif header.kind <= LAST_GATED:
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

    damaged = 0
    """Frames that were not of this protocol."""

    def _hold(self, held: Held, header: Header) -> None:
        if not header.flags & INPUT:
            self._effects.append(held)
        elif (feeder := self.feeders.of(held.topic)) is not None:
            feeder.received += 1
            feeder.waiting.append(held)
        else:
            self.gate.note_unrepeatable(f"{held.topic} came from outside the log")
            self.agenda.inputs.append(held)

    def follow(self, held: Held) -> None:
        """Commands change who ticks, at the moment they are delivered."""
        if held.kind == Kind.COMMAND:
            try:
                command = json.loads(decode(String, split(held.frame)[2]).data)
            except (StudioError, ValueError):  # its receiver says what is wrong with it
                self.damaged += 1
                return
            self.ticking.observe(held.topic.removeprefix(COMMAND_PREFIX), command, held.stamp_ns)

    def make_tick(self, component: str, due_ns: int) -> Held:
        return self.own.tick(component, due_ns, self.epoch)

    # Checkpoints: see system_checkpoints.

    def ask_hosts(self, mark: Mark, about: int = 0, whom: Set[str] | None = None) -> tuple[int, dict[str, Ack]]:
        """Send a marker that everybody answers; returns its number and the answers. Those who die give none."""
        self._acks.clear()
        number = self.mark(mark, about)
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

    def checkpoint(self) -> ForwarderState:
        """What the forwarder itself decides by, besides the gate."""
        return ForwarderState(self.ticking.checkpoint(), dict(self.own.sequences), self.clock, self.epoch)

    def restore(self, state: ForwarderState) -> None:
        self.ticking.restore(state.ticking)
        self.own.sequences = dict(state.sequences)
        self.clock, self.epoch = state.clock, state.epoch

    # Markers.

    def mark(self, mark: Mark, about: int = 0) -> int:
        self._marker += 1
        self.mark_on(ALL_TOPIC, mark, self._marker, about)
        return self._marker

    def mark_on(self, topic: str, mark: Mark, number: int, about: int = 0) -> None:
        marker = Marker(mark, number, self.mode != "run", self.clock, self.epoch, self.incarnation, about)
        self.forward(pack(topic, Kind.MARKER, number, marker.payload()))
