"""The LogPlayer over real sessions: what it sends is what the log has, whatever happens on the way."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq

from studio.messages import Float64
from studio.runtime.base.errors import ReplayError
from studio.runtime.plan.plan import Plan
from studio.runtime.playing.flow import EVERY_EVENTS, OUTSTANDING
from studio.runtime.playing.played import Played
from studio.runtime.playing.player import FLAT_OUT, LogPlayer
from studio.runtime.playing.pusher import BATCH
from studio.runtime.recording import LogReader
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.session.session import Session
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    FEED_PREFIX,
    INPUT,
    Event,
    Kind,
    Mark,
    Marker,
    split,
    subscription,
)
from tests.runtime.replay.played import MS, SLOW, START, TYPES, A, B, FencedWatcher, Rig, recorded, rig, write_rig
from tests.runtime.replay.small_systems import plan, write_foreign
from tests.runtime.systems import Part
from tests.waiting import await_true

SECOND = 1_000_000_000


def adders() -> Plan:
    return plan(adder=Part("Adder", {"raw": "rig.a rig.b"}, {"amount": 0.5}, outlets=("out",)))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rig(tmp_path_factory.mktemp("logs") / "rig.mcap")


@pytest.fixture(scope="module")
def running(log: Path) -> Iterator[Rig]:
    with rig(log, adders()) as made:
        yield made


@pytest.fixture
def played(running: Rig) -> Rig:
    """One system for all: what a player leaves behind, the next one must not feel."""
    running.begin()
    return running


def is_part_of(part: list[tuple[str, float]], whole: list[tuple[str, float]]) -> bool:
    """Whether `part` is one piece of `whole`, without a hole."""
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def test_a_log_is_played_in_its_order_and_what_follows_from_it_is_computed(played: Rig, log: Path) -> None:
    played.player.play()
    assert played.player.wait(20) == "end"
    whole = recorded(log)
    assert played.seen() == whole
    computed = [value for _, value in played.seen("/adder/out")]
    assert computed == [value + 0.5 for topic, value in whole if topic != SLOW]
    state = played.player.state()
    assert (state.playing, state.number, state.count, state.fraction, state.stopped) == (False, 155, 155, 1.0, "end")
    assert state.time_ns == START + 990 * MS


def test_it_takes_as_long_as_the_recording_and_twice_as_long_at_half_the_rate(played: Rig) -> None:
    for rate, seconds in ((1.0, 0.99), (0.5, 0.5)):
        played.player.set_rate(rate)
        if rate != 1.0:
            played.player.set_range(START, START + 250 * MS)
        began = time.monotonic()
        played.player.play()
        assert played.player.wait(20) == "end"
        assert time.monotonic() - began >= seconds


def test_pausing_and_stepping_in_between_loses_and_doubles_nothing(played: Rig, log: Path) -> None:
    played.player.set_rate(0.5)  # so slow that a busy machine does not get to the end of the log in these turns
    for turn in range(6):
        played.player.play()
        time.sleep(0.02)
        played.player.pause()
        if turn % 2:
            assert played.player.single() is not None
            played.session.step(3)
    played.player.set_rate(3.0)
    played.player.play()
    assert played.player.wait(20) == "end"
    assert played.seen() == recorded(log)
    assert len(played.seen("/adder/out")) == 150
    sequences = [event.sequence for event in played.channel() if event.topic == A]
    assert sequences == list(range(sequences[0], sequences[0] + 100))


def test_stamps_are_those_of_the_log(played: Rig, log: Path) -> None:
    played.player.set_rate(FLAT_OUT)
    played.player.play()
    assert played.player.wait(20) == "end"
    with LogReader(log) as reader:
        stamps = [event.log_time_ns for event in reader.events([A])]
    assert [event.stamp_ns for event in played.channel() if event.topic == A] == stamps


def test_seeking_forwards_and_backwards_goes_on_from_there(played: Rig, log: Path) -> None:
    whole, heard = recorded(log), 0
    for target_ms in (500, 900, 0, 495):
        played.player.seek(START + target_ms * MS)
        assert played.player.state().time_ns == START + target_ms * MS
        assert played.player.burst(10) == 10
        now = played.seen()
        with LogReader(log) as reader:
            at = reader.count_before(START + target_ms * MS)
        assert now[heard:] == whole[at : at + 10]
        assert played.player.state().number == at + 10
        heard = len(now)


def test_components_hear_of_a_jump_and_nobody_counts_losses(played: Rig) -> None:
    played.player.play()
    time.sleep(0.2)
    played.player.seek(START + 800 * MS)
    assert played.player.state().playing
    assert played.player.wait(20) == "end"
    assert [event.topic for event in played.channel()].count("/_studio/command/adder") == 1
    topics = played.session.observer.reports
    played.session.observer.await_reports(["adder"], time.monotonic_ns(), 5.0)
    assert {name: told["lost"] for name, told in topics["adder"]["topics"].items() if name in (A, B)} == {A: 0, B: 0}


def test_a_loop_begins_again_at_the_start_of_the_range(played: Rig, log: Path) -> None:
    played.player.set_range(START + 300 * MS, START + 340 * MS)
    played.player.set_loop(True)
    played.player.set_rate(2.0)
    loops = played.player.state().loops
    played.player.play()
    await_true(lambda: played.player.state().loops >= loops + 3, "three loops")
    played.player.pause()
    part = [(A, 30.0), (B, 1015.0), (A, 31.0), (A, 32.0), (B, 1016.0), (A, 33.0), (A, 34.0), (B, 1017.0)]
    seen = played.seen()
    assert seen[:24] == part * 3
    assert part[0] in recorded(log)


def test_the_range_ends_where_it_should_and_can_be_left(played: Rig) -> None:
    played.player.set_range(START + 100 * MS, START + 130 * MS)
    played.player.set_rate(FLAT_OUT)
    played.player.play()
    assert played.player.wait(20) == "end"
    assert [value for _, value in played.seen(A)] == [10.0, 11.0, 12.0, 13.0]
    played.player.set_range()
    assert played.player.single() == A
    assert played.seen(A)[-1] == (A, 14.0)


def test_a_paused_system_takes_a_new_range_and_other_streams_at_once(played: Rig) -> None:
    """Although the gate has events ahead."""
    assert played.player.single() == A
    played.player.set_range(START, START + 40 * MS)
    played.player.enable(B, False)
    assert played.player.burst(100) == 5
    assert played.seen() == [(A, 0.0), (SLOW, 5000.0), (A, 1.0), (A, 2.0), (A, 3.0), (A, 4.0)]
    played.player.set_range()
    played.player.enable(B)
    assert [played.player.single() for _ in range(4)] == [A, A, B, A]


def test_streams_are_switched_while_it_plays(played: Rig, log: Path) -> None:
    assert played.player.enable("/rig/b", False) == [B]
    played.player.play()
    await_true(lambda: played.player.state().number > 40, "some events")
    assert played.seen(B) == []
    assert played.player.state().streams == {A: True, B: False, SLOW: True}
    played.player.enable("*/b")
    assert played.player.wait(20) == "end"
    values = played.seen(B)
    assert values
    assert is_part_of(values, [entry for entry in recorded(log) if entry[0] == B])
    assert values[-1] == (B, 1049.0)
    assert len(played.seen(A)) == 100
    with pytest.raises(ReplayError, match="no stream matches /nothing"):
        played.player.enable("/nothing")


def test_single_events_of_all_and_of_one_stream(played: Rig) -> None:
    assert [played.player.single() for _ in range(4)] == [A, B, SLOW, A]
    assert played.seen("/adder/out") == [("/adder/out", 0.5), ("/adder/out", 1000.5), ("/adder/out", 1.5)]
    assert played.player.next_of(SLOW)
    state = played.player.state()
    assert (state.time_ns, played.seen()[-1]) == (START + 205 * MS, (SLOW, 5001.0))
    assert state.number == len(played.seen())
    with pytest.raises(ReplayError, match="/nothing is not played"):
        played.player.next_of("/nothing")


def test_what_waits_at_the_closed_gate_is_not_counted(played: Rig) -> None:
    before = sum(played.player.counts.values())
    played.player.burst(6)
    assert sum(played.player.counts.values()) - before == 6
    played.session.step(1)  # by somebody else
    assert sum(played.player.counts.values()) - before == 7


def test_a_burst_ends_with_the_log_and_begins_again_in_a_loop(played: Rig) -> None:
    played.player.seek(START + 970 * MS)
    assert played.player.burst(100) == 4
    assert played.player.single() is None
    played.player.set_loop(True)
    loops = played.player.state().loops
    assert played.player.single() == A
    assert played.seen(A)[-1] == (A, 0.0)
    assert played.player.state().loops == loops + 1


def test_it_stops_behind_the_event_of_which_a_condition_holds(played: Rig) -> None:
    played.player.stop_when("/rig/b/data >= 1005")
    assert played.player.state().condition == "/rig/b/data >= 1005"
    played.player.set_rate(FLAT_OUT)
    played.player.play()
    assert played.player.wait(20) == "condition"
    assert played.seen()[-1] == (B, 1005.0)
    assert played.seen("/adder/out")[-1] == ("/adder/out", 1005.5)
    assert played.player.single() == A
    assert played.player.burst(10) == 2  # up to the next of which it holds
    played.player.stop_when(None)
    assert played.player.state().condition == ""
    played.player.play()
    assert played.player.wait(20) == "end"


def test_a_condition_that_does_not_fit_is_told(played: Rig) -> None:
    played.player.stop_when("/rig/a/date > 3")
    played.player.play()
    with pytest.raises(ReplayError, match="did you mean data"):
        played.player.wait(20)
    assert not played.player.state().playing


def test_the_rate_is_changed_while_it_plays(played: Rig, log: Path) -> None:
    played.player.set_rate(0.1)
    played.player.play()
    time.sleep(0.1)
    assert played.player.state().time_ns < START + 200 * MS
    for rate in (50.0, 2.0, FLAT_OUT):
        played.player.set_rate(rate)
    assert played.player.wait(20) == "end"
    assert played.seen() == recorded(log)
    with pytest.raises(ReplayError, match=r"0\.01 to 1000"):
        played.player.set_rate(0.001)


def test_somebody_else_may_pause_and_run_the_system(played: Rig, log: Path) -> None:
    played.player.play()
    time.sleep(0.1)
    played.session.pause()
    played.session.lockstep(until_ns=START + 500 * MS)
    await_true(lambda: not played.player.state().playing, "the player to hear of it")
    assert played.seen(A)[-1][1] >= 50.0
    played.session.run(2.0)
    assert played.player.wait(20) == "end"
    assert played.seen() == recorded(log)


class Interrupted:
    """The socket of a player that stops behind its first input, until the gate has delivered it and asks for more."""

    def __init__(self, socket: zmq.Socket[bytes], run: Path, player: str) -> None:
        self._socket = socket
        self.happened = False
        self._heard = zmq.Context.instance().socket(zmq.SUB)
        self._heard.connect(addresses.out_of(run))
        for topic in (FEED_PREFIX + player, ALL_TOPIC):
            self._heard.subscribe(subscription(topic))
        self._hear(Mark.ALIVE)

    def _hear(self, mark: Mark) -> bytes:
        while True:
            assert self._heard.poll(20_000), f"no {mark.name} is heard"
            payload = split(self._heard.recv())[2]
            if Marker.parse(payload).mark is mark:
                return bytes(payload)

    def send(self, frame: bytes, flags: int = 0) -> None:
        self._socket.send(frame, flags)
        if split(frame)[1].kind == Kind.DATA and not self.happened:
            self.happened = True
            question = self._hear(Mark.STATE)
            while self._hear(Mark.STATE) == question:
                pass  # it is repeated until it is answered

    def close(self) -> None:
        self._heard.close()


def test_what_is_on_its_way_while_the_gate_asks_for_more_is_not_forgotten(
    played: Rig, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate is faster than the player: it has delivered the first of a batch before the second is sent."""
    sender = played.player._pusher._sender
    socket = Interrupted(sender._socket, played.session.folders.run, "player")
    monkeypatch.setattr(sender, "_put", socket.send)
    played.session.lockstep(until_ns=START + 20 * MS)
    assert socket.happened
    assert len(played.seen()) == 6
    monkeypatch.undo()
    socket.close()
    played.session.run(5.0)
    assert played.player.wait(20) == "end"
    assert played.seen() == recorded(log)


