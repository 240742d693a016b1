"""The Raptor in the real view, by mouse and keys: what is picked where, and what an edit leaves in the file."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.editor.geometry.panels.array_dialog import ArrayDialog
from studio.editor.geometry.selection import BodyThing, ConstraintThing, FrameThing, Ghost, Pick, ShapeThing
from studio.editor.geometry.view.face_frames import turned_to
from studio.editor.geometry.view.gestures.mounting import fitting_frames
from studio.editor.look.theme import LIGHT
from studio.editor.views.scene.batches import Lines, colour_of, moved
from studio.model.geometry.assembly import Member
from studio.model.geometry.differences import differences
from studio.model.geometry.edits import AddBody, MoveConstraint
from studio.model.geometry.joints import Mimic
from studio.model.geometry.part_edits import SetJoint
from studio.model.geometry.poses import Pose, inverse
from studio.model.geometry.tidy_poses import pose_like
from studio.model.geometry.transforms import Transforms
from tests.editor.geometry.view.conftest import Desk, Hand

BUMPER = FrameThing("Raptor", "FrontBumperCenter")


def test_a_click_selects_what_is_there_and_a_second_one_the_shape(hand: Hand) -> None:
    selection = hand.desk.selection
    hand.click(hand.at(BUMPER))
    assert selection.selected == (BUMPER,), "a frame is picked through what lies before it"
    deck = hand.at_point((-0.3, 0.2, 0.725))
    hand.click(deck)
    assert selection.selected == (BodyThing("Raptor"),)
    hand.click(deck)
    shapes = hand.desk.workspace.assembled.model.bodies["Raptor"].shapes
    assert isinstance(selection.current, ShapeThing) and shapes[selection.current.index].name == "chassis"
    hand.click(hand.at(FrameThing("Gps", "PhaseCenter")), Qt.KeyboardModifier.ControlModifier)
    assert len(selection.selected) == 2
    hand.click(QPoint(590, 330))
    assert selection.selected == ()


def test_hidden_bodies_are_neither_picked_nor_named(hand: Hand) -> None:
    sensing = FrameThing("Gps", "PhaseCenter")
    at = hand.at(sensing)
    hand.desk.selection.choose(BodyThing("Gps"))
    hand.view.commands.hide()
    assert hand.desk.selection.hidden == {"Gps"}
    hand.click(at)
    assert getattr(hand.desk.selection.current, "body", "") != "Gps"
    assert all(named.name != "Gps:PhaseCenter" for named in hand.view.stage.drawing.names)


def test_a_question_takes_the_next_fitting_click(hand: Hand) -> None:
    answers = []
    hand.desk.selection.ask(Pick("Click a frame", (FrameThing,), answers.append))
    hand.click(hand.at_point((-0.3, 0.2, 0.725)))
    assert not answers, "a face is no frame"
    hand.click(hand.at(BUMPER))
    assert answers == [BUMPER] and hand.desk.selection.selected == ()


def test_a_number_typed_after_r_and_y_pitches_the_camera_and_adds_nothing_else(hand: Hand) -> None:
    workspace = hand.desk.workspace
    before = workspace.text()
    hand.desk.selection.choose(BodyThing("Flea"))
    hand.keys("ry5")
    assert workspace.text() == before, "nothing is edited before Enter"
    hand.key(Qt.Key.Key_Return)
    assert workspace.text() == before.replace(b'xyz="0 0 0.02" rpy="0 10 0"', b'xyz="0 0 0.02" rpy="0 15 0"')
    assert workspace.history.labels == ["Turn Flea"]
    workspace.undo()
    assert workspace.text() == before


def test_the_first_body_moved_there_and_back_has_no_place_again(hand: Hand) -> None:
    workspace = hand.desk.workspace
    before = workspace.text()
    hand.desk.selection.choose(BodyThing("Raptor"))
    for typed in ("gx1", "gx-1"):
        hand.keys(typed)
        hand.key(Qt.Key.Key_Return)
    assert workspace.history.labels == ["Move Raptor", "Move Raptor"] and workspace.text() == before


def test_escape_takes_a_gesture_back(hand: Hand) -> None:
    hand.desk.selection.choose(BodyThing("Flea"))
    place = hand.where("Flea")
    hand.keys("gz0.5")
    stage = hand.view.stage
    assert stage.preview is not None and hand.where("Flea") == place
    hand.key(Qt.Key.Key_Escape)
    assert stage.preview is None and not hand.desk.workspace.is_modified


def test_the_arrow_of_the_gizmo_moves_by_steps_in_one_step_of_undo(hand: Hand) -> None:
    hand.desk.selection.choose(BodyThing("Gps"))
    hand.view.hands.take_tool("move")
    canvas = hand.canvas
    gizmo = hand.view.hands.gizmo()
    assert gizmo is not None
    tip = gizmo.arrow(2, canvas.camera, canvas.width(), canvas.height())[1]
    start = QPoint(round(tip[0]), round(tip[1]))
    before = hand.where("Gps")
    hand.drag(start, start - QPoint(0, 60))
    after = hand.where("Gps")
    assert after[:2] == before[:2] and after[2] > before[2]
    assert round((after[2] - before[2]) * 100, 6) % 1 == 0, "centimetres, as the snap says"
    assert hand.desk.workspace.history.labels == ["Move Gps"]


def test_a_number_typed_while_the_button_is_down_takes_the_place_of_the_drag(hand: Hand) -> None:
    hand.desk.selection.choose(BodyThing("Gps"))
    hand.view.hands.take_tool("move")
    canvas, gizmo, before = hand.canvas, hand.view.hands.gizmo(), hand.where("Gps")
    assert gizmo is not None
    tip = gizmo.arrow(2, canvas.camera, canvas.width(), canvas.height())[1]
    start = QPoint(round(tip[0]), round(tip[1]))
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(canvas, start - QPoint(0, 30))
    hand.keys("0.123")
    QTest.mouseMove(canvas, start - QPoint(0, 70))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start - QPoint(0, 70))
    assert hand.where("Gps") == pytest.approx([*before[:2], before[2] + 0.123])


def test_what_is_dragged_sticks_to_the_frame_or_face_below_the_mouse(hand: Hand) -> None:
    cabin, aim, stage = FrameThing("Raptor", "Cabin"), FrameThing("Gps", "PhaseCenter"), hand.view.stage
    hand.desk.selection.choose(cabin)
    hand.view.hands.take_tool("move")
    hand.drag(hand.at(cabin), hand.at(aim))
    assert hand.where(str(cabin)) == hand.where(str(aim)), "to the last digit, not to a step"
    hand.desk.workspace.undo()
    stage.snap = replace(stage.snap, to_frames=False, to_faces=True)
    deck = (-0.31, 0.217, 0.725)
    hand.drag(hand.at(cabin), hand.at_point(deck))
    assert hand.where(str(cabin))[2] == 0.725, "on the face of the chassis"
    hand.desk.workspace.undo()
    stage.snap = replace(stage.snap, is_on=False)
    hand.drag(hand.at(cabin), hand.at_point(deck))
    assert hand.where(str(cabin))[2] != 0.725, "without snapping it goes where the mouse is"


@pytest.mark.parametrize(("key", "axis"), [(Qt.Key.Key_PageUp, None), (Qt.Key.Key_Up, 2)])
def test_keys_nudge_what_is_selected_by_one_step(hand: Hand, key: Qt.Key, axis: int | None) -> None:
    hand.desk.selection.choose(FrameThing("Raptor", "Cabin"))
    before = np.array(hand.where("Raptor:Cabin"))
    hand.key(key)
    moved = np.abs(np.array(hand.where("Raptor:Cabin")) - before)
    assert moved.max() == pytest.approx(0.01) and np.count_nonzero(moved > 1e-9) == 1
    if axis is not None:
        assert int(moved.argmax()) == axis


def test_a_frame_dragged_onto_another_mounts_its_body_after_a_choice(hand: Hand) -> None:
    workspace = hand.desk.workspace
    workspace.do(AddBody(Member("Hokuyo", "hokuyo_urg.xml")))
    foot, rail = FrameThing("Hokuyo", "BottomCenter"), FrameThing("Raptor", "TopFrontRail")
    hand.view.fit()
    hand.view.commands.by_name["mount"].trigger()
    assert rail in fitting_frames(hand.view.stage, foot)
    assert FrameThing("Flea", "BottomCenter") not in fitting_frames(hand.view.stage, foot), "Flea hangs by it"
    start, end = hand.at(foot), hand.at(rail)
    hand.drag(start, end)
    strip = hand.view.strip
    assert strip is not None and len(strip.buttons) == 6
    assert hand.view.stage.preview is not None and len(workspace.history.labels) == 1, "shown, not done"
    strip.show_alternative(1)
    strip.confirm()
    assert hand.view.strip is None and hand.where("Hokuyo") == [1.4, 0.0, 1.95]
    turned = workspace.assembled.transforms.get_transformation("Hokuyo", "Raptor")
    assert turned[:2, 0].tolist() == pytest.approx([0.0, 1.0], abs=1e-9)
    assert hand.desk.workspace.history.labels[-1] == "Mount Hokuyo on Raptor:TopFrontRail"


def test_escape_in_the_strip_mounts_nothing(hand: Hand) -> None:
    hand.view.commands.by_name["mount"].trigger()
    hand.drag(hand.at(FrameThing("Gps", "BottomCenter")), hand.at(BUMPER))
    strip = hand.view.strip
    assert strip is not None
    strip.cancel()
    assert hand.view.strip is None and not hand.desk.workspace.is_modified and hand.view.stage.preview is None


def test_a_clicked_face_gets_a_frame_with_z_along_its_normal(hand: Hand) -> None:
    hand.view.commands.ask_face()
    hand.click(hand.at_point((-0.3, 0.2, 0.725)))
    field = hand.view.commands.name_field
    assert field is not None and field.text() == "ChassisMount"
    field.setText("Deck")
    field.returnPressed.emit()
    frame = hand.desk.workspace.assembled.model.bodies["Raptor"].frame("Deck")
    assert frame.pose.xyz[2] == pytest.approx(0.725) and frame.pose.matrix[2, 2] == pytest.approx(1.0)
    assert hand.desk.selection.selected == (FrameThing("Raptor", "Deck"),)


@pytest.mark.parametrize("normal", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 2, 3)])
def test_axes_on_a_face_are_right_handed(normal: tuple[float, float, float]) -> None:
    turn = turned_to(np.array(normal, float))
    assert np.allclose(turn.T @ turn, np.eye(3)) and np.linalg.det(turn) == pytest.approx(1.0)
    assert np.allclose(turn[:, 2], np.array(normal) / np.linalg.norm(normal))


def test_what_a_steered_wheel_reaches_into_turns_red(hand: Hand, qtbot: QtBot) -> None:
    stage, workspace = hand.view.stage, hand.desk.workspace
    hand.view.show_joints(True)
    slider = hand.view.joint_panel.sliders["Raptor.front_left_steering"]
    slider.setValue(slider.maximum())
    assert stage.joints["Raptor.front_left_steering"] == pytest.approx(math.radians(28))
    assert not workspace.is_modified
    low = Pose((1.93, 0.7, 0.32))
    workspace.do(
        MoveConstraint(
            "gps_mount",
            pose_like(
                low,
                inverse(workspace.assembled.transforms.get_transformation("Raptor:TopRearRail", "Raptor")) @ low.matrix,
            ),
        )
    )
    qtbot.waitUntil(lambda: "Gps" in {body for body, _ in stage.touching}, timeout=30_000)
    touched = {workspace.assembled.model.bodies[body].shapes[index].name for body, index in stage.touching}
    assert "front_left_tyre" in touched and "chassis" not in touched
    hand.view.joint_panel.go_home()
    assert stage.joints == {}


def test_what_another_model_has_elsewhere_is_a_ghost(hand: Hand) -> None:
    stage, workspace = hand.view.stage, hand.desk.workspace
    before = workspace.assembled.model
    assert not len(lines_of(hand, "warning"))
    workspace.do(MoveConstraint("gps_mount", Pose((0.0, 0.0, 1.0))))
    subjects = frozenset(each.subject for each in differences(workspace.assembled.model, before))
    stage.selection.show_ghost(Ghost(before, subjects, "before.sdf"))
    (ghost,) = [each for each in stage.drawing.names if each.name == "Gps in before.sdf"]
    at = Transforms(before, compiled=False).get_transformation("Gps", "Raptor")
    assert np.allclose(ghost.point, at[:3, 3])
    middle = np.concatenate(lines_of(hand, "warning")).reshape(-1, 3).mean(axis=0)
    assert np.linalg.norm(middle - at[:3, 3]) < 0.2, "only what differs"
    stage.selection.show_ghost(None)
    assert not len(lines_of(hand, "warning"))


def test_the_angles_of_what_is_measured_are_drawn_at_its_end(hand: Hand) -> None:
    stage = hand.view.stage
    stage.selection.show_path(("Raptor:TopCenterRail", "Flea:BottomCenter"))
    angles = [each for each in stage.drawing.names if each.name in ("x 10°", "z 10°")]
    assert len(angles) == 2, [each.name for each in stage.drawing.names]
    end = stage.drawing.frames[FrameThing("Flea", "BottomCenter")]
    assert all(np.linalg.norm(each.point - end[:3, 3]) < 3 * stage.look.frame_m for each in angles)
    assert not any(each.name.startswith("y ") for each in stage.drawing.names), "it is turned about y"


def test_the_slider_of_a_joint_that_mimics_another_goes_with_that_one(hand: Hand) -> None:
    stage, workspace = hand.view.stage, hand.desk.workspace
    body = workspace.assembled.model.bodies["Raptor"]
    right = body.joint("front_right_steering")
    assert right is not None
    mimics = replace(right, mimic=Mimic("front_left_steering", -0.5))
    workspace.do(SetJoint("front_right_steering", mimics), body="Raptor")
    hand.view.show_joints(True)
    sliders = hand.view.joint_panel.sliders
    follower = sliders["Raptor.front_right_steering"]
    assert not follower.isEnabled() and "follows Raptor.front_left_steering" in follower.toolTip()
    middle = follower.value()
    sliders["Raptor.front_left_steering"].setValue(sliders["Raptor.front_left_steering"].maximum())
    assert stage.joints["Raptor.front_right_steering"] == pytest.approx(math.radians(-14))
    assert follower.value() < middle


def lines_of(hand: Hand, tone: str) -> list[np.ndarray]:
    """What is drawn in a tone of the theme, in the axes of the Raptor."""
    colour = colour_of(LIGHT.tone(tone))[:3]
    found = []
    for placed in hand.view.stage.drawing.scene.things:
        for batch in placed.batches:
            if isinstance(batch, Lines):
                found += list(moved(batch.points[(batch.colours[:, :3] == colour).all(axis=1)], placed.pose))
    return found


def test_the_measured_path_goes_through_its_frames(hand: Hand) -> None:
    frames = ("Raptor:FrontBumperCenter", "Raptor:TopCenterRail", "Flea:BottomCenter")
    plain = lines_of(hand, "accent")
    hand.desk.selection.show_path(frames)
    wanted = {named.name for named in hand.view.stage.drawing.names if named.is_wanted}
    far = np.linalg.norm(hand.where("Flea:BottomCenter", "Raptor:FrontBumperCenter"))
    assert wanted == {*frames, f"{far:.4g} m", "x 10°", "z 10°"}
    ends = [np.array([hand.where(name) for name in pair]) for pair in pairwise(frames)]
    lit = lines_of(hand, "accent")
    assert any(np.allclose(line, ends[1], atol=1e-6) for line in lit), "the constraint that it crosses"
    chassis = [line for line in lit if abs(line[:, 2]).max() < 0.73 and np.ptp(line[:, 0]) > 2.7]
    assert chassis and len(lit) > len(plain), "the outline of the body that it goes through"
    hand.desk.selection.show_path(())
    assert len(lines_of(hand, "accent")) == len(plain)


def test_a_section_hides_from_the_mouse_what_it_cuts_away(hand: Hand) -> None:
    roof = hand.at_point((0.9, 0.0, 1.95))
    hand.click(roof)
    first = hand.desk.selection.current
    hand.view.hands.take_tool("section")
    hand.view.hands.choose_axis(2)
    hand.view.hands.take_tool("select")
    hand.desk.selection.choose()
    hand.click(roof)
    stage = hand.view.stage
    assert first is not None and stage.look.section is not None
    height = stage.look.section[3]
    pose = stage.drawing.poses
    assert pose and height == pytest.approx(float(stage.centre[2]))


def test_names_never_lie_on_each_other(hand: Hand) -> None:
    hand.desk.selection.choose(BodyThing("Raptor"))
    hand.canvas.grab()
    plates = hand.canvas.plates
    assert all(not a.where.intersects(b.where) for i, a in enumerate(plates) for b in plates[:i])


def test_the_mount_of_an_edited_body_keeps_every_comment(hand: Hand, models: Path) -> None:
    path = models / "assemblies/raptor.xml"
    before = path.read_bytes().splitlines()
    hand.desk.selection.choose(ConstraintThing("imu_mount"))
    hand.keys("gz0.05")
    hand.key(Qt.Key.Key_Return)
    hand.desk.save()
    after = path.read_bytes().splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1 and b'xyz="0 0 0.05"' in changed[0]


def test_without_opengl_four_projections_show_and_edit_the_same(hand: Hand) -> None:
    view = hand.view
    if len(view.canvases) == 1:
        view._show_four("a test")
    assert [canvas.title for canvas in view.canvases] == ["From above", "From the front", "From the right", "Isometric"]
    assert view.no_gl.isVisibleTo(view)
    hand.desk.selection.choose(BodyThing("Gps"))
    hand.canvas.setFocus()
    hand.keys("gx0.1")
    hand.key(Qt.Key.Key_Return)
    assert hand.where("Gps") == [0.5, 0.0, 1.95]


def test_snap_settings_outlive_the_view(desk: Desk, hand: Hand) -> None:
    hand.view.tools._snap(step_deg=15.0, to_frames=False)
    from studio.editor.geometry.view.snapping import Snap

    kept = Snap.restored(desk.settings)
    assert kept.step_deg == 15.0 and not kept.to_frames and kept.is_on


def test_an_array_in_a_circle_turns_about_the_chosen_axis(hand: Hand) -> None:
    dialog = ArrayDialog(hand.view, hand.desk, "Gps")  # type: ignore[arg-type]
    dialog.kind.setCurrentIndex(1)
    dialog.count.setValue(2)
    dialog.axis.setCurrentIndex(0)
    x, y, z = hand.where("Gps")
    assert dialog.do(), hand.desk.said
    assert hand.where("Gps2") == pytest.approx([x, -y, -z], abs=1e-6), "half a turn about the x axis"
