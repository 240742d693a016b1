"""The Raptor's system with its source simulated, logged and real: the rest of it does not notice."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.autonomy import PROJECT
from studio.messages import Map, Velocity, decode
from studio.model.loaded_project import LoadedProject, open_project
from studio.model.sources import SourceMode
from studio.runtime.base.clock import ClockKind
from studio.runtime.emulators.gps import Gps
from studio.runtime.emulators.lms200 import Lms200
from studio.runtime.emulators.pty_port import PtyPort
from studio.runtime.emulators.vehicle import Vehicle
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader
from studio.runtime.wire.frames import Origin
from tests.cli.running import Studio
from tests.runtime.systems import ProcessRun
from tests.waiting import await_true

pytestmark = pytest.mark.timeout(300)  # physics on a busy machine
LOG = Path("logs/drive.mcap")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "raptor"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("logs"))
    (folder / "logs").mkdir()
    return folder


@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.soak)])
def test_the_maps_of_a_recorded_drive_grow_again_from_its_log(studio: Studio, project: Path, seconds: int) -> None:
    again = project / "again.mcap"
    flat_out = ("--gate", "lockstep", "--rate", 0, "--for", seconds, "--json")
    drove = studio("run", project, "--mode", "simulated", *flat_out, "--record", project / LOG)
    assert drove.status == 0, drove.err
    played = studio("run", project, "--mode", "logged", *flat_out, "--record", again)
    assert played.status == 0, played.err
    assert played.json["mode"] == "logged" and "simulator" not in played.json["components"]
    topics = ["/terrain_map/terrain", "/traverse_map/traverse", "/path_planner/path", "/arc_arbiter/command"]
    assert {name: played.json["topics"][name]["count"] for name in topics} == {
        name: drove.json["topics"][name]["count"] for name in topics
    }
    with LogReader(project / LOG) as one, LogReader(again) as other:
        before, after = last_heights(one), last_heights(other)
        commands = [event for event in other.events() if event.topic == "/arc_arbiter/command"]
    # Timers run from the first event of the log, some milliseconds after the start: the last scan may be missing.
    both = np.isfinite(before) & np.isfinite(after)
    assert both.sum() > 0.98 * np.isfinite(before).sum() > 1000
    assert np.abs(before - after)[both].max() < 0.05
    assert {event.origin for event in commands} == {Origin.LOGGED}, "no actuator would obey them"


def last_heights(log: LogReader) -> NDArray[np.float64]:
    [*_, last] = (event for event in log.events() if event.topic == "/terrain_map/terrain")
    return decode(Map, last.payload).plane("height").astype(np.float64)


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[dict[str, Vehicle | Gps | Lms200]]:
    """What the drivers of the real platform talk to, by the parameter `port` that finds it."""
    made = {"left": Lms200(), "right": Lms200(), "ins": Gps(115200, rate_hz=10.0), "car": Vehicle()}
    with ExitStack() as stack:
        for name, device in made.items():
            stack.enter_context(PtyPort(device, tmp_path / name))
        yield made


def in_mode(opened: LoadedProject, mode: SourceMode) -> Plan:
    [source] = opened.system.sources
    opened.system.replace_node(replace(source, mode=mode))
    return plan_of(opened.system, opened.registry, project=opened.folder)


def test_with_real_devices_the_maps_grow_and_the_vehicle_obeys_once_it_is_armed(
    devices: dict[str, Vehicle | Gps | Lms200], tmp_path: Path, project: Path
) -> None:
    """Emulated at the other ends of their lines: a room around the scanners, a receiver that is carried round."""
    text = (project / "system.xml").read_text()
    for number, name in enumerate(devices):
        assert text.count(f"/dev/ttyUSB{number}") == 1
        text = text.replace(f"/dev/ttyUSB{number}", str(tmp_path / name))
    (project / "system.xml").write_text(text)
    car = devices["car"]
    assert isinstance(car, Vehicle)
    with ProcessRun(in_mode(open_project(project), "real"), clock=ClockKind.WALL) as run:
        run.start("run")

        def last(topic: str) -> bytes | None:
            return next((each.payload for each in reversed(run.channel_now()) if each.topic == topic), None)

        await_true(lambda: last("/traverse_map/traverse") is not None, "maps of what the scanners see", 60)
        chart = last("/terrain_map/terrain")
        assert chart is not None and decode(Map, chart).frame == "map"
        await_true(lambda: last("/arc_arbiter/command") is not None, "the arbiter to say something", 30)
        assert not [note for note in car.record if note.what == "drive"], "nobody has armed it"
        run.command("car", {"do": "set", "name": "armed", "value": True})
        await_true(lambda: any(note.what == "drive" for note in car.record), "the vehicle to be told something", 30)
        told = last("/arc_arbiter/command")
        assert told is not None and abs(decode(Velocity, told).steering_angle_rad) <= 0.5