def test_the_latest_is_there_again_after_a_seek_for_those_who_keep_it(log: Path) -> None:
    """A component that reads `latest` sees what it would have seen had it been there."""
    made = plan(watcher=Part("Watcher", {"raw": "rig.a"}, outlets=("out",)))
    pose = made.components[0].inlets[0].__class__("pose", SLOW, "latest")
    component = made.components[0].__class__(
        **{**made.components[0].__dict__, "inlets": (*made.components[0].inlets, pose)}
    )
    with rig(log, Plan((component,), 1, types=made.types)) as played:
        played.player.seek(START + 500 * MS)
        assert played.player.burst(3) == 3
        assert played.seen("/watcher/out")[0] == ("/watcher/out", 5002.0)
        assert played.seen(SLOW)[0] == (SLOW, 5002.0)
        assert [value for _, value in played.seen(A)][:2] == [50.0, 51.0]
        played.player.seek(START + 100 * MS)
        played.player.play()
        await_true(lambda: len(played.seen("/watcher/out")) > 3, "more")
        played.player.pause()
        assert ("/watcher/out", 5000.0) in played.seen("/watcher/out")


def test_flat_out_loses_nothing_and_does_not_run_away_from_a_slow_receiver(
    tmp_path: Path, scaled: Callable[[int], int]
) -> None:
    count = scaled(200_000)
    log = write_foreign(tmp_path / "many.mcap", {A: [(START + at * MS, Float64(float(at))) for at in range(count)]})
    slow = plan(slow=Part("Slow", {"raw": "rig.a"}, {"seconds": 0.0002}, outlets=("out",)))
    with rig(log, slow) as played:
        played.player.set_rate(FLAT_OUT)
        played.player.play()
        sent = 0
        while sent < count * 3 // 4:
            sent, handled = played.player.state().sent, len(played.seen("/slow/out"))  # in this order
            assert sent - handled <= OUTSTANDING * EVERY_EVENTS + BATCH
        played.player.pause()
        played.player.play()
        assert played.player.wait(50 if count < 10_000 else 3600) == "end"
        assert [value for _, value in played.seen("/slow/out")] == [float(at) for at in range(count)]
        assert [value for _, value in played.seen(A)] == [float(at) for at in range(count)]


