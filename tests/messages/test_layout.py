"""The table of layouts, held against its sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_typestore

import studio.messages
from studio.messages.layout import BUILTIN, Layout
from studio.messages.message_types import ros_layouts
from studio.messages.msg_file import read_msg_file

OWN = sorted((Path(studio.messages.__file__).parent / "msg").glob("*.msg"))
ROS = get_typestore(Stores.ROS2_JAZZY).fielddefs


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_layouts_are_those_of_ros_2(name: str) -> None:
    if name in ROS:
        assert ros_layouts(name)[name].fields == BUILTIN[name].fields
        assert constants(ros_layouts(name)[name]) >= constants(BUILTIN[name])
    else:
        assert name.startswith(("studio_msgs/", "ackermann_msgs/"))


def constants(layout: Layout) -> set[tuple[object, ...]]:
    return {tuple(constant) for constant in layout.constants}


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.stem)
def test_layouts_are_those_of_the_msg_files(file: Path) -> None:
    name = f"studio_msgs/msg/{file.stem}"
    layout, _ = read_msg_file(file, name)
    assert layout == BUILTIN[name]


def test_every_own_type_has_its_file() -> None:
    own = {name.rpartition("/")[2] for name in BUILTIN if name.startswith("studio_msgs/")}
    assert own == {file.stem for file in OWN}
