"""The vehicles that ship, on a real gzserver 11: there without a complaint, all data in time, turning the right way."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

from studio.messages import PoseTransform, Twist, Velocity
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.classic.client import Connected
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.connections.address import AddressError
from studio.runtime.gazebo.debian_tree import NoTree
from studio.runtime.gazebo.server import Scope
from studio.runtime.gazebo.service import GazeboService
from studio.runtime.gazebo.shipped import Pioneer2dxGazebo, Pioneer3atGazebo, RaptorGazebo
from studio.runtime.sim.raptor import RaptorSimulator
from studio.runtime.trial import Trial
from tests.conftest import ROOT
from tests.waiting import await_true

pytestmark = [pytest.mark.gazebo, pytest.mark.timeout(240)]
STEP_NS = 1_000_000
NO_DISPLAY = ("RenderEngine.cc", "OpenAL.cc", "Publisher.cc")
"""Complaints about what the machine has not got, and about a reader of the poses that is slower than the server."""


@pytest.fixture(scope="module", autouse=True)
def tree() -> None:
    try:
        local_classic.install()
    except NoTree as none:
        pytest.skip(f"Gazebo classic cannot be had here: {none}")


def complaints(service: GazeboService) -> list[str]:
    assert service.local is not None
    lines = re.sub(r"\x1b\[[0-9;]*m", "", service.local.log.read_text(errors="replace")).splitlines()
    return [
        line
        for line in lines
        if ("[Wrn]" in line or "[Err]" in line) and not any(source in line for source in NO_DISPLAY)
    ]


def moved(poses: list[PoseTransform]) -> tuple[float, float]:
    """Forward, and the turn to the left."""
    matrix = np.linalg.inv(poses[0].matrix) @ poses[-1].matrix
    return float(matrix[0, 3]), float(np.arctan2(matrix[1, 0], matrix[0, 0]))


@pytest.fixture(scope="module")
def raptor() -> Iterator[Trial[RaptorGazebo]]:
    with Trial(RaptorGazebo, noise=0.0) as trial:
        for tick in range(300):
            if tick % 10 == 0:
                trial.send("command", Velocity(speed_m_s=1.0, steering_angle_rad=0.2))
            trial.tick()
        yield trial


def test_the_raptor_drives_and_turns_left_without_a_complaint_of_the_server(raptor: Trial[RaptorGazebo]) -> None:
    forward_m, turn_rad = moved(raptor.sent("true_pose"))
    assert forward_m == pytest.approx(2.6, abs=0.4)
    assert turn_rad == pytest.approx(0.28, abs=0.06)
    odometry = raptor.sent("odometry")[-1]
    assert odometry.position[0] == pytest.approx(forward_m, abs=0.05)
    assert odometry.yaw_rad == pytest.approx(turn_rad, abs=0.05)
    assert complaints(raptor.component) == []


@pytest.mark.parametrize("port", ["left_laser", "right_laser"])
def test_no_scan_is_missing(raptor: Trial[RaptorGazebo], port: str) -> None:
    gaps = np.diff([scan.stamp_ns for scan in raptor.sent(port)])
    assert len(gaps) >= 3 * 37.6 - 3
    assert gaps.max() <= 1e9 / 37.6 + 2 * STEP_NS


def test_poses_of_devices_are_in_the_axes_of_the_map(raptor: Trial[RaptorGazebo]) -> None:
    truth, pose = raptor.sent("true_pose")[-1], raptor.sent("pose")[-1]
    assert pose.stamp_ns == truth.stamp_ns
    assert pose.matrix == pytest.approx(truth.matrix, abs=1e-6)
    yaw = float(np.arctan2(truth.matrix[1, 0], truth.matrix[0, 0]))
    assert raptor.sent("imu")[-1].roll_pitch_yaw_rad[2] == pytest.approx(yaw, abs=0.02)
    fix, gps = raptor.sent("gps")[-1], truth.matrix @ np.array([0.4, 0.0, 2.0, 1.0])
    assert (fix.longitude_deg + 111.1) * 71_190 == pytest.approx(gps[0], abs=0.3)
    assert (fix.latitude_deg - 50.29) * 111_240 == pytest.approx(gps[1], abs=0.3)


def test_the_first_scan_is_that_of_the_embedded_simulator(raptor: Trial[RaptorGazebo]) -> None:
    """Same world, same place: the same ranges, and nothing of the vehicle itself."""
    with Trial(RaptorSimulator, noise=0.0) as embedded:
        embedded.tick()
        for port in ("left_laser", "right_laser"):
            one, other = raptor.sent(port)[0], embedded.sent(port)[0]
            assert len(one) == len(other)
            assert np.mean(np.abs(one.ranges_m - other.ranges_m) > 0.051) < 0.02


def test_pioneers_turn_left_when_told_so() -> None:
    # 0.7 rad are told; a vehicle that skids turns by less, on the server by half as much as in the embedded simulator.
    for kind, turned in ((Pioneer2dxGazebo, 0.4), (Pioneer3atGazebo, 0.1)):
        with Trial(kind, noise=0.0, world="blocks") as trial:
            for tick in range(150):
                if tick % 10 == 0:
                    trial.send("twist", Twist.planar(0.3, 0.5))
                trial.tick()
            forward_m, turn_rad = moved(trial.sent("true_pose"))
            assert 0.2 < forward_m < 0.5
            assert turned < turn_rad < 0.9
            assert complaints(trial.component) == []


def test_a_server_that_is_killed_comes_back_with_the_vehicle() -> None:
    with Trial(Pioneer2dxGazebo, noise=0.0) as trial:
        service = trial.component
        for _ in range(2):
            assert service.local is not None
            killed = service.local
            killed.process.kill()
            killed.process.wait()
            while service.local is killed or service.trouble:
                trial.tick()
            before = len(trial.sent("laser"))
            for _ in range(50):
                trial.tick()
            assert len(trial.sent("laser")) >= before + 4
            assert service.trouble == ""


@pytest.mark.parametrize("act", ["resume", "reset"])
def test_another_program_that_moves_the_time_of_the_server_is_noticed(act: str) -> None:
    """It lets the world run, or resets it: the world is paused again and begins anew, and data go on."""
    with Trial(Pioneer2dxGazebo, noise=0.0) as trial:
        for _ in range(40):
            trial.send("twist", Twist.planar(0.5, 0.0))
            trial.tick()
        service = trial.component
        assert service.local is not None and service.stepped is not None
        stamps_before, start = len(trial.sent("laser")), trial.sent("true_pose")[0]
        other = ClassicServer(port=service.local.port)
        before_ns = service.stepped.now_ns
        if act == "resume":
            other.pause(False)
        else:
            other.reset(Scope.ALL)
        await_true(lambda: service.stepped.now_ns != before_ns, "its time")
        for _ in range(30):
            trial.tick()
        assert other.statistics().is_paused
        other.close()
        assert service.trouble == ""
        assert len(trial.sent("laser")) >= stamps_before + 2
        assert np.all(np.diff([scan.stamp_ns for scan in trial.sent("laser")]) > 0)
        assert trial.sent("true_pose")[-1].matrix[:2, 3] == pytest.approx(start.matrix[:2, 3], abs=0.05)


def test_two_activations_leave_one_vehicle() -> None:
    with Trial(Pioneer2dxGazebo, noise=0.0) as trial:
        for _ in range(30):
            trial.send("twist", Twist.planar(0.5, 0.0))
            trial.tick()
        trial.component.on_deactivate()
        trial.component.on_activate()
        trial.tick(0.05)
        start, now = trial.sent("true_pose")[0], trial.sent("true_pose")[-1]
        assert now.matrix[:2, 3] == pytest.approx(start.matrix[:2, 3], abs=0.02)
        stepped = trial.component.stepped
        assert stepped is not None
        assert isinstance(stepped.state, Connected)
        assert list(stepped.server.entities()).count("pioneer_2dx") == 1


def test_a_foreign_address_that_is_none_is_refused() -> None:
    with pytest.raises(AddressError, match="is not an address"), Trial(RaptorGazebo, server="host:x"):
        pass


def test_the_world_is_the_file_of_the_embedded_simulator(raptor: Trial[RaptorGazebo]) -> None:
    service = raptor.component
    assert service.local is not None
    command = Path(f"/proc/{service.local.process.pid}/cmdline").read_text().split("\0")
    assert command[-2].endswith("models/worlds/blocks.sdf")


def test_a_system_runs_on_a_server_by_one_option(tmp_path: Path) -> None:
    """The shipped project, in the same components as with the embedded simulator."""
    words = ["run", "projects/pioneer_obstacle_avoidance", "--source", "pioneer=gazebo", "--for", "6", "--rate", "0"]
    made = subprocess.run(
        [sys.executable, "-m", "studio", *words, "--json"],
        capture_output=True, text=True, timeout=200, check=False, cwd=ROOT,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)
    assert told["topics"]["/pioneer/laser"]["count"] >= 58
    assert told["outcome"]["path_m"] > 0.5


def test_nothing_moves_while_the_system_stands(raptor: Trial[RaptorGazebo]) -> None:
    """What a breakpoint does to it: no period passes. Afterwards it goes on where it was, and no scan is missing."""
    stepped = raptor.component.stepped
    assert stepped is not None
    scans, stood_ns, told = len(raptor.sent("left_laser")), stepped.now_ns, SimpleQueue[bytes]()
    end = stepped.server.client.subscribe("~/world_stats", "gazebo.msgs.WorldStatistics", told.put)
    for _ in range(4):  # almost a second
        statistics = classic_messages().read("WorldStatistics", told.get(timeout=20))
        assert statistics.paused
        assert statistics.sim_time.sec * SECOND_NS + statistics.sim_time.nsec == stood_ns
    end()
    raptor.tick()
    assert 9_000_000 <= stepped.now_ns - stood_ns <= 12_000_000
    for _ in range(20):
        raptor.tick()
    gaps = np.diff([scan.stamp_ns for scan in raptor.sent("left_laser")[scans - 1 :]])
    assert gaps.max() <= 1e9 / 37.6 + 2 * STEP_NS


def test_waiting_for_a_late_scan_makes_no_steps(raptor: Trial[RaptorGazebo]) -> None:
    """Each period makes its own steps and no more; a scan that comes late is told late, and none is missing."""
    service, stepped = raptor.component, raptor.component.stepped
    assert stepped is not None
    stream = next(each for each in service._models[0].streams if each.port == "left_laser")
    raptor.tick()
    scans, held = len(raptor.sent("left_laser")), SimpleQueue[Any]()
    behind_ns = service.now() - service._run.origin_ns - stepped.now_ns
    put, stream.put = stream.put, held.put  # type: ignore[method-assign]
    for _ in range(4):
        raptor.tick()
        assert 0 <= service.now() - service._run.origin_ns - stepped.now_ns - behind_ns < STEP_NS
    assert len(raptor.sent("left_laser")) == scans
    while not held.empty():
        put(held.get())
    stream.put = put  # type: ignore[method-assign]
    for _ in range(10):
        raptor.tick()
    gaps = np.diff([scan.stamp_ns for scan in raptor.sent("left_laser")[scans - 1 :]])
    assert len(gaps) >= 3
    assert gaps.max() <= 1e9 / 37.6 + 2 * STEP_NS
    assert service.trouble == ""


def test_a_sensor_that_falls_silent_is_said_and_holds_nothing_up(raptor: Trial[RaptorGazebo]) -> None:
    service = raptor.component
    stream = next(each for each in service._models[0].streams if each.port == "left_laser")
    put, stream.put = stream.put, lambda message: None  # type: ignore[method-assign]
    while not service.trouble:
        raptor.tick()
    assert stream.topic in service.trouble
    others = len(raptor.sent("right_laser"))
    for _ in range(20):
        raptor.tick()
    assert len(raptor.sent("right_laser")) >= others + 7
    stream.put = put  # type: ignore[method-assign]
    for _ in range(10):
        raptor.tick()
    assert service.trouble == ""
