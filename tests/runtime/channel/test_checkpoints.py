"""Checkpoints of whole systems: what comes after going back is what came the first time, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from studio.errors import StudioError
from studio.messages import Float64
from studio.runtime.channel.frames import Event
from studio.runtime.channel.gate import CannotGoBack
from studio.runtime.plan import Plan
from tests.runtime.systems import Part, ProcessRun, Run, TwinRun, await_true, plan

Open = Callable[..., Run]

SYSTEM = plan(
    seed=5,
    fast=Part("Ticker", period_s=0.003, host="pair"),
    dice=Part("Dice", {"raw": "fast.out log.out"}, host="first"),
    loop=Part("Bouncer", {"raw": "log.out loop.out"}, host="first"),
    memory=Part("Memory", {"raw": "loop.out dice.out"}, host="second"),
    latest=Part("Watcher", {"raw": "fast.out", "pose": "dice.out"}, host="pair"),
    caller=Part("Caller", {"raw": "log.out"}, requires={"ask": ("doubler", "double")}, host="pair"),
    doubler=Part("Doubler", {"raw": "fast.out"}, host="first"),
    adder=Part("Adder", {"raw": "caller.out"}, {"amount": 1.0}, host="second"),
)
"""Timers between inputs, a loop, randomness, latest values, a service call in a handler, two components in a host."""

LOG = [Event("/log/out", n, 2_000_000 * n, Float64(n % 5)) for n in range(1, 400)]


@pytest.fixture(params=["in process", "over processes"])
def open_run(request: pytest.FixtureRequest) -> Iterator[Open]:
    runs: list[Run] = []

    def open_one(plan: Plan) -> Run:
        runs.append(TwinRun(plan) if request.param == "in process" else ProcessRun(plan))
        return runs[-1]

    yield open_one
    for run in runs:
        run.close()


def started(run: Run) -> Run:
    run.feed("log", LOG, ["/log/out"])
    run.start()
    return run


def test_what_comes_after_going_back_is_the_same_to_the_last_byte(open_run: Open) -> None:
    run = started(open_run(SYSTEM))
    run.step(50)
    number = run.checkpoint()
    before = run.digest()
    mark = len(run.channel())
    run.lockstep(count=100)
    run.command("adder", {"do": "set", "name": "amount", "value": 7.0})
    run.lockstep(count=100)
    first, after = run.channel()[mark:], run.digest()
    for _ in range(2):
        run.restore(number)
        assert run.digest() == before
        mark = len(run.channel())
        run.step(120)
        run.lockstep(count=80)
        assert run.channel()[mark:] == first
        assert run.digest() == after
    assert after != before
    assert {"/log/out", "/_studio/timer/fast", "/loop/out", "/_studio/command/adder"} <= {seen.topic for seen in first}


def test_checkpoints_are_restored_in_any_order(open_run: Open) -> None:
    run = started(open_run(SYSTEM))
    numbers, digests = [], []
    for _ in range(4):
        numbers.append(run.checkpoint())
        digests.append(run.digest())
        run.lockstep(count=30)
    for index in (2, 0, 3, 1):
        run.restore(numbers[index])
        assert run.digest() == digests[index]
    run.forget(numbers[3])
    with pytest.raises(CannotGoBack, match="no checkpoint"):
        run.restore(numbers[3])


def test_the_end_of_a_log_comes_again(open_run: Open) -> None:
    run = started(open_run(plan(adder=Part("Adder", {"raw": "log.out"}))))
    number = run.checkpoint()
    count = run.lockstep()
    assert count == 2 * len(LOG)
    run.restore(number)
    assert run.lockstep() == count
    assert run.lockstep() == 0


def test_a_command_given_in_the_past_makes_another_future(open_run: Open) -> None:
    run = started(open_run(SYSTEM))
    first = run.checkpoint()
    run.lockstep(count=60)
    run.command("adder", {"do": "set", "name": "amount", "value": 7.0})
    run.lockstep(count=60)
    later = run.checkpoint()
    run.restore(first)
    run.lockstep(count=30)
    run.command("adder", {"do": "set", "name": "amount", "value": 9.0})
    mark = len(run.channel())
    run.lockstep(count=90)
    commands = [seen for seen in run.channel()[mark:] if seen.topic == "/_studio/command/adder"]
    assert [seen.sequence for seen in commands] == [2], "the one of the forgotten future does not come again"
    with pytest.raises(CannotGoBack, match="no checkpoint"):
        run.restore(later)


def test_running_freely_cannot_be_gone_back_over(open_run: Open) -> None:
    run = open_run(plan(fast=Part("Ticker", period_s=0.005)))
    run.start()
    number = run.checkpoint()
    run.run()
    run.pause()
    with pytest.raises(CannotGoBack, match="ran freely") as refused:
        run.restore(number)
    assert "open the recording" in str(refused.value)
    again = run.checkpoint()
    run.lockstep(count=4)
    run.restore(again)


def test_inputs_that_cannot_be_had_again_are_named(open_run: Open) -> None:
    run = open_run(plan(adder=Part("Adder", {"raw": "log.out"})))
    run.feed("script", (event for event in LOG), ["/log/out"])
    run.start()
    number = run.checkpoint()
    run.restore(number)
    run.lockstep(count=5)
    with pytest.raises(CannotGoBack, match="script cannot give its inputs again"):
        run.restore(number)


def test_a_component_that_cannot_be_copied_is_named(open_run: Open) -> None:
    run = open_run(plan(locked=Part("Locked"), adder=Part("Adder", {"raw": "log.out"})))
    run.start()
    with pytest.raises(StudioError, match=r"locked cannot save its state.*save_state"):
        run.checkpoint()
    run.step()


def test_a_failure_is_undone_by_going_back(open_run: Open) -> None:
    run = started(open_run(plan(fragile=Part("Fragile", {"raw": "log.out"}))))
    run.step(2)
    number = run.checkpoint()
    run.step(4)
    assert run.component("fragile")["state"] == "error"
    run.restore(number)
    assert run.component("fragile")["state"] == "active"
    assert run.component("fragile")["handled"] < 5
    run.step(4)
    assert run.component("fragile")["state"] == "error"


def test_both_twins_have_the_same_digests() -> None:
    digests = []
    for kind in (TwinRun, ProcessRun):
        run = started(kind(SYSTEM))
        try:
            run.checkpoint()
            run.lockstep(count=150)
            digests.append(run.digest())
        finally:
            run.close()
    assert digests[0] == digests[1]


def test_the_twin_refuses_to_go_back_over_a_real_input() -> None:
    run = TwinRun(plan(flood=Part("Flood"), adder=Part("Adder", {"raw": "flood.out"})))
    run.start()
    number = run.checkpoint()
    await_true(lambda: len(run.gate.agenda), "an input of the sensor")
    run.cells["flood"].obey("deactivate")
    with pytest.raises(CannotGoBack, match="/flood/out came from outside the log"):
        run.restore(number)
