"""The example system, run in process: what it shows must be true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.messages import encode
from studio.model.project import Project
from studio.model.registry import Registry
from studio.model.system import System
from studio.paths import component_roots
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.planning import plan_of
from studio.runtime.wire.frames import Event, Kind

SECOND_NS = 1_000_000_000
CARD_WIDTH = 224


@pytest.fixture
def system(checkout: Path) -> System:
    return Project.open(checkout / "projects/first_steps").system


class Run:
    """Ten seconds of the system in lockstep."""

    def __init__(self, system: System, seed: int = 0) -> None:
        self.payloads: list[tuple[str, int, bytes]] = []
        twin = InProcess(plan_of(system, Registry.scan(component_roots()), seed=seed), create, tap=self._record)
        twin.start()
        twin.lockstep(until_ns=10 * SECOND_NS)
        self.components: dict[str, Any] = {name: runner.component for name, runner in twin.runners.items()}
        twin.stop()

    def _record(self, event: Event) -> None:
        if event.kind == Kind.DATA:
            self.payloads.append((event.topic, event.stamp_ns, encode(event.message)))


def test_every_value_reaches_both_sinks(system: System) -> None:
    run = Run(system)
    assert (run.components["before"].count, run.components["after"].count) == (1000, 1000)


def test_the_filter_takes_the_noise_away_and_leaves_the_sine(system: System) -> None:
    run = Run(system)
    before, after = run.components["before"], run.components["after"]
    assert before.maximum > 1.3
    assert before.minimum < -1.3
    assert 0.85 < after.maximum < 1.25
    assert -1.25 < after.minimum < -0.85


def test_a_filtered_value_carries_the_stamp_of_the_raw_one(system: System) -> None:
    raw, smooth = Run(system).payloads[:2]
    assert (raw[0], smooth[0]) == ("/signal/value", "/filter/smooth")
    assert raw[1] == smooth[1] == SECOND_NS // 100


@pytest.mark.must_not_flake
def test_two_runs_give_identical_bytes_and_another_seed_gives_others(system: System) -> None:
    first = Run(system).payloads
    assert first == Run(system).payloads
    assert first != Run(system, seed=7).payloads


def test_the_sinks_share_a_process(system: System) -> None:
    plan = plan_of(system, Registry.scan(component_roots()))
    assert list(plan.hosts) == ["signal", "filter", "sinks"]


def test_the_cards_lie_from_left_to_right_and_do_not_overlap(system: System) -> None:
    places = {place.of: place for place in system.layout.places}
    assert set(places) == set(system.nodes.keys())
    for wire in system.wires:
        assert places[wire.end.node].x - places[wire.start.node].x > CARD_WIDTH
