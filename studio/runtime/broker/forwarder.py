"""The forwarding thread of the broker: in mode run a proxy in C, otherwise the gate, over the same sockets.

Only this thread touches the sockets; others hand it jobs, which get it out of the proxy too (TERMINATE on its control
socket gives the sockets back within 0.2 ms, nothing lost or reordered).
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Set

from studio.runtime.base.clock import Clock, monotonic_ns
from studio.runtime.broker.ahead import Ahead, quieted
from studio.runtime.broker.broker_sockets import WAIT_MS, BrokerLine
from studio.runtime.broker.exchange import Exchange
from studio.runtime.broker.gate import RAN_FREELY, Gate
from studio.runtime.broker.held import Held
from studio.runtime.broker.listeners import QUIET_HOSTS, Listeners
from studio.runtime.plan.plan import RECORDER, Plan
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    HOST_PREFIX,
    Mark,
    retarget,
    topic_hash,
)

LOOK_EVERY_NS = 100_000_000
MOST_TAKEN_IN = 256
"""Messages at once: they come from all senders in turn, so that a flood of one hides nobody."""
LATE_NS = 250_000_000
"""A paced lockstep that is later than this goes on from where it is, and does not catch up."""
_NOBODY: frozenset[str] = frozenset()
_RECORDER = frozenset((RECORDER,))


class Forwarder(Exchange):
    def __init__(self, line: BrokerLine, plan: Plan, clock: Clock, incarnation: int) -> None:
        super().__init__(line, plan, clock, incarnation)
        self.excused: set[str] = set()
        """Hosts that a debugger holds: a pause does not wait for them."""
        self.lock = threading.Lock()
        """Guards timers and sequences: held by this thread while the gate is closed, by the metronome for each tick."""
        self.gate = Gate(self.agenda, self)
        self.gate.now_ns = clock.now_ns()
        self.gate.on_repeat = self.own.count_again
        self.on_paused: Callable[[], None] = lambda: None
        self._pace: Clock | None = None
        self._ends_ns: int | None = None
        """When the lockstep that is under way has gone on for long enough."""
        self._ahead = Ahead(self)
        self.lag = 0
        """How many events those who only listen may be behind, in the lockstep that is under way."""
        self._able: set[str] = set()
        self._follow_plan(plan)
        self._plan_version = 0

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
                self.turn()
        self._line.close()

    def turn(self) -> None:
        """What is waiting, or the next message; with the lock held."""
        self._line.forget_wakes()
        if not self.jobs.waiting:
            self._go_on()
        self.jobs.do()

    def _go_on(self) -> None:
        if self.mode == "run":
            self.lock.release()
            self._line.proxy()
            self.lock.acquire()
        else:
            self.absorb()
            self._acks.clear()  # nobody waits for any
            self.keep_strays()

    # Jobs.

    def pause(self) -> None:
        """Stop forwarding; return when every host has handled what was delivered to it."""
        if self.mode == "pause":
            return
        self.clock = self.clock.with_rate(0.0)
        self.gate.now_ns = max(self.gate.now_ns, self.clock.base_ns)
        self.mode = "pause"  # after the time: another thread answers who asks for both, and time does not go back
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

    def run(self, rate: float = 1.0) -> None:
        """Open the gate: what was held goes first, then the proxy takes over."""
        if self.mode == "run":
            return
        self.clock = self.clock.stopped_at(max(self.gate.now_ns, self.clock.now_ns())).with_rate(rate)
        self.mode = "run"
        self.gate.note_unrepeatable(RAN_FREELY)
        self.mark(Mark.STATE)
        self._release()

    def _release(self) -> None:
        """What was held goes out. Much of it takes a busy machine seconds: what hosts and we ourselves report meanwhile
        has to pass, or all of us would be taken for hung, and the broker be replaced."""
        left = self._take_held()
        looked_ns = monotonic_ns()
        while left:
            held = left.popleft()
            self.follow(held, self.clock.base_ns)
            self.forward(held.frame)
            if monotonic_ns() - looked_ns > LOOK_EVERY_NS:
                self._take_in(MOST_TAKEN_IN)
                left += self._take_held()
                looked_ns = monotonic_ns()

    def _take_held(self) -> deque[Held]:
        self.keep_strays()
        held = deque((*self.agenda.effects, *self.agenda.inputs))
        self.agenda.effects.clear()
        self.agenda.inputs.clear()
        return held

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
        self.gate.note_unrepeatable("the system was edited while it ran")
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
            if self._line.await_frame(math.ceil(min(WAIT_MS, left_ns / 1e6))):
                self.absorb()
        return False
