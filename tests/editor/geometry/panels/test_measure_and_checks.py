"""Measuring by name, click and menu; live checks with quick fixes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.editor.geometry.panels.checks import Checks
from studio.editor.geometry.panels.checks_table import FIX, MESSAGE
from studio.editor.geometry.panels.measure import Measure
from studio.editor.geometry.panels.tree import AssemblyTree
from studio.editor.geometry.panels.tree_menu import tree_menu
from studio.editor.geometry.selection import BodyThing, FrameThing, SensorThing
from studio.messages import Range3d
from studio.messages.codec import encode
from studio.model.geometry.assembly import Constraint, FrameName
from studio.model.geometry.body import Frame
from studio.model.geometry.edits import AddFrame, Bind, MoveConstraint, SetSensor
from studio.model.geometry.flat_model import content_of
from studio.model.geometry.part_edits import SetFrame
from studio.model.geometry.poses import Pose
from studio.model.geometry.sdf import to_sdf
from studio.runtime.recording import LogWriter
from studio.runtime.recording.facts.logged_geometry import store_geometry


@pytest.fixture
def page(context: Any) -> Measure:
    shown: Measure = context.show(Measure)
    context.panels["geometry_measure"] = shown
    return shown


def test_two_frames_by_name(context: Any, page: Measure) -> None:
    page.set_frame("foi", "Flea:ImagePlane")
    page.set_frame("reference", "Raptor:FrontBumperCenter")
    assert [field.edit.text() for field in page.position.fields] == ["-1.3375", "0", "1.433"]
    assert [field.edit.text() for field in page.angles.fields] == ["-100", "0", "-90"]
    assert "camera_mount" in page.path.text() and "1.9603 m apart" in page.words.text()
    assert context.selection.path[0] == "Raptor:FrontBumperCenter" and context.selection.path[-1] == "Flea:ImagePlane"


def test_a_name_that_is_typed_in_full_is_taken_without_the_list(page: Measure, qtbot: Any) -> None:
    page.activateWindow()
    for side, frame in (("foi", "Flea:ImagePlane"), ("reference", "Raptor:FrontBumperCenter")):
        page.fields[side].setFocus()
        QTest.keyClicks(page.fields[side], frame)
    qtbot.waitUntil(lambda: page.measured is not None)
    assert not any(field.completer().popup().isVisible() for field in page.fields.values())


def test_it_follows_edits_and_undo(context: Any, page: Measure) -> None:
    page.set_frame("foi", "Flea:BottomCenter")
    page.set_frame("reference", "Raptor:TopCenterRail")
    context.do(MoveConstraint("camera_mount", Pose((0.0, 0.0, 0.5))))
    assert page.position.fields[2].edit.text() == "0.5"
    context.workspace.undo()
    assert page.position.fields[2].edit.text() == "0.02"


def test_two_frames_by_click(context: Any, page: Measure) -> None:
    page.pick("foi")
    assert context.selection.pick.words == "Click the frame of interest"
    context.selection.choose(FrameThing("Gps", "PhaseCenter"))
    assert context.selection.pick.words == "Click the frame of reference", "the second is asked for at once"
    context.selection.choose(BodyThing("Raptor"))
    assert page.measured is not None and page.measured.reference == "Raptor"
    assert context.selection.selected == (), "a click that answers selects nothing"


def test_from_the_menu_of_the_tree(context: Any, page: Measure) -> None:
    tree: AssemblyTree = context.show(AssemblyTree)
    actions = {action.text(): action for action in tree_menu(tree, FrameThing("Imu", "Sensing")).actions()}
    actions["Measure this frame"].trigger()
    assert page.fields["foi"].text() == "Imu:Sensing" and context.shown == ["geometry_measure"]


def test_copies(context: Any, page: Measure) -> None:
    assert not page.copies["XML"].isEnabled()
    page.set_frame("foi", "Flea:ImagePlane")
    page.set_frame("reference", "Raptor:FrontBumperCenter")
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None
    for words, start in (("Python", "import numpy"), ("XML", "<constraint"), ("ROS static tf", "ros2 run tf2_ros")):
        page.copies[words].click()
        assert clipboard.text().startswith(start)


def test_what_cannot_be_measured_is_said(context: Any, page: Measure) -> None:
    page.set_frame("foi", "Flea:ImagePlan")
    page.set_frame("reference", "Raptor")
    assert "Flea has no frame ImagePlan" in page.words.text() and "ImagePlane" in page.words.text()
    assert context.selection.path == () and not page.views.isVisible()


# ---- checks


@pytest.fixture
def checks(context: Any) -> Checks:
    shown: Checks = context.show(Checks, 900, 300)
    return shown


def messages(checks: Checks) -> list[str]:
    return [checks.table.item(row, MESSAGE).text() for row in range(checks.table.rowCount())]  # type: ignore[union-attr]


def row_of(checks: Checks, text: str) -> int:
    return next(row for row, message in enumerate(messages(checks)) if text in message)


def test_the_summary_and_what_is_found(context: Any, checks: Checks) -> None:
    assert checks.summary.text() == "6 bodies · 5 constraints · no loops · 2 warnings"
    checks.table.cellClicked.emit(row_of(checks, "RightLaser.scan sees"), MESSAGE)
    assert context.selection.current == SensorThing("RightLaser", "scan")


def test_a_finding_appears_after_an_edit_and_its_fix_removes_it(context: Any, checks: Checks, qtbot: Any) -> None:
    context.do(AddFrame(Frame("Far", Pose((1200.0, 0.0, 0.0)))), body="Flea")
    qtbot.waitUntil(lambda: any("1200 m" in each for each in messages(checks)), timeout=5000)
    row = row_of(checks, "1200 m")
    fix = checks.table.item(row, FIX)
    assert fix is not None and fix.text() == "Read it as millimetres"
    checks.table.cellClicked.emit(row, MESSAGE)
    assert context.selection.current == FrameThing("Flea", "Far")
    checks.table.cellClicked.emit(row, FIX)
    assert not any("1200 m" in each for each in messages(checks))
    assert context.workspace.assembled.model.bodies["Flea"].frame("Far").pose.xyz == (1.2, 0.0, 0.0)


def test_an_open_loop_is_closed_by_its_fix(context: Any, checks: Checks) -> None:
    brace = Constraint("brace", FrameName("Flea", "LensCenter"), FrameName("Gps", "PhaseCenter"))
    context.do(Bind(brace))
    checks.check()
    assert "1 loop 1 open" in checks.summary.text()
    checks.table.cellClicked.emit(row_of(checks, "the loop that brace closes"), FIX)
    assert "1 loop closed" in checks.summary.text()


def test_unused_frames_on_request(checks: Checks) -> None:
    assert not any("nothing uses" in each for each in messages(checks))
    checks.with_unused.setChecked(True)
    assert any("Raptor:TopFrontRail" in each for each in messages(checks))


def compare(checks: Checks, file: Path, qtbot: QtBot) -> str:
    """What is said of it."""
    said: list[str] = checks.context.said  # type: ignore[attr-defined]
    before = len(said)
    checks.comparing.compare(file)
    assert f"Reading {file.name}" in checks.comparing.words.texts[0]
    qtbot.waitUntil(lambda: len(said) > before, timeout=30_000)
    return said[-1]


def test_differences_from_a_world_are_live_until_the_comparison_ends(
    context: Any, checks: Checks, tmp_path: Path, qtbot: QtBot
) -> None:
    world = tmp_path / "world.sdf"
    world.write_text(to_sdf(context.workspace.assembled.model).text)
    assert compare(checks, world, qtbot) == "Agrees with world.sdf" and context.selection.ghost is None
    sensor = context.workspace.assembled.model.bodies["RightLaser"].sensors[0]
    context.do(SetSensor(type(sensor)(**{**vars(sensor), "range_max_m": 30.0})), body="RightLaser")
    context.do(SetFrame("PhaseCenter", Frame("PhaseCenter", Pose((0.0, 0.0, 0.5)))), body="Gps")
    qtbot.waitUntil(lambda: any("range_max_m is 30 in the first" in each for each in messages(checks)))
    assert any("Gps:PhaseCenter is" in each for each in messages(checks))
    ghost = context.selection.ghost
    assert ghost is not None and {"Gps:PhaseCenter", "RightLaser.scan"} <= ghost.subjects
    context.workspace.undo()
    qtbot.waitUntil(lambda: not any("Gps:PhaseCenter is" in each for each in messages(checks)))
    world.write_text("<sdf><model>")
    assert "world.sdf" in compare(checks, world, qtbot), "the comparison that there was stays"
    assert any("range_max_m" in each for each in messages(checks)) and checks.comparing.end.isVisible()
    checks.comparing.end.click()
    assert not any("range_max_m" in each for each in messages(checks))
    assert context.selection.ghost is None and not checks.comparing.end.isVisible()


def test_differences_from_a_log_are_those_of_its_sensors_and_of_its_geometry(
    context: Any, checks: Checks, tmp_path: Path, qtbot: QtBot
) -> None:
    log = tmp_path / "run.mcap"
    scan = encode(Range3d.from_polar([1.0, 2.0], -1.7, 3.4 / 2, frame="RightLaser:Nowhere"))
    with LogWriter(log) as writer:
        store_geometry(writer, content_of(context.workspace.assembled.model))
        channel = writer.add_topic("/right/ranges", Range3d)
        for at_ns in range(1, 20):
            writer.write(channel, scan, log_time_ns=at_ns, sequence=at_ns, stamp_ns=at_ns)
    assert compare(checks, log, qtbot) == "1 difference from run.mcap"
    assert any("RightLaser has no such frame" in each for each in messages(checks))
    assert context.selection.ghost is None, "it was recorded with this geometry"
    context.do(SetFrame("PhaseCenter", Frame("PhaseCenter", Pose((0.0, 0.0, 0.5)))), body="Gps")
    qtbot.waitUntil(lambda: any("Gps:PhaseCenter is" in each for each in messages(checks)))
    assert context.selection.ghost is not None
