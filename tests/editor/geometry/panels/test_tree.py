"""The assembly tree: what it shows, and what keys and its menu do."""

from __future__ import annotations

from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QLineEdit

from studio.editor.geometry.panels.array_dialog import ArrayDialog
from studio.editor.geometry.panels.mirror_dialog import MirrorDialog
from studio.editor.geometry.panels.tree import AssemblyTree
from studio.editor.geometry.panels.tree_menu import tree_menu
from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
)
from studio.model.geometry.edits import MoveConstraint
from studio.model.geometry.poses import Pose

FLEA = BodyThing("Flea")


@pytest.fixture
def tree(context: Any) -> AssemblyTree:
    shown: AssemblyTree = context.show(AssemblyTree)
    return shown


def press(tree: AssemblyTree, key: Qt.Key) -> None:
    tree.tree.setFocus()
    QTest.keyClick(tree.tree, key)


def do(tree: AssemblyTree, thing: Thing, words: str) -> None:
    """By the menu of a row."""
    actions = {action.text(): action for action in tree_menu(tree, thing).actions()}
    actions[words].trigger()


def bodies(context: Any) -> list[str]:
    return list(context.workspace.assembled.model.bodies)


def test_it_shows_bodies_frames_and_constraints(tree: AssemblyTree) -> None:
    names = tree.names()
    assert names[0] == "Raptor"
    assert names[-6:] == ["Constraints", *(each.name for each in tree.context.workspace.value().constraints)]
    assert "ImagePlane" in names and "front_left_steering" in names and "hood" in names
    row = tree.item_of(FrameThing("Flea", "ImagePlane"))
    assert row is not None and row.parent() is tree.item_of(FLEA)


def test_a_search_keeps_what_the_hits_are_in(tree: AssemblyTree) -> None:
    QTest.keyClicks(tree.field, "flea imageplane")
    assert tree.names() == ["Raptor", "Flea", "ImagePlane"]
    QTest.keyClick(tree.field, Qt.Key.Key_Down)
    tree.field.setText("zeppelin")
    assert tree.names() == [] and tree.nothing.isVisible()
    QTest.keyClick(tree.field, Qt.Key.Key_Escape)
    assert "Gps" in tree.names()


def test_selecting_goes_both_ways(context: Any, tree: AssemblyTree) -> None:
    context.selection.choose(FrameThing("Flea", "ImagePlane"))
    item = tree.item_of(FrameThing("Flea", "ImagePlane"))
    assert item is not None and item.isSelected() and item.parent().isExpanded()
    tree.tree.setCurrentItem(tree.item_of(ConstraintThing("gps_mount")))
    assert context.selection.selected == (ConstraintThing("gps_mount"),)


def test_f2_renames_and_constraints_follow(context: Any, tree: AssemblyTree) -> None:
    context.selection.choose(FrameThing("Raptor", "TopCenterRail"))
    press(tree, Qt.Key.Key_F2)
    editor = tree.tree.findChild(QLineEdit)
    assert editor is not None
    editor.setText("Rail")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert "Rail" in tree.names()
    assert b'from="Raptor:Rail"' in context.workspace.text()
    assert context.workspace.history.undo_label == "Rename frame TopCenterRail to Rail"
    context.workspace.undo()
    assert not context.workspace.modified_files() and "TopCenterRail" in tree.names()


def test_a_name_that_cannot_be_is_said_and_the_old_one_stays(context: Any, tree: AssemblyTree) -> None:
    context.selection.choose(FLEA)
    press(tree, Qt.Key.Key_F2)
    editor = tree.tree.findChild(QLineEdit)
    assert editor is not None
    editor.setText("Gps")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert "there is already a body Gps" in context.said[-1]
    assert "Flea" in tree.names()


def test_del_removes_all_that_is_selected_in_one_step(context: Any, tree: AssemblyTree) -> None:
    context.selection.choose(FLEA, BodyThing("Imu"))
    press(tree, Qt.Key.Key_Delete)
    assert bodies(context) == ["Raptor", "RightLaser", "LeftLaser", "Gps"]
    assert "camera_mount" not in tree.names()
    context.workspace.undo()
    assert not context.workspace.modified_files() and "Flea" in tree.names()


def test_shapes_go_in_any_order(context: Any, tree: AssemblyTree) -> None:
    count = len(context.workspace.assembled.model.bodies["Raptor"].shapes)
    context.selection.choose(ShapeThing("Raptor", 1), ShapeThing("Raptor", 3))
    press(tree, Qt.Key.Key_Delete)
    names = [shape.name for shape in context.workspace.assembled.model.bodies["Raptor"].shapes]
    assert len(names) == count - 2 and names[:2] == ["chassis", "roof"]


def test_what_is_needed_is_not_removed(context: Any, tree: AssemblyTree) -> None:
    context.selection.choose(FrameThing("Raptor", "FrontLeftKingpin"))
    press(tree, Qt.Key.Key_Delete)
    assert "is needed by the joint front_left_steering" in context.said[-1]
    do(tree, JointThing("Raptor", "front_left_steering"), "Remove with the parts it moves")
    assert "front_left_wheel" not in tree.names()


