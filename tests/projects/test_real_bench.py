"""The bench: the emulators as a program of their own, the system as processes, and everything arrives."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.messages import Range3d, Velocity, decode
from studio.messages.plain import String
from studio.model.project import Project
from studio.model.registry import Registry
from studio.paths import component_roots
from studio.runtime.base.clock import ClockKind
from studio.runtime.emulators.__main__ import FOLDER, main
from studio.runtime.emulators.gps import Gps
from studio.runtime.emulators.pty_port import PtyPort
from studio.runtime.emulators.vehicle import Vehicle
from studio.runtime.host.profile import load_class
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.planning import plan_of
from studio.runtime.trial import Trial
from tests.runtime.systems import ProcessRun
from tests.waiting import await_true

EMULATORS = [sys.executable, "-m", "studio.runtime.emulators"]


@pytest.fixture
def folder(tmp_path: Path, checkout: Path) -> Iterator[Path]:
    ports = tmp_path / "ports"
    process = subprocess.Popen([*EMULATORS, "--folder", str(ports)], cwd=checkout, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        told = [process.stdout.readline() for _ in range(4)]
        assert [line.split()[0] for line in told] == [str(ports / name) for name in ("lms200", "urg", "gps", "vehicle")]
        yield ports
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        process.stdout.close()
    assert list(ports.iterdir()) == [], "no port stays behind"


def bench_plan(checkout: Path, ports: Path) -> Plan:
    """The plan of the project as it is, but for the place of the ports."""
    project = checkout / "projects/real_bench"
    text = (project / "system.xml").read_text()
    assert text.count(f'value="{FOLDER}/') == 4
    copy = ports.parent / "real_bench"
    copy.mkdir()
    (copy / "system.xml").write_text(text.replace(str(FOLDER), str(ports)))
    (copy / "components").symlink_to(project / "components")
    return plan_of(Project.open(copy).system, Registry.scan(component_roots(copy)), project=copy)


def test_every_device_is_heard_and_the_armed_vehicle_drives(folder: Path, checkout: Path) -> None:
    with ProcessRun(bench_plan(checkout, folder), clock=ClockKind.WALL) as run:
        run.start("run")
        wanted = {"/sick/scan", "/hokuyo/scan", "/gps/fix", "/gps/velocity", "/vehicle/odometry", "/vehicle/state"}
        await_true(lambda: wanted <= {each.topic for each in run.channel_now()}, "every device", 40)

        def driving() -> bool:
            commands = [each for each in run.channel_now() if each.topic == "/driver/command"]
            return bool(commands) and decode(Velocity, commands[-1].payload).speed_m_s > 0

        await_true(driving, "the driver to see that nothing is in the way", 20)
        run.command("car", {"do": "set", "name": "armed", "value": True})

        def armed_and_moving() -> bool:
            states = [each for each in run.channel_now() if each.topic == "/vehicle/state"]
            told = json.loads(decode(String, states[-1].payload).data)
            return bool(told["armed"]) and not told["timed_out"] and not told["fault"]

        await_true(armed_and_moving, "the vehicle to drive", 20)


def test_a_replay_leaves_the_devices_alone(tmp_path: Path, checkout: Path) -> None:
    ports = tmp_path / "ports"
    ports.mkdir()
    plan = bench_plan(checkout, ports)
    drivers = tuple(each for each in plan.components if each.name in ("gps_driver", "car"))
    vehicle, receiver = Vehicle(), Gps()
    with (
        PtyPort(vehicle, ports / "vehicle"),
        PtyPort(receiver, ports / "gps"),
        ProcessRun(Plan(drivers), clock=ClockKind.LOG) as run,
    ):
        run.start("pause")
        run.command("car", {"do": "set", "name": "armed", "value": True})
        run.step(1)
        await_true(lambda: str(run.observer.log).count("is not opened") == 2, "word of the drivers")
        await_true(lambda: "cannot be armed" in str(run.observer.log), "word of the refusal")
        assert list(vehicle.record) == []


def scan_of(*points: tuple[float, float], at_s: float) -> Range3d:
    return Range3d.from_xyz([(x, y, 0.0) for x, y in points], stamp_ns=round(at_s * 1e9))


@pytest.mark.parametrize(
    ("scan", "drives"),
    [
        (scan_of((2.0, 0.0), at_s=0.9), True),
        (scan_of((0.5, 1.0), (-0.5, 0.0), at_s=0.9), True),
        (scan_of(at_s=0.9), True),
        (scan_of((2.0, 0.0), (0.5, 0.1), at_s=0.9), False),
        (scan_of((2.0, 0.0), at_s=0.2), False),
        (None, False),
    ],
)
def test_the_driver_stops_for_obstacles_and_when_it_is_blind(
    checkout: Path, scan: Range3d | None, drives: bool
) -> None:
    with Trial(load_class(checkout / "projects/real_bench/components/bench_driver")) as trial:
        if scan is not None:
            trial.send("scan", scan, at_s=0.9)
        trial.now_ns = 950_000_000
        trial.tick()
        (command,) = trial.sent("command")
        assert (command.speed_m_s > 0) == drives
        is_blind = scan is None or scan.stamp_ns < 450_000_000
        assert trial.component.trouble == ("no recent scan" if is_blind else "")


def test_the_emulators_refuse_what_they_do_not_know(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["toaster"])
    assert ended.value.code == 2
    assert "there is no device 'toaster'" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main(["--folder", str(tmp_path / "file" / "ports")]) == 1
