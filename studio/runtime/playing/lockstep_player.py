"""The player of a log in a system that is controlled in lockstep: everything it does can be done again, and undone.

It shows the face of `LogPlayer`. But the gate takes every input from it one by one, also while it plays, so the state
of all components is a function of the place in the log, however that was reached: seeking back restores a checkpoint
and goes on from there; seeking forwards computes what lies between, as fast as it can.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from studio.errors import StudioError
from studio.messages import MessageTypes
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.channel.feeding import FeedThread
from studio.runtime.playing.delivered import Delivered
from studio.runtime.playing.given_events import GivenEvents
from studio.runtime.playing.played import Played
from studio.runtime.playing.player import FLAT_OUT, check_rate
from studio.runtime.playing.player_state import PlayerState
from studio.runtime.playing.playing_log import PlayingLog, Sent
from studio.runtime.processes.events import WentOtherwise
from studio.runtime.replay.inputs import END
from studio.runtime.replay.sockets import LogFeed
from studio.runtime.session.live_change import insist
from studio.runtime.session.lockstep_session import LockstepSession
from studio.runtime.stepping.gate_control import Place
from studio.runtime.stepping.live_stepper import LiveStepper

LIMIT = "log"
"""Of the session: where the log, or the range that is played, ends."""
FEW = 2000
"""Events that are gone through at once, as far as anybody notices."""
MOVED = "time was moved here"


class LockstepPlayer(PlayingLog):
    pauses_at_end = True

    def __init__(
        self,
        session: LockstepSession,
        played: Played,
        types: MessageTypes,
        *,
        name: str = "player",
    ) -> None:
        super().__init__(played, types, name)
        self.session = session
        self._disabled: frozenset[str] = frozenset()
        self._delivered = Delivered(name, self._place, self._given_from(self.start_ns, 0))
        self._feed: FeedThread | None = None
        self._from_ns, self._from = self.start_ns, 0
        self._told_end_at: int | None = None
        self._is_recalled = False
        self._is_to_loop = False
        """It has come to the end, and begins again unless somebody wants something else."""
        self._sought: tuple[int, int] | None = None
        """A position of the stepper, and the time between its events and the next that somebody wanted to be at."""

    # In and out of the system.

    def begin_after(self, place: tuple[int, int] | None, before: Sent) -> None:
        """Before it is attached: it follows another player. `place`: where it begins, if not at the start: a time of
        the log, and how many events of it are over. `before`: what that one has played."""
        if place is not None:
            self._from_ns, self._from = place
        given = self._given_from(self.start_ns, 0, last=before.last)
        self._delivered = Delivered(self._name, self._place, given, before)

    def attach(self) -> None:
        """Once the broker runs: from here on the gate takes its inputs from this player."""
        self.session.on_end = self._has_ended
        self.session.on_new_broker = self._feed_again
        self.session.on_condition = self._condition_holds
        self.session.played = lambda: self.counts
        self._set_limit()
        self._begin_at(self._from_ns, self._from)

    def _given_from(
        self, time_ns: int, number: int, restore: Collection[str] = (), last: Mapping[str, int] = MappingProxyType({})
    ) -> GivenEvents:
        place = time_ns if restore else max(self.start_ns, time_ns - SECOND_NS), number
        return GivenEvents(self.played, self._cursor.topics, self._topics, place, restore=restore, last=last)

    def _begin_at(self, time_ns: int, number: int, restore: Collection[str] = ()) -> None:
        """Feed the events from this number of the log on, at about this time; what was before cannot be gone back to.

        `restore`: begin at the time itself, but with the last event before it of each of these topics of the log.
        """
        self._end_feed()
        given = self._given_from(time_ns, number, restore, self.sent.last)
        self._delivered.begin(given)
        self._feed = insist(
            self.session, lambda: self.session.feed(self._name, given, self.played.topics.values(), LogFeed)
        )

    def _end_feed(self) -> None:
        feed, self._feed = self._feed, None
        if feed is not None:
            self.session.end_feed(feed, self._name)

    def _feed_again(self) -> None:
        """A new broker knows nothing of us; what had not been delivered is given to it."""
        place = self._time_ns, self._number
        feed, self._feed = self._feed, None
        if feed is not None:
            feed.close()
            self._begin_at(*place)

    def hold(self) -> None:
        """The gate is closed while sources are switched, and nothing else makes this player send."""

    def recall(self) -> None:
        """Paused: nothing more is given, or what is due just now would come when time jumps, and once more from whoever
        follows."""
        self._from_ns, self._from = self._time_ns, self._number
        self._is_recalled = True
        self._end_feed()

    def release(self) -> None:
        """Nobody follows after all."""
        if self._is_recalled:
            self._is_recalled = False
            self._begin_at(self._from_ns, self._from)

    def go_on(self, now_ns: int, restamp: bool, jumped: Mapping[str, Any]) -> None:
        """After a jump of the system's time: from the same place."""

    def leave(self) -> None:
        """The gate gets its inputs from elsewhere. Nothing is left of it, and of its log."""
        if self._condition is not None:
            insist(self.session, lambda: self.stop_when(None))
        self.session.played = dict
        self.close()
        self.played.log.close()

    def close(self) -> None:
        self.session.limits.pop(LIMIT, None)
        self.session.on_end = lambda: False
        self.session.on_new_broker = lambda: None
        self._end_feed()

    # Playing.

    def play(self) -> None:
        with self._lock:
            if self._stopped == "end" or self._is_at_end():
                self._go(self._first_ns())
            self._forget_stop()
            self.session.run(0.0 if self._rate == FLAT_OUT else self._rate)

    def pause(self) -> None:
        self.session.pause()

    def _forget_stop(self) -> None:
        """Somebody wants something else than what it has come to by itself."""
        self._stopped, self._is_to_loop = None, False

    @contextmanager
    def _playing_on(self) -> Iterator[None]:
        """Who moves it lets it play afterwards as it did before, unless somebody has paused it meanwhile."""
        running, paused = self.session.mode == "run", self.session.pauses
        yield
        if running:
            self._play_unless_paused(paused)

    def _play_unless_paused(self, paused: int) -> None:
        """`paused`: how often somebody had done so when it was decided to play."""
        if self.session.pauses == paused:
            self.play()
        if self.session.pauses != paused:
            self.session.pause()

    def set_rate(self, rate: float) -> None:
        """Times real time, or FLAT_OUT; while it plays, too."""
        check_rate(rate)
        self._rate = rate
        self.session.set_pace(0.0 if rate == FLAT_OUT else rate)

    def _is_at_end(self) -> bool:
        stepper, until_ns = self.session.stepper, self.session.until_ns
        return self._number >= self._cursor.count and stepper is not None and until_ns is not None

    # Where.

    def _place(self) -> Place | None:
        stepper = self.session.stepper
        return stepper.place if stepper is not None else None

    @property
    def _number(self) -> int:
        """Events of the log before the next one."""
        return self._delivered.number

    @property
    def counts(self) -> dict[str, int]:
        """Topic of the system -> how many events of it were delivered; what was gone back over was not."""
        found = self._delivered.counts
        return {topic: found[topic] for topic in self.played.streams.values()}

    @property
    def sent(self) -> Sent:
        return self._delivered.sent

    @property
    def _time_ns(self) -> int:
        stepper = self.session.stepper if self._feed is not None else None
        now_ns = stepper.place.now_ns if stepper is not None else self._from_ns
        if stepper is not None and self._sought is not None and self._sought[0] == stepper.position:
            now_ns = max(now_ns, self._sought[1])
        return min(max(now_ns, self.start_ns), self.end_ns)

    def seek(self, time_ns: int) -> None:
        """Go to a time of the log, playing or paused as before; who is on a long way elsewhere gives that up."""
        self._seek(lambda: time_ns, self.session.give_up_moving())

    def jump(self, time_ns: int) -> None:
        """Be at a time of the log without what lies between, playing or paused as before: components hear that time
        has jumped, and what was before cannot be gone back to."""
        asked = self.session.give_up_moving()
        with self._lock:
            if self.session.is_given_up(asked):
                return
            with self._playing_on():
                self._jump(self._within_range(time_ns), asked=asked)

    def give_up(self) -> None:
        """A long way is given up where it has come to."""
        self.session.give_up_moving()

    def _seek(self, time_ns: Callable[[], int], asked: int) -> None:
        """`asked`: how many ways were given up until somebody wanted this one."""
        with self._lock:
            if self.session.is_given_up(asked):
                return
            with self._playing_on():
                self._go(self._within_range(time_ns()), asked)

    def seek_by(self, seconds: float) -> None:
        self._seek(lambda: self._time_ns + round(seconds * SECOND_NS), self.session.given_up)

    def _go(self, time_ns: int, asked: int | None = None) -> None:
        """The system stands there afterwards."""
        if self._is_only_looked_at() and abs(self._cursor.number_at(time_ns) - self._number) > FEW:
            self._jump(time_ns, self._cursor.some_before(time_ns, FEW), asked)
            return
        with self.session.moving(asked) as stepper:
            self._forget_stop()  # only now: until it stood, it may have come to its end
            stepper.ready()
            if time_ns >= self._time_ns or self._is_reached(stepper, time_ns):
                self._seek_in(stepper, time_ns)
                return
        # Something came between that cannot be gone back over: time jumps, as in a free run.
        self._jump(time_ns, self._cursor.some_before(time_ns, FEW) if self._is_only_looked_at() else time_ns, asked)

    def _is_reached(self, stepper: LiveStepper, time_ns: int) -> bool:
        """Whether an earlier time can be gone back to."""
        return (stepper.first_ns <= time_ns or stepper.is_from_the_start) and not self.session.plan.recording

    def _is_only_looked_at(self) -> bool:
        """Nobody computes anything of it, so nothing is missed by leaving out what lies between."""
        return not self.session.plan.components

    def _jump(self, time_ns: int, from_ns: int | None = None, asked: int | None = None) -> None:
        """`from_ns`: what is played from there on comes too, so that it can be gone back over."""
        from_ns = time_ns if from_ns is None else from_ns
        insist(self.session, self._stand)
        # Nobody else moves it meanwhile: without its feed, a system that goes on would believe that the log is over.
        with self.session.moving(asked) as stepper:
            self._forget_stop()
            before = self._time_ns, self._number
            self._from_ns = time_ns  # where it is as long as nothing is fed
            self._end_feed()  # or what is due just now would come
            try:
                self.session.jump(from_ns)
            except StudioError:
                self._from_ns = before[0]
                self._begin_at(*before)
                raise
            self._told_end_at = None  # of a time that is over
            restore = [topic for topic in self.played.restored if self.played.topics[topic] not in self._disabled]
            self._begin_at(from_ns, self._cursor.number_at(from_ns), restore)
            if restored := self._delivered.given.restored:
                stepper.gate.advance(restored)  # viewers show it also if it stands there
            stepper.ready(MOVED)
            self._seek_in(stepper, time_ns)

    def _stand(self) -> None:
        with self.session.moving():
            pass

    def _seek_in(self, stepper: LiveStepper, time_ns: int) -> None:
        stepper.seek(time_ns)
        self._sought = None if stepper.cancelled.is_set() else (stepper.position, time_ns)

    def set_range(self, start_ns: int | None = None, end_ns: int | None = None) -> None:
        """Play only what lies between, both ends included; without ends, everything again."""
        with self._lock:
            self._range = self._range_between(start_ns, end_ns)
            self._set_limit()
            if self._range is not None and not self._range[0] <= self._time_ns <= self._range[1]:
                self.seek(self._range[0])

    def _set_limit(self) -> None:
        self.session.limits[LIMIT] = self._range[1] if self._range else self.end_ns

    def enable(self, pattern: str, enabled: bool = True) -> list[str]:
        """Play, or pass over, the streams that fit (by their topic in the log or the system); tells which."""
        found = set(self._streams_like(pattern).values())
        with self._lock:
            wanted = self._disabled - found if enabled else self._disabled | found
            if wanted != self._disabled:
                running = self.session.mode == "run"
                with self.session.moving() as stepper:
                    stepper.ready()
                    # What was passed over until now is over, also if nothing else has come since then.
                    number = max(self._number, self._cursor.number_at(stepper.place.now_ns))
                    self._disabled = wanted
                    self._begin_at(stepper.place.now_ns, number)
                    stepper.ready("the choice of streams was changed here")
                if running:
                    self.play()
        return sorted(found)

    # Event by event.

    @property
    def _topics(self) -> set[str]:
        return {topic for topic in self.played.topics.values() if topic not in self._disabled}

    def single(self) -> str | None:
        """Deliver the next event of the log with all that follows from it; tells its topic, None at the end."""
        came = self._deliver(1, self._topics)
        return came[-1] if came else None

    def next_of(self, topic: str) -> bool:
        """Go on until one event of a stream of the system was delivered; False if it stopped before."""
        self._check_played(topic)
        return topic in self._deliver(1, {topic})

    def burst(self, count: int) -> int:
        """Deliver the next `count` events of the log, as fast as it goes; tells how many there were."""
        return len(self._deliver(count, self._topics))

    def back(self, count: int = 1) -> int:
        """Go to before the last `count` events of the log; the position then."""
        return self._back(self._topics, count)

    def previous_of(self, topic: str) -> int:
        """Go to before the last event of a stream of the system; the position then."""
        self._check_played(topic)
        return self._back({topic}, 1)

    def _back(self, topics: Collection[str], count: int) -> int:
        with self._lock, self.session.moving() as stepper:
            self._forget_stop()
            self._sought = None
            return stepper.back(count, topics)

    def _deliver(self, count: int, topics: Collection[str]) -> list[str]:
        """The topics of those of `topics` that were delivered; what follows from the last of them is, too."""
        with self._lock, self.session.moving() as stepper:
            self._forget_stop()
            self._sought = None
            came = stepper.forward(count, topics)
            found = [event.topic for event in came if event.topic in topics]
            if len(found) == count or self._stopped:
                stepper.finish_effects()
                return found
            if stepper.was_stopped:
                return found
            if not self._loop:
                self._stopped = "end"
                return found
        self._loops += 1
        self._go(self._first_ns())
        return found if found or stepper.cancelled.is_set() else self._deliver(count, topics)

    def stop_when(self, text: str | None) -> None:
        """Stop after the first event of which a condition holds, e.g. `/scan/ranges_m.min < 0.5`; None: never."""
        if text is None:
            self.session.set_condition(None)
            self._condition = None
            return
        condition, logged, _ = self._parse_condition(text)
        field = condition.text.strip()[len(condition.topic) :].lstrip("/.")
        self.session.set_condition({"topic": self.played.streams[logged], "condition": field})
        self._condition = condition

    # What a view shows, and what a script waits for.

    def state(self) -> PlayerState:
        return self._state(
            playing=self.session.mode == "run",
            time_ns=self._time_ns,
            number=self._number,
            streams={topic: topic not in self._disabled for topic in self.played.streams.values()},
            stopped=self._failure or self._stopped,
            sent=self._number,
        )

    @property
    def _failure(self) -> str | None:
        return "failure" if self._feed is not None and self._feed.failure is not None else None

    def wait(self, timeout_s: float | None = None) -> str | None:
        """Until it stops by itself; tells why: end, condition. None if it has not in time."""
        self.session.finished.wait(timeout_s)
        if self._feed is not None and self._feed.failure is not None:
            raise self._feed.failure
        return self._stopped if self.session.finished.is_set() else None

    def _condition_holds(self) -> None:
        self._stopped = "condition"

    # The end.

    def _has_ended(self) -> bool:
        """The session has come to its limit, in its own thread; whether there is more after all."""
        stepper, until_ns = self.session.stepper, self.session.until_ns
        if stepper is None or until_ns != self.session.limits.get(LIMIT):
            return False
        if self._tell_components():
            return True
        if self._loop:
            self._loops += 1
            if not self._is_reached(stepper, self._first_ns()):
                self._is_to_loop, paused = True, self.session.pauses
                threading.Thread(target=self._begin_again, args=(paused,), name="loop", daemon=True).start()
                return False
            stepper.cancelled.clear()
            stepper.seek(self._first_ns())
            return True
        self._stopped = "end"
        return False

    def _begin_again(self, paused: int) -> None:
        """By another thread than the one that has come to the end: time is moved, and that one has to rest for it.

        `paused`: how often somebody had paused the system until then; whoever does so meanwhile means this, too.
        """
        try:
            with self._lock:
                if not self._is_to_loop:
                    return
                self._go(self._first_ns())
                self._play_unless_paused(paused)
        except StudioError as trouble:
            self.session.happened(WentOtherwise(str(trouble)))

    def _tell_components(self) -> bool:
        """There is no more: they may have something left to say. Told once; then it comes again by itself."""
        stepper = self.session.stepper
        assert stepper is not None
        if self._range is not None or (self._told_end_at is not None and stepper.known >= self._told_end_at):
            return False
        hearers = self.session.end_hearers()
        for component in hearers:
            self.session.command(component, END)
        self._told_end_at = stepper.position + len(hearers)
        return bool(hearers)
