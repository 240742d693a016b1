"""Addresses, kept profiles, rates, outlines and the mapping of topics to ports: without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.loaded_project import open_project
from studio.paths import project_roots
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.connections.address import Address, AddressError, ProfileBook
from studio.runtime.gazebo.connections.finding import is_server, port_of
from studio.runtime.gazebo.connections.mapping import (
    MappingError,
    Port,
    fitting,
    load_choices,
    match,
    ports_of,
    save_choices,
)
from studio.runtime.gazebo.connections.rates import Rate
from studio.runtime.gazebo.connections.scene import models_of
from studio.runtime.gazebo.server import Topic


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.0.4.21:11346", Address(host="10.0.4.21", port=11346)),
        ("11346", Address(port=11346)),
        ("field-laptop", Address(host="field-laptop")),
        (":11346", Address(port=11346)),
        ("gz:lab:robots/shapes", Address.modern("lab:robots", "shapes")),
    ],
)
def test_an_address_is_read_and_written(text: str, address: Address) -> None:
    assert Address.parse(text) == address
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize("text", ["a:b", "host:0", "host:70000", "two words:1", "gz:only", "gz:/world"])
def test_text_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError):
        Address.parse(text)


def test_profiles_are_kept_renamed_and_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "servers.json"
    book = ProfileBook(file)
    lab, field = Address(host="10.0.0.1"), Address.modern("field:ugv", "hills")
    book.keep("lab", lab)
    book.keep("field", field)
    book.keep("lab bench", lab)
    assert [(each.name, each.address) for each in ProfileBook(file).all()] == [("field", field), ("lab bench", lab)]
    book.forget(field)
    assert [each.name for each in ProfileBook(file).all()] == ["lab bench"]
    with pytest.raises(AddressError):
        book.keep("  ", lab)


def test_a_damaged_file_of_profiles_is_put_aside(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    file.write_text('[{"name": "lab"}]')
    book = ProfileBook(file)
    assert "servers.damaged" in book.trouble
    book.keep("new", Address())
    assert (tmp_path / "servers.damaged").read_text() == '[{"name": "lab"}]'
    assert [each.name for each in ProfileBook(file).all()] == ["new"]


def test_a_rate_falls_to_zero_when_nothing_comes() -> None:
    rate = Rate()
    assert rate.hz(0) is None
    for number in range(100):
        rate.add(number * SECOND_NS // 40)
    now_ns = 99 * SECOND_NS // 40
    assert rate.hz(now_ns) == pytest.approx(40.0)
    assert rate.hz(now_ns + SECOND_NS) < 40.0
    assert rate.hz(now_ns + 10 * SECOND_NS) == 0.0
    assert rate.course(2 * SECOND_NS) == [40, 40]


def test_shapes_of_a_scene_are_outlined_in_the_frame_of_their_model() -> None:
    new = classic_messages().new
    pose = new("Pose", position=new("Vector3d", x=3), orientation=new("Quaternion", z=0.5**0.5, w=0.5**0.5))
    box = new("Geometry", type=1, box=new("BoxGeom", size=new("Vector3d", x=2, y=1, z=1)))
    link = new("Link", pose=pose, collision=[new("Collision", geometry=box)])
    scene = new("Scene", model=[new("Model", name="cart", link=[link], joint=[new("Joint", name="a")])])
    (model,) = models_of(scene)
    assert model.parts == "1 link, 1 joint"
    (outline,) = model.outlines
    assert sorted((round(x, 6), round(y, 6)) for x, y in outline) == [(2.5, -1), (2.5, 1), (3.5, -1), (3.5, 1)]


def test_only_the_server_itself_counts_as_a_server() -> None:
    assert is_server(["gzserver", "my.world"])
    assert is_server(["/x/lib/ld-2.31.so", "--library-path", "y", "/x/usr/bin/gzserver"])
    assert not is_server(["grep", "gzserver"])
    assert port_of({"GAZEBO_MASTER_URI": "http://127.0.0.1:11399"}) == 11399
    assert port_of({"GAZEBO_MASTER_URI": "http://host:what"}) == port_of({}) == 11345


RAPTOR = "raptor_blocks_world"
TOPICS = [
    Topic("~/raptor/left_laser/scan", "gazebo.msgs.LaserScanStamped"),
    Topic("~/raptor/right_laser/scan", "gazebo.msgs.LaserScanStamped"),
    Topic("~/pose/info", "gazebo.msgs.PosesStamped"),
    Topic("~/raptor/vel_cmd", "gazebo.msgs.Pose"),
    Topic("~/model/modify", "gazebo.msgs.Model"),
]


def ports() -> list[Port]:
    return ports_of(
        open_project(next(root / RAPTOR for root in project_roots() if (root / RAPTOR).is_dir())).system.sources
    )


def test_topics_find_the_ports_of_the_raptor_by_type_and_name() -> None:
    found = {str(each.port): (each.topic, each.how) for each in match(ports(), TOPICS, {})}
    assert found == {
        "platform.laser_left": ("~/raptor/left_laser/scan", "auto"),
        "platform.laser_right": ("~/raptor/right_laser/scan", "auto"),
        "platform.pose": ("~/pose/info", "auto"),
        "platform.command": ("~/raptor/vel_cmd", "auto"),
    }
    assert match(ports(), [], {})[0].how == "no topic of its type"


def test_a_choice_by_hand_is_kept_with_the_project(tmp_path: Path) -> None:
    choices = {"platform.laser_left": "~/raptor/right_laser/scan", "platform.pose": ""}
    save_choices(tmp_path, choices)
    assert load_choices(tmp_path) == choices
    found = {each.port.name: (each.topic, each.how) for each in match(ports(), TOPICS, load_choices(tmp_path))}
    assert found["laser_left"] == ("~/raptor/right_laser/scan", "by hand")
    assert found["laser_right"] == ("~/raptor/left_laser/scan", "auto"), "the other one is taken"
    assert found["pose"] == ("", "by hand")
    gone = match(ports(), TOPICS[:1], choices)[0]
    assert (gone.topic, gone.how) == ("~/raptor/right_laser/scan", "by hand")
    save_choices(tmp_path, {})
    assert not list(tmp_path.iterdir())
    (tmp_path / "gazebo.json").write_text("[]")
    with pytest.raises(MappingError):
        load_choices(tmp_path)


def test_what_can_be_chosen_has_the_right_type_and_the_nearest_first() -> None:
    left = next(each for each in ports() if each.name == "laser_left")
    assert [each.name for each in fitting(left, TOPICS)] == ["~/raptor/left_laser/scan", "~/raptor/right_laser/scan"]
