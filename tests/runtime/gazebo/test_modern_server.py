"""A world of gz-transport's C++ library, with the services that a server of Fortress has."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from studio.editor.gazebo.controls import Controls
from studio.editor.look.theme import LIGHT
from studio.runtime.gazebo.agreement import check
from studio.runtime.gazebo.connections.address import Address
from studio.runtime.gazebo.connections.link import Line, Link, Phase
from studio.runtime.gazebo.connections.spawning import check_vehicle, spawn_vehicle
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.modern_server import ModernServer
from studio.runtime.gazebo.server import Feature, GazeboError, Placement, Scope
from tests.cli.running import Studio
from tests.runtime.gazebo.conftest import Peer
from tests.waiting import await_true

pytestmark = [pytest.mark.gazebo, pytest.mark.timeout(120)]
BOX = "<sdf version='1.9'><model name='box'><link name='body'/></model></sdf>"


@pytest.fixture
def server(peer: Peer) -> Iterator[ModernServer]:
    peer("world", "shapes")
    with Node() as node:
        made = ModernServer(node, "shapes")
        await_true(made.is_there, "the world")
        yield made
        made.close()


def test_a_world_is_paused_stepped_and_reset_exactly(server: ModernServer) -> None:
    assert server.features == frozenset(Feature) - {Feature.RESET_TIME, Feature.RESET_POSES}
    with pytest.raises(GazeboError, match="the world is running"):
        server.step(1)
    server.pause(True)
    before = server.statistics()
    assert before.is_paused
    for count in (1, 100, 7):
        server.step(count)
    after = server.statistics()
    assert after.iterations - before.iterations == 108
    assert after.sim_time_ns - before.sim_time_ns == 108_000_000
    assert server.step_s() == pytest.approx(0.001)
    server.set_speed(2.0)
    server.spawn("box", BOX, Placement())
    server.reset(Scope.ALL)
    assert server.statistics().iterations == 0
    assert server.statistics().is_paused, "a reset does not let it run"
    assert "box" not in server.entities()
    with pytest.raises(GazeboError, match="cannot reset time alone"):
        server.reset(Scope.TIME)
    server.pause(False)
    assert not server.statistics().is_paused


def test_a_model_is_spawned_moved_and_deleted(server: ModernServer) -> None:
    for _ in range(2):
        server.spawn("box", BOX, Placement((1.0, 2.0, 0.5)))
    await_true(lambda: server.entities()["box"].position_m == (1.0, 2.0, 0.5), "the box")
    server.move("box", Placement((-3.0, 0.0, 0.5), (0.0, 0.0, 1.0, 0.0)))
    assert server.entities()["box"].position_m == (-3.0, 0.0, 0.5)
    with pytest.raises(GazeboError, match="the server refuses create"):
        server._call("create", "EntityFactory", name="box", sdf=BOX)
    server.delete("box")
    assert "box" not in server.entities()
    for act in (server.delete, lambda name: server.move(name, Placement())):
        with pytest.raises(GazeboError, match="there is no model box"):
            act("box")


def test_a_vehicle_agrees_with_its_assembly_until_somebody_changes_it(server: ModernServer) -> None:
    spawn_vehicle(server, "raptor", None, 1.0, 2.0, 0.0)
    assert check_vehicle(server, "raptor", "raptor", None) == []
    sdf = server.world_sdf().replace("<world name='shapes'>", "").replace("</world>", "")
    worn = sdf.replace("<max>15.0</max>", "<max>8.0</max>")
    assert worn != sdf
    assert any(
        "range_max_m is 15 on the server, 8 in the assembly" in each.words for each in check(server, "raptor", worn)
    )


def test_the_panel_s_link_has_models_and_verbs_and_finds_the_world_again(peer: Peer, qapp: object) -> None:
    first = peer("world", "shapes")
    lines: list[Line] = []
    link = Link(Address.modern(os.environ["IGN_PARTITION"], "shapes"), lines.append)
    try:
        await_true(lambda: {each.name for each in link.models()} == {"ground"}, "the models")
        assert link.models()[0].outlines
        controls = Controls(LIGHT)
        await_true(lambda: Feature.SPEED in link.features and link.statistics is not None, "the services")
        controls.show_link(link)
        assert controls.pause.isEnabled()
        assert [action.isEnabled() for action in controls.reset.menu().actions()] == [True, False, False]
        said: list[str] = []
        link.ask("box", "spawned", lambda each: each.spawn("box", BOX, Placement((4.0, 0.0, 0.0))), said.append)
        await_true(lambda: any(each.name == "box" for each in link.models()), "the box")
        assert said == [""]
        first.kill()
        await_true(lambda: link.state.phase is Phase.RECONNECTING, "the loss")
        peer("world", "shapes")
        await_true(lambda: link.is_connected, "the world again")
    finally:
        link.close()


def test_the_commands_steer_a_modern_world(peer: Peer, studio: Studio) -> None:
    peer("world", "shapes")
    server = ("--server", "gz:/shapes")
    assert studio("gazebo", "pause", *server).status == 0
    assert studio("gazebo", "spawn", "rover", "pioneer_2dx", "--at", "1", "2", "0", *server).status == 0
    told = studio("gazebo", "list", "--json", *server).json
    assert told["models"]["rover"]["position_m"] == [1.0, 2.0, 0.0]
    assert studio("gazebo", "step", "100", *server).status == 0
    agrees = studio("gazebo", "check", "rover", "--assembly", "pioneer_2dx", "--json", *server)
    assert agrees.json == {"agrees": True, "mismatches": []}
    assert studio("gazebo", "delete", "rover", *server).status == 0
    missing = studio("gazebo", "list", "--server", "gz:/nowhere")
    assert missing.status == 1
    assert "no server has the world nowhere" in missing.err
