"""The player of a log in lockstep, over real sessions: where it goes, what is computed on the way, what is counted."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio.messages import Float64, encode
from studio.runtime.base.clock import ClockKind, monotonic_ns
from studio.runtime.host.statistics import topic_totals
from studio.runtime.plan.plan import Plan
from studio.runtime.playing import lockstep_player
from studio.runtime.playing.given_events import GivenEvents
from studio.runtime.playing.lockstep_player import LockstepPlayer
from studio.runtime.playing.logged_sources import LoggedSources, WantedLog
from studio.runtime.playing.played import Played, restored_topics
from studio.runtime.playing.player import FLAT_OUT
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.session.lockstep_session import LockstepSession
from studio.runtime.session.switching import GateKind, target_of
from studio.runtime.stepping.live_stepper import LOOK_WITHIN_S
from tests.runtime.replay.played import MS, SLOW, START, TYPES, A, B, FencedWatcher, values_of, write_rig
from tests.runtime.replay.small_systems import plan
from tests.runtime.systems import Part, Seen
from tests.waiting import await_true


@dataclass
class Rig:
    player: LockstepPlayer
    session: LockstepSession
    watcher: FencedWatcher

    def channel(self) -> list[Seen]:
        return self.watcher.settled()

    def seen(self, *topics: str) -> list[tuple[str, float]]:
        return values_of(self.channel(), topics or (A, B, SLOW))

    @property
    def at_ms(self) -> float:
        return (self.player.state().time_ns - START) / MS

    def drops(self) -> int:
        reports = list(self.session.observer.reports.values())
        return sum(total.drops or 0 for total in topic_totals(reports, (A, B, SLOW)).values())

    def await_report(self) -> None:
        self.session.observer.await_reports(list(self.session.hosts), monotonic_ns(), 10.0)


@contextmanager
def rig(log: Path, plan: Plan) -> Iterator[Rig]:
    with LogReader(log) as reader:
        topics = {topic: topic for topic in reader.topics}
        with LockstepSession(plan, clock=ClockKind.LOG, start_ns=START) as session:
            player = LockstepPlayer(session, Played(reader, topics, restored_topics(plan, topics)), TYPES)
            watcher = FencedWatcher(session.folders.run, session.folders.shared)
            try:
                session.launch()
                watcher.await_connected()
                player.attach()
                session.start("pause")
                yield Rig(player, session, watcher)
            finally:
                player.close()
                watcher.close()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rig(tmp_path_factory.mktemp("logs") / "rig.mcap")


@pytest.fixture
def alone(log: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    monkeypatch.setattr(lockstep_player, "FEW", 20)  # or everything in so short a log would be near
    with rig(log, Plan(())) as made:
        yield made


@pytest.fixture
def computed(log: Path) -> Iterator[Rig]:
    with rig(log, plan(adder=Part("Adder", {"raw": "rig.a rig.b"}, {"amount": 0.5}, outlets=("out",)))) as made:
        yield made


def test_what_nobody_receives_is_counted_all_the_same(alone: Rig) -> None:
    alone.player.burst(10)
    assert sum(alone.player.counts.values()) == 10
    assert alone.player.counts == {topic: len(alone.seen(topic)) for topic in (A, B, SLOW)}
    assert alone.session.played() == alone.player.counts


def test_what_was_gone_back_over_is_not_counted(alone: Rig) -> None:
    alone.player.burst(10)
    alone.player.back(4)
    assert sum(alone.player.counts.values()) == 6


def test_a_log_alone_is_elsewhere_without_all_that_lies_between(alone: Rig) -> None:
    alone.player.seek(START + 800 * MS)
    assert alone.at_ms == 800
    seen = alone.seen()
    assert len(seen) < 80 and (A, 79.0) in seen and (A, 40.0) not in seen
    assert alone.player.state().number == 80 + 40 + 4  # those of the log before it, and not those that were played
    alone.player.seek(START + 100 * MS)
    assert alone.at_ms == 100
    assert alone.player.single() == A
    assert alone.seen(A)[-1] == (A, 10.0)


def test_viewers_of_a_log_alone_show_what_was_last_there(alone: Rig) -> None:
    """Also of a stream that comes rarely, and while it stands."""
    alone.player.seek(START + 795 * MS)
    assert alone.seen(SLOW)[-1] == (SLOW, 5003.0)
    assert alone.seen(B)[-1] == (B, 1039.0)


def test_a_log_alone_steps_back_also_where_it_was_sought(alone: Rig) -> None:
    alone.player.seek(START + 800 * MS)
    alone.player.back(1)
    assert alone.player.single() in (A, B)
    assert alone.at_ms == 790


def test_a_loop_begins_at_the_start_also_when_time_was_moved(alone: Rig) -> None:
    alone.player.set_loop(True)
    alone.player.seek(START + 950 * MS)
    alone.player.burst(20)  # over the end
    assert alone.at_ms == 0 and alone.seen(A)[-1] == (A, 99.0)
    alone.player.set_rate(100.0)
    after = len(alone.channel())
    alone.player.seek(START + 990 * MS)
    alone.player.play()
    await_true(
        lambda: any(event.topic == A and event.stamp_ns == START + 500 * MS for event in alone.channel()[after:]),
        "it to begin again",
    )
    alone.player.pause()


def test_with_components_what_lies_between_is_computed(computed: Rig) -> None:
    computed.player.seek(START + 500 * MS)
    assert len(computed.seen(A)) == 50


def test_a_jump_leaves_out_what_lies_between_and_cannot_be_gone_back_over(computed: Rig) -> None:
    computed.player.jump(START + 500 * MS)
    assert computed.at_ms == 500
    assert computed.seen(A) == []
    stepping = computed.session.stepping()
    assert not stepping["can_go_back"] and stepping["why_not"] == lockstep_player.MOVED
    assert computed.player.single() == A
    assert computed.seen(A) == [(A, 50.0)]
    assert computed.session.stepping()["can_go_back"]


def test_nobody_counts_losses_where_time_was_moved_or_a_stream_was_off(computed: Rig) -> None:
    computed.player.burst(6)
    computed.player.jump(START + 500 * MS)
    computed.player.burst(6)
    computed.player.enable(A, False)
    computed.player.seek(START + 700 * MS)
    computed.player.enable(A, True)
    computed.player.burst(6)
    computed.await_report()
    assert computed.drops() == 0
    assert computed.player.counts[A] == len(computed.seen(A))


def test_a_second_on_is_a_second_on_also_where_nothing_comes(computed: Rig) -> None:
    """It stayed at the last event, so the next second on led to the same place again."""
    computed.player.seek(START + 503 * MS)
    assert computed.at_ms == 503
    computed.player.seek_by(0.004)
    assert computed.at_ms == 507
    computed.player.seek_by(0.004)
    assert computed.at_ms == 511 and len(computed.seen(A)) == 52


def test_a_way_is_given_up_where_it_has_come_to(log: Path) -> None:
    slow = plan(slow=Part("Slow", {"raw": "rig.a"}, {"seconds": 0.05}, outlets=("out",)))
    with rig(log, slow) as made:
        way = threading.Thread(target=made.player.seek, args=(START + 900 * MS,))
        way.start()
        await_true(lambda: made.at_ms > 50, "it to be on its way")
        made.player.give_up()
        way.join(30)
        assert not way.is_alive()
        assert 50 < made.at_ms < 900 and made.session.stepping()["can_go_back"]


def test_another_player_of_the_same_log_goes_on_counting(computed: Rig) -> None:
    """As when the gate is chosen anew: everything before counted as lost, and the counts began at nothing."""
    before = computed.player
    before.burst(9)
    state, sent = before.state(), before.sent
    before.close()
    place = state.time_ns + 300 * MS, state.number + 45
    player = LockstepPlayer(computed.session, before.played, TYPES)
    player.begin_after(place, sent)
    player.attach()
    player.burst(9)
    assert sum(player.counts.values()) == 18
    computed.player = player
    computed.await_report()
    assert computed.drops() == 0


def test_who_only_looks_at_the_system_hides_nothing_of_what_comes(alone: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state is looked at ten times a second; on a busy machine that took long enough to be taken for a move."""
    alone.player.single()
    session, looks, has_looked = alone.session, threading.Event(), threading.Event()
    assert session.stepper is not None
    coming = session.upcoming()

    def look() -> None:
        looks.set()
        has_looked.wait(20)

    monkeypatch.setattr(session.stepper, "look", look)
    asked: list[tuple[Callable[[], object], object]] = [
        (session.upcoming, coming),
        (lambda: session.upcoming_at_once()["busy"], False),
    ]
    for ask, answer in asked:
        looking = threading.Thread(target=session.stepping)
        looking.start()
        assert looks.wait(20)
        later = threading.Timer(2 * LOOK_WITHIN_S, has_looked.set)
        later.start()
        assert ask() == answer
        looking.join()
        later.join()
        looks.clear()
        has_looked.clear()


