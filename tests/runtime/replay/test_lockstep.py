"""Lockstep replays of real logs, in process and over processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from studio.messages import Float64, ServiceCall, String, decode
from studio.runtime.base.errors import ReplayError
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.processes.control import Control
from studio.runtime.recording import LogReader
from studio.runtime.replay.comparison import compare
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.lockstep import RecordedSession
from studio.runtime.wire.frames import INPUT, Kind, Origin
from tests.runtime.replay.small_systems import TYPES, diamond, events_of, plan, record_lockstep, replay, sensor_system
from tests.runtime.systems import Part
from tests.waiting import await_true


@pytest.fixture(scope="module")
def sensed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in real time: the sensor's thread publishes when it likes."""
    path = tmp_path_factory.mktemp("sensed") / "run.mcap"
    system = sensor_system()
    with EventLog(path, system, TYPES) as log:
        twin = InProcess(system, create, start_ns=10**18, tap=log.take)
        twin.start()
        twin.run()
        time.sleep(0.3)
        twin.stop()
    return path


@pytest.mark.must_not_flake
def test_ten_replays_are_the_same_bytes_in_process_and_over_processes(
    sensed: Path, tmp_path: Path, scaled: Callable[[int], int], busy_cores: None
) -> None:
    for number in range(10):
        replay(sensor_system(), sensed, tmp_path / f"twin{number}.mcap")
    for number in range(scaled(200)):
        replay(sensor_system(), sensed, tmp_path / f"processes{number}.mcap", in_process=False)
    assert len({log.read_bytes() for log in tmp_path.glob("*.mcap")}) == 1


@pytest.mark.parametrize("calls", [False, True], ids=["ahead", "one by one"])
def test_the_gate_waits_for_a_recording_that_is_far_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: bool
) -> None:
    """It hears everything, however slow it is: a drop would be a replay that fails by chance."""
    parts = {"ticker": Part("Ticker", period_s=0.001, outlets=("out",))}
    if calls:
        parts["caller"] = Part("Caller", requires={"ask": ("server", "double")}, outlets=("out",))
        parts["server"] = Part("Doubler", outlets=("served",))
    system = plan(**parts)
    record_lockstep(tmp_path / "run.mcap", system, 8.0)
    sessions: list[RecordedSession] = []
    waited_for = threading.Event()
    begin, take = RecordedSession.start_recorder, EventLog.take_frame

    def start_recorder(session: RecordedSession) -> None:
        begin(session)
        sessions.append(session)

    def take_late(log: EventLog, topic: str, *rest: Any) -> None:
        if topic == "/ticker/out" and not waited_for.is_set():
            with closing(Control(sessions[0].folders.run)) as control:
                await_true(lambda: control.status()["waiting"] == ["recorder"], "the gate to wait")
            waited_for.set()
        take(log, topic, *rest)

    monkeypatch.setattr(RecordedSession, "start_recorder", start_recorder)
    monkeypatch.setattr(EventLog, "take_frame", take_late)
    replay(system, tmp_path / "run.mcap", tmp_path / "processes.mcap", in_process=False)
    replay(system, tmp_path / "run.mcap", tmp_path / "twin.mcap")
    assert waited_for.is_set()
    assert (tmp_path / "twin.mcap").read_bytes() == (tmp_path / "processes.mcap").read_bytes()


def test_calls_are_in_the_log_in_one_order_whoever_was_faster(tmp_path: Path) -> None:
    """Two callers hear the same event and ask at the same time; the third goes through one that calls itself."""
    system = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        one=Part("Caller", {"raw": "ticker.out"}, requires={"ask": ("first", "double")}, outlets=("out",)),
        two=Part("Caller", {"raw": "ticker.out"}, requires={"ask": ("between", "answer")}, outlets=("out",)),
        between=Part("Circle", requires={"ask": ("second", "double")}, outlets=("out",), host="second"),
        first=Part("Doubler", outlets=("served",), host="one"),
        second=Part("Doubler", outlets=("served",), host="second"),
    )
    record_lockstep(tmp_path / "run.mcap", system, 0.1)
    replay(system, tmp_path / "run.mcap", tmp_path / "twin.mcap")
    replay(system, tmp_path / "run.mcap", tmp_path / "processes.mcap", in_process=False)
    assert (tmp_path / "twin.mcap").read_bytes() == (tmp_path / "processes.mcap").read_bytes()
    with LogReader(tmp_path / "twin.mcap") as log:
        topics = [
            event.topic.removeprefix("/_studio/") for event in log.events() if "re" in event.topic.split("/")[2][:2]
        ]
        calls = ["request/first/one", "reply/one/first", "request/between/two", "request/second/between"]
        assert topics == [*calls, "reply/between/second", "reply/two/between"] * 10
        asked, answered = (decode(ServiceCall, log.nth(f"/_studio/{call}", 4).payload) for call in calls[:2])
    assert (asked.caller, asked.provider, asked.service, asked.deadline_s) == ("one", "first", "double", 1.0)
    assert decode(Float64, asked.data.tobytes()) == Float64(5.0)
    assert decode(Float64, answered.data.tobytes()) == Float64(10.0)


