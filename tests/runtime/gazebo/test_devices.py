"""A component for each kind of device, against the C++ library of gz-transport and a real gzserver 11."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import JointState, Twist, Velocity
from studio.model.geometry.library import load_model
from studio.runtime.component import Component
from studio.runtime.gazebo import devices
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.connections.spawning import spawn_vehicle
from studio.runtime.gazebo.debian_tree import NoTree
from studio.runtime.gazebo.device_line import NoDevice, ServerTime
from studio.runtime.gazebo.local_classic import LocalClassic, install
from studio.runtime.sim.vehicles.vehicle import vehicle_of
from studio.runtime.trial import Trial
from tests.runtime.gazebo.conftest import Peer
from tests.waiting import await_true


def real(test: Callable[..., None]) -> Callable[..., None]:
    """Against programs of Gazebo."""
    return pytest.mark.gazebo(pytest.mark.timeout(180)(test))


def first(kind: type[Component], port: str, **parameters: Any) -> Any:
    """What it sends first; as activated, as let go of, and as activated once more."""
    with Trial(kind, **parameters) as trial:
        trial.now_ns = 1_000_000_000
        await_true(lambda: trial.sent(port), f"{kind.__name__}.{port}")
        assert trial.component.trouble == ""
        trial.component.on_deactivate()
        trial.component.on_activate()
        before = len(trial.sent(port))
        await_true(lambda: len(trial.sent(port)) > before, f"{kind.__name__}.{port} after it was activated again")
        return trial.sent(port)[0]


@pytest.mark.parametrize(("server_ns", "now_ns", "stamp_ns"), [
    (1_000, 500_000_000, 500_000_000),  # the first
    (50_001_000, 560_000_000, 550_000_000),  # a step of the server later
    (60_001_000, 900_000_000, 900_000_000),  # it stood meanwhile
    (2_000, 950_000_000, 950_000_000),  # it was reset
])  # fmt: skip
def test_stamps_go_by_the_server_as_long_as_both_clocks_go_together(server_ns: int, now_ns: int, stamp_ns: int) -> None:
    time = ServerTime()
    for server, now in (
        (1_000, 500_000_000),
        (50_001_000, 560_000_000),
        (60_001_000, 900_000_000),
        (2_000, 950_000_000),
    ):
        found = time.stamp_ns(server, now)
        if (server, now) == (server_ns, now_ns):
            assert found == stamp_ns


@pytest.fixture
def sender(peer: Peer) -> subprocess.Popen[str]:
    return peer("devices")


@pytest.fixture
def world(sender: subprocess.Popen[str]) -> dict[str, str]:
    return {"server": f"gz:{os.environ['IGN_PARTITION']}/any"}


@real
def test_each_device_sends_what_the_server_sends(world: dict[str, str]) -> None:
    scan = first(devices.GazeboLaser, "scan", device="/laser", frame="L:O", **world)
    assert scan.points == pytest.approx(np.array([[np.cos(0.5), -np.sin(0.5), 0, 1], [2, 0, 0, 2]]), abs=1e-6)
    assert scan.frame == "L:O"
    cloud = first(devices.GazeboLidar3d, "points", device="/cloud", **world)
    assert cloud.points == pytest.approx(np.array([[3, 0, 4, 5], [1, 2, 2, 3]]))
    rows = first(devices.GazeboLidar3d, "points", device="/laser", **world)
    assert len(rows) == 2
    image = first(devices.GazeboCamera, "image", device="/camera", **world)
    assert image.pixels.tolist() == [[[1, 2, 3], [4, 5, 6]]]
    depth = first(devices.GazeboDepth, "depth", device="/depth", **world)
    assert depth.pixels.tolist() == [[1.5, 2.5]]
    imu = first(devices.GazeboImu, "imu", device="/imu", **world)
    assert imu.angular_velocity[2] == 0.25 and imu.linear_acceleration[2] == 9.8
    fix = first(devices.GazeboGps, "fix", device="/gps", **world)
    assert (fix.latitude_deg, fix.longitude_deg, fix.altitude_m) == (50.29, -111.1, 700.0)
    joints = first(devices.GazeboJoints, "joints", device="/joints", **world)
    assert joints.names == ("wheel",) and joints.position.tolist() == [0.75] and joints.velocity.tolist() == [1.25]
    touch = first(devices.GazeboContact, "pairs", device="/contacts", **world)
    assert touch.data == '[["rover::hull::bumper", "wall::link::collision"]]'
    odometry = first(devices.GazeboPose, "odometry", device="/odometry", **world)
    assert odometry.linear[0] == 0.5 and odometry.angular[2] == -0.5


@real
def test_two_of_a_kind_side_by_side_and_stamps_by_the_server(world: dict[str, str]) -> None:
    with (
        Trial(devices.GazeboPose, device="/poses", model="rover", **world) as one,
        Trial(devices.GazeboPose, device="/poses", model="nobody", **world) as other,
    ):
        await_true(lambda: len(one.sent("pose")) > 20, "poses")
        assert other.sent("pose") == []
        x_m = [each.matrix[0, 3] for each in one.sent("pose")]
        assert np.diff(x_m).tolist() == [1.0] * (len(x_m) - 1), "none is missing"
        stamps = np.diff([each.stamp_ns for each in one.sent("pose")[:5]])
        assert stamps.tolist() == [20_000_000] * 4


@real
def test_commands_reach_the_server_and_end_by_themselves(sender: subprocess.Popen[str], world: dict[str, str]) -> None:
    said: list[str] = []
    assert sender.stdout is not None
    threading.Thread(target=lambda: said.extend(sender.stdout), daemon=True).start()  # type: ignore[arg-type]

    def await_line(send: Callable[[], object], line: str) -> None:
        """Told until it is heard: a subscriber does not say when its connection is open."""

        def is_heard() -> bool:
            send()
            return f"{line}\n" in said

        await_true(is_heard, line)

    with Trial(devices.GazeboDrive, device="/cmd_vel", assembly="raptor", **world) as trial:
        await_line(lambda: trial.send("twist", Twist.planar(0.5, -0.25)), "twist 0.5 -0.25")
        steered = trial.component._driving.wanted(1.0, 0.2)
        assert steered.yaw_rate_rad_s > 0.05, "a steering angle to the left turns left"
        command = Velocity(speed_m_s=1.0, steering_angle_rad=0.2)
        await_line(lambda: trial.send("command", command), f"twist 1 {steered.yaw_rate_rad_s:.6g}")
        assert "twist 0 0\n" not in said
        for _ in range(6):
            trial.tick()
        await_true(lambda: "twist 0 0\n" in said, "the end of the command")
    with Trial(devices.GazeboJointCommand, device="/arm", **world) as trial:
        turned = JointState(names=("arm",), position=[0.75])
        await_line(lambda: trial.send("joints", turned), "joint 0.75")


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalClassic]:
    try:
        tree = install()
    except NoTree as none:
        pytest.skip(f"Gazebo classic cannot be had here: {none}")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    world = tree.root / "usr/share/gazebo-11/worlds/empty.world"
    started = LocalClassic.start(tree, world, tmp_path_factory.mktemp("devices"), port=port, partition=f"d-{port}")
    server = ClassicServer(port=port)
    server.statistics()
    spawn_vehicle(server, "pioneer_3at", None, 0.0, 0.0, 0.0)
    spawn_vehicle(server, "pioneer_2dx", None, 3.0, 0.0, 3.14159)
    yield started
    server.close()
    started.stop()


@real
def test_each_device_sends_what_a_classic_server_sends(local: LocalClassic) -> None:
    server = f"127.0.0.1:{local.port}"
    hull = "~/pioneer_3at/Pioneer3AT_link"
    scan = first(devices.GazeboLaser, "scan", server=server, device=f"{hull}/laser/scan")
    assert np.min(scan.ranges_m[np.abs(scan.xyz[:, 1]) < 0.1]) < 3.0, "the other robot stands ahead"
    assert len(first(devices.GazeboLidar3d, "points", server=server, device=f"{hull}/sonar0/scan").points) >= 0
    imu = first(devices.GazeboImu, "imu", server=server, device=f"{hull}/imu/imu")
    assert 5.0 < imu.linear_acceleration[2] < 15.0, "the other way up it would be negative; it may still settle"
    pose = first(devices.GazeboPose, "pose", server=server, model="pioneer_2dx")
    assert pose.matrix[0, 3] == pytest.approx(3.0, abs=0.05)
    touch = first(devices.GazeboContact, "touch", server=server, device=f"{hull}/touches")
    assert touch.data in (0.0, 1.0)
    with pytest.raises(NoDevice, match="nothing for GazeboJoints"), Trial(devices.GazeboJoints, server=server):
        pass


@real
def test_vehicles_are_driven_by_their_plugin_and_joint_by_joint(local: LocalClassic) -> None:
    server = f"127.0.0.1:{local.port}"
    drives = [
        {"device": "~/pioneer_2dx/vel_cmd"},
        {"model": "pioneer_3at", "assembly": "pioneer_3at"},
    ]
    for parameters, name in zip(drives, ("pioneer_2dx", "pioneer_3at"), strict=True):
        with (
            Trial(devices.GazeboPose, server=server, model=name) as poses,
            Trial(devices.GazeboDrive, server=server, **parameters) as drive,
        ):
            # A classic server tells nothing of a model that rests.
            await_true(lambda: drive.send("twist", Twist.planar(0.4, 0.6)) or poses.sent("pose"), "a pose")
            start = poses.sent("pose")[0].matrix

            def has_moved() -> bool:
                drive.send("twist", Twist.planar(0.4, 0.6))
                moved = np.linalg.inv(start) @ poses.sent("pose")[-1].matrix  # noqa: B023
                return moved[0, 3] > 0.15 and np.arctan2(moved[1, 0], moved[0, 0]) > 0.1

            await_true(has_moved, f"{name} forward and to the left", 90)
            for _ in range(8):
                drive.tick()  # 400 ms without a command


@real
def test_the_pose_of_what_rests_is_told_once(local: LocalClassic) -> None:
    server = f"127.0.0.1:{local.port}"
    assert first(devices.GazeboPose, "pose", server=server, model="ground_plane").matrix == pytest.approx(np.eye(4))


@real
def test_joints_of_a_classic_server_are_commanded(local: LocalClassic) -> None:
    """Wheels get speeds, by the names of the assembly."""
    server, model = f"127.0.0.1:{local.port}", "pioneer_3at"
    vehicle = vehicle_of(load_model(model))
    names = tuple(vehicle.pieces[wheel].name for wheel in vehicle.drive_joints)
    turning = JointState(names=names, position=[0.0] * len(names), velocity=[4.0] * len(names))
    with (
        Trial(devices.GazeboPose, server=server, model=model) as poses,
        Trial(devices.GazeboJointCommand, server=server, model=model, assembly=model) as command,
    ):
        await_true(lambda: poses.sent("pose"), "a pose")
        start = poses.sent("pose")[0].matrix
        command.send("joints", turning)
        await_true(lambda: (np.linalg.inv(start) @ poses.sent("pose")[-1].matrix)[0, 3] > 0.15, "forward", 60)
        command.send("joints", turning.replace(velocity=[0.0] * len(names)))


@real
def test_a_server_that_is_away_is_said(tmp_path: Path) -> None:
    with Trial(devices.GazeboLaser, server="127.0.0.1:9", device="~/x/scan") as trial:
        await_true(lambda: "no server listens there" in trial.component.trouble, "the reason")
