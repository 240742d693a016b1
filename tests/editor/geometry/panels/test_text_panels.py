"""The XML panel and the changes: text and vehicle stay in step, and errors keep what is typed."""

from __future__ import annotations

from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from studio.editor.geometry.panels.changes import Changes
from studio.editor.geometry.panels.xml_panel import XmlPanel
from studio.editor.geometry.selection import BodyThing, ConstraintThing, FrameThing
from studio.model.geometry.assembly import Constraint, FrameName, Member
from studio.model.geometry.edits import AddBody, MoveConstraint
from studio.model.geometry.poses import Pose

NEW = AddBody(
    Member("Hokuyo", "hokuyo_urg.xml"),
    Constraint("hokuyo", FrameName("Raptor", "TopFrontRail"), FrameName("Hokuyo", "BottomCenter")),
)


@pytest.fixture
def page(context: Any) -> XmlPanel:
    shown: XmlPanel = context.show(XmlPanel, 900, 400)
    return shown


def replaced(page: XmlPanel, old: str, new: str) -> None:
    """Somebody types."""
    text = page.editor.text()
    assert old in text
    page.editor.setText(text.replace(old, new))


def test_what_is_typed_becomes_the_vehicle(context: Any, page: XmlPanel, qtbot: Any) -> None:
    replaced(page, 'xyz="0 0 0.02"', 'xyz="0 0 0.05"')
    qtbot.waitUntil(lambda: context.workspace.history.undo_label == "Edit raptor.xml", timeout=5000)
    (mount,) = [each for each in context.workspace.assembled.model.constraints if each.name == "camera_mount"]
    assert mount.pose.xyz == (0.0, 0.0, 0.05)
    assert page.words.text() == "valid · 1 line changed, nothing else changed"
    page.editor.undo()
    assert not context.workspace.modified_files() and "0 0 0.02" in page.editor.text()


def test_a_text_with_errors_stays_and_the_vehicle_keeps_its_last_valid_state(context: Any, page: XmlPanel) -> None:
    replaced(page, 'file="flea.xml"', 'file="flea.xml" fiel=')
    assert not page.flush()
    assert "The vehicle stays as it was valid last" in page.words.text() and page.words.text().startswith("Line 7")
    assert "Flea" in context.workspace.assembled.model.bodies and 7 in page.editor.underlined
    context.do(MoveConstraint("gps_mount", Pose((0.1, 0.0, 0.0))))
    assert "fiel=" in page.editor.text(), "an edit elsewhere takes nothing away"
    page.discard.click()
    assert "fiel=" not in page.editor.text() and 'to="Gps:BottomCenter" xyz="0.1 0 0"' in page.editor.text()


def test_a_vehicle_that_changed_meanwhile_is_not_overwritten_unasked(context: Any, page: XmlPanel) -> None:
    replaced(page, 'file="flea.xml"', 'file="flea.xml" fiel=')
    page.flush()
    context.do(MoveConstraint("gps_mount", Pose((0.1, 0.0, 0.0))))
    replaced(page, " fiel=/>", "/><!-- mine -->")
    assert not page.flush()
    assert b'to="Gps:BottomCenter" xyz="0.1 0 0"' in context.workspace.text(), "nothing is lost without a question"
    assert page.use.isVisibleTo(page) and "was changed, too" in page.words.text()
    page.use.click()
    assert b"<!-- mine -->" in context.workspace.text() and not page.is_pending
    context.workspace.undo()
    assert b'xyz="0.1 0 0"' in context.workspace.text() and b"mine" not in context.workspace.text()


def test_schema_errors_are_underlined(page: XmlPanel) -> None:
    replaced(page, '<body name="Gps" file="gps_antenna.xml"/>', '<body file="gps_antenna.xml"/>')
    page.flush()
    assert list(page.editor.underlined) == [8]


