"""The list of servers and one connection: against peers of our own and a real gzserver."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from studio.runtime.gazebo.connections.address import Address, Family, ProfileBook
from studio.runtime.gazebo.connections.connections import AVAILABLE, Connections, Row
from studio.runtime.gazebo.connections.finding import greet
from studio.runtime.gazebo.connections.link import Phase
from studio.runtime.gazebo.connections.local import LocalServer, free_port, installed_servers, prepare
from studio.runtime.gazebo.gz_transport.multicast import Network
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.gz_transport.place import Place
from studio.runtime.gazebo.gz_transport.services import Reply
from studio.runtime.gazebo.server import Placement
from tests.waiting import await_true

BOX = """<sdf version="1.6"><model name="box"><link name="body">
  <inertial><mass>1</mass></inertial>
  <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>
</link></model></sdf>"""
WHAT = "the servers"


@pytest.fixture
def quiet_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discovery of this test alone, on loopback."""
    for name in ("MSG", "SRV"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.bind(("127.0.0.1", 0))
            monkeypatch.setenv(f"GZ_DISCOVERY_{name}_PORT", str(udp.getsockname()[1]))
    monkeypatch.setenv("GZ_IP", "127.0.0.1")
    monkeypatch.setenv("GZ_PARTITION", f"test-{uuid.uuid4().hex[:8]}")


@pytest.fixture
def connections(tmp_path: Path, quiet_ports: None) -> Iterator[Connections]:
    made = Connections(ProfileBook(tmp_path / "servers.json"))
    yield made
    made.close()


def row_of(connections: Connections, address: Address) -> Row:
    return next(each for each in connections.rows() if each.address == address)


def state_of(connections: Connections, address: Address) -> str:
    return next((each.phase for each in connections.rows() if each.address == address), "")


def test_a_kept_server_that_is_away_says_why(connections: Connections) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = Address(port=free.getsockname()[1])
    connections.keep("night tests", address)
    await_true(lambda: "refused" in row_of(connections, address).words, WHAT)
    row = row_of(connections, address)
    assert (row.name, row.phase, row.is_kept) == ("night tests", Phase.LOST, True)
    link = connections.connect(address)
    await_true(lambda: link.state.phase is Phase.LOST, WHAT)
    assert "no server listens there" in row_of(connections, address).words
    connections.disconnect(address)
    connections.forget(address)
    assert all(each.address != address for each in connections.rows())


def test_another_program_at_the_address_is_told_from_gazebo() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.listen()
        address = Address(port=other.getsockname()[1])
        assert greet(address).why_not == "it does not answer"
        accepted, _ = other.accept()
        accepted.close()


def test_modern_servers_with_the_same_world_are_told_apart_and_found_again(connections: Connections) -> None:
    """Worlds of two partitions, by peers that offer what a server offers."""
    partitions = [f"{uuid.uuid4().hex[:6]}:{name}" for name in ("lab", "field")]
    network = Network.of_environment()
    nodes = [Node(Place(network, partition)) for partition in partitions]
    addresses = [Address.modern(partition, "shapes") for partition in partitions]
    try:
        for node in nodes:
            node.provide("/world/shapes/control", "gz.msgs.WorldControl", "gz.msgs.Boolean", lambda _: Reply(True, b""))
        await_true(lambda: {state_of(connections, each) for each in addresses} == {AVAILABLE}, WHAT)
        link = connections.connect(addresses[0])
        await_true(lambda: link.is_connected, WHAT)
        assert state_of(connections, addresses[1]) == AVAILABLE
        link.want({"/scan"})
        nodes[0].close()
        await_true(lambda: link.state.phase is Phase.RECONNECTING, WHAT)
        assert "it ended" in row_of(connections, addresses[0]).words
        nodes[0] = Node(Place(network, partitions[0]))
        nodes[0].provide("/world/shapes/control", "gz.msgs.WorldControl", "gz.msgs.Boolean", lambda _: Reply(True, b""))
        publish = nodes[0].advertise("/scan", "gz.msgs.LaserScan")
        await_true(lambda: link.is_connected, WHAT)

        def came() -> bool:
            publish(b"")
            watched = link.watched("/scan")
            return watched is not None and watched.rate.count > 0

        await_true(came, WHAT)
    finally:
        for node in nodes:
            node.close()


Start = Callable[[int], LocalServer]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    own = next((each for each in installed_servers() if each.is_own), None)
    if own is None:
        pytest.skip("Gazebo classic is not installed: make test-gazebo installs it")
    world = own.program.parents[2] / "usr/share/gazebo-11/worlds/empty.world"
    started: list[LocalServer] = []

    def one(port: int) -> LocalServer:
        started.append(LocalServer(prepare(own, world, tmp_path / f"server{len(started)}", port)))
        return started[-1]

    yield one
    for each in started:
        each.stop()


@pytest.mark.gazebo
@pytest.mark.timeout(300)
def test_two_real_servers_with_one_world_and_a_loss_that_keeps_everything(
    connections: Connections, start: Start
) -> None:
    first, second = (Address(port=free_port(port)) for port in (11500, 11600))
    server, other = start(first.port), start(second.port)
    connections.add(first)
    connections.add(second)
    await_true(lambda: {state_of(connections, each) for each in (first, second)} == {AVAILABLE}, WHAT)
    await_true(lambda: all(row_of(connections, each).name == "default" for each in (first, second)), WHAT)
    rows = [row_of(connections, each) for each in (first, second)]
    assert [row.name for row in rows] == ["default", "default"]
    assert len({row.facts for row in rows}) == 2, "the same world, told apart by the address"
    assert "classic 11.1" in rows[0].facts

    link = connections.connect(first)
    assert link.address.family is Family.CLASSIC
    await_true(lambda: bool(link.models()) and link.physics is not None, WHAT)
    connections.disconnect(second)
    answers: list[str] = []
    link.ask("box", "spawned", lambda each: each.spawn("box", BOX, Placement((1.0, 2.0, 0.5))), answers.append)
    await_true(lambda: any(each.name == "box" for each in link.models()), WHAT)
    await_true(lambda: link.home("box") is not None, WHAT)
    link.ask("box", "moved", lambda each: each.move("box", Placement((-3.0, 0.0, 0.5))), answers.append)
    link.ask("box", "moved", lambda each: each.move("none", Placement()), answers.append)
    link.ask("server", "slower", lambda each: each.set_speed(0.25), answers.append)
    await_true(lambda: len(answers) == 4, WHAT)
    assert answers == ["", "", "there is no model none", ""]
    await_true(lambda: link.physics is not None and link.physics.speed == pytest.approx(0.25), WHAT)
    await_true(lambda: bool(link.factors()) and link.factors()[-1].value < 0.5, WHAT)

    link.want({"~/model/info"})
    await_true(lambda: link.watched("~/model/info") is not None, WHAT)
    before = set(link._watched)
    server.process.kill()
    await_true(lambda: link.state.phase is Phase.RECONNECTING, WHAT)
    assert server.why_ended == "The server was ended by signal 9"
    link.ask("box", "deleted", lambda each: each.delete("box"), answers.append)
    await_true(lambda: len(answers) == 5, WHAT)
    assert "not connected" in answers[-1], "refused at once, and nobody waits"
    row = row_of(connections, first)
    assert row.words.startswith(("it closed the connection", "it ended without", "no server listens there"))
    start(first.port)
    await_true(lambda: link.is_connected, WHAT)
    count = link.watched("~/world_stats").rate.count
    await_true(lambda: link.watched("~/world_stats").rate.count > count, WHAT)
    assert set(link._watched) == before
    words = [line.words for line in connections.lines()]
    assert any(each.startswith("lost: ") for each in words)
    assert any(each.startswith("back after") for each in words)
    listening = [each for each in psutil.Process(other.process.pid).net_connections("tcp") if each.status == "LISTEN"]
    assert {each.laddr.ip for each in listening} == {"127.0.0.1"}
