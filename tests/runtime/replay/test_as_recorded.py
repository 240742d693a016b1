"""Components that get their recorded inputs in their recorded order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from studio.runtime.base.errors import ReplayError
from studio.runtime.plan.plan import Plan
from studio.runtime.recording import LogReader
from studio.runtime.replay.as_recorded import AsRecorded, replay_plan_as_recorded
from tests.runtime.replay.small_systems import diamond, plan, record_lockstep, record_traced
from tests.runtime.systems import Part, entry_of


def replayed(system: Plan, path: Path) -> AsRecorded:
    with LogReader(path) as log:
        return replay_plan_as_recorded(system, log)


@pytest.mark.must_not_flake
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


def calling(amount: float = 0.0) -> Plan:
    """One that calls, one that serves and publishes while it does; what it answers depends on what it has heard."""
    return plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        adder=Part("Adder", {"raw": "ticker.out"}, {"amount": amount}, outlets=("out",)),
        server=Part("Doubler", {"raw": "ticker.out"}, outlets=("served",)),
        caller=Part("Caller", {"raw": "adder.out"}, requires={"ask": ("server", "double")}, outlets=("out",)),
    )


def test_who_calls_gets_the_recorded_reply_and_who_serves_the_recorded_request(tmp_path: Path) -> None:
    found = replayed(calling(), record_traced(tmp_path / "run.mcap", calling(), 0.05))
    assert found.identical and not found.skipped
    told = {name: (one.handled, one.compared, one.failure) for name, one in found.components.items()}
    assert (told["caller"], told["server"]) == ((6, 10, ""), (11, 5, ""))


def test_another_request_another_reply_and_a_call_that_is_not_made_are_differences(tmp_path: Path) -> None:
    log = record_traced(tmp_path / "run.mcap", calling(), 0.05)
    assert told(calling_with(caller="CallerOfMore"), log, "caller") == (
        "/_studio/request/server/caller: event 1, data: 1.0 in A, 2.0 in B"
    )
    assert told(calling_with(server="Tripler"), log, "server") == (
        "/_studio/reply/caller/server: event 1, data: 3.0 in A, 4.0 in B"
    )
    assert told(calling_with(caller="Silent"), log, "caller") == "/_studio/request/server/caller: event 1 is missing"
    assert told(calling_with(caller="CallerTwice"), log, "caller") == (
        "/_studio/request/server/caller: the topic is extra"
    )


def calling_with(**classes: str) -> Plan:
    system = calling()
    changed = (
        replace(each, type=classes[each.name], entry=entry_of(classes[each.name])) if each.name in classes else each
        for each in system.components
    )
    return replace(system, components=tuple(changed))


def told(system: Plan, log: Path, component: str) -> str:
    return str(replayed(system, log).components[component].first_difference)


def test_an_error_of_the_provider_is_what_the_caller_got(tmp_path: Path) -> None:
    system = calling(amount=-3.0)
    found = replayed(system, record_traced(tmp_path / "run.mcap", system, 0.05))
    assert found.identical
    assert "server.double failed: only what is positive" in found.components["caller"].failure
    assert "only what is positive" in found.components["server"].failure


def test_a_log_without_its_calls_does_for_the_others(tmp_path: Path) -> None:
    log = record_traced(tmp_path / "run.mcap", diamond(), 0.05)
    system = replace(diamond(), components=(*diamond().components, *calling().components[2:]))
    assert list(replayed(system, log).skipped) == ["server", "caller"]


def test_a_log_without_a_trace_cannot_be_replayed_so(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"does not say which component handled which event .*--lockstep"):
        replayed(diamond(), record_lockstep(tmp_path / "run.mcap", diamond(), 0.05))