def test_without_components_it_plays_too(log: Path) -> None:
    with rig(log, Plan(())) as played:
        played.player.set_rate(FLAT_OUT)
        played.player.play()
        assert played.player.wait(20) == "end"
        assert played.seen() == recorded(log)
        assert played.player.counts == {A: 100, B: 50, SLOW: 5}
        played.player.seek(START + 500 * MS)
        assert played.seen()[-3:] == [(SLOW, 5002.0), (B, 1024.0), (A, 49.0)], "also while it stands"
        assert played.player.state().number == 50 + 25 + 3
        assert played.player.single() == A
        # What a viewer would show there, in the order of time, and then the event itself.
        assert played.seen()[-4:] == [(SLOW, 5002.0), (B, 1024.0), (A, 49.0), (A, 50.0)]


def test_with_another_clock_events_get_new_stamps(log: Path) -> None:
    """As when one source is logged and another real: then time is that of the world."""
    with (
        LogReader(log) as reader,
        Session(Plan(())) as session,
        LogPlayer(session, Played(reader, {A: A}), TYPES, restamp=True) as player,
    ):
        watcher = FencedWatcher(session.folders.run, session.folders.shared)
        try:
            session.launch()
            watcher.await_connected()
            player.attach()
            session.start("pause")
            player.set_rate(10.0)
            player.play()
            assert player.wait(20) == "end"
            player.seek(START + 500 * MS)
            assert player.burst(2) == 2
            stamps = [event.stamp_ns for event in watcher.settled() if event.topic == A]
        finally:
            watcher.close()
    first, again = stamps[:100], stamps[100:]
    assert [stamp - first[0] for stamp in first] == [at * 10 * MS for at in range(100)]
    assert abs(first[0] - time.time_ns()) < 60 * SECOND
    assert again[0] > first[-1] - 100 * MS  # time goes on, though the log went back
    assert again[1] - again[0] == 10 * MS


