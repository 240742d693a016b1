"""Against a real gzserver of Gazebo classic 11."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import psutil
import pytest

from studio.runtime.gazebo.classic.client import Connected, Lost, State
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.connections.address import Address
from studio.runtime.gazebo.connections.finding import greet
from studio.runtime.gazebo.connections.link import Link
from studio.runtime.gazebo.connections.spawning import sdf_of
from studio.runtime.gazebo.debian_tree import NoTree, Tree
from studio.runtime.gazebo.gz_messages import messages_in_classic
from studio.runtime.gazebo.local_classic import LocalClassic, install
from studio.runtime.gazebo.server import GazeboError, Placement, Scope
from tests.cli.running import Studio
from tests.runtime.gazebo.embedded_definitions import definitions_in, wrong_in
from tests.waiting import await_true

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


def test_the_tables_agree_with_the_definitions_in_the_server_s_libraries(tree: Tree) -> None:
    """Those of Gazebo itself, and those by which its joints hear their targets."""
    folder = tree.root / "usr/lib/x86_64-linux-gnu"
    wrong = []
    for schema, pattern in (
        (classic_messages(), "libgazebo_msgs.so.*"),
        (messages_in_classic(), "libignition-msgs*.so.*"),
    ):
        known = definitions_in(next(file for file in sorted(folder.glob(pattern)) if not file.is_symlink()))
        assert len(known) > 60
        for name in schema.names():
            wrong += wrong_in(schema.descriptor(name), name, known)
    assert wrong == []


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


def test_a_vehicle_agrees_with_its_assembly_until_it_is_changed(server: ClassicServer, studio: Studio) -> None:
    """Spawned by its name, compared, replaced by another with a shorter laser, and mended."""
    where = ("--server", f"127.0.0.1:{server.client.port}")
    assert studio("gazebo", "spawn", "raptor", "raptor", "--at", "20", "0", "0", *where).status == 0
    assert studio("gazebo", "check", "raptor", "--json", *where).json == {"agrees": True, "mismatches": []}
    server.pause(False)
    server.delete("raptor")
    worn = sdf_of("raptor", "raptor", None, is_classic=True).replace("<max>15.0</max>", "<max>8.0</max>", 1)
    server.spawn("raptor", worn, Placement((20.0, 0.0, 0.0)))
    server.pause(True)
    differs = studio("gazebo", "check", "raptor", *where)
    assert differs.status == 1
    assert "range_max_m is 8 on the server, 15 in the assembly" in differs.out
    assert studio("gazebo", "check", "raptor", "--fix", *where).status == 0
    assert server.statistics().is_paused
    assert server.entities()["raptor"].position_m[0] == pytest.approx(20.0, abs=0.2)


def test_clients_that_leave_do_not_stop_the_answers_to_others(server: ClassicServer) -> None:
    """A server sends nothing more on a topic when it has lost a receiver in the middle of a message."""
    server.spawn("raptor", sdf_of("raptor", "raptor", None, is_classic=True), Placement((20.0, 0.0, 0.0)))
    over, failures = threading.Event(), list[GazeboError]()

    def ask() -> None:
        while not over.is_set() and not failures:
            try:
                server.world_sdf()
            except GazeboError as error:
                failures.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    for _ in range(12):
        other = ClassicServer(port=server.client.port)
        assert "raptor" in other.world_sdf()
        other.close()
    over.set()
    asking.join()
    assert failures == []
    server.delete("raptor")


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


@pytest.mark.soak
def test_twenty_restarts_keep_what_is_watched(start: Start) -> None:
    """From a server that answers to the first message on a topic that was watched before. `-s` shows how long."""
    local = start()
    link = Link(Address(port=local.port), lambda line: None)
    took = []
    try:
        await_true(lambda: link.is_connected, "the server")
        link.want({"~/model/info", "~/gui"})
        await_true(lambda: link.watched("~/gui") is not None, "the topic")
        before = set(link._watched)
        for _ in range(20):
            local.process.kill()
            local.process.wait()
            await_true(lambda: not link.is_connected, "the loss")
            count = link.watched("~/world_stats").rate.count
            local = start()
            await_true(lambda: not greet(link.address).why_not, "the server that is ready", PATIENCE_S)
            ready = time.monotonic()
            await_true(lambda: link.watched("~/world_stats").rate.count > count, "its messages", PATIENCE_S)  # noqa: B023
            took.append(time.monotonic() - ready)
            assert set(link._watched) == before
        print(f"\nconnected again after {max(took):.2f} s at most, {sorted(took)[len(took) // 2]:.2f} s in the middle")
    finally:
        link.close()
