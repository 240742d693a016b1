"""The set of types, and types that a project brings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rosbags.typesys import get_types_from_msg

from studio.errors import StudioError
from studio.messages import (
    Imu,
    Map,
    Message,
    MessageError,
    MessageTypes,
    PointCloud2,
    Range3d,
    Twist,
    decode,
    encode,
)
from studio.messages.message_types import package_name
from tests.messages.strategies import SHIPPED, messages_of, rosbags_bytes, store_for

Project = Callable[..., MessageTypes]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Types of a project `walker` with these message files: `project(Leg="float64 angle_rad")`."""

    def make(**files: str) -> MessageTypes:
        folder = tmp_path / "walker"
        (folder / "msg").mkdir(parents=True)
        for name, text in files.items():
            (folder / "msg" / f"{name}.msg").write_text(text, encoding="utf-8")
        return MessageTypes.builtin().with_folder(folder)

    return make


def test_types_are_found_by_short_name_and_by_schema() -> None:
    types = MessageTypes.builtin()
    assert types.get("Range3d") is Range3d
    assert types.find_schema("sensor_msgs/msg/PointCloud2") is Range3d
    assert types.find_schema("foo_msgs/msg/Bar") is None
    assert "Twist" in types
    assert "Twits" not in types
    assert types.names() == sorted(kind.TYPE for kind in SHIPPED)
    assert len(types) == len(SHIPPED)


def test_an_unknown_type_suggests_what_was_meant() -> None:
    with pytest.raises(StudioError, match="did you mean Range3d"):
        MessageTypes.builtin().get("range3D")
    with pytest.raises(StudioError, match=r"add a type as msg/Zebra\.msg"):
        MessageTypes.builtin().get("Zebra")


@pytest.mark.parametrize("kind", SHIPPED, ids=lambda kind: kind.TYPE)
def test_schema_text_is_complete_and_parses(kind: type[Message]) -> None:
    text = MessageTypes.builtin().schema_text(kind)
    parsed = get_types_from_msg(text, kind.SCHEMA_NAME)
    assert kind.SCHEMA_NAME in parsed
    for _, fields in parsed.values():
        for _, (node, detail) in fields:
            inner = detail[0] if int(node) in (3, 4) else (node, detail)
            assert int(inner[0]) == 1 or inner[1] in parsed


def test_schema_text_of_our_own_types_keeps_its_comments() -> None:
    text = MessageTypes.builtin().schema_text(Map)
    assert "# side of a cell" in text
    assert f"\n{'=' * 80}\nMSG: std_msgs/Header\n" in text


def test_a_project_without_types_has_those_of_studio(tmp_path: Path) -> None:
    types = MessageTypes.builtin()
    assert types.with_folder(tmp_path) is types
    assert types.with_folder(tmp_path / "absent") is types


WALKER = {
    "Leg": """\
# One leg.
uint8 FRONT=1
uint8 REAR=2
string UNITS="rad"
uint8 place 1
float64[3] angles_rad
float32 load_n 1.5
string<=8 label "left"
""",
    "Gait": """\
std_msgs/Header header
Leg[] legs
Leg[2] spares
Leg main
bool[<=4] contacts
bool[3] alarms
string[] notes
string[2] pair
string<=4[<=3] codes
int64 ticks
int8 small
uint16[] counts
builtin_interfaces/Duration period
geometry_msgs/Point[] path
geometry_msgs/Quaternion turn
geometry_msgs/Point32[2] corners
sensor_msgs/Imu imu
geometry_msgs/PoseStamped goal
studio_msgs/Map ground
byte raw
char letter
float64[] tail
""",
    "Nothing": "# a signal without content\n",
    "Keywords": "float64 lambda\nuint8 class\nbool verify\nstring TYPE\n",
    "Odd": """\
uint8 a
float64[2] b
uint8 c
uint16[3] d
uint8 e
float32[] f
uint8[] g
float64[] h
Leg[] i
uint8 j
""",
}


def test_a_message_file_becomes_a_class(project: Project) -> None:
    types = project(**WALKER)
    leg_class: Any = types.get("Leg")
    assert (leg_class.TYPE, leg_class.SCHEMA_NAME) == ("Leg", "walker/msg/Leg")
    assert (leg_class.FRONT, leg_class.REAR, leg_class.UNITS) == (1, 2, "rad")
    leg = leg_class(angles_rad=[1, 2, 3])
    assert (leg.place, leg.load_n, leg.label) == (1, 1.5, "left")
    gait = types.get("Gait")(frame="base", legs=[leg, leg], path=[[1, 2, 3]], period_ns=5)  # type: ignore[call-arg]
    assert decode(type(gait), encode(gait)) == gait


