"""A component that fails tells on which event it did, until it is reset."""

from __future__ import annotations

from studio.messages import Float64
from studio.runtime.component import Component, InPort
from studio.runtime.host.component_runner import ComponentRunner, command_topic
from studio.runtime.host.runner_checkpoints import checkpoint, restore
from studio.runtime.plan.plan import Inlet, PlannedComponent
from studio.runtime.wire.frames import Event, Kind


class Fragile(Component):
    value = InPort(Float64)

    def on_value(self, message: Float64) -> None:
        if message.data > 1:
            raise ValueError(f"{message.data} is too much")


def a_runner() -> ComponentRunner:
    planned = PlannedComponent("fragile", "fragile", 0, "fragile", inlets=(Inlet("value", "/signal/value"),))
    runner = ComponentRunner(
        Fragile(), planned, effect=lambda _: None, stray=lambda *_: None, call=lambda *_: None, now_ns=lambda: 0
    )
    for verb in ("initialize", "activate"):
        runner.obey(verb)
    return runner


def test_the_event_is_told_with_its_message_until_the_component_is_reset() -> None:
    runner = a_runner()
    runner.handle(Event("/signal/value", 6, 20, Float64(0.5)))
    assert runner.report()["failed_on"] == {}
    runner.handle(Event("/signal/value", 7, 30, Float64(2.5)))
    told = {"topic": "/signal/value", "sequence": 7, "stamp_ns": 30, "message": {"data": "2.5"}}
    assert runner.report()["failed_on"] == told
    runner.handle(Event("/signal/value", 8, 40, Float64(3.5)))
    assert runner.report()["failed_on"] == told, "one that is in error handles nothing"
    runner.handle(Event(command_topic("fragile"), 1, 50, {"do": "reset"}, kind=Kind.COMMAND))
    assert (runner.report()["failed_on"], runner.error) == ({}, "")


def test_going_back_brings_the_event_back_too() -> None:
    runner = a_runner()
    before = checkpoint(runner)
    runner.handle(Event("/signal/value", 7, 30, Float64(2.5)))
    after = checkpoint(runner)
    restore(runner, before)
    assert runner.failed_on == {}
    restore(runner, after)
    assert runner.failed_on["sequence"] == 7


def test_what_fails_outside_an_event_has_none() -> None:
    runner = a_runner()
    runner.handle(Event("/signal/value", 6, 20, Float64(0.5)))
    runner.fail(ValueError("too much was waiting"))
    assert runner.error and runner.failed_on == {}
