"""Against a real server of Gazebo Fortress, with its physics."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.messages import Twist
from studio.runtime.gazebo import devices
from studio.runtime.gazebo.connections.spawning import check_vehicle, replace_vehicle, spawn_vehicle
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.modern_server import ModernServer
from studio.runtime.gazebo.server import GazeboError, Placement, Scope
from studio.runtime.trial import Trial
from tests.runtime.gazebo.conftest import Fortress
from tests.waiting import await_true

pytestmark = [pytest.mark.gazebo, pytest.mark.timeout(600)]
PATIENCE_S = 60.0
PLUGINS = {"physics": "Physics", "user-commands": "UserCommands", "scene-broadcaster": "SceneBroadcaster",
           "imu": "Imu", "navsat": "NavSat", "contact": "Contact"}  # fmt: skip
LATITUDE_DEG, LONGITUDE_DEG = 50.0, -111.0
WORLD = f"""<sdf version="1.8"><world name="meadow">
<physics name="exact" type="ode"><max_step_size>0.001</max_step_size><real_time_factor>1</real_time_factor></physics>
<spherical_coordinates><surface_model>EARTH_WGS84</surface_model><world_frame_orientation>ENU</world_frame_orientation>
  <latitude_deg>{LATITUDE_DEG}</latitude_deg><longitude_deg>{LONGITUDE_DEG}</longitude_deg>
  <elevation>700</elevation><heading_deg>0</heading_deg></spherical_coordinates>
{
    "".join(
        f'<plugin filename="ignition-gazebo-{file}-system" name="ignition::gazebo::systems::{name}"/>'
        for file, name in PLUGINS.items()
    )
}
<model name="ground"><static>true</static><link name="link"><collision name="plane"><geometry>
  <plane><normal>0 0 1</normal><size>200 200</size></plane></geometry></collision></link></model>
</world></sdf>"""


@pytest.fixture(scope="module")
def log(fortress: Fortress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Of a server that runs, in a partition of this module."""
    folder = tmp_path_factory.mktemp("fortress")
    (folder / "meadow.sdf").write_text(WORLD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IGN_IP", "127.0.0.1")
        patch.setenv("IGN_PARTITION", f"fortress-{os.getpid()}")
        command, environment = fortress(folder / "meadow.sdf")
        with (folder / "log").open("wb") as output:
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        yield folder / "log"
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[ModernServer]:
    with Node() as node:
        made = ModernServer(node, "meadow")
        await_true(made.is_there, "the world", PATIENCE_S)
        made.pause(True)
        yield made
        made.close()


def test_pause_and_steps_are_exact(server: ModernServer) -> None:
    before = server.statistics()
    for count in (1, 100, 7):
        server.step(count)
    after = server.statistics()
    assert after.iterations - before.iterations == 108
    assert after.sim_time_ns - before.sim_time_ns == 108_000_000
    assert after.is_paused


def test_vehicles_are_spawned_agree_and_are_replaced(server: ModernServer, log: Path) -> None:
    """The three that ship."""
    for number, name in enumerate(("raptor", "pioneer_2dx", "pioneer_3at")):
        spawn_vehicle(server, name, None, 3.0, 5.0 * number, 0.0)
        spawn_vehicle(server, name, None, 9.0, 9.0, 0.0)
        assert server.entities()[name].position_m[:2] == pytest.approx((3.0, 5.0 * number), abs=0.01)
        assert check_vehicle(server, name, name, None) == []
    server.move("pioneer_3at", Placement((-5.0, 0.0, 0.1)))
    assert server.entities()["pioneer_3at"].position_m == pytest.approx((-5.0, 0.0, 0.1), abs=0.01)
    replace_vehicle(server, "pioneer_3at", "pioneer_3at", None)
    assert server.entities()["pioneer_3at"].position_m == pytest.approx((-5.0, 0.0, 0.1), abs=0.01)
    server.delete("pioneer_3at")
    assert "pioneer_3at" not in server.entities()
    with pytest.raises(GazeboError, match="there is no model pioneer_3at"):
        server.delete("pioneer_3at")
    assert not re.findall("Asked to construct a joint.*", log.read_text(errors="replace")), "every joint can turn"


def test_a_vehicle_drives_to_the_left_and_its_devices_tell(server: ModernServer) -> None:
    where = {"server": f"gz:{os.environ['IGN_PARTITION']}/meadow"}
    sensors = "/world/meadow/model/raptor/link"
    server.pause(False)
    with (
        Trial(devices.GazeboDrive, device="/model/pioneer_2dx/cmd_vel", **where) as drive,
        Trial(devices.GazeboPose, device="/model/pioneer_2dx/odometry", **where) as odometry,
        Trial(devices.GazeboPose, device="/world/meadow/pose/info", model="raptor", **where) as poses,
        Trial(devices.GazeboImu, device=f"{sensors}/Imu/sensor/motion/imu", **where) as imu,
        Trial(devices.GazeboGps, device=f"{sensors}/Gps/sensor/fix/navsat", **where) as gps,
    ):

        def has_turned() -> bool:
            drive.send("twist", Twist.planar(0.4, 0.5))
            told = odometry.sent("odometry")
            return bool(told) and told[-1].position[0] > 0.3 and told[-1].yaw_rad > 0.5

        await_true(has_turned, "forward and to the left", PATIENCE_S)
        await_true(lambda: imu.sent("imu") and gps.sent("fix") and poses.sent("pose"), "its sensors", PATIENCE_S)
        assert 8.0 < imu.sent("imu")[-1].linear_acceleration[2] < 12.0
        at_m, fix = poses.sent("pose")[-1].matrix[:3, 3], gps.sent("fix")[-1]
        assert (fix.latitude_deg - LATITUDE_DEG) * 111_240 == pytest.approx(at_m[1], abs=1.5)
        assert (fix.longitude_deg - LONGITUDE_DEG) * 71_700 == pytest.approx(at_m[0], abs=1.5)
    server.pause(True)


def test_a_reset_starts_time_again(server: ModernServer) -> None:
    server.step(2000)
    server.reset(Scope.ALL)
    after = server.statistics()
    assert after.iterations < 100 and after.is_paused