def test_friendly_forms_in_generated_classes(project: Project) -> None:
    gait: Any = project(**WALKER).get("Gait")()  # type: ignore[call-arg]
    assert (gait.stamp_ns, gait.frame, gait.period_ns) == (0, "", 0)
    assert gait.turn.tolist() == [0, 0, 0, 1]
    assert gait.path.shape == (0, 3)
    assert gait.corners.shape == (2, 3)
    assert gait.corners.dtype == np.float32
    assert type(gait.imu) is Imu
    assert type(gait.ground) is Map
    assert gait.goal.pose.position.tolist() == [0, 0, 0]
    assert len(gait.spares) == 2


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@pytest.mark.parametrize("name", sorted(WALKER))
@given(data=st.data())
def test_project_types_have_the_bytes_of_rosbags(name: str, data: Any, tmp_path_factory: Any) -> None:
    types, store = walker(tmp_path_factory)
    message = data.draw(messages_of(types.get(name)))
    if name == "Gait":  # rosbags packs `byte` as a signed number; in ROS 2 it is unsigned
        message = message.replace(raw=message.raw & 127)
    encoded = encode(message)
    assert encoded == rosbags_bytes(store, message)
    assert decode(type(message), encoded) == message
    assert decode(type(message), rosbags_bytes(store, message, little_endian=False)) == message


_walker: list[Any] = []


def walker(tmp_path_factory: Any) -> Any:
    if not _walker:
        folder = tmp_path_factory.mktemp("project") / "walker"
        (folder / "msg").mkdir(parents=True)
        for name, text in WALKER.items():
            (folder / "msg" / f"{name}.msg").write_text(text, encoding="utf-8")
        types = MessageTypes.builtin().with_folder(folder)
        _walker.append((types, store_for(types)))
    return _walker[0]


def test_names_that_are_taken_get_an_underscore(project: Project) -> None:
    message: Any = project(**WALKER).get("Keywords")(lambda_=1.5, class_=2, verify_=True, TYPE_="x")  # type: ignore[call-arg]
    assert message.TYPE == "Keywords"
    assert decode(type(message), encode(message)) == message


def test_damaged_bytes_of_a_project_type_are_refused_at_every_length(project: Project) -> None:
    types = project(**WALKER)
    leg: Any = types.get("Leg")
    gait = types.get("Gait")(legs=[leg()], notes=["a", "b"], path=[[1, 2, 3]], tail=[1.0])  # type: ignore[call-arg]
    data = encode(gait)
    for length in range(len(data)):
        with pytest.raises(MessageError):
            decode(type(gait), data[:length])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"label": "far too long"}, "Leg.label takes at most 8 bytes"),
        ({"label": "ööööö"}, "Leg.label takes at most 8 bytes"),
        ({"place": 256}, "Leg.place takes 0 to 255, got 256"),
        ({"angles_rad": [1, 2]}, "Leg.angles_rad needs float64 of shape"),
        ({"load_n": "x"}, "Leg.load_n"),
    ],
)
def test_limits_of_a_project_type_hold(project: Project, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        project(**WALKER).get("Leg")(**change)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"contacts": [True] * 5}, "Gait.contacts takes at most 4 elements, got 5"),
        ({"codes": ["a"] * 4}, "Gait.codes takes at most 3"),
        ({"codes": ["abcde"]}, "Gait.codes takes at most 4 bytes"),
        ({"pair": ["a"]}, "Gait.pair needs 2 elements, got 1"),
        ({"legs": [Twist()]}, "Gait.legs needs a Leg, got Twist"),
        ({"imu": 5}, "Gait.imu needs a Imu, got int"),
        ({"spares": []}, "Gait.spares needs 2 elements"),
    ],
)
def test_limits_of_nested_fields_hold(project: Project, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        project(**WALKER).get("Gait")(**change)


def test_bounds_hold_on_arrival_too(project: Project) -> None:
    types = project(Tight="string<=3 name\nuint8[<=2] values\nstring<=2[] names\n")
    tight: Any = types.get("Tight")
    data = encode(tight(name="abc", values=[1, 2], names=["ab"]))
    assert decode(tight, data) == tight(name="abc", values=[1, 2], names=["ab"])
    longer = data.replace(b"\4\0\0\0abc\0", b"\5\0\0\0abcd\0\0\0\0")
    with pytest.raises(MessageError, match="name: longer than the 3"):
        decode(tight, longer)
    with pytest.raises(MessageError, match="values: longer than the 2"):
        decode(tight, data.replace(b"\2\0\0\0\1\2\0\0", b"\3\0\0\0\1\2\0\0"))
    with pytest.raises(MessageError, match="names: a string is longer than 2"):
        decode(tight, data.replace(b"\3\0\0\0ab\0", b"\4\0\0\0abc\0"))


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("float64 a\nfloat64\n", 2, "not a field or constant"),
        ("float64 a\n\n# fine\nfloat64 b c d e\n", 4, "the default of b, 'c d e', does not fit"),
        ("float65 a\n", 1, "no message type walker/msg/float65"),
        ("float64 a\nfoo_msgs/Bar b\n", 2, "no message type foo_msgs/msg/Bar"),
        ("float64 a\nPont b\n", 2, "did you mean geometry_msgs/Point"),
        ("float64 a\nint8 b\nfloat64 a\n", 1, "a is declared twice"),
        ("wstring a\n", 1, "wstring is not supported; use string"),
        ("float64[0] a\n", 1, "1 to 1000000 elements"),
        ("uint8 b\nfloat64[4000000000] a\n", 2, "1 to 1000000 elements"),
        ("uint8 a 300\n", 1, "the default of a, 300, does not fit"),
        ("Bad b\n", None, "cannot contain itself"),
        ("std_msgs/Header header\nstring frame\n", 2, "rename one"),
        ("float64 a\n" + "=" * 80 + "\nMSG: a/B\nfloat64 b\n", 2, "not a field or constant"),
    ],
)
def test_a_bad_file_is_named_with_the_line(project: Project, text: str, line: int | None, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint) as caught:
        project(Bad=text)
    assert caught.value.file is not None
    assert caught.value.file.endswith("walker/msg/Bad.msg")
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("name", "complaint"), [("twist", "starts with a capital"), ("Twist", "is a type of Studio already")]
)
def test_bad_names_are_refused(project: Project, name: str, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        project(**{name: "float64 a\n"})


def test_a_file_that_is_no_text_is_refused(project: Project, tmp_path: Path) -> None:
    project(Fine="float64 a\n")
    (tmp_path / "walker/msg/Bad.msg").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MessageError, match="cannot be read"):
        MessageTypes.builtin().with_folder(tmp_path / "walker")


