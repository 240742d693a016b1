"""Against a real gzserver of Gazebo classic 11."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import psutil
import pytest

from studio.runtime.gazebo.classic.client import Connected, Lost, State
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.debian_tree import NoTree, Tree
from studio.runtime.gazebo.local_classic import LocalClassic, install
from studio.runtime.gazebo.server import GazeboError, Placement, Scope

pytestmark = [pytest.mark.gazebo, pytest.mark.timeout(600)]

BOX = """<sdf version="1.6"><model name="box"><link name="body">
  <inertial><mass>1</mass></inertial>
  <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>
</link></model></sdf>"""
PATIENCE_S = 30.0

Start = Callable[[], LocalClassic]


@pytest.fixture(scope="module")
def tree() -> Tree:
    try:
        return install()
    except NoTree as none:
        pytest.skip(f"Gazebo classic cannot be had here: {none}")


@pytest.fixture(scope="module")
def start(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    world = tree.root / "usr/share/gazebo-11/worlds/empty.world"
    started: list[LocalClassic] = []

    def start_one() -> LocalClassic:
        started.append(LocalClassic.start(tree, world, tmp_path_factory.mktemp("gazebo"), port=port))
        return started[-1]

    yield start_one
    for each in started:
        each.stop()


@pytest.fixture(scope="module")
def local(start: Start) -> LocalClassic:
    return start()


@pytest.fixture(scope="module")
def states() -> SimpleQueue[State]:
    return SimpleQueue()


@pytest.fixture(scope="module")
def server(local: LocalClassic, states: SimpleQueue[State]) -> Iterator[ClassicServer]:
    server = ClassicServer(port=local.port, changed=states.put)
    server.pause(True)
    yield server
    server.close()


def test_a_server_listens_on_loopback_only(local: LocalClassic, server: ClassicServer) -> None:
    listeners = [each for each in psutil.Process(local.process.pid).net_connections("tcp") if each.status == "LISTEN"]
    assert len(listeners) >= 2
    assert {each.laddr.ip for each in listeners} == {"127.0.0.1"}


def test_pause_and_steps_are_exact(server: ClassicServer) -> None:
    before = server.statistics()
    assert before.is_paused
    for count in (1, 100, 7):
        server.step(count)
    after = server.statistics()
    assert after.iterations - before.iterations == 108
    assert after.sim_time_ns - before.sim_time_ns == 108_000_000
    server.pause(False)
    assert not server.statistics().is_paused
    with pytest.raises(GazeboError, match="the world is running"):
        server.step(1)
    server.pause(True)


def test_a_model_is_spawned_moved_and_deleted(server: ClassicServer) -> None:
    server.spawn("box", BOX, Placement((1.0, 2.0, 0.5)))
    assert server.entities()["box"].position_m == pytest.approx((1.0, 2.0, 0.5))
    server.spawn("box", BOX, Placement((9.0, 9.0, 9.0)))
    assert server.entities()["box"].position_m == pytest.approx((1.0, 2.0, 0.5)), "a second spawn changes nothing"
    server.move("box", Placement((-3.0, 0.0, 0.5)))
    assert server.entities()["box"].position_m == pytest.approx((-3.0, 0.0, 0.5))
    server.delete("box")
    assert "box" not in server.entities()
    with pytest.raises(GazeboError, match="there is no model box"):
        server.delete("box")


def test_a_reset_starts_time_again(server: ClassicServer) -> None:
    server.step(50)
    server.reset(Scope.ALL)
    assert server.statistics().sim_time_ns < 50_000_000


def test_after_a_restart_everything_is_connected_again(
    start: Start, local: LocalClassic, server: ClassicServer, states: SimpleQueue[State]
) -> None:
    """Last, as it ends the shared server."""
    for _ in range(2):
        while not states.empty():
            states.get()
        local.process.kill()
        local.process.wait()
        assert isinstance(states.get(timeout=PATIENCE_S), Lost)
        local = start()
        while not isinstance(states.get(timeout=PATIENCE_S), Connected):
            pass
        assert server.statistics().iterations >= 0
        server.pause(True)
        server.step(10)