def test_edits_elsewhere_appear_with_a_plus(context: Any, page: XmlPanel) -> None:
    context.do(NEW)
    text = page.editor.text().splitlines()
    assert [text[line - 1].strip().partition(" ")[0] for line in page.editor.added] == ["<body", "<constraint"]
    assert page.words.text() == "valid · 2 lines added, nothing else changed"


def test_the_line_of_what_is_selected_moves_with_the_text(context: Any, page: XmlPanel) -> None:
    context.do(NEW)
    context.selection.choose(ConstraintThing("gps_mount"))
    assert "gps_mount" in page.editor.text(page.editor.line - 1)
    context.selection.choose(ConstraintThing("hokuyo"))
    assert '"hokuyo"' in page.editor.text(page.editor.line - 1)


def test_another_file_and_the_line_of_what_is_selected(context: Any, page: XmlPanel) -> None:
    context.selection.choose(ConstraintThing("gps_mount"))
    assert "gps_mount" in page.editor.text(page.editor.line - 1)
    context.selection.choose(FrameThing("Flea", "ImagePlane"))
    assert page.file.name == "flea.xml" and "ImagePlane" in page.editor.text(page.editor.line - 1)
    context.selection.choose(BodyThing("Imu"))
    assert page.file.name == "raptor.xml" and 'name="Imu"' in page.editor.text(page.editor.line - 1)


def test_ctrl_s_saves_what_was_typed(context: Any, page: XmlPanel) -> None:
    replaced(page, 'xyz="0 0 0.02"', 'xyz="0 0 0.04"')
    page.editor.key_wanted.emit("save")
    assert b'xyz="0 0 0.04"' in context.workspace.main.read_bytes()
    replaced(page, "<assembly", "<assembl")
    page.editor.key_wanted.emit("save")
    assert "has errors and was not saved" in context.said[-1] and context.saved == 1


@pytest.mark.parametrize(
    ("file", "before", "offered"),
    [
        ("assemblies/raptor.xml", "  <constraint name='x' from=\"Flea:", {"Flea:ImagePlane", "Flea:BottomCenter"}),
        ("assemblies/raptor.xml", "  <", {"body", "constraint", "doc", "include"}),
        ("assemblies/raptor.xml", '  <constraint name="x" ', {"from", "to", "xyz", "rpy"}),
        ("bodies/flea.xml", '  <camera name="x" frame="', {"ImagePlane", "LensCenter"}),
        ("bodies/flea.xml", '  <box use="', {"both", "visual", "collision"}),
        ("bodies/flea.xml", "  <cyl", {"cylinder"}),
    ],
)
def test_completion_offers_what_can_stand_there(
    context: Any, page: XmlPanel, file: str, before: str, offered: set[str]
) -> None:
    path = next(each for each in context.workspace.files() if str(each).endswith(file))
    page.show_file(path)
    lines = page.editor.text().splitlines()
    lines.insert(len(lines) - 1, before)
    page.editor.setText("\n".join(lines))
    page.editor.setCursorPosition(len(lines) - 2, len(before))
    assert offered <= set(page.editor.complete())


def test_keys_open_the_completion(page: XmlPanel) -> None:
    page.editor.setFocus()
    page.editor.setCursorPosition(3, 0)
    QTest.keyClicks(page.editor, "<")
    assert page.editor.isListActive()
    QTest.keyClick(page.editor, Qt.Key.Key_Escape)
    page.show_document()


def test_changes_show_only_what_saving_would_write(context: Any) -> None:
    page: Changes = context.show(Changes, 900, 300)
    assert page.stack.currentIndex() == 0
    context.do(NEW)
    assert page.added == 2
    (file,) = [page.tree.topLevelItem(0)]
    assert file is not None and file.text(0) == "raptor.xml: 2 lines added, nothing else changed"
    signs = [file.child(row).text(1) for row in range(file.childCount())]  # type: ignore[union-attr]
    assert signs.count("+") == 2 and "…" in signs and "−" not in signs
    context.workspace.save()
    assert page.stack.currentIndex() == 0