def test_messages_that_contain_each_other_are_refused(project: Project) -> None:
    with pytest.raises(MessageError, match="cannot contain itself: walker/msg/A in walker/msg/B in walker/msg/A"):
        project(A="B b\n", B="A a\n")


def test_messages_that_multiply_are_refused_quickly(project: Project) -> None:
    files = {"A0": "float64 a\n"} | {f"A{n}": "".join(f"A{n - 1} f{i}\n" for i in range(10)) for n in range(1, 9)}
    with pytest.raises(MessageError, match="more than 5000 fields"):
        project(**files)


def test_deep_nesting_ends_in_our_error(project: Project) -> None:
    files = {"A0": "float64 a\n"} | {f"A{n}": f"A{n - 1}[] f\n" for n in range(1, 40)}
    with pytest.raises(MessageError, match="nest at most 15 deep"):
        project(**files)


def test_fourteen_lists_in_lists_compile(project: Project) -> None:
    types = project(**({"A0": "float64 a\n"} | {f"A{n}": f"A{n - 1}[] f\n" for n in range(1, 15)}))
    message: Any = types.get("A0")(a=1.5)  # type: ignore[call-arg]
    for n in range(1, 15):
        message = types.get(f"A{n}")(f=[message])  # type: ignore[call-arg]
    assert decode(type(message), encode(message)) == message


def test_a_cloud_inside_a_project_type_is_a_general_cloud(project: Project) -> None:
    holder: Any = project(Holder="sensor_msgs/PointCloud2 cloud\n").get("Holder")
    assert type(holder().cloud) is PointCloud2


def test_windows_line_ends_and_missing_last_newline_are_fine(project: Project) -> None:
    assert project(Fine="float64 a\r\nfloat64 b").get("Fine")(a=1, b=2).replace(a=3) is not None  # type: ignore[call-arg]


def test_schema_text_of_a_project_type_refers_within_the_project(project: Project) -> None:
    types = project(**WALKER)
    text = types.schema_text(types.get("Gait"))
    assert "MSG: walker/Leg\n# One leg." in text
    parsed = get_types_from_msg(text, "walker/msg/Gait")
    assert {"walker/msg/Gait", "walker/msg/Leg", "geometry_msgs/msg/PoseStamped", "std_msgs/msg/Header"} <= set(parsed)


@pytest.mark.parametrize(
    ("folder", "package"),
    [("walker", "walker"), ("First Steps", "first_steps"), ("my-robot.2", "my_robot_2"), ("3legs", "project_3legs")],
)
def test_package_names_are_made_of_folder_names(folder: str, package: str) -> None:
    assert package_name(folder) == package


def test_defaults_of_every_kind_are_kept(project: Project) -> None:
    text = """\
int32 hex 0x10      # sixteen
float64 ratio -2.5e1
bool on true
string said 'hello # world'
float64[2] pair [1.5, 2]
uint8[] many [1, 2, 3]   # list
string[] names ["a", "b"]
bool[2] flags [true, false]
"""
    message: Any = project(Defaults=text).get("Defaults")()
    assert (message.hex, message.ratio, message.on, message.said) == (16, -25.0, True, "hello # world")
    assert message.pair.tolist() == [1.5, 2.0]
    assert message.many.tolist() == [1, 2, 3]
    assert message.names == ("a", "b")
    assert message.flags.tolist() == [True, False]


@pytest.mark.parametrize("line", ["uint8[] a [1, x]", "float64[2] a [1]", "uint8[] a [300]", "geometry_msgs/Point a 5"])
def test_defaults_that_do_not_fit_are_named_with_the_line(project: Project, line: str) -> None:
    with pytest.raises(MessageError, match="the default of a") as caught:
        project(Bad=f"\n{line}\n")
    assert caught.value.line == 2
