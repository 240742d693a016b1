"""Geometry in a running system: told as an event, answered from each component's own memory, the same in every run."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.messages import Float64, JointState, MessageTypes, decode
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.flat_model import content_of
from studio.model.geometry.library import load_model
from studio.model.spec import PythonEntry
from studio.runtime.component import GeometryError
from studio.runtime.geometry import Geometry
from studio.runtime.host.component_import import import_class
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import EVERYBODY, Plan, geometry_command
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.recording.facts.logged_geometry import geometries_of, geometry_warnings, store_geometry
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.replay.lockstep import replay_inputs, warnings_of
from studio.runtime.trial import Trial
from tests.runtime.systems import PARTS, Part, TwinRun, plan

WHEEL = "Raptor.front_left_steering"
CAMERA_UP = 1.433035635
"""Of Flea:ImagePlane in Raptor:FrontBumperCenter, worked out by hand in docs/guide/geometry.md."""


def raptor(raised_m: float = 0.0) -> GeometryContent:
    """The Raptor, with the camera higher on its rail."""
    content = content_of(load_model("raptor"))
    old, new = 'xyz="0 0 0.02"', f'xyz="0 0 {0.02 + raised_m!r}"'
    assert old in content.assembly
    return GeometryContent.of(content.name, content.assembly.replace(old, new), content.bodies)


def asking(geometry: GeometryContent | None = None, **asker: Any) -> Plan:
    made = plan(
        ticker=Part("Ticker", period_s=0.02, outlets=("out",)),
        steerer=Part("Steerer", period_s=0.01, outlets=("joints",)),
        asker=Part("Asker", {"raw": "ticker.out"}, asker, outlets=("out", "changes")),
    )
    ticker, steerer, one = made.components
    ours = {"entry": "geometry_parts:", "folder": str(PARTS)}
    steerer, one = (
        replace(c, entry=ours["entry"] + c.type, geometry=True, joints="/steerer/joints") for c in (steerer, one)
    )
    types = {
        "/ticker/out": "Float64",
        "/steerer/joints": "JointState",
        "/asker/out": "Float64",
        "/asker/changes": "Float64",
    }
    return replace(made, components=(ticker, steerer, one), geometry=geometry or raptor(), types=types)


def values(run: Any, topic: str) -> list[float]:
    return [decode(Float64, event.payload).data for event in run.channel() if event.topic == topic]


def test_components_ask_their_own_copy_and_joints_move_in_it() -> None:
    run = TwinRun(asking())
    run.start()
    run.lockstep(until_ns=100_000_000)
    assert values(run, "/asker/out") == pytest.approx([CAMERA_UP + 0.1 * n for n in (2, 4, 6, 8, 10)])


def test_a_change_of_geometry_is_an_event_at_its_place_in_the_stream() -> None:
    run = TwinRun(asking())
    run.start()
    run.lockstep(until_ns=40_000_000)
    run.command(EVERYBODY, geometry_command(raptor(0.5)))
    run.lockstep(until_ns=80_000_000)
    assert values(run, "/asker/changes") == pytest.approx([CAMERA_UP + 0.5])
    assert values(run, "/asker/out") == pytest.approx([
        CAMERA_UP + 0.2, CAMERA_UP + 0.4, CAMERA_UP + 0.5 + 0.6, CAMERA_UP + 0.5 + 0.8
    ])  # fmt: skip
    order = [event.topic for event in run.channel()]
    assert order[0] == f"/_studio/command/{EVERYBODY}", "before anybody is active"
    assert order.count(f"/_studio/command/{EVERYBODY}") == 2


def test_a_geometry_that_is_damaged_is_refused_and_changes_nothing() -> None:
    run = TwinRun(asking())
    run.start()
    run.lockstep(until_ns=20_000_000)
    run.command(EVERYBODY, {**geometry_command(raptor(0.5)), "digest": "0"})
    run.lockstep(until_ns=40_000_000)
    assert values(run, "/asker/out")[-1] == pytest.approx(CAMERA_UP + 0.4) and not values(run, "/asker/changes")


def test_going_back_takes_geometry_and_joints_back() -> None:
    run = TwinRun(asking())
    run.start()
    run.lockstep(until_ns=40_000_000)
    number, before = run.checkpoint(), run.digest()
    run.command(EVERYBODY, geometry_command(raptor(0.5)))
    run.lockstep(until_ns=100_000_000)
    after = values(run, "/asker/out")
    assert run.digest()["components"]["asker"] != before["components"]["asker"]
    run.restore(number)
    assert run.digest()["components"] == before["components"]
    run.lockstep(until_ns=100_000_000)  # the change comes again, at its place
    assert values(run, "/asker/out")[len(after) :] == after[2:]


def test_interpolated_at_a_stamp_and_a_clear_error_outside_of_what_was_heard() -> None:
    run = TwinRun(asking(after_ns=15_000_000))
    run.start()
    run.lockstep(until_ns=60_000_000)
    # 15 ms before 20 ms nothing was heard; before 40 and 60 ms it is halfway between two positions.
    assert values(run, "/asker/out") == pytest.approx([CAMERA_UP - 10.0, CAMERA_UP + 0.25, CAMERA_UP + 0.45])
    (error,) = run.runners["asker"].component.seen
    assert f"0.005000 s is before the stored positions of the joint {WHEEL}" in error
    assert "from 0.010000 s to 0.020000 s" in error


# ---- logs


def record(folder: Path, *, change: bool, geometry: GeometryContent | None = None) -> tuple[Path, Plan]:
    """A log made by the recorder: the geometry changes at 40 ms."""
    log, made = folder / "run.mcap", asking(geometry)
    with EventLog(log, made, MessageTypes.builtin()) as writer:
        twin = InProcess(made, create, tap=writer.take)
        twin.start()
        twin.lockstep(until_ns=40_000_000)
        if change:
            twin.command(EVERYBODY, geometry_command(raptor(0.5)))
        twin.lockstep(until_ns=100_000_000)
        twin.stop()
    return log, made


def replayed(log: Path, made: Plan, folder: Path, *, in_process: bool) -> tuple[list[float], list[str]]:
    out = folder / f"out_{in_process}.mcap"
    with LogReader(log) as reader:
        inputs = inputs_of(made, reader, {})
        replay_inputs(inputs, MessageTypes.builtin(), in_process=in_process, record=out)
        warnings = warnings_of(inputs)
    with LogReader(out) as reader:
        return [decode(Float64, event.payload).data for event in reader.events(["/asker/out"])], warnings


@pytest.mark.parametrize("in_process", [True, False])
def test_changes_come_again_in_a_replay_where_they_came_then(tmp_path: Path, in_process: bool) -> None:
    log, _ = record(tmp_path, change=True)
    with LogReader(log) as reader:
        assert [content.digest for content in geometries_of(reader)] == [raptor().digest, raptor(0.5).digest]
        recorded = [decode(Float64, event.payload).data for event in reader.events(["/asker/out"])]
    out, warnings = replayed(log, asking(raptor(0.5)), tmp_path, in_process=in_process)
    # The command has the stamp of what was delivered before it; in the order of a replay inputs come before ticks.
    assert out[2:] == recorded[2:] and out[0] == recorded[0] and not warnings
    assert out[1] == pytest.approx(recorded[1] + 0.5)


def test_the_project_decides_and_the_replay_says_what_differs(tmp_path: Path) -> None:
    log, _ = record(tmp_path, change=True)
    out, (warning,) = replayed(log, asking(raptor(0.25)), tmp_path, in_process=True)
    assert out[0] == pytest.approx(CAMERA_UP + 0.25 + 0.2) and out[-1] == pytest.approx(CAMERA_UP + 0.25 + 1.0)
    assert "the geometries of the log and of the project differ" in warning and "Flea" in warning


def test_a_log_whose_geometry_cannot_be_read_is_replayed_with_a_warning(tmp_path: Path) -> None:
    newer = GeometryContent.of("Raptor", "<assembly><unheard/></assembly>", {})
    log = tmp_path / "newer.mcap"
    with LogWriter(log) as writer:
        store_geometry(writer, newer)
    with LogReader(log) as reader:
        (warning,) = geometry_warnings(reader, asking())
    assert "the geometry of the log cannot be read" in warning


# ---- a component by itself


def test_a_trial_has_a_geometry_too() -> None:
    with Trial(import_class(PARTS, PythonEntry("geometry_parts", "Asker")), geometry="raptor") as trial:
        trial.joints({WHEEL: 0.1}, at_s=1.0)
        trial.send("raw", Float64(0.0), at_s=1.0)
        trial.change_geometry(raptor(0.5))
        assert trial.sent("changes") == [Float64(trial.component.height)]
        assert trial.sent("out")[0].data == pytest.approx(CAMERA_UP + 1.0)


def test_what_geometry_tells_of_sensors_and_of_the_drive() -> None:
    geometry = Geometry(raptor())
    laser = geometry.sensor("RightLaser")
    (written,) = load_model("raptor").bodies["RightLaser"].sensors
    assert laser.values() == written.values() and laser.frame == "RightLaser:ScanOrigin"
    assert geometry.sensor("RightLaser.scan", "laser") == laser and list(geometry.sensors("camera")) == ["Flea.image"]
    drive = geometry.drive()
    assert (drive.kind, drive.wheelbase_m, drive.track_m, drive.speed_max_m_s) == ("ackermann", 1.93, 1.25, 5.0)
    # The inner wheel stands at 28 degrees: it rolls about a point 1.93 / tan 28 = 3.630 m beside it, which is 0.625 m
    # more from the middle, so the middle stands at atan(1.93 / 4.255).
    assert drive.steering_max_rad == pytest.approx(math.atan(1.93 / (1.93 / math.tan(math.radians(28)) + 0.625)))
    assert drive.steering_min_rad == -drive.steering_max_rad and 1 / drive.curvature_max_per_m == pytest.approx(
        4.2548, abs=1e-4
    )


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda g: g.transform("Flea:Imageplane", "Raptor"), "Flea has no frame Imageplane"),
        (lambda g: g.transform("Flea:ImagePlane", "Rapter:Roof"), "there is no frame Rapter:Roof"),
        (lambda g: g.sensor("Flee"), "has no sensor Flee"),
        (lambda g: g.sensor("Flea", "laser"), "Flea is a camera, not a laser"),
        (lambda g: g.drive("Flea"), "Flea has no drive"),
        (lambda g: g.joint("Raptor.steering"), "there is no moving joint Raptor.steering"),
        (lambda g: g.transform("Raptor:FrontLeftHub", "Raptor", 5), f"no position is known of the joint {WHEEL}"),
    ],
)
def test_what_is_missing_is_named(ask: Callable[[Geometry], object], told: str) -> None:
    with pytest.raises(GeometryError, match=re.escape(told)):
        ask(Geometry(raptor()))
    with pytest.raises(GeometryError, match="this system has no geometry"):
        ask(Geometry())


def test_answers_are_read_only_and_follow_joints_in_any_order() -> None:
    geometry = Geometry(raptor())
    with pytest.raises(ValueError, match="read-only"):
        geometry.transform("Flea:ImagePlane", "Raptor")[0, 0] = 1.0
    for stamp_ns, angle in ((30, 0.3), (10, 0.1), (20, 0.2)):
        geometry.hear(JointState(names=(WHEEL,), position=[angle]), stamp_ns)
    hub = geometry.transform("Raptor:FrontLeftHub", "Raptor:FrontLeftKingpin", 15)
    assert math.atan2(hub[1, 0], hub[0, 0]) == pytest.approx(0.15)
    geometry.jump()
    hub = geometry.transform("Raptor:FrontLeftHub", "Raptor:FrontLeftKingpin")
    assert math.atan2(hub[1, 0], hub[0, 0]) == pytest.approx(0.3), "where it was at the last stamp"
