"""Property links: parameters that follow outputs and other parameters, in process and over processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from studio.messages import Float64, decode
from studio.runtime.plan.plan import ParameterLink, Plan
from tests.runtime.systems import Part, ProcessRun, TwinRun, plan


def linked() -> Plan:
    """`amount` of one adder follows the ticker; that of the second the first one's number of copies."""
    made = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        other=Part("Ticker", period_s=0.02, outlets=("out",)),
        one=Part("Adder", {"raw": "other.out"}, outlets=("out",)),
        two=Part("Adder", {"raw": "other.out"}, outlets=("out",)),
    )
    ticker, other, one, two = made.components
    one = replace(one, links=(ParameterLink("amount", "/ticker/out", "Float64"),))
    return replace(made, components=(ticker, other, one, two), links={"one.copies": ("two.copies",)})


@pytest.fixture(params=[TwinRun, ProcessRun])
def run(request: pytest.FixtureRequest) -> Iterator[Any]:
    opened = request.param(linked())
    opened.start()
    yield opened
    opened.close()


def values(run: Any, topic: str) -> list[float]:
    return [decode(Float64, event.payload).data for event in run.channel() if event.topic == topic]


def test_a_parameter_follows_an_output_in_the_order_of_the_channel(run: Any) -> None:
    run.lockstep(until_ns=100_000_000)
    inputs, outputs = values(run, "/other/out"), values(run, "/one/out")
    seen = [event for event in run.channel() if event.topic in ("/ticker/out", "/other/out")]
    amount, expected = 0.0, []
    for event in seen:
        value = decode(Float64, event.payload).data
        if event.topic == "/ticker/out":
            amount = value
        else:
            expected.append(value + amount)
    assert outputs == expected and len(set(outputs)) == len(inputs) == 5


def test_setting_a_parameter_sets_what_is_linked_to_it(run: Any) -> None:
    run.command("one", {"do": "set", "name": "copies", "value": 3})
    run.lockstep(until_ns=40_000_000)
    assert len(values(run, "/one/out")) == len(values(run, "/two/out")) == 3 * len(values(run, "/other/out")) == 6


def test_a_value_that_does_not_fit_leaves_the_old_one_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    run = TwinRun(linked())
    run.start()
    runner = run.runners["one"]
    runner.replan(replace(runner.planned, links=(ParameterLink("copies", "/ticker/out", "Float64"),)))
    run.lockstep(until_ns=100_000_000)
    assert runner.component.copies == 1 and runner.state.value == "active"
    assert len([line for line in caplog.messages if "the link to copies" in line]) == 1
