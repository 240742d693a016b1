"""A component that fails tells on which event it did, until it is reset."""

from __future__ import annotations

from studio.messages import Float64
from studio.runtime.component import Component, InPort
from studio.runtime.host.cell import Cell, command_topic
from studio.runtime.host.cell_checkpoints import checkpoint, restore
from studio.runtime.plan.plan import Inlet, PlannedComponent
from studio.runtime.wire.frames import Event, Kind


class Fragile(Component):
    value = InPort(Float64)

    def on_value(self, message: Float64) -> None:
        if message.data > 1:
            raise ValueError(f"{message.data} is too much")


def a_cell() -> Cell:
    planned = PlannedComponent("fragile", "fragile", 0, "fragile", inlets=(Inlet("value", "/signal/value"),))
    cell = Cell(
        Fragile(), planned, effect=lambda _: None, stray=lambda *_: None, call=lambda *_: None, now_ns=lambda: 0
    )
    for verb in ("initialize", "activate"):
        cell.obey(verb)
    return cell


def test_the_event_is_told_with_its_message_until_the_component_is_reset() -> None:
    cell = a_cell()
    cell.handle(Event("/signal/value", 6, 20, Float64(0.5)))
    assert cell.report()["failed_on"] == {}
    cell.handle(Event("/signal/value", 7, 30, Float64(2.5)))
    told = {"topic": "/signal/value", "sequence": 7, "stamp_ns": 30, "message": {"data": "2.5"}}
    assert cell.report()["failed_on"] == told
    cell.handle(Event("/signal/value", 8, 40, Float64(3.5)))
    assert cell.report()["failed_on"] == told, "one that is in error handles nothing"
    cell.handle(Event(command_topic("fragile"), 1, 50, {"do": "reset"}, kind=Kind.COMMAND))
    assert (cell.report()["failed_on"], cell.error) == ({}, "")


def test_going_back_brings_the_event_back_too() -> None:
    cell = a_cell()
    before = checkpoint(cell)
    cell.handle(Event("/signal/value", 7, 30, Float64(2.5)))
    after = checkpoint(cell)
    restore(cell, before)
    assert cell.failed_on == {}
    restore(cell, after)
    assert cell.failed_on["sequence"] == 7


def test_what_fails_outside_an_event_has_none() -> None:
    cell = a_cell()
    cell.handle(Event("/signal/value", 6, 20, Float64(0.5)))
    cell.fail(ValueError("too much was waiting"))
    assert cell.error and cell.failed_on == {}
