"""The simulator as a component: drives, measures, bumps, and does the same every time."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Twist, Velocity, encode
from studio.runtime.host.profile import stale
from studio.runtime.sim.pioneers import Pioneer2dxSimulator, Pioneer3atSimulator
from studio.runtime.sim.raptor import RaptorSimulator
from studio.runtime.sim.simulator import Simulator
from studio.runtime.sim.vehicles.driving import Driving
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.made_worlds import block, ground
from studio.runtime.sim.worlds.world import Place, Solid, Triangles, World, pose_of
from studio.runtime.sim.worlds.world_sdf import parse_world
from studio.runtime.sim.worlds.world_writing import save_world
from studio.runtime.trial import Trial

ROOT = Path(__file__).resolve().parents[3]
FORWARD = Velocity(speed_m_s=2.0)


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A wall across the way, 10 m ahead."""
    world = World("yard", [ground(), block("wall", 10.5, 0.0, (1.0, 8.0, 2.0))], places={"start": Place(0.0, 0.0)})
    path = tmp_path_factory.mktemp("worlds") / "yard.sdf"
    save_world(world, path)
    return str(path)


def drive(trial: Trial[Any], seconds: float, message: Any, port: str = "command") -> None:
    """Ticks of 10 ms, with a command every 100 ms."""
    for number in range(round(seconds * 100)):
        if number % 10 == 0:
            trial.send(port, message)
        trial.tick()


def last_pose(trial: Trial[Any]) -> tuple[float, ...]:
    found: tuple[float, ...] = trial.sent("true_pose")[-1].to_xyz_rpy()
    return found


@pytest.mark.parametrize("name", ["raptor_simulator", "pioneer_2dx_simulator", "pioneer_3at_simulator"])
def test_profiles_are_current(name: str) -> None:
    assert stale(ROOT / "components" / name) is None


def test_the_raptor_turns_on_the_circle_of_its_steering(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard, start=(-20.0, 0.0, 0.0), noise=0.0) as trial:
        drive(trial, 4.0, Velocity(speed_m_s=2.0, steering_angle_rad=0.3))
        rate = trial.sent("imu")[-1].angular_velocity[2]
        assert rate == pytest.approx(2.0 * math.tan(0.3) / 1.93, rel=0.03)
        odometry, (x, y, _, _, _, yaw) = trial.sent("odometry")[-1], last_pose(trial)
        assert odometry.position[:2] == pytest.approx((x + 20.0, y), abs=0.1)
        assert odometry.yaw_rad == pytest.approx(yaw, abs=0.02)
        assert trial.sent("collision") == []


def test_devices_keep_their_rates_and_frames(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard) as trial:
        drive(trial, 2.0, FORWARD)
        counts = {port: len(trial.sent(port)) - 1 for port in ("left_laser", "imu", "pose", "gps", "odometry")}
        assert counts == {"left_laser": 75, "imu": 200, "pose": 200, "gps": 40, "odometry": 100}
        assert trial.sent("left_laser")[0].frame == "LeftLaser:ScanOrigin"
        pose = trial.sent("pose")[-1]
        assert (pose.frame, pose.child_frame) == ("map", "Raptor") and pose.attitude_covariance[0, 0] > 0
        assert "Raptor.front_left_steering" in trial.sent("joints")[-1].names
        assert np.linalg.norm(trial.sent("imu")[150].linear_acceleration) == pytest.approx(9.81, abs=0.6)
        north = (trial.sent("gps")[-1].latitude_deg - 50.29) * 111_200
        assert north == pytest.approx(0.0, abs=0.2)


