"""The LogPlayer: plays a log into a running system, as its sensors would.

    with LogReader("drive.mcap") as log, Session(plan, clock=ClockKind.LOG, start_ns=...) as session:
        with LogPlayer(session, Played(log, {"/scan": "/laser/ranges"}), types) as player:
            session.launch()
            player.attach()
            session.start("pause")
            player.play()
            player.wait()

While the system runs, the player sends by the system's clock; while it is paused or stepped, the gate takes the inputs
from it one by one. So `play` is the mode run of the system, with the clock of the log and a rate, and whoever else
pauses, steps or runs the system does the same to the player.
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from studio.errors import StudioError
from studio.messages import MessageTypes, String, decode
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.errors import ReplayError
from studio.runtime.playing.clock_follower import FOLLOW_EVERY_S, ClockFollower
from studio.runtime.playing.flow import Flow
from studio.runtime.playing.playback_block import Next
from studio.runtime.playing.played import Played
from studio.runtime.playing.player_state import PlayerState
from studio.runtime.playing.playing_log import NOTHING_SENT, PlayingLog, Sent
from studio.runtime.playing.pusher import FOREVER_NS, Pusher
from studio.runtime.processes.control import Control, ControlError
from studio.runtime.replay.inputs import END
from studio.runtime.session.live_change import insist
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import COMMAND_PREFIX

FLAT_OUT = math.inf
"""The rate of a player that waits for nobody but those who have to keep up."""
SLOWEST, FASTEST = 0.01, 1000.0
CONNECTED_WITHIN_S = 10.0
GATE_SEEN_WITHIN_S = 2.0


class LogPlayer(PlayingLog):
    def __init__(
        self,
        session: Session,
        played: Played,
        types: MessageTypes,
        *,
        name: str = "player",
        restamp: bool = False,
    ) -> None:
        """`restamp`: the system's clock is not that of the log, so its events get new stamps."""
        super().__init__(played, types, name)
        self.session = session
        self._restamp = restamp
        self.pauses_at_end = True
        """Whether the system stands when the log has ended, or goes on without it."""
        self._held = False
        """Sources are just being switched."""
        self._pusher = Pusher(session.folders.run, name, self._cursor, played.topics, Flow(self._hosts))
        self._before = NOTHING_SENT
        self._pusher.on_stop = lambda why: self._later(lambda: self._has_stopped(why))
        self._pusher.on_command = lambda component, payload: self._later(lambda: self._command(component, payload))
        self._pusher.on_new_broker = lambda: self._later(self._feed)
        self._control = Control(session.folders.run, lambda: session.broker_restarts)
        self._known_to = 0
        """How many brokers have died before the one that was told of this player."""
        self._playing = False
        self._news = threading.Condition()
        self._follower = ClockFollower()
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._closed = threading.Event()
        self._pilot = threading.Thread(target=self._fly, name=f"pilot {name}", daemon=True)
        self._pilot.start()

    def _hosts(self) -> list[int]:
        exits = self.session.exits
        return [index for host, index in self.session.plan.hosts.items() if host not in exits]

    def attach(self) -> None:
        """Once the broker runs: from here on the gate takes its inputs from this player."""
        if not self._pusher.connected.wait(CONNECTED_WITHIN_S):
            raise ReplayError("no message from the broker", hint="is the system still running?")
        insist(self.session, self._feed)
        now_ns = insist(self.session, self._now_ns)
        with self._pusher.lock:
            self._pusher.epoch = max(self._pusher.epoch, self.session.epoch)
            if self._restamp:
                self._pusher.offset_ns = now_ns - self._pusher.position_ns
        self._pusher.silent = False
        self.session.played = lambda: self.counts
        self.session.on_step = self._pusher.has_passed

    def begin_after(self, place: tuple[int, int] | None, before: Sent) -> None:
        """Before it is attached: it follows another player. `place`: where it begins, if not at the start: a time of
        the log, and how many events of it are over. `before`: what that one has played."""
        self._before = before
        self._pusher.begin_after(place, before.last)

    # While sources are switched.

    def hold(self) -> None:
        """Send nothing more until `release`, or for good if `leave` follows."""
        with self._lock:
            self._held = self._pusher.silent = True

    def recall(self) -> None:
        """Held and paused: what waits at the closed gate has not been played, and whoever follows plays it."""
        with self._lock:
            self._await_gate(closed=True)
            recalled = self._pusher.recalled
            insist(self.session, self._recall)
            end_ns = monotonic_ns() + round(GATE_SEEN_WITHIN_S * SECOND_NS)
            while self._pusher.recalled == recalled and monotonic_ns() < end_ns:
                self._closed.wait(0.0005)

    def release(self) -> None:
        with self._lock:
            self._held = self._pusher.silent = False

    def go_on(self, now_ns: int, restamp: bool, jumped: Mapping[str, Any]) -> None:
        """After a jump of the system's time to `now_ns`, with its reply: from the same place, in the new epoch."""
        with self._lock:
            self._restamp = restamp
            self._pusher.go_on_at(now_ns, jumped["epoch"], jumped["thrown"].get(self._name, 0), restamp)
            self.release()

    def leave(self) -> None:
        """The gate gets its inputs from elsewhere. Nothing is left of it, and of its log."""
        insist(self.session, lambda: self._control.ask("unfeed", name=self._name))
        self.session.played = dict
        self.session.on_step = lambda _: None
        self.close()
        self.played.log.close()

    def _recall(self) -> None:
        """What comes next is not what it was: the closed gate gives back what it has, and hears that there is more."""
        self._pusher.drained = False
        self._control.ask("recall", name=self._name, timeout_s=None)

    def _feed(self) -> None:
        self._known_to = self.session.broker_restarts
        self._control.ask("feed", name=self._name, topics=list(self.played.topics.values()), plays=True)

    def _now_ns(self) -> int:
        return int(self._control.status()["now_ns"])

    # Playing.

    def play(self) -> None:
        """Let the system run, and play on; from the start if the end had been reached."""
        with self._lock:
            if self._stopped == "end":
                self._jump(self._first_ns())
            self._stopped = self._pusher.failure = None
            self._follower.begin()
            self._playing = True
            self.session.run(1.0 if self._rate == FLAT_OUT else self._rate)
            self._await_gate(closed=False)

    def pause(self) -> None:
        """Returns when every host has handled what was delivered to it."""
        with self._lock:
            self._playing = False
            self.session.pause()
            self._await_gate(closed=True)

    def _await_gate(self, *, closed: bool) -> None:
        """The sending thread hears of it by a marker, a moment later."""
        end_ns = monotonic_ns() + round(GATE_SEEN_WITHIN_S * SECOND_NS)
        while self._pusher.gated != closed and monotonic_ns() < end_ns:
            self._closed.wait(0.0005)

    def set_rate(self, rate: float) -> None:
        """Times real time, or FLAT_OUT; while it plays, too."""
        check_rate(rate)
        with self._lock:
            was_flat_out, self._rate = self._rate == FLAT_OUT, rate
            self._follower.begin()
            self._pusher.flat_out = rate == FLAT_OUT
            if rate != FLAT_OUT and self._is_running():
                now_ns = self._pusher.position_ns + self._pusher.offset_ns if was_flat_out else None
                self._control.ask("clock", rate=rate, now_ns=now_ns)

    def _is_running(self) -> bool:
        return bool(self._control.status()["mode"] == "run")

    # Where.

    def seek(self, time_ns: int) -> None:
        """Go on from a time of the log, playing or paused as before."""
        with self._lock:
            running = self._is_running()
            self._jump(self._within_range(time_ns))
            if running:
                self.play()

    jump = seek
    """A free run does nothing else."""

    def give_up(self) -> None:
        """No way takes long here."""

    def seek_fraction(self, fraction: float) -> None:
        self.seek(self.start_ns + round(fraction * (self.end_ns - self.start_ns)))

    def seek_by(self, seconds: float) -> None:
        self.seek(self._pusher.position_ns + round(seconds * SECOND_NS))

    def _jump(self, time_ns: int) -> None:
        """Afterwards the system is paused."""
        pusher = self._pusher
        pusher.silent = True
        try:
            self.session.pause()
            to_ns = self._now_ns() if self._restamp else time_ns
            reply = self.session.jump(to_ns)
            with pusher.lock:
                pusher.offset_ns = to_ns - time_ns
                pusher.go_to(time_ns, reply["epoch"], reply["thrown"].get(self._name, 0), self._to_restore())
            restored = pusher.restored
        finally:
            pusher.silent = False
        self._stopped = None
        if not self.session.plan.components:  # viewers show what was last there also while it stands
            for _ in range(restored):
                for delivered in self.session.step(1):
                    pusher.delivered(*delivered)

    def _to_restore(self) -> tuple[str, ...]:
        return tuple(topic for topic in self.played.restored if topic not in self._pusher.disabled)

    def set_range(self, start_ns: int | None = None, end_ns: int | None = None) -> None:
        """Play only what lies between, both ends included; without ends, everything again."""
        with self._lock:
            self._range = self._range_between(start_ns, end_ns)
            self._pusher.limit_ns = self._range[1] if self._range else FOREVER_NS
            if self._range and not self._range[0] <= self._pusher.position_ns <= self._range[1]:
                self.seek(self._range[0])
            self._recall()

    def enable(self, pattern: str, enabled: bool = True) -> list[str]:
        """Play, or pass over, the streams that fit (by their topic in the log or the system); tells which."""
        with self._lock:
            found = self._streams_like(pattern)
            disabled = self._pusher.disabled
            self._pusher.pass_over(disabled - found.keys() if enabled else disabled | found.keys())
            self._recall()
            return list(found.values())

    # Event by event.

    def single(self) -> str | None:
        """Deliver the next event of the log with all that follows from it; tells its topic, None at the end."""
        return self._step()

    def next_of(self, topic: str) -> bool:
        """Go on until one event of a stream of the system was delivered; False if it stopped before."""
        self._check_played(topic)
        with self._lock:
            while (found := self._step()) is not None:
                if found == topic or self._stopped:
                    return found == topic
        return False

    def burst(self, count: int) -> int:
        """Deliver the next `count` events of the log, as fast as it goes; tells how many there were."""
        with self._lock:
            for done in range(count):
                if self._step() is None:
                    return done
                if self._stopped:
                    return done + 1
        return count

    def _step(self, *, may_loop: bool = True) -> str | None:
        with self._lock:
            self._playing = False
            self._stopped = None
            while not self._pusher.drained:
                if self._known_to != self.session.broker_restarts:
                    insist(self.session, self._feed)  # or a new broker would say that there is nothing
                delivered = self.session.step(1)
                if not delivered:
                    break
                following = self._pusher.delivered(*delivered[0])
                if following is not None:
                    self._control.ask("drain", timeout_s=None)
                    if following.number >= 0:
                        self._judge(following)
                        return self.played.topics[following.event.topic]
            if self._loop and may_loop:
                self._loops += 1
                self._jump(self._first_ns())
                return self._step(may_loop=False)
            self._stopped = "end"
            return None

    def _judge(self, following: Next) -> None:
        if self._pusher.watch is not None and self._pusher.watch(following.event):
            self._stopped = "condition"

    def stop_when(self, text: str | None) -> None:
        """Stop after the first event of which a condition holds, e.g. `/scan/ranges_m.min < 0.5`; None: never."""
        with self._lock:
            if text is None:
                self._condition = self._pusher.watch = None
                return
            condition, logged, kind = self._parse_condition(text)
            self._condition = condition
            self._pusher.watch = lambda event: event.topic == logged and condition.holds(decode(kind, event.payload))

    # What a view shows, and what a script waits for.

    def state(self) -> PlayerState:
        pusher = self._pusher
        return self._state(
            playing=not pusher.gated,
            time_ns=self._time_ns(),
            number=pusher.done,
            streams={topic: logged not in pusher.disabled for logged, topic in self.played.streams.items()},
            stopped=self._stopped,
            sent=sum(pusher.counts.values()),
            behind_ns=pusher.behind_ns,
        )

    def _time_ns(self) -> int:
        """While it plays, time passes between the events too."""
        pusher = self._pusher
        at_ns, clock = pusher.position_ns, pusher.clock
        if pusher.gated or pusher.silent or clock is None or self._rate == FLAT_OUT:
            return at_ns
        return max(at_ns, min(clock.now_ns() - pusher.offset_ns, self.end_ns, pusher.limit_ns))

    @property
    def counts(self) -> dict[str, int]:
        """Topic of the system -> how many events were sent on it."""
        sent = Counter(self._pusher.counts) + Counter(self._before.counts)
        return {topic: sent[topic] for topic in self.played.streams.values()}

    @property
    def sent(self) -> Sent:
        return Sent(self.counts, self._pusher.last)

    def wait(self, timeout_s: float | None = None) -> str | None:
        """Until it stops by itself; tells why: end, condition. None if it has not in time."""
        with self._news:
            self._news.wait_for(lambda: self._stopped is not None, timeout_s)
        if self._pusher.failure is not None:
            raise self._pusher.failure
        return self._stopped

    # The pilot: what has to be asked of the broker while the sending thread answers it.

    def _later(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)

    def _fly(self) -> None:
        while not self._closed.is_set():
            try:
                self._jobs.get(timeout=FOLLOW_EVERY_S)()
            except Empty:
                pass
            except StudioError as failure:
                if not self._closed.is_set():
                    self._fail(failure)
            self._let_clock_follow()

    def _fail(self, failure: StudioError) -> None:
        self._pusher.failure = self._pusher.failure or failure
        self._tell_stopped("failure")

    def _has_stopped(self, why: str) -> None:
        with self._lock:
            if self._pusher.stopped != why or self._held:
                return  # somebody has sent it elsewhere meanwhile
            if why == "end" and self._loop:
                self._loops += 1
                self._jump(self._first_ns())
                self.play()
                return
            self._playing = False
            if why != "end" or self.pauses_at_end:
                self.session.pause()
                self._control.ask("drain", timeout_s=None)
                if why == "end":
                    self._tell_components()
                    self.session.came_to_end = True
            self._tell_stopped(why)

    def _tell_components(self) -> None:
        """There is no more: they may have something left to say."""
        for component in self.session.end_hearers():
            self.session.command(component, END)
            self.session.step(1, COMMAND_PREFIX + component)
        self._control.ask("drain", timeout_s=None)

    def _tell_stopped(self, why: str) -> None:
        with self._news:
            self._stopped = why
            self._news.notify_all()

    def _command(self, component: str, payload: bytes) -> None:
        """A command that was recorded: a parameter that was set, a trigger."""
        try:
            self.session.command(component, json.loads(decode(String, payload).data))
        except (ControlError, ValueError):
            return  # nobody of that name, or not readable: as in the recorded run, nothing happens

    def _let_clock_follow(self) -> None:
        """Flat out, time is where the player is; timers and ages go by it."""
        pusher = self._pusher
        if not self._playing or self._rate != FLAT_OUT or pusher.gated or pusher.clock is None:
            self._follower.begin()
            return
        at_ns = pusher.position_ns + pusher.offset_ns
        rate = self._follower.rate(monotonic_ns(), at_ns, pusher.clock.now_ns())
        if rate is not None:
            with suppress(ControlError):  # paused just now
                self._control.ask("clock", rate=rate, now_ns=at_ns)

    def close(self) -> None:
        self._closed.set()
        self._pilot.join()
        self._pusher.close()
        self._control.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_rate(rate: float) -> None:
    if rate != FLAT_OUT and not SLOWEST <= rate <= FASTEST:
        hint = f"{SLOWEST:g} to {FASTEST:g}, or as fast as possible"
        raise ReplayError(f"a log cannot be played {rate:g} times as fast", hint=hint)
