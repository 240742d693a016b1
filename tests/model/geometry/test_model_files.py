"""Body and assembly files: read, written as they were, and never anything but our own error."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from studio.errors import StudioError
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.body import Frame
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.library import Library
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.rules import check_file

MODELS = Path(__file__).resolve().parents[3] / "models"
FILES = sorted(MODELS.rglob("*.xml"))

ODD = b"""<?xml version='1.0'?>
<!-- kept -->
<body  name='Odd'   colour="unknown">
  <frame name="A" xyz="0.10 0 -0"   rpy="0 0 90.0" angles='degrees'/> <!-- measured twice -->
  <frame name="B" quaternion="0 0 0.7071068 0.7071068"/>
  <frame name="C" axis_angle="0 0 2 1.5" angles="radians"/>
  <frame name="D" xyz="0 0 0" matrix="0 -1 0
                           1 0 0
                           0 0 1"/>
  <future thing="1"><frame name="A"/></future>
  <joint name="j" kind="steering" at="A" lower="-30" upper="3.0e1" home="0" angles="degrees"/>
  <frame name="E" on="j"/>
  <cylinder radius=".10" length="1e-1" use="both"/>
  <laser name="l" frame="E" fov_deg="180.0" beams="181" range_min_m="0" range_max_m="8" noise_m="0"/>
</body>
"""


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_model_that_ships_is_sound_and_saves_as_it_is(path: Path) -> None:
    assert check_file(path)[1] == []
    data = path.read_bytes()
    saved = (
        write_body(read_body(data), data) if path.parent.name == "bodies" else write_assembly(read_assembly(data), data)
    )
    assert saved == data


def test_what_is_odd_but_right_stays_as_written() -> None:
    assert write_body(read_body(ODD), ODD) == ODD


def test_every_form_of_a_quarter_turn_means_the_same() -> None:
    body = read_body(ODD)
    turned = body.frame("A").pose.matrix[:3, :3]
    for name in "BD":
        assert abs(body.frame(name).pose.matrix[:3, :3] - turned).max() < 1e-7


def test_moving_a_frame_changes_one_attribute() -> None:
    body = read_body(ODD)
    moved = replace(body.frames[0], pose=Pose((0.2, 0.0, 0.0), body.frames[0].pose.rotation))
    body.frames[0] = moved
    assert write_body(body, ODD) == ODD.replace(b'xyz="0.10 0 -0"', b'xyz="0.2 0 0"')


def test_a_new_frame_is_one_new_line_and_a_removed_one_is_gone() -> None:
    body = read_body(ODD)
    body.frames.append(Frame("New", Pose((1.0, 0.0, 0.0), Rotation("rpy", (0.0, 12.0, 0.0), "degrees"))))
    saved = write_body(body, ODD)
    line = b'  <frame name="New" xyz="1 0 0" rpy="0 12 0" angles="degrees"/>\n'
    assert saved.replace(line, b"") == ODD
    body.frames.pop()
    body.frames.pop(1)
    assert b'name="B"' not in write_body(body, ODD)
    assert b"measured twice" in write_body(body, ODD)


def test_another_form_of_rotation_replaces_the_old_one() -> None:
    body = read_body(ODD)
    body.frames[0] = replace(body.frames[0], pose=Pose((0.1, 0.0, 0.0), Rotation("quaternion", (0.0, 0.0, 0.0, 1.0))))
    line = write_body(body, ODD).split(b"\n")[3]
    assert line == b'  <frame name="A" xyz="0.10 0 -0" quaternion="0 0 0 1"/> <!-- measured twice -->'


def test_an_assembly_with_a_joint_is_written_and_read_again() -> None:
    text = b"""<assembly name="a" tolerance_m="0.01">
  <body name="A" file="box.xml"/>
  <body name="B" file="box.xml"/>
  <constraint name="c" from="A:Top" to="B:Bottom" xyz="0 0 0.1">
    <joint kind="hinge" lower="-1.0" upper="1" angles="radians"/></constraint>
