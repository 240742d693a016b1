"""Single steps through a log in both directions, in process and over processes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from studio.messages import Float64
from studio.runtime.base.errors import ReplayError
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import Plan
from studio.runtime.recording import LogReader
from studio.runtime.replay import inputs as replay_inputs
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.replay.stepping import Stepping, step_inputs
from studio.runtime.stepping import kept_checkpoints as stepping_rules
from studio.runtime.stepping.stepper import Stepper
from tests.runtime.replay.small_systems import SECOND_NS, START_NS, plan, record_lockstep, write_foreign
from tests.runtime.systems import Part
from tests.waiting import await_true

Open = Callable[..., Stepping]


def system() -> Plan:
    """Ticks between inputs of a log, a loop, randomness, latest values and a service call, in three hosts."""
    return plan(
        {"/merger/out": "String"},
        fast=Part("Ticker", period_s=0.01, outlets=("out",), host="first"),
        dice=Part("Dice", {"raw": "fast.out"}, outlets=("out",), host="first"),
        loop=Part("Bouncer", {"raw": "dice.out loop.out"}, outlets=("out",), host="first"),
        memory=Part("Memory", {"raw": "loop.out dice.out"}, outlets=("out",), host="second"),
        latest=Part("Watcher", {"raw": "fast.out", "pose": "dice.out"}, outlets=("out",), host="second"),
        caller=Part(
            "Caller", {"raw": "latest.out"}, requires={"ask": ("doubler", "double")}, outlets=("out",), host="second"
        ),
        doubler=Part("Doubler", {"raw": "fast.out"}, outlets=("served",), host="third"),
        adder=Part("Adder", {"raw": "caller.out"}, {"amount": 1.0}, outlets=("out",), host="third"),
        merger=Part("Merger", {"left": "adder.out", "right": "memory.out"}, outlets=("out",), host="third"),
    )


def turn_up(twin: InProcess) -> None:
    twin.command("adder", {"do": "set", "name": "amount", "value": 5.0})


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A third of a second; a parameter is changed in the middle."""
    return record_lockstep(tmp_path_factory.mktemp("recorded") / "run.mcap", system(), 0.3, turn_up)