def test_a_laser_measures_the_way_to_the_wall(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard, noise=0.0) as trial:
        trial.tick()
        scan = trial.sent("right_laser")[-1]
        ahead = scan.points[np.abs(scan.points[:, 1]) < 0.01][0]
        # 12 degrees down from 1.15 m: the ground is nearer than the wall.
        assert ahead[3] == pytest.approx(1.1495 / math.sin(math.radians(12.0)), abs=0.03)
        assert np.allclose(scan.ranges_m / 0.05, np.round(scan.ranges_m / 0.05), atol=1e-3)
        assert scan.ranges_m.min() >= 0.6 and scan.ranges_m.max() <= 15.0
    with Trial(Pioneer2dxSimulator, world=yard, start=(7.0, 0.0, 0.0), noise=0.0) as trial:
        trial.tick()
        scan = trial.sent("laser")[-1]
        assert scan.points[np.argmin(np.abs(scan.points[:, 1])), 0] == pytest.approx(2.9, abs=0.01)


@pytest.fixture(scope="module")
def pyramids(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ground that rises by 1 in 10 towards x, with a pyramid of a mesh on it."""
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 2)], float)
    faces = np.array([(0, 2, 1), (0, 3, 2), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)], np.int32)
    pyramid = Solid("pyramid", "mesh", (), pose_of(6, 0, 0.4), mesh=Triangles(corners, faces))
    hill = replace(ground(), pose=pose_of(0, 0, 0, 0, -math.atan(0.1), 0))
    world = World("pyramids", [hill, pyramid], places={"start": Place(0.0, 0.0)}, heading_deg=90.0)
    path = tmp_path_factory.mktemp("worlds") / "pyramids.sdf"
    save_world(world, path)
    return str(path)


def test_a_mesh_is_driven_into_seen_and_told(pyramids: str) -> None:
    with Trial(Pioneer3atSimulator, world=pyramids, noise=0.0, start=(3.0, 0.0, 0.0)) as trial:
        trial.tick()
        scan = trial.sent("laser")[-1]
        assert scan.points[np.argmin(np.abs(scan.points[:, 1])), 3] < 3.0
        told = parse_world(trial.sent("true_world")[0].data.encode(), Path("sent.sdf"))
        assert [solid.kind for solid in told.solids] == ["plane", "mesh"]
        drive(trial, 5.0, Twist.planar(0.6, 0.0), "twist")
        assert json.loads(trial.sent("collision")[0].data)["with"] == "pyramid"


def test_a_vehicle_starts_on_ground_that_leans_and_gps_knows_where_x_points(pyramids: str) -> None:
    with Trial(RaptorSimulator, world=pyramids, noise=0.0, start=(-10.0, 5.0, 0.0)) as trial:
        trial.tick()
        x, y, z, _, pitch, _ = last_pose(trial)
        assert (x, y) == pytest.approx((-10.0, 5.0), abs=0.15)
        assert z == pytest.approx(x / 10, abs=0.05) and pitch == pytest.approx(-math.atan(0.1), abs=0.01)
        fix = trial.sent("gps")[-1]
        assert (fix.latitude_deg - 50.29) * 111_200 == pytest.approx(x, abs=1.0)  # x points north here
        assert (fix.longitude_deg + 111.1) * 71_150 == pytest.approx(-y, abs=0.5)


@pytest.mark.parametrize(("name", "value"), [("world", "nowhere"), ("start", (9.5, 0.0, 0.0)), ("start", (1.0,))])
def test_what_is_refused_while_it_runs_changes_nothing(yard: str, name: str, value: Any) -> None:
    with Trial(RaptorSimulator, world=yard, noise=0.0) as trial:
        drive(trial, 1.0, FORWARD)
        before, worlds = last_pose(trial), trial.sent("true_world")
        with pytest.raises(SimError):
            trial.set(name, value)
        drive(trial, 0.1, FORWARD)
        assert last_pose(trial)[0] == pytest.approx(before[0] + 0.15, abs=0.1)
        assert trial.sent("true_world") == worlds and len(worlds) == 1


def test_activated_anew_it_begins_where_it_began(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard, noise=0.0) as trial:
        trial.tick()
        first = last_pose(trial)
        drive(trial, 1.0, FORWARD)
        assert last_pose(trial)[0] > first[0] + 0.5
        trial.component.on_clock_jump()
        trial.component.on_deactivate()
        trial.component.on_activate()
        trial.tick()
        assert last_pose(trial) == first and trial.sent("odometry")[-1].position.tolist() == [0.0, 0.0, 0.0]


def test_noise_is_as_large_as_the_body_says(yard: str) -> None:
    with Trial(Pioneer2dxSimulator, world=yard, start=(7.0, 0.0, 0.0)) as trial:
        drive(trial, 3.0, Twist(), "twist")
        middle = [scan.points[np.argmin(np.abs(scan.points[:, 1])), 3] for scan in trial.sent("laser")]
        assert 0.005 < float(np.std(middle)) < 0.02


def test_a_collision_is_told_once_and_felt_by_the_bumper(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard, start=(5.0, 0.0, 0.0)) as trial:
        drive(trial, 3.0, FORWARD)
        told = [json.loads(message.data) for message in trial.sent("collision")]
        assert [(each["shape"], each["with"]) for each in told] == [("Raptor.bumper", "wall")]
        assert told[0]["speed_m_s"] > 0.2
        assert trial.sent("front_touch")[-1].data == 1.0 and trial.sent("front_touch")[0].data == 0.0
        assert last_pose(trial)[0] + 2.45 < 10.1


def test_a_vehicle_stops_when_nobody_tells_it_anything(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard, start=(-20.0, 0.0, 0.0)) as trial:
        drive(trial, 1.5, FORWARD)
        assert trial.sent("odometry")[-1].twist.speed_m_s == pytest.approx(2.0, abs=0.05)
        for _ in range(120):
            trial.tick()
        assert trial.sent("odometry")[-1].twist.speed_m_s == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("simulator", "turned", "believed"), [(Pioneer2dxSimulator, 1.9, 1.9), (Pioneer3atSimulator, 1.1, 1.9)]
)
def test_a_pioneer_turns_on_the_spot(yard: str, simulator: type[Simulator], turned: float, believed: float) -> None:
    """With skid steering the wheels are dragged sideways: it turns less than its wheels tell."""
    with Trial(simulator, world=yard, noise=0.0) as trial:
        drive(trial, 2.0, Twist.planar(0.0, 1.0), "twist")
        x, y, _, _, _, yaw = last_pose(trial)
        assert yaw == pytest.approx(turned, abs=0.15) and math.hypot(x, y) < 0.15  # its laser is heavy
        assert trial.sent("odometry")[-1].yaw_rad == pytest.approx(believed, abs=0.15)


@pytest.mark.must_not_flake
def test_the_same_seed_gives_the_same_bytes_and_another_one_others(yard: str) -> None:
    def sent(seed: int) -> list[bytes]:
        with Trial(RaptorSimulator, world=yard) as trial:
            trial.component.random = np.random.default_rng(seed)
            drive(trial, 1.0, Velocity(speed_m_s=3.0, steering_angle_rad=0.2))
            return [encode(message) for port in ("pose", "left_laser", "imu") for message in trial.sent(port)]

    first = sent(1)
    assert first == sent(1)
    assert first != sent(2)


def test_going_back_to_a_checkpoint_repeats_everything(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard, noise=0.0) as trial:
        drive(trial, 1.05, FORWARD)
        state, now_ns = trial.component.save_state(), trial.now_ns

        def go_on() -> list[bytes]:
            before = {port: len(trial.sent(port)) for port in ("pose", "left_laser", "odometry", "imu")}
            drive(trial, 1.0, Velocity(speed_m_s=1.0, steering_angle_rad=-0.2))
            return [encode(message) for port, count in before.items() for message in trial.sent(port)[count:]]

        first = go_on()
        trial.component.load_state(state)
        trial.now_ns = now_ns
        assert go_on() == first


def test_a_vehicle_inside_a_block_is_refused(yard: str) -> None:
    with pytest.raises(SimError, match=r"Raptor would be inside wall at \(9, 0\)"):
        Trial(RaptorSimulator, world=yard, start=(9.0, 0.0, 0.0)).__enter__()
    with pytest.raises(SimError, match="start has 2 numbers for 1 vehicle"):
        Trial(RaptorSimulator, world=yard, start=(9.0, 0.0)).__enter__()


def test_the_raptor_follows_the_ground_up_and_down() -> None:
    with Trial(RaptorSimulator, world="slopes:2", noise=0.0) as trial:
        drive(trial, 6.0, Velocity(speed_m_s=3.0))
        x, y, z, *_ = last_pose(trial)
        assert x > -30.0 + 14.0
        assert z == pytest.approx(trial.component._physics.world.height_at(x, y), abs=0.15)
        assert max(abs(pose.to_xyz_rpy()[4]) for pose in trial.sent("true_pose")) > 0.02
        assert trial.sent("collision") == []


class Two(Simulator):
    """Two Pioneers that meet."""

    vehicles = {"left": "pioneer_2dx", "right": "pioneer_2dx"}  # noqa: RUF012


def test_two_vehicles_share_a_world_and_can_meet(yard: str) -> None:
    assert {"left_command", "right_laser", "left_true_pose"} <= set(Two.__ports__)
    with Trial(Two, world=yard, start=(0.0, 0.0, 0.0, 1.5, 0.0, math.pi)) as trial:
        drive(trial, 3.0, Twist.planar(0.5, 0.0), "left_twist")
        assert [json.loads(told.data)["with"] for told in trial.sent("left_collision")] == ["right"]
        assert [json.loads(told.data)["with"] for told in trial.sent("right_collision")] == ["left"]
        assert trial.sent("left_laser")[-1].frame == "left_Laser:ScanOrigin"
        assert trial.sent("right_true_pose")[-1].child_frame == "right_Pioneer2DX"
        odometry = trial.sent("left_odometry")[-1]
        assert (odometry.frame, odometry.child_frame) == ("left_odom", "left_Pioneer2DX")
        assert all(name.startswith("right_") for name in trial.sent("right_joints")[-1].names)
        assert any(message.data for message in trial.sent("left_touch"))
    with pytest.raises(SimError, match="would be inside"):
        Trial(Two, world=yard, start=(0.0, 0.0, 0.0, 0.1, 0.0, 0.0)).__enter__()
    with pytest.raises(SimError, match="no place start_left"):
        Trial(Two, world=yard).__enter__()


def test_wheels_roll_about_one_point() -> None:
    driving = Driving(RaptorSimulator.models[""])
    told = driving.servos(driving.wanted(2.0, 0.4))
    left, right = (told[piece] for piece in driving.steered)
    assert left > 0.4 > right > 0
    centre = 1.93 / math.tan(0.4)
    for piece, angle in zip(driving.steered, (left, right), strict=True):
        x, y = driving.at[piece]
        assert math.tan(angle) == pytest.approx(x / (centre - y))


def test_what_devices_send_is_as_if_each_message_had_been_checked(yard: str) -> None:
    with Trial(RaptorSimulator, world=yard) as trial:
        drive(trial, 0.2, FORWARD)
        for port in ("pose", "imu", "left_laser", "odometry", "joints"):
            sent = trial.sent(port)[-1]
            assert type(sent)(**vars(sent)) == sent, port
            arrays = [value for value in vars(sent).values() if isinstance(value, np.ndarray)]
            assert arrays and all(each.flags.c_contiguous and not each.flags.writeable for each in arrays), port
            assert all(each.dtype == vars(type(sent)())[name].dtype for name, each in vars(sent).items()
                       if isinstance(each, np.ndarray)), port  # fmt: skip
