"""Lockstep is bit-identical: the same plan gives the same bytes, run after run, under load, in process and not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.runtime.systems import Part, ProcessRun, Seen, TwinRun, plan

SYSTEM = plan(
    seed=42,
    fast=Part("Ticker", period_s=0.01, host="tickers"),
    slow=Part("Ticker", period_s=0.025, host="tickers"),
    dice=Part("Dice", {"raw": "fast.out back.out"}),
    three=Part("Adder", {"raw": "fast.out slow.out"}, {"copies": 3}),
    join=Part("Merger", {"left": "dice.out", "right": "three.out"}, host="pair"),
    caller=Part("Caller", {"raw": "slow.out"}, requires={"ask": ("doubler", "double")}, host="pair"),
    doubler=Part("Doubler", {"raw": "fast.out"}),
    back=Part("Dice", {"raw": "slow.out"}, host="pair"),
)
UNTIL_NS = 200_000_000


def in_process() -> list[Seen]:
    run = TwinRun(SYSTEM)
    run.start()
    run.lockstep(until_ns=UNTIL_NS)
    run.close()
    return run.channel()


def over_processes() -> list[Seen]:
    run = ProcessRun(SYSTEM)
    try:
        run.start()
        run.lockstep(until_ns=UNTIL_NS)
        return run.channel()
    finally:
        run.close()


@pytest.mark.must_not_flake
def test_ten_runs_in_process_give_identical_bytes() -> None:
    first = in_process()
    assert len(first) > 300
    for _ in range(9):
        assert in_process() == first


@pytest.mark.must_not_flake
@pytest.mark.timeout(300)
def test_runs_over_processes_give_the_bytes_of_the_twin(busy_cores: None, scaled: Callable[[int], int]) -> None:
    """Ten of ten in the long tests, where nobody waits for them."""
    expected = in_process()
    for number in range(10 if scaled(100) == 100 else 3):
        assert over_processes() == expected, f"run {number + 1}"


@pytest.mark.must_not_flake
def test_another_seed_gives_other_bytes() -> None:
    other = TwinRun(plan(seed=43, fast=Part("Ticker", period_s=0.01), dice=Part("Dice", {"raw": "fast.out"})))
    same = TwinRun(plan(seed=42, fast=Part("Ticker", period_s=0.01), dice=Part("Dice", {"raw": "fast.out"})))
    for run in (other, same):
        run.start()
        run.lockstep(until_ns=UNTIL_NS)
    assert other.channel() != same.channel()