@pytest.fixture
def open_log() -> Iterator[Open]:
    with ExitStack() as stack:

        def open_one(path: Path, plan: Plan, in_process: bool = True) -> Stepping:
            inputs = inputs_of(plan, stack.enter_context(LogReader(path)), {})
            return stack.enter_context(step_inputs(inputs, in_process))

        yield open_one


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints as often as can be."""
    monkeypatch.setattr(stepping_rules, "APART_NS", 0)
    monkeypatch.setattr(stepping_rules, "COST_SHARE", 0)


@pytest.mark.must_not_flake
@pytest.mark.parametrize("in_process", [True, False], ids=["in process", "over processes"])
def test_200_forwards_and_200_back_end_in_the_same_state(in_process: bool, recorded: Path, open_log: Open) -> None:
    stepper = open_log(recorded, system(), in_process).stepper
    start = stepper.digest()
    first = stepper.forward(200)
    there = stepper.digest()
    assert len(first) == stepper.position == 200
    assert stepper.back(200) == 200
    assert (stepper.position, stepper.last) == (0, None)
    assert stepper.digest() == start != there
    assert stepper.forward(200) == first
    assert stepper.digest() == there
    assert [stepper.back() for _ in range(3)] == [1, 1, 1]
    assert stepper.last == first[196]
    assert stepper.forward(3) == first[197:]
    assert stepper.digest() == there


@pytest.mark.must_not_flake
def test_every_way_to_a_position_leads_to_the_same_state(
    tmp_path: Path, open_log: Open, scaled: Callable[[int], int], hurry: None
) -> None:
    """With few checkpoints that may be kept."""
    stepper = open_log(record_lockstep(tmp_path / "run.mcap", system(), 0.08, turn_up), system()).stepper
    stepper.kept.most = 6
    digests = [stepper.digest()]
    while stepper.forward():
        digests.append(stepper.digest())
    assert len(digests) > 250
    assert len(stepper.checkpoints) == 6 and stepper.checkpoints[0] == 0
    choose = random.Random(3)
    for _ in range(scaled(3000)):
        match choose.randrange(4):
            case 0:
                stepper.forward(choose.randrange(40))
            case 1:
                stepper.back(choose.randrange(40))
            case 2:
                stepper.go_to(choose.randrange(len(digests)))
            case _:
                stepper.forward(1, "/memory/out")
        assert stepper.digest() == digests[stepper.position], f"at {stepper.position}"
        assert len(stepper.checkpoints) <= 6 and stepper.checkpoints[0] == 0


@pytest.mark.soak
def test_every_way_over_processes_leads_to_the_same_state(recorded: Path, open_log: Open, hurry: None) -> None:
    reference = open_log(recorded, system()).stepper
    stepper = open_log(recorded, system(), in_process=False).stepper
    choose = random.Random(4)
    end = reference.go_to(10**6)
    for _ in range(300):
        position = choose.randrange(end + 1)
        assert stepper.go_to(position) == reference.go_to(position)
        assert stepper.digest() == reference.digest(), f"at {position}"


def test_checkpoints_lie_closer_where_the_system_stands(recorded: Path, open_log: Open, hurry: None) -> None:
    stepper = open_log(recorded, system()).stepper
    stepper.kept.most = 10
    for _ in range(300):
        stepper.forward()
    gaps = [after - before for before, after in zip(stepper.checkpoints, stepper.checkpoints[1:], strict=False)]
    assert gaps[-1] == 1 and max(gaps) < 200
    assert sum(gaps[: len(gaps) // 2]) > sum(gaps[len(gaps) // 2 :])


def test_steps_by_topic_are_each_others_reverse(recorded: Path, open_log: Open) -> None:
    stepper = open_log(recorded, system()).stepper
    way = stepper.forward(3, "/merger/out")
    assert [event.topic for event in way].count("/merger/out") == 3 and way[-1].topic == "/merger/out"
    stepper.back(1, "/merger/out")
    assert stepper.position == len(way) - 1
    assert stepper.forward(1) == way[-1:]
    stepper.back(99, "/merger/out")
    assert stepper.forward(1)[0][:2] == ("/merger/out", 1)
    with pytest.raises(ReplayError, match="no event of /log/none"):
        stepper.back(1, "/log/none")


def test_it_tells_what_each_event_led_to(recorded: Path, open_log: Open) -> None:
    stepper = open_log(recorded, system()).stepper
    tick, value = stepper.forward(2)
    assert (tick.topic, tick.stamp_ns, tick.published) == (
        "/_studio/timer/fast", START_NS + SECOND_NS // 100, (("/fast/out", 1),)
    )  # fmt: skip
    assert (value.topic, value.published) == ("/fast/out", (("/dice/out", 1), ("/latest/out", 1)))


def test_the_end_of_the_log_is_the_end(recorded: Path, open_log: Open) -> None:
    stepper = open_log(recorded, system()).stepper
    end = stepper.go_to(10**6)
    assert 300 < end < 10**6 and stepper.forward() == []
    assert stepper.back(10**6) == end
    assert stepper.go_to(10**6) == end
    with pytest.raises(ReplayError, match="no event -1"):
        stepper.go_to(-1)


def test_a_command_is_given_again_whenever_the_system_comes_by(recorded: Path, open_log: Open) -> None:
    stepper = open_log(recorded, system()).stepper
    stepper.forward(100)
    stepper.command("adder", {"do": "set", "name": "amount", "value": 100.0})
    stepper.forward(50)
    changed = stepper.digest()
    stepper.go_to(20)
    stepper.go_to(150)
    assert stepper.digest() == changed
    stepper.go_to(80)
    stepper.command("adder", {"do": "set", "name": "amount", "value": -1.0})
    stepper.go_to(150)
    assert stepper.digest() != changed


def test_inputs_of_a_foreign_log_come_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any position, by bookmarks on the way."""
    monkeypatch.setattr(replay_inputs, "MARK_EVERY", 10)
    monkeypatch.setattr(replay_inputs, "MOST_MARKS", 20)
    rows = [(START_NS + n * 30_000_000, Float64(n)) for n in range(300)]
    write_foreign(tmp_path / "log.mcap", {"/flood/out": rows})
    parts: dict[str, Any] = {
        "flood": Part("Flood", outlets=("out",)),
        "fast": Part("Ticker", period_s=0.1, outlets=("out",)),
        "dice": Part("Dice", {"raw": "flood.out fast.out"}, outlets=("out",)),
    }
    with LogReader(tmp_path / "log.mcap") as reader:
        inputs = inputs_of(plan(**parts), reader, {"/flood/out": "/flood/out"})
        every = list(inputs.events())
        again = inputs.events()
        for position in (299, 0, 150, 37, 298, 300):
            assert list(again.starting_at(position)) == every[position:]
        assert len(again._marks) > 10
        with step_inputs(inputs, in_process=True) as opened:
            stepper = opened.stepper
            stepper.forward(150)
            here = stepper.digest()
            stepper.go_to(600)
            stepper.go_to(150)
            assert stepper.digest() == here


