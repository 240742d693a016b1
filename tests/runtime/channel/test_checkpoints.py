"""Checkpoints of whole systems: what comes after going back is what came the first time, byte for byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from studio.errors import StudioError
from studio.messages import Float64
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.wire.frames import Event
from tests.runtime.systems import Part, ProcessRun, Run, TwinRun, plan
from tests.waiting import await_true

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


def started(run: Run) -> Run:
    run.feed("log", LOG, ["/log/out"])
    run.start()
    return run


def check_same_bytes(run: Run) -> None:
    """What comes after going back is the same to the last byte, a command on the way included."""
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


def check_any_order(run: Run) -> None:
    """Checkpoints are restored forwards and backwards, until they are forgotten."""
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


def check_another_future(run: Run) -> None:
    """A command given in the past: what was to come is forgotten, commands and checkpoints."""
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
    assert [seen.topic for seen in run.channel()[mark:]].count("/_studio/command/adder") == 1
    with pytest.raises(CannotGoBack, match="no checkpoint"):
        run.restore(later)


def check_running_freely(run: Run) -> None:
    """It cannot be gone back over; from there on it can."""
    number = run.checkpoint()
    run.run()
    run.pause()
    with pytest.raises(CannotGoBack, match="ran freely") as refused:
        run.restore(number)
    assert "open the recording" in str(refused.value)
    again = run.checkpoint()
    run.lockstep(count=4)
    run.restore(again)


CHECKS = (check_same_bytes, check_any_order, check_another_future, check_running_freely)


@pytest.mark.parametrize("check", CHECKS)
def test_in_process(check: Callable[[Run], None]) -> None:
    run = started(TwinRun(SYSTEM))
    try:
        check(run)
    finally:
        run.close()


def test_over_processes() -> None:
    """All of it in one system of processes, which has the digests of the twin."""
    twin = started(TwinRun(SYSTEM))
    run = started(ProcessRun(SYSTEM))
    try:
        for each in (twin, run):
            each.checkpoint()
            each.lockstep(count=150)
        assert run.digest() == twin.digest()
        for check in CHECKS:
            check(run)
    finally:
        run.close()
        twin.close()


@pytest.mark.parametrize("kind", [TwinRun, ProcessRun])
def test_ends_and_failures_come_again(kind: type[Run]) -> None:
    system = plan(
        fragile=Part("Fragile", {"raw": "log.out"}, host="one"),
        adder=Part("Adder", {"raw": "log.out script.out"}, host="two"),
    )
    run = started(kind(system))
    try:
        later = (Event("/script/out", n, LOG[-1].stamp_ns + n, Float64(n)) for n in range(1, 10))
        run.feed("script", later, ["/script/out"])
        number = run.checkpoint()
        run.step(12)
        assert run.component("fragile")["state"] == "error"
        run.restore(number)
        assert run.component("fragile")["state"] == "active"
        assert run.component("fragile")["errors"] == 0
        count = run.lockstep(LOG[-1].stamp_ns)
        assert run.component("fragile")["state"] == "error"
        run.restore(number)
        assert run.lockstep(LOG[-1].stamp_ns) == count > len(LOG)
        run.lockstep(count=2)
        with pytest.raises(CannotGoBack, match="script cannot repeat its inputs"):
            run.restore(number)
    finally:
        run.close()


@pytest.mark.parametrize("kind", [TwinRun, ProcessRun])
def test_a_component_that_cannot_be_copied_is_named(kind: type[Run]) -> None:
    run = kind(plan(locked=Part("Locked"), adder=Part("Adder", {"raw": "log.out"}, host="locked")))
    try:
        run.start()
        with pytest.raises(StudioError, match=r"locked cannot save its state.*save_state"):
            run.checkpoint()
        assert run.step() == []
    finally:
        run.close()


def test_the_twin_refuses_to_go_back_over_a_real_input() -> None:
    run = TwinRun(plan(flood=Part("Flood"), adder=Part("Adder", {"raw": "flood.out"})))
    run.start()
    number, before = run.checkpoint(), len(run.gate.agenda)
    await_true(lambda: len(run.gate.agenda) > before, "an input of the sensor since then")
    run.runners["flood"].obey("deactivate")
    with pytest.raises(CannotGoBack, match="/flood/out came from outside the log"):
        run.restore(number)


def test_large_payloads_that_wait_in_shared_memory_are_kept(open_session: Callable[..., ProcessRun]) -> None:
    """A checkpoint between a map's publication and its delivery: afterwards its memory is used for other maps."""
    run = open_session(
        plan(
            fast=Part("Ticker", period_s=0.01, host="one"),
            big=Part("BigMap", {"raw": "fast.out"}, {"side": 300}, host="one"),
            sum=Part("MapSum", {"map": "big.big"}, host="two"),
            keeper=Part("MapKeeper", {"map": "big.big"}, host="two"),
        )
    )
    run.step(3, "/fast/out")
    number = run.checkpoint()
    before = run.digest()
    runs = []
    for _ in range(4):
        mark = len(run.channel())
        run.lockstep(count=60)
        sums = [seen for seen in run.channel()[mark:] if seen.topic in ("/sum/out", "/keeper/out")]
        runs.append((sums, run.digest()))
        run.restore(number)
        assert run.digest() == before
    assert len(runs[0][0]) >= 20
    assert all(each == runs[0] for each in runs)
    topics = run.observer.reports["two"]["topics"]
    assert topics["/big/big"]["lost"] == 0


def test_no_loss_is_counted_because_of_going_back(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(fast=Part("Ticker", period_s=0.01, host="one"), sink=Part("Sink", {"raw": "fast.out"})))
    run.lockstep(count=20)
    first = run.checkpoint()
    run.lockstep(count=40)
    second = run.checkpoint()
    for number in (first, second, first):
        run.restore(number)
        run.lockstep(count=10)
    run.component("sink")
    seen = run.observer.reports["sink"]["topics"]["/fast/out"]
    assert (seen["lost"], seen["count"], seen["last"]) == (0, 15, 15)
    # A host that was started again has no checkpoint.
    run.hosts["sink"].kill()
    await_true(lambda: "sink" in run.exits, "the death of sink")
    with pytest.raises(CannotGoBack, match="sink has ended"):
        run.restore(first)
    run.restart_host("sink")
    with pytest.raises(CannotGoBack, match="sink was restarted since then"):
        run.restore(first)
    run.lockstep(count=4)
    run.restore(run.checkpoint())
