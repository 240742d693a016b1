"""Troubles by seed, in one process: the same seed gives the same bytes, and what must hold holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.runtime.borders.simulated import Broken, Simulation, system
from tests.runtime.systems import Part, Seen

TURNS = 60


def test_the_same_seed_gives_the_same_bytes(scaled: Callable[[int], int]) -> None:
    seeds = range(scaled(300))
    first = [Simulation(seed, system()).go(TURNS) for seed in seeds]
    assert [Simulation(seed, system()).go(TURNS) for seed in seeds] == first
    assert len(set(first)) == len(first), "other seeds, other troubles"


def test_control_a_component_with_a_clock_of_its_own_is_found() -> None:
    """It must go red: one that asks the machine for the time gives other bytes each time."""
    plan = system(dice=Part("OwnClock", {"raw": "adder.out"}))
    assert Simulation(1, plan).go(TURNS) != Simulation(1, plan).go(TURNS)


def test_control_a_lost_event_is_found() -> None:
    """It must go red: an event that nobody has seen leaves a hole."""

    def lose_one(seen: list[Seen]) -> list[Seen]:
        return [event for event in seen if (event.topic, event.sequence) != ("/adder/out", 20)]

    with pytest.raises(Broken, match="/adder/out #21 came after #19"):
        Simulation(2, system(), lose_one).go(TURNS)