def test_components_hear_of_the_end_once(tmp_path: Path) -> None:
    system = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        last=Part("LastWord", {"raw": "ticker.out"}, outlets=("out",)),
        sum=Part("Adder", {"raw": "last.out"}, outlets=("out",)),
    )
    log = record_lockstep(tmp_path / "run.mcap", system, 0.1)
    for name, in_process in (("twin", True), ("processes", False), ("of a replay", True)):
        out = tmp_path / f"{name}.mcap"
        replay(system, log, out, in_process=in_process)
        for topic in ("/last/out", "/sum/out"):
            assert [decode(Float64, payload).data for _, _, payload in events_of(out, topic)] == [10.0]
        log = out
    assert (tmp_path / "twin.mcap").read_bytes() == (tmp_path / "processes.mcap").read_bytes()


def test_a_sensor_is_played_by_the_log(sensed: Path, tmp_path: Path) -> None:
    result = replay(sensor_system(), sensed, tmp_path / "a.mcap")
    assert (result.left_out, result.fed, result.failures) == (("flood",), ("/flood/out",), {})
    was = events_of(sensed, "/flood/out")
    assert len(was) > 20
    assert events_of(tmp_path / "a.mcap", "/flood/out") == was
    assert len(events_of(tmp_path / "a.mcap", "/adder/out")) == len(was)
    with LogReader(tmp_path / "a.mcap") as log:
        fed, computed = next(log.events(["/flood/out"])), next(log.events(["/adder/out"]))
    assert (fed.flags, fed.origin) == (INPUT, Origin.LOGGED)
    assert (computed.flags, computed.origin) == (0, Origin.LOGGED)
    assert computed.sent_ns == computed.stamp_ns == fed.stamp_ns


@pytest.mark.must_not_flake
def test_a_replay_of_a_replay_is_the_same(sensed: Path, tmp_path: Path) -> None:
    replay(sensor_system(), sensed, tmp_path / "a.mcap")
    replay(sensor_system(), tmp_path / "a.mcap", tmp_path / "b.mcap")
    assert compare(tmp_path / "a.mcap", tmp_path / "b.mcap").identical


def test_what_nothing_was_fed_into_is_computed_from_the_recorded_start(tmp_path: Path) -> None:
    record_lockstep(tmp_path / "run.mcap", diamond())
    result = replay(diamond(), tmp_path / "run.mcap", tmp_path / "again.mcap")
    assert (result.left_out, result.fed) == ((), ())
    assert (tmp_path / "run.mcap").read_bytes() == (tmp_path / "again.mcap").read_bytes()


def test_another_parameter_is_found_by_comparison(tmp_path: Path) -> None:
    record_lockstep(tmp_path / "run.mcap", diamond())
    replay(diamond(amount=1.5), tmp_path / "run.mcap", tmp_path / "again.mcap")
    found = compare(tmp_path / "run.mcap", tmp_path / "again.mcap")
    first = found.topics["/left/out"].first_difference
    assert first is not None
    assert (first.sequence, first.field, first.a, first.b) == (1, "data", 2.0, 2.5)
    assert found.topics["/ticker/out"].identical
    assert not found.topics["/merger/out"].identical


@pytest.mark.parametrize("in_process", [True, False])
def test_commands_come_again_at_their_time(tmp_path: Path, in_process: bool) -> None:
    def command(twin: InProcess) -> None:
        twin.command("left", {"do": "set", "name": "amount", "value": 100.0})

    record_lockstep(tmp_path / "run.mcap", diamond(), during=command)
    replay(diamond(), tmp_path / "run.mcap", tmp_path / "again.mcap", in_process=in_process)
    values = [decode(Float64, payload).data for _, _, payload in events_of(tmp_path / "again.mcap", "/left/out")]
    # Given after the tenth tick, at the same stamp: the order of lockstep has inputs before ticks.
    assert values == [*range(2, 11), *range(110, 121)]
    with LogReader(tmp_path / "again.mcap") as log:
        commands = list(log.events(["/_studio/command/left"]))
    assert [event.sequence for event in commands] == [1, 2]
    assert {event.kind for event in commands} == {Kind.COMMAND}
    assert "amount" in decode(String, commands[1].payload).data


def test_a_log_is_never_recorded_into_itself(tmp_path: Path) -> None:
    log = record_lockstep(tmp_path / "run.mcap", diamond())
    before = log.read_bytes()
    with pytest.raises(ReplayError, match="its own log"):
        replay(diamond(), log, log)
    assert log.read_bytes() == before


def test_a_component_that_fails_is_told(tmp_path: Path) -> None:
    parts = {
        "ticker": Part("Ticker", period_s=0.01, outlets=("out",)),
        "weak": Part("Fragile", {"raw": "ticker.out"}, outlets=("out",)),
    }
    log = record_lockstep(tmp_path / "run.mcap", plan(**parts))
    for in_process in (True, False):
        failures = replay(plan(**parts), log, in_process=in_process).failures
        assert list(failures) == ["weak"]
        assert "the third one is too much" in failures["weak"]
