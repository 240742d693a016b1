"""The properties panel: its fields show the vehicle, write edits that keep the form of the file, and follow undo."""

from __future__ import annotations

import math
from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton

from studio.editor.geometry.panels.fields import NumberField, PoseFields, ThreeFields
from studio.editor.geometry.panels.properties import Properties
from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
    VehicleThing,
)
from studio.model.geometry.edits import MoveConstraint
from studio.model.geometry.poses import Pose


@pytest.fixture
def page(context: Any) -> Properties:
    shown: Properties = context.show(Properties)
    return shown


def show(page: Properties, thing: Thing) -> dict[str, Any]:
    page.context.selection.choose(thing)
    assert page.form is not None
    return page.form.named


def write(field: Any, text: str) -> None:
    """As a user does: select all, type, Enter."""
    line: QLineEdit = field.edit if isinstance(field, NumberField) else field
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def choose(box: QComboBox, text: str) -> None:
    place = box.findText(text)
    assert place >= 0, [box.itemText(i) for i in range(box.count())]
    box.setCurrentIndex(place)
    box.activated.emit(place)


def line_of(page: Properties, file: str, name: str) -> str:
    (text,) = [text for path, text in page.context.workspace.texts().items() if str(path).endswith(file)]
    return next(line for line in text.decode().splitlines() if f'name="{name}"' in line)


def test_pitch_of_a_mount_by_a_typed_number(page: Properties) -> None:
    mount: PoseFields = show(page, BodyThing("Flea"))["Mount"]
    assert [field.edit.text() for field in mount.rotation.fields] == ["0", "10", "0"]
    write(mount.rotation.fields[1], "15")
    assert 'xyz="0 0 0.02" rpy="0 15 0" angles="degrees"' in line_of(page, "assemblies/raptor.xml", "camera_mount")
    page.context.workspace.undo()
    assert mount.rotation.fields[1].edit.text() == "10" and not page.context.workspace.modified_files()


def test_units_are_shown_by_choice_and_written_in_si(page: Properties) -> None:
    page.units.length.setCurrentText("mm")
    page.units.length.activated.emit(2)
    page.units.angle.setCurrentText("rad")
    page.units.angle.activated.emit(1)
    mount: PoseFields = show(page, ConstraintThing("camera_mount"))["Pose"]
    assert mount.position.fields[2].edit.text() == "20" and mount.rotation.fields[1].edit.text() == "0.1745"
    write(mount.position.fields[2], "35.5")
    assert 'xyz="0 0 0.0355" rpy="0 10 0" angles="degrees"' in line_of(page, "assemblies/raptor.xml", "camera_mount")
    assert page.context.settings.text("geometry/length") == "mm"


def test_a_number_that_is_none_stays_marked_and_escape_brings_the_old_one(page: Properties) -> None:
    field = show(page, ConstraintThing("camera_mount"))["Pose"].position.fields[0]
    write(field, "two")
    assert field.edit.property("wrong") == "true" and not page.context.workspace.modified_files()
    QTest.keyClicks(field.edit, "x")
    QTest.keyClick(field.edit, Qt.Key.Key_Escape)
    assert field.edit.text() == "0" and field.edit.property("wrong") == "false"


