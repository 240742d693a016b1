"""Components that get their recorded inputs in their recorded order."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.runtime.plan import Plan
from studio.runtime.recording import LogReader
from studio.runtime.replay.as_recorded import AsRecorded, replay_plan_as_recorded
from studio.runtime.replay.errors import ReplayError
from tests.runtime.replay.small_systems import diamond, plan, record_lockstep, record_traced
from tests.runtime.systems import Part


def replayed(system: Plan, path: Path) -> AsRecorded:
    with LogReader(path) as log:
        return replay_plan_as_recorded(system, log)


def test_the_same_code_does_the_same(tmp_path: Path) -> None:
    found = replayed(diamond(), record_traced(tmp_path / "run.mcap", diamond(), 0.2))
    assert found.identical and found.first_difference is None
    told = {name: (one.handled, one.compared, one.failure) for name, one in found.components.items()}
    assert told == {"ticker": (21, 20, ""), "left": (21, 20, ""), "right": (21, 20, ""), "merger": (41, 40, "")}


def test_the_component_that_changed_is_found_and_not_those_behind_it(tmp_path: Path) -> None:
    found = replayed(diamond(amount=1.5), record_traced(tmp_path / "run.mcap", diamond(), 0.2))
    assert [name for name, one in found.components.items() if one.first_difference] == ["left"]
    assert found.first_difference is not None
    name, one = found.first_difference
    assert (name, one.after, one.handled) == ("left", ("/ticker/out", 1), 2)
    assert str(one.first_difference) == "/left/out: event 1, data: 2.0 in A, 2.5 in B"


@pytest.mark.parametrize(("copies", "told"), [(1, "event 2 is missing"), (3, "event 3 is extra")])
def test_publishing_less_or_more_is_a_difference(tmp_path: Path, copies: int, told: str) -> None:
    def system(copies: int) -> Plan:
        return plan(
            ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
            adder=Part("Adder", {"raw": "ticker.out"}, {"copies": copies}, outlets=("out",)),
        )

    found = replayed(system(copies), record_traced(tmp_path / "run.mcap", system(2), 0.05))
    assert told in str(found.components["adder"].first_difference)


def test_a_field_failure_is_reproduced(tmp_path: Path) -> None:
    system = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        weak=Part("Fragile", {"raw": "ticker.out"}, outlets=("out",)),
    )
    found = replayed(system, record_traced(tmp_path / "run.mcap", system, 0.1))
    assert found.identical
    assert "the third one is too much" in found.components["weak"].failure


def test_who_calls_or_serves_is_skipped_and_said(tmp_path: Path) -> None:
    system = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        server=Part("Doubler", outlets=("served",)),
        caller=Part("Caller", {"raw": "ticker.out"}, requires={"ask": ("server", "double")}, outlets=("out",)),
    )
    found = replayed(system, record_traced(tmp_path / "run.mcap", system, 0.05))
    assert (list(found.components), list(found.skipped)) == (["ticker"], ["server", "caller"])


def test_a_log_without_a_trace_cannot_be_replayed_so(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"does not tell who handled what .*--lockstep"):
        replayed(diamond(), record_lockstep(tmp_path / "run.mcap", diamond(), 0.05))