def test_the_menu_of_a_body(context: Any, tree: AssemblyTree) -> None:
    do(tree, BodyThing("Gps"), "Make root")
    assert bodies(context)[0] == "Gps"
    do(tree, FLEA, "Detach")
    assert "camera_mount" not in tree.names()
    do(tree, FLEA, "Duplicate")
    assert "Flea2" in tree.names()
    do(tree, FLEA, "Hide")
    assert context.selection.hidden == {"Flea"}
    do(tree, FLEA, "Isolate")
    assert "Flea" not in context.selection.hidden and "Raptor" in context.selection.hidden
    do(tree, FLEA, "Open body file")
    assert context.opened[0][0].name == "flea.xml"


def test_a_body_beside_the_middle_is_mirrored_at_once(context: Any, tree: AssemblyTree) -> None:
    context.workspace.do(MoveConstraint("camera_mount", Pose((0.0, 0.2, 0.0))))
    do(tree, FLEA, "Mirror")
    assert "Flea_mirrored" in bodies(context) and not tree.findChildren(MirrorDialog)


def test_a_body_on_the_middle_plane_is_mirrored_to_the_rear(context: Any, tree: AssemblyTree) -> None:
    do(tree, BodyThing("Imu"), "Mirror")
    (dialog,) = tree.findChildren(MirrorDialog)
    assert dialog.plane.currentText() == "Front and rear"
    dialog.at.edit.selectAll()
    QTest.keyClicks(dialog.at.edit, "1.0")
    QTest.keyClick(dialog.at.edit, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Accepted, context.said
    poses = context.workspace.assembled.transforms
    there = [poses.get_transformation(f"{name}:BottomCenter", "Raptor")[0, 3] for name in ("Imu", "Imu_mirrored")]
    assert sum(there) / 2 == pytest.approx(1.0)
    do(tree, BodyThing("Imu"), "Mirror across…")
    dialog = tree.findChildren(MirrorDialog)[-1]
    dialog.plane.setCurrentIndex(2)
    assert dialog.plane.currentText() == "Left and right"
    dialog.accept()
    assert "in the same place" in context.said[-1]


def test_swapped_ends_move_nothing(context: Any, tree: AssemblyTree) -> None:
    do(tree, ConstraintThing("camera_mount"), "Swap ends")
    (constraint,) = [each for each in context.workspace.assembled.model.constraints if each.name == "camera_mount"]
    assert str(constraint.start) == "Flea:BottomCenter"


def test_new_parts_are_marked(context: Any, tree: AssemblyTree) -> None:
    menu = tree_menu(tree, FLEA)
    adding = next(action.menu() for action in menu.actions() if action.text() == "Add")
    assert adding is not None
    for action in adding.actions():
        if action.text() != "Four wheels…":
            action.trigger()
        if action.text() == "Box":
            assert isinstance(context.selection.current, ShapeThing), "its properties are there to be changed"
    assert not context.said
    assert context.selection.current == SensorThing("Flea", "imu")
    item = tree.item_of(FrameThing("Flea", "Frame"))
    assert item is not None and item.text(1) == "new"
    context.workspace.do(MoveConstraint("camera_mount", Pose((0.1, 0.0, 0.0))))
    changed = tree.item_of(ConstraintThing("camera_mount"))
    assert changed is not None and "not as in the saved file" in changed.toolTip(0)


def test_moving_something_keeps_the_rows(context: Any, tree: AssemblyTree) -> None:
    context.workspace.do(MoveConstraint("camera_mount", Pose((0.1, 0.0, 0.0))))
    row = tree.item_of(FLEA)
    context.workspace.do(MoveConstraint("camera_mount", Pose((0.2, 0.0, 0.0))))
    assert tree.item_of(FLEA) is row


def test_an_array_is_asked_for(context: Any, tree: AssemblyTree) -> None:
    dialog = ArrayDialog(tree, context, "Flea")
    dialog.count.setValue(4)
    step = dialog.step.fields[1].edit
    step.setText("")
    QTest.keyClicks(step, "0.5")
    step.editingFinished.emit()
    before = context.workspace.assembled.transforms.get_transformation("Flea", "Raptor")
    assert dialog.do()
    after = context.workspace.assembled.transforms.get_transformation("Flea2", "Raptor")
    assert after[1, 3] - before[1, 3] == pytest.approx(0.5), "as it was typed"
    assert [name for name in bodies(context) if name.startswith("Flea")] == ["Flea", "Flea2", "Flea3", "Flea4"]
    context.workspace.undo()
    dialog.kind.setCurrentIndex(1)
    assert dialog.do() and len(bodies(context)) == 9


def test_a_body_by_itself_has_no_constraints(body_context: Any) -> None:
    tree: AssemblyTree = body_context.show(AssemblyTree)
    assert tree.names()[0] == "Raptor" and "Constraints" not in tree.names()
    body_context.selection.choose(BodyThing("Raptor"))
    press(tree, Qt.Key.Key_Delete)
    assert "is what this file describes" in body_context.said[-1]