def test_keys_step_a_number_and_are_one_undo_step(page: Properties) -> None:
    field = show(page, ConstraintThing("camera_mount"))["Pose"].position.fields[0]
    for _ in range(3):
        QTest.keyClick(field.edit, Qt.Key.Key_Up)
    QTest.keyClick(field.edit, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert field.edit.text() == "-0.07" and field.edit.isVisible()
    page.context.workspace.undo()
    assert not page.context.workspace.modified_files()


def test_an_edit_from_elsewhere_keeps_the_keyboard_where_it_is(page: Properties) -> None:
    field = show(page, ConstraintThing("camera_mount"))["Pose"].position.fields[0]
    field.edit.setFocus()
    page.context.do(MoveConstraint("camera_mount", Pose((0.5, 0.0, 0.0))))
    assert field.edit.text() == "0.5"
    assert page.form is not None and page.form.named["Pose"].position.fields[0] is field


def test_every_kind_of_thing_has_a_form(page: Properties) -> None:
    model = page.context.workspace.assembled.model
    things: list[Thing] = [VehicleThing(), *(ConstraintThing(each.name) for each in model.constraints)]
    for name, body in model.bodies.items():
        things.append(BodyThing(name))
        things += [FrameThing(name, each.name) for each in body.frames]
        things += [JointThing(name, each.name) for each in body.joints]
        things += [SensorThing(name, each.name) for each in body.sensors]
        things += [ShapeThing(name, index) for index in range(len(body.shapes))]
    for thing in things:
        assert show(page, thing)
    assert not page.context.workspace.modified_files(), "looking changes nothing"


def test_shapes_are_edited(page: Properties) -> None:
    fields = show(page, ShapeThing("Raptor", 0))
    size: ThreeFields = fields["Length, width, height"]
    write(size.fields[0], "3")
    assert 'size="3 1 0.35"' in line_of(page, "bodies/raptor.xml", "chassis")
    choose(fields["Material"], "Steel")
    choose(fields["Use"], "Only bumps")
    line = line_of(page, "bodies/raptor.xml", "chassis")
    assert 'density_kg_m3="7850"' in line and 'use="collision"' in line
    write(size.fields[1], "-1")
    assert "sides of a box must be above 0" in page.context.said[-1]  # type: ignore[attr-defined]
    assert size.fields[1].edit.text() == "1"
    for _ in range(3):
        page.context.workspace.undo()
    assert not page.context.workspace.modified_files()


def test_joints_keep_their_unit(page: Properties) -> None:
    fields = show(page, JointThing("Raptor", "front_left_steering"))
    assert fields["Upper"].edit.text() == "28"
    write(fields["Upper"], "0.5 rad")
    line = line_of(page, "bodies/raptor.xml", "front_left_steering")
    assert f'upper="{math.degrees(0.5):.15g}"' in line and 'lower="-28"' in line
    choose(fields["At frame"], "Cabin")
    assert 'at="Cabin"' in line_of(page, "bodies/raptor.xml", "front_left_steering")


def test_sensors_by_their_data_sheet(page: Properties) -> None:
    fields = show(page, SensorThing("RightLaser", "scan"))
    write(fields["Range"], "40")
    write(fields["Beams"], "91")
    assert 'beams="91"' in line_of(page, "sick_raptor.xml", "scan")
    write(fields["Field of view"], "500")
    assert "sees 500 degrees" in page.context.said[-1]  # type: ignore[attr-defined]
    write(fields["Name"], "beam")
    assert page.context.selection.current == SensorThing("RightLaser", "beam")
    assert page.context.workspace.assembled.model.bodies["LeftLaser"].sensors[0].name == "beam"


def test_editing_a_shared_body_says_what_else_changes(page: Properties) -> None:
    show(page, BodyThing("Flea"))
    texts = [label.text() for label in page.findChildren(QLabel)]
    (words,) = [text for text in texts if text.startswith("Edits of")]
    assert words == "Edits of flea.xml also change 2 other assemblies:"
    links = [button for button in page.findChildren(QPushButton) if button.property("link") == "true"]
    assert {button.text() for button in links} == {"camera_head", "pioneer_2dx"}
    links[0].click()
    assert page.context.opened[0][0].stem == links[0].text()  # type: ignore[attr-defined]
    show(page, BodyThing("RightLaser"))
    texts = [label.text() for label in page.findChildren(QLabel)]
    assert "Edits of sick_raptor.xml also change LeftLaser here" in texts


def test_mass_and_drive(page: Properties) -> None:
    fields = show(page, BodyThing("Raptor"))
    write(fields["Mass"], "700")
    assert b'kg="700" xyz="0.95 0 0.60"' in page.context.workspace.text(page.context.workspace.file_of("Raptor"))
    fields["Write it out"].click()
    text = page.context.workspace.text(page.context.workspace.file_of("Raptor"))
    assert b'moments="' in text
    fields["Inertia from shapes"].click()
    assert b'moments="' not in page.context.workspace.text(page.context.workspace.file_of("Raptor"))
    write(fields["Top speed"], "")
    drive = page.context.workspace.assembled.model.bodies["Raptor"].drive
    assert drive is not None and drive.speed_max_m_s is None
    fields["Remove the drive"].click()
    assert "Add a drive" in page.form.named  # type: ignore[union-attr]


def test_constraints_are_bound_elsewhere_turned_and_given_a_joint(page: Properties) -> None:
    fields = show(page, ConstraintThing("camera_mount"))
    write(fields["From"], "Raptor:FrontBumperCenter")
    fields["Turn 90°"].click()
    assert 'from="Raptor:FrontBumperCenter"' in line_of(page, "assemblies/raptor.xml", "camera_mount")
    write(fields["From"], "Raptor:Nowhere")
    assert page.context.said and fields["From"].text() == "Raptor:FrontBumperCenter"  # type: ignore[attr-defined]
    fields["Add a joint"].click()
    fields = page.form.named  # type: ignore[union-attr]
    write(fields["Lower"], "-45")
    choose(fields["Kind"], "slider")
    assert b'<joint kind="slider"' in page.context.workspace.text()
    for _ in range(5):
        page.context.workspace.undo()
    assert not page.context.workspace.modified_files()


def test_detach_in_the_form_of_a_body(page: Properties) -> None:
    show(page, BodyThing("Gps"))["Detach"].click()
    assert "Place in the assembly" in [label.text() for label in page.findChildren(QLabel)]
    assert "Pose" in page.form.named  # type: ignore[union-attr]


def test_a_body_by_itself(body_context: Any) -> None:
    page: Properties = body_context.show(Properties)
    assert page.form is not None
    write(page.form.named["Name"], "Beetle")
    assert b'<body name="Beetle"' in body_context.workspace.text()


def test_a_joint_mimics_another_one_and_its_home_goes(page: Properties) -> None:
    thing = JointThing("Raptor", "front_right_steering")
    named = show(page, thing)
    assert "Home" in named and "Multiplier" not in named
    choose(named["Mimics"], "front_left_steering")
    named = show(page, thing)
    assert "Home" not in named, "it follows from the other's"
    write(named["Multiplier"], "0.5")
    write(named["Offset"], "2")
    line = line_of(page, "bodies/raptor.xml", "front_right_steering")
    assert 'mimic="front_left_steering" multiplier="0.5" offset="2" angles="degrees"' in line
    transforms = page.context.workspace.assembled.transforms
    transforms.set_joint("Raptor.front_left_steering", 0.2)
    wheel = transforms.get_transformation("Raptor:FrontRightWheel", "Raptor")
    assert math.atan2(wheel[1, 0], wheel[0, 0]) == pytest.approx(0.1 + math.radians(2), abs=1e-6)
    choose(named["Mimics"], "No other joint")
    assert "Home" in show(page, thing)
    assert "mimic" not in line_of(page, "bodies/raptor.xml", "front_right_steering")