</assembly>
"""
    assembly = read_assembly(text)
    assert write_assembly(assembly, text) == text
    again = read_assembly(write_assembly(assembly))
    assert again.constraints[0].joint is not None
    assert (again.constraints[0].joint.lower, again.tolerance_m) == (-1.0, 0.01)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ('<cylinder length="1"/>', r'b.xml:2: <cylinder> needs an attribute radius \(e.g. radius="0.05"\)'),
        ('<frame name="A" rpy="0 12 0"/>', r'has no unit for its rpy is \(add angles="degrees" or "radians"\)'),
        ('<frame name="A" rpy="0 12 0" quaternion="0 0 0 1" angles="degrees"/>', "turned twice"),
        ('<frame name="A" quaternion="0 0 0 1" angles="degrees"/>', "a quaternion has no angles"),
        ('<frame name="A" quaternion="0 0 1"/>', "needs 4 numbers, not 3"),
        ('<frame name="A" xyz="0,1 0 0"/>', "a decimal point, not a comma"),
        ('<frame name="A" xyz="nan 0 0"/>', "nan in xyz of <frame> is not a finite number"),
        ('<frame name="A" matrix="1 0 0 0 1 0 0 0 2"/>', "not orthogonal"),
        ('<frame name="A"/><frame name="A"/>', "a second frame A"),
        ('<box size="1 0 1"/>', "sides of a box must be above 0"),
        ('<mesh file="a.stl" density_kg_m3="1"/>', "a mesh cannot have a density"),
        ('<joint name="j" kind="steering" at="A"/>', "the steering joint j has no limits"),
        ('<joint name="j" kind="hinge" at="A" lower="-1"/>', "has no unit for its lower is"),
        ('<joint name="j" kind="slider" at="A" lower="2" upper="1"/>', "above the upper limit"),
        ('<joint name="j" kind="drive" at="A" axis="0 0 0"/>', "an axis without a direction"),
        ('<laser name="l" frame="A" fov_deg="400" beams="1" range_min_m="0" range_max_m="1"/>', "sees 400 degrees"),
        ('<laser name="l" frame="A" fov_deg="90" beams="1" range_min_m="2" range_max_m="1"/>', "least range"),
        ('<mass kg="-1"/>', "must be more than 0"),
        ('<cylinder radius="1e308" length="1"/>', "is beyond 1e"),
        ('<box size="1 1 1e-300"/>', "sides of a box must be above 0"),
        ('<frame name="A" xyz="0 0 1e200"/>', "is beyond 1e"),
        ('<sphere radius="1" colour="2 0 0 1"/>', "not between 0 and 1"),
    ],
)
def test_errors_name_file_line_and_remedy(inside: str, message: str) -> None:
    with pytest.raises(StudioError, match=message) as caught:
        read_body(f'<body name="B">\n{inside}</body>'.encode(), "b.xml")
    assert (caught.value.file, caught.value.line) == ("b.xml", 2)


def test_mutated_files_raise_only_our_error(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    rng = random.Random(7)
    originals = [path.read_bytes() for path in FILES] + [ODD]
    target = tmp_path / "mutant.xml"
    refused = 0
    for _ in range(scaled(30_000)):
        target.write_bytes(mutated(rng, rng.choice(originals)))
        try:
            model = Library([MODELS]).load(target)
        except StudioError:
            refused += 1
            continue
        check_file(target, Library([MODELS]))
        assert model.bodies is not None
    assert refused > 0


def mutated(rng: random.Random, data: bytes) -> bytes:
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(made))
        kind = rng.randrange(5)
        if kind == 0:
            made[place] = rng.randrange(256)
        elif kind == 1:
            del made[place : place + rng.randint(1, 40)]
        elif kind == 2:
            made[place:place] = made[place : place + rng.randint(1, 60)]
        elif kind == 3:
            digits = [at for at, byte in enumerate(made) if 48 <= byte <= 57]
            for at in rng.sample(digits, min(3, len(digits))):
                made[at] = rng.choice(b"0123456789-+e. ")
        else:
            words = [b"nan", b"inf", b"-1", b"1e308", b"", b"A:B", b"0 0 0", b"fixed", b"hinge"]
            quotes = [at for at, byte in enumerate(made) if byte == 34]
            start = rng.choice(quotes[::2] or [0])
            end = made.find(b'"', start + 1)
            made[start + 1 : max(end, start + 1)] = rng.choice(words)
        if not made:
            return b"x"
    return bytes(made)