def test_nothing_is_lost_between_a_free_run_and_lockstep(log: Path) -> None:
    """What the closed gate had taken ahead was thrown away, and its sequences counted as lost."""
    adder = plan(adder=Part("Adder", {"raw": "rig.a"}, {"amount": 0.5}, outlets=("out",)))

    def wanted(kind: GateKind = "lockstep") -> WantedLog:
        reader = LogReader(log)
        topics = {topic: topic for topic in reader.topics}
        return WantedLog(Played(reader, topics, restored_topics(adder, topics)), target_of(["logged"], kind), TYPES)

    with LockstepSession(adder, clock=ClockKind.LOG, start_ns=START) as session, LoggedSources(session) as sources:
        watcher = FencedWatcher(session.folders.run, session.folders.shared)
        try:
            session.launch()
            watcher.await_connected()
            sources.begin(wanted())
            session.start("pause")
            kinds: list[GateKind] = ["free", "lockstep", "free", "lockstep"]
            for kind in kinds:
                sources.switch(session.plan, wanted(kind))
                assert sources.player is not None
                sources.player.single()
                if kind == "free":
                    sources.player.play()
                    number = sources.player.state().number
                    await_true(lambda number=number, at=sources.player: at.state().number > number, "it to play")
            assert isinstance(sources.player, LockstepPlayer)
            sources.player.pause()
            made = Rig(sources.player, session, watcher)
            values = [value for _, value in made.seen(A)]
            assert values == [float(number) for number in range(len(values))]
            made.await_report()
            assert made.drops() == 0
            assert made.player.counts == {topic: len(made.seen(topic)) for topic in (A, B, SLOW)}
        finally:
            watcher.close()