def test_what_was_commanded_comes_again(tmp_path: Path) -> None:
    made = plan(
        flood=Part("Flood", outlets=("out",)),
        adder=Part("Adder", {"raw": "flood.out"}, {"amount": 1.0}, outlets=("out",)),
    )
    command = {"do": "set", "name": "amount", "value": 100.0}
    path = tmp_path / "commanded.mcap"
    with EventLog(path, made, TYPES) as written:
        for sequence, (do, at) in enumerate([({"do": "activate"}, 0), (command, 45)], 1):
            topic = "/_studio/command/adder"
            written.take(Event(topic, sequence, START + at * MS, do, kind=Kind.COMMAND, flags=INPUT))
        for at in range(10):
            written.take(Event("/flood/out", at + 1, START + at * 10 * MS, Float64(float(at)), flags=INPUT))
    expected = [*(at + 1.0 for at in range(5)), *(at + 100.0 for at in range(5, 10))]
    with LogReader(path) as reader:
        inputs = inputs_of(made, reader, {})
    assert inputs.left_out == ("flood",)
    with rig(path, inputs.plan, inputs.topics) as played:
        assert played.player.burst(11) == 11
        assert [value for _, value in played.seen("/adder/out")] == expected
        played.session.command("adder", {"do": "set", "name": "amount", "value": 1.0})
        played.player.seek(START)
        played.player.set_rate(0.5)  # a command goes another way than the data, and has 10 ms to arrive
        played.player.play()
        assert played.player.wait(20) == "end"
        values = [value for _, value in played.seen("/adder/out")][10:]
        assert (values[:5], values[-3:]) == (expected[:5], expected[-3:])


@pytest.mark.soak
def test_it_goes_on_with_a_new_broker(played: Rig) -> None:
    played.player.set_loop(True)
    played.player.play()
    await_true(lambda: played.player.state().number > 20, "some events")
    os.kill(played.session.broker.pid, signal.SIGKILL)
    await_true(lambda: played.session.broker_restarts == 1, "a new broker")
    loops = played.player.state().loops
    await_true(lambda: played.player.state().loops >= loops + 2, "two loops", 30.0)
    played.player.seek(START + 500 * MS)
    played.player.pause()
    played.player.seek(START + 500 * MS)
    assert played.player.single() == A
    assert played.seen(A)[-1] == (A, 50.0)
    assert played.seen("/adder/out")[-1] == ("/adder/out", 50.5)


@pytest.mark.soak
def test_a_paused_player_steps_on_with_a_new_broker(log: Path) -> None:
    """What the old one had asked for, the new one has not."""
    with rig(log, adders()) as played:
        assert played.player.burst(10) == 10
        os.kill(played.session.broker.pid, signal.SIGKILL)
        await_true(lambda: played.session.broker_restarts == 1, "a new broker")
        assert played.player.burst(10) == 10
        assert played.player.state().number >= 20