def test_a_component_that_is_not_repeatable_is_noticed(tmp_path: Path, open_log: Open) -> None:
    parts = plan(fast=Part("Ticker", period_s=0.01, outlets=("out",)), moody=Part("Moody", {"raw": "fast.out"}))
    stepper = open_log(record_lockstep(tmp_path / "run.mcap", parts), parts).stepper
    stepper.forward(30)
    with pytest.raises(ReplayError, match=r"event \d+ was /.* and is /.* now .*depend on more than its inputs"):
        stepper.back(1)


def test_what_cannot_go_back_still_goes_forwards(tmp_path: Path, open_log: Open) -> None:
    parts = plan(fast=Part("Ticker", period_s=0.01, outlets=("out",)), locked=Part("Locked", outlets=("out",)))
    stepper = open_log(record_lockstep(tmp_path / "run.mcap", parts), parts).stepper
    assert len(stepper.forward(10)) == 10
    assert "locked cannot save its state" in str(stepper.refusal)
    with pytest.raises(Exception, match="locked cannot save its state"):
        stepper.back()
    assert stepper.go_to(15) == 15


def test_a_real_source_is_not_gone_back_over() -> None:
    parts = plan(flood=Part("Flood", outlets=("out",)), adder=Part("Adder", {"raw": "flood.out"}, outlets=("out",)))
    twin = InProcess(parts, create)
    twin.start()
    try:
        stepper, before = Stepper(twin), len(twin.gate.agenda)
        await_true(lambda: len(twin.gate.agenda) > before, "an input of the sensor since then")
        stepper.forward(2)
        with pytest.raises(CannotGoBack, match=r"/flood/out came from outside the log.*open the recording"):
            stepper.back()
    finally:
        twin.stop()


def test_checkpoints_take_no_more_memory_than_they_may(tmp_path: Path, open_log: Open, hurry: None) -> None:
    parts = plan(fast=Part("Ticker", period_s=0.01, outlets=("out",)), atlas=Part("Atlas", {"raw": "fast.out"}))
    stepper = open_log(record_lockstep(tmp_path / "run.mcap", parts), parts).stepper
    stepper.kept.most_bytes = 10_000_000
    for _ in range(30):
        stepper.forward()
    assert 5 <= len(stepper.checkpoints) <= 9, "each of them has more than a megabyte"
    assert stepper.kept.bytes <= 10_000_000
    stepper.back(29)
    assert stepper.position == 1
