"""The five patterns of tele-control: who bumps into walls, who does not, and the ways to read a sensor."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from studio.messages import Joy, Twist, decode
from studio.model.loaded_project import open_project
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.planning import plan_of
from studio.runtime.wire.frames import Event, Kind

PROJECT = Path(__file__).resolve().parents[2] / "projects" / "coroba_patterns"
SECOND_NS = 1_000_000_000


class Drive:
    """The project in one process, in virtual time."""

    def __init__(self) -> None:
        opened = open_project(PROJECT)
        self.seen: dict[str, list[Event]] = {}
        plan = plan_of(opened.system, opened.registry, project=PROJECT, seed=1)
        self.run = InProcess(plan, create, tap=self._take)
        self.run.start()
        self._number = 0

    def _take(self, event: Event) -> None:
        if event.kind == Kind.DATA:
            self.seen.setdefault(event.topic, []).append(event)

    def go_on(self, seconds: float) -> None:
        self.run.lockstep(self.run.gate.now_ns + round(seconds * SECOND_NS))

    def command(self, component: str, **command: Any) -> None:
        self.run.command(component, command)

    def set(self, component: str, **values: Any) -> None:
        for name, value in values.items():
            self.command(component, do="set", name=name, value=value)

    def ask(self, component: str, port: str, kind: Any) -> Any:
        self._number += 1
        self.command(component, do="call", service=f"get_{port}", request={}, id=self._number)
        self.run.lockstep(self.run.gate.now_ns)
        body, error = self.run.answers[self._number]
        assert not error
        return decode(kind, body)

    def last(self, topic: str) -> Any:
        return self.seen[topic][-1].message

    def count(self, topic: str) -> int:
        return len(self.seen.get(topic, ()))


@pytest.fixture
def drive() -> Iterator[Drive]:
    drive = Drive()
    yield drive
    drive.run.stop()


def test_only_the_car_with_an_assistant_does_not_bump(drive: Drive) -> None:
    drive.go_on(60)
    bumps = {name: drive.last(f"/{name}/bumps").data for name in ("direct_car", "tele_car", "assisted_car")}
    assert bumps["direct_car"] >= 2 and bumps["tele_car"] >= 1
    assert bumps["assisted_car"] == 0
    way = [event.message.position for event in drive.seen["/assisted_car/pose"]]
    assert sum(math.dist(a, b) for a, b in pairwise(way)) > 5, "it drives all the same"


def test_a_car_stands_when_nobody_tells_it_anything(drive: Drive) -> None:
    drive.go_on(1)
    assert drive.last("/tele_car/pose").linear[0] > 0
    drive.command("stick", do="pause")
    drive.go_on(0.5)
    here = drive.last("/tele_car/pose").position
    drive.go_on(2)
    assert drive.last("/tele_car/pose").position.tolist() == here.tolist()
    drive.command("stick", do="wakeup")
    drive.go_on(1)
    assert drive.last("/tele_car/pose").position.tolist() != here.tolist()


def test_the_stick_is_read_at_a_trigger_or_when_somebody_asks(drive: Drive) -> None:
    drive.command("stick", do="mode", activation="trigger")
    drive.go_on(0.01)
    before = drive.count("/stick/motion")
    drive.set("stick", by_hand=True, left=-0.5, forward=0.25)
    drive.go_on(1)
    assert drive.count("/stick/motion") == before
    assert drive.ask("stick", "motion", Joy).axes.tolist() == [-0.5, 0.25]
    assert drive.count("/stick/motion") == before, "asking publishes nothing"
    drive.command("stick", do="trigger")
    drive.go_on(0.1)
    assert drive.count("/stick/motion") == before + 1
    assert drive.last("/stick/motion").axes.tolist() == [-0.5, 0.25]


def test_a_processor_acts_on_events_periodically_or_at_a_trigger(drive: Drive) -> None:
    topic = "/tele_command/command"
    drive.go_on(1)
    assert drive.count(topic) == drive.count("/stick/motion")
    drive.command("tele_command", do="mode", activation="periodic", period_s=0.5)
    before = drive.count(topic)
    drive.go_on(2)
    assert drive.count(topic) - before in (4, 5)
    drive.command("tele_command", do="mode", activation="trigger")
    drive.go_on(0.01)
    before = drive.count(topic)
    drive.go_on(1)
    drive.command("tele_command", do="trigger")
    drive.go_on(0.1)
    assert drive.count(topic) == before + 1


def test_a_stick_at_rest_means_no_motion_and_a_full_one_top_speed(drive: Drive) -> None:
    drive.set("stick", by_hand=True, left=0.05, forward=-0.05)
    drive.go_on(0.5)
    assert drive.last("/tele_command/command") == Twist.planar(-0.0, 0.0)
    drive.set("stick", left=-1.0, forward=1.0)
    drive.go_on(0.5)
    assert drive.last("/tele_command/command") == Twist.planar(0.8, -1.0)


def test_every_pattern_is_in_the_system_and_its_parts_are_its_own() -> None:
    opened = open_project(PROJECT)
    own = {folder.name for folder in (PROJECT / "components").iterdir()}
    assert {component.type for component in opened.system.components} == own
    titles = {frame.title for frame in opened.system.layout.frames}
    assert titles == {"Direct control", "Tele-control, with sensor processing", "Assisted tele-control", "Monitoring"}
