"""The player of a log in lockstep, over real sessions: where it goes, what is computed on the way, what is counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio.runtime.clock import ClockKind, monotonic_ns
from studio.runtime.paced import PacedSession
from studio.runtime.plan import Plan
from studio.runtime.recording import LogReader
from studio.runtime.replay import lockstep_player
from studio.runtime.replay.lockstep_player import LockstepPlayer
from studio.runtime.replay.played import Played, restored_topics
from studio.runtime.statistics import topic_totals
from tests.runtime.replay.played import MS, SLOW, START, TYPES, A, B, FencedWatcher, values_of, write_rig
from tests.runtime.replay.small_systems import plan
from tests.runtime.systems import Part, Seen
from tests.waiting import await_true


@dataclass
class Rig:
    player: LockstepPlayer
    session: PacedSession
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
        with PacedSession(plan, clock=ClockKind.LOG, start_ns=START) as session:
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
    player = LockstepPlayer(computed.session, before.played, TYPES, place=place, before=sent)
    player.attach()
    player.burst(9)
    assert sum(player.counts.values()) == 18
    computed.player = player
    computed.await_report()
    assert computed.drops() == 0
