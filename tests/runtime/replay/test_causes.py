"""Chains of causes in recorded runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.runtime.base.errors import ReplayError
from studio.runtime.recording import LogReader
from studio.runtime.replay.causes import Call, chain_of, find_event
from tests.runtime.replay.small_systems import diamond, plan, record_lockstep, record_traced
from tests.runtime.systems import Part


def test_the_two_ways_through_a_diamond(tmp_path: Path) -> None:
    with LogReader(record_traced(tmp_path / "run.mcap", diamond(), 0.05)) as log:
        left, right = chain_of(log, "/merger/out", 3), chain_of(log, "/merger/out", 4)
    ways = [[f"{link.topic}:{link.sequence}" for link in chain] for chain in (left, right)]
    assert ways == [
        ["/_studio/timer/ticker:2", "/ticker/out:2", f"/{side}/out:2", f"/merger/out:{number}"]
        for side, number in (("left", 3), ("right", 4))
    ]
    assert [link.component for link in left] == ["timer", "ticker", "left", "merger"]
    assert left[0].handling_ns is None
    assert all(link.handling_ns and link.handling_ns > 0 for link in left[1:])
    assert all(link.waiting_ns is not None and link.waiting_ns >= 0 for link in left[2:])


def test_what_a_component_looked_at_is_told(tmp_path: Path) -> None:
    system = plan(
        pose=Part("Ticker", period_s=0.01, outlets=("out",)),
        ticker=Part("Ticker", period_s=0.02, outlets=("out",)),
        watcher=Part("Watcher", {"raw": "ticker.out", "pose": "pose.out"}, outlets=("out",)),
    )
    with LogReader(record_traced(tmp_path / "run.mcap", system, 0.1)) as log:
        chain = chain_of(log, "/watcher/out", 2)
    assert chain[-1].read == (("/pose/out", 4),)


def test_without_a_trace_the_chain_has_no_times(tmp_path: Path) -> None:
    with LogReader(record_lockstep(tmp_path / "run.mcap", diamond(), 0.05)) as log:
        chain = chain_of(log, "/left/out", 3)
        assert find_event(log, "/left/out", 99) is None
        with pytest.raises(ReplayError, match="no event 99") as told:
            chain_of(log, "/left/out", 99)
        assert told.value.hint == "its events are 1 to 5"
    assert [link.component for link in chain] == ["timer", "ticker", "left"]
    assert {link.handling_ns for link in chain} == {None}


def test_calls_are_part_of_the_chain(tmp_path: Path) -> None:
    system = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        server=Part("Doubler", outlets=("served",)),
        caller=Part("Caller", {"raw": "ticker.out"}, requires={"ask": ("server", "double")}, outlets=("out",)),
    )
    with LogReader(record_traced(tmp_path / "run.mcap", system, 0.05)) as log:
        served, answered = chain_of(log, "/server/served", 3), chain_of(log, "/caller/out", 6)
    assert [(*link.identity, link.component) for link in served] == [
        ("/_studio/timer/ticker", 3, "timer"),
        ("/ticker/out", 3, "ticker"),
        ("/_studio/request/server/caller", 3, "caller"),
        ("/server/served", 3, "server"),
    ]
    assert served[-1].handling_ns is not None and served[-1].handling_ns > 0
    (call,) = answered[-1].calls
    assert call == Call(("/_studio/request/server/caller", 3), "server", "double")
    assert not served[-1].calls and not served[-2].calls


def test_a_call_that_failed_says_why(tmp_path: Path) -> None:
    system = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        less=Part("Adder", {"raw": "ticker.out"}, {"amount": -5.0}, outlets=("out",)),
        server=Part("Doubler", outlets=("served",)),
        caller=Part("Caller", {"raw": "less.out"}, requires={"ask": ("server", "double")}, outlets=("out",)),
    )
    with LogReader(record_traced(tmp_path / "run.mcap", system, 0.05)) as log:
        (call,) = chain_of(log, "/caller/out", 1)[-1].calls
    assert "only what is positive" in call.error