RATES = pytest.mark.parametrize("rate", [1.0, FLAT_OUT])
LOOPS = pytest.mark.parametrize("loops", [False, True])


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that does not end while somebody looks at it: 200 s."""
    return write_rig(tmp_path_factory.mktemp("logs") / "long.mcap", 20_000)


@RATES
@LOOPS
@pytest.mark.parametrize("alone", [True, False])
def test_a_jump_while_it_plays_is_not_taken_for_the_end(long: Path, rate: float, loops: bool, alone: bool) -> None:
    """The system went on without its feed for a moment, and then began at the start of the log."""
    parts = Plan(()) if alone else plan(adder=Part("Adder", {"raw": "rig.a"}, {"amount": 0.5}, outlets=("out",)))
    with rig(long, parts) as made:
        made.player.set_loop(loops)
        made.player.set_rate(rate)
        made.player.play()
        for to_s in (60, 90, 120, 150):
            number = made.player.state().number
            await_true(lambda number=number: made.player.state().number > number, "it to play")
            made.player.jump(START + to_s * 1000 * MS)
            state = made.player.state()
            assert state.playing and state.loops == 0 and state.stopped is None
            assert state.time_ns >= START + to_s * 1000 * MS
        made.player.pause()


@RATES
@LOOPS
def test_a_far_seek_in_a_log_alone_while_it_plays_is_not_taken_for_the_end(
    long: Path, rate: float, loops: bool
) -> None:
    with rig(long, Plan(())) as made:
        made.player.set_loop(loops)
        made.player.set_rate(rate)
        made.player.play()
        for to_s in (60, 90, 120, 150):
            number = made.player.state().number
            await_true(lambda number=number: made.player.state().number > number, "it to play")
            made.player.seek(START + to_s * 1000 * MS)
            state = made.player.state()
            assert state.playing and state.loops == 0 and state.stopped is None
            assert state.time_ns >= START + to_s * 1000 * MS
        made.player.pause()


def write_restarted(path: Path) -> Path:
    """A log of a run of 2 s, whose producer was restarted in the middle: its sequences begin again at 1."""
    with LogWriter(path) as log:
        channel = log.add_topic(A, Float64)
        for number in range(200):
            time_ns = START + number * 10 * MS
            payload, sequence = encode(Float64(float(number))), number % 100 + 1
            log.write(channel, payload, log_time_ns=time_ns, sequence=sequence, stamp_ns=time_ns)
    return path


def test_a_log_whose_producer_was_restarted_plays_on_where_time_was_moved(tmp_path: Path) -> None:
    """Sequences became negative, nothing more came, and nobody said why."""
    adder = plan(adder=Part("Adder", {"raw": "rig.a"}, {"amount": 0.5}, outlets=("out",)))
    with rig(write_restarted(tmp_path / "restarted.mcap"), adder) as made:
        made.player.burst(10)
        made.player.jump(START + 900 * MS)
        assert made.player.burst(50) == 50
        assert made.seen(A)[-1] == (A, 139.0)
        sequences = [event.sequence for event in made.channel() if event.topic == A]
        assert sequences == list(range(1, 61))
        made.player.back(45)
        assert made.player.burst(45) == 45
        assert [event.sequence for event in made.channel() if event.topic == A][-45:] == sequences[-45:]
        made.await_report()
        assert made.drops() == 0
        assert made.player.state().stopped is None


def test_a_feed_that_breaks_down_says_so(computed: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is: the system stood without a word."""
    computed.player.burst(3)
    monkeypatch.setattr(GivenEvents, "_sequence", lambda *_: 1 // 0)
    computed.player.jump(START + 500 * MS)
    computed.player.burst(3)
    assert computed.player.state().stopped == "failure"


@LOOPS
def test_a_burst_that_is_given_up_has_not_come_to_the_end(log: Path, loops: bool) -> None:
    """The next Play began at the start of the log."""
    slow = plan(slow=Part("Slow", {"raw": "rig.a"}, {"seconds": 0.05}, outlets=("out",)))
    with rig(log, slow) as made:
        made.player.set_loop(loops)
        way = threading.Thread(target=made.player.burst, args=(140,))
        way.start()
        await_true(lambda: made.at_ms > 50, "it to be on its way")
        made.player.give_up()
        way.join(30)
        state = made.player.state()
        assert state.stopped is None and state.loops == 0
        at_ms = made.at_ms
        assert 50 < at_ms < 990
        made.player.single()
        assert made.at_ms >= at_ms


def test_a_burst_that_meets_a_breakpoint_has_not_come_to_the_end(computed: Rig) -> None:
    computed.player.set_loop(True)
    computed.session.set_stops(who="mine", list=[{"id": "mine", "topic": A, "when": "after", "count": 21}])
    computed.player.burst(140)
    state = computed.player.state()
    assert state.stopped is None and state.loops == 0
    assert computed.at_ms == 200


def test_nothing_is_lost_when_the_broker_dies_before_the_place_that_was_sought(long: Path) -> None:
    """It went on at the place to which time had been moved, although it had been taken back since then."""
    with rig(long, Plan(())) as made:
        made.player.seek(START + 100_000 * MS)
        made.player.back(250)
        number = made.player.state().number
        assert made.at_ms < 99_000
        os.kill(made.session.broker.pid, signal.SIGKILL)
        await_true(lambda: made.session.broker_restarts == 1, "a new broker")
        await_true(lambda: made.session.broker.poll() is None, "it to run")
        assert made.player.burst(3) == 3
        assert made.player.state().number == number + 3


def test_components_hear_the_end_again_after_time_was_moved(log: Path) -> None:
    ends = plan(last=Part("LastWord", {"raw": "rig.a"}, outlets=("out",)))
    with rig(log, ends) as made:
        made.player.set_rate(FLAT_OUT)
        made.player.play()
        assert made.player.wait(30) == "end"
        heard = len(made.seen("/last/out"))
        assert heard
        made.player.jump(START + 500 * MS)
        made.player.play()
        assert made.player.wait(30) == "end"
        assert len(made.seen("/last/out")) == 2 * heard


def test_of_many_ways_that_are_asked_for_only_the_newest_is_gone(log: Path) -> None:
    """Each was gone to its end, one after the other, while the last one waited."""
    slow = plan(slow=Part("Slow", {"raw": "rig.a"}, {"seconds": 0.05}, outlets=("out",)))
    with rig(log, slow) as made:
        ways = [threading.Thread(target=made.player.seek, args=(START + 900 * MS,)) for _ in range(3)]
        for way in ways:
            way.start()
        await_true(lambda: made.session.given_up == 3 and made.at_ms > 50, "all to be asked for")
        made.player.give_up()
        for way in ways:
            way.join(30)
        assert 50 < made.at_ms < 900


def test_who_pauses_it_on_a_long_way_means_it(log: Path) -> None:
    """It played on when it had got there."""
    slow = plan(slow=Part("Slow", {"raw": "rig.a"}, {"seconds": 0.02}, outlets=("out",)))
    with rig(log, slow) as made:
        made.player.play()
        way = threading.Thread(target=made.player.seek, args=(START + 900 * MS,))
        way.start()
        await_true(lambda: made.session.given_up == 1 and made.at_ms > 50, "it to be on its way")
        made.player.pause()
        way.join(30)
        assert not made.player.state().playing


def test_counts_are_not_doubled_while_time_is_moved(computed: Rig) -> None:
    computed.player.burst(60)
    counted: list[int] = []
    moved = threading.Event()

    def look() -> None:
        while not moved.is_set():
            counted.append(sum(computed.player.counts.values()))

    looking = threading.Thread(target=look)
    looking.start()
    for to_ms in (300, 500, 700):
        computed.player.jump(START + to_ms * MS)
    moved.set()
    looking.join(30)
    assert set(counted) <= {60}


def test_who_pauses_while_a_loop_begins_again_means_it(alone: Rig) -> None:
    """Time is moved to the start by another thread, which let it play then."""
    player = alone.player
    player.set_loop(True)
    player.seek(START + 900 * MS)
    with player._lock:  # that thread has to wait
        player.play()
        await_true(lambda: player.state().loops == 1, "the end")
        player.pause()
    await_true(lambda: alone.at_ms == 0, "it to be at the start")
    with player._lock:
        assert not player.state().playing


def test_who_moves_it_while_a_loop_begins_again_means_it(alone: Rig) -> None:
    player = alone.player
    player.set_loop(True)
    player.seek(START + 900 * MS)
    with player._lock:
        player.play()
        await_true(lambda: player.state().loops == 1, "the end")
        player.jump(START + 400 * MS)
    threads = [thread for thread in threading.enumerate() if thread.name == "loop"]
    for thread in threads:
        thread.join(30)
    assert alone.at_ms == 400
