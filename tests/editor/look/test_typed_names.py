"""Names while they are typed: spaces become underscores, wherever a name is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit

from studio.editor.canvas.interaction.in_place import NameField
from studio.editor.look.folder_dialog import FolderDialog
from studio.editor.look.typed_names import keep_to_names
from studio.editor.window.main_window import MainWindow
from studio.model.parts import as_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("front laser", "front_laser"),
        ("a-b.c", "a_b_c"),
        ("2nd try", "nd_try"),
        ("größe", "gre"),
        (" x ", "x_"),
        ("!", ""),
    ],
)
def test_what_somebody_means_by_words(text: str, name: str) -> None:
    assert as_name(text) == name


def test_a_space_becomes_an_underscore_and_the_cursor_stays_behind_it(qapp: QApplication) -> None:
    field = QLineEdit("laser")
    keep_to_names(field)
    field.setCursorPosition(0)
    QTest.keyClicks(field, "front ")
    assert field.text() == "front_laser" and field.cursorPosition() == 6 and field.isModified()


def test_a_card_is_renamed_with_a_space_in_the_name(window: MainWindow) -> None:
    window.canvas.commands.rename_node("terrain_map")
    (field,) = window.canvas.findChildren(NameField)
    QTest.keyClicks(field, "my map\r")
    assert "my_map" in window.session.system.nodes


def test_the_inspector_renames_with_a_space_in_the_name(window: MainWindow) -> None:
    window.inspector.show_selection(["terrain_map"], [])
    window.inspector.refresh()
    page = window.inspector.widget()
    assert page is not None
    field = next(each for each in page.findChildren(QLineEdit) if each.accessibleName() == "Name")
    field.selectAll()
    QTest.keyClicks(field, "my map\r")
    assert "my_map" in window.session.system.nodes


def test_a_title_may_have_spaces(window: MainWindow) -> None:
    field = NameField(window, window.rect(), "Frame", lambda _: None, is_title=True)
    field.selectAll()
    QTest.keyClicks(field, "two words")
    assert field.text() == "two words"
    field.deleteLater()


def test_a_new_project_is_named_and_a_path_is_left_alone(window: MainWindow, tmp_path: Path) -> None:
    dialog = FolderDialog(window, "New project", tmp_path / "my_robot", "Create")
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert field is not None
    field.selectAll()
    QTest.keyClicks(field, "my robot")
    assert field.text() == "my_robot"
    field.selectAll()
    QTest.keyClicks(field, "/tmp/a b/robot")
    assert field.text() == "/tmp/a b/robot", "folders may have spaces"
    dialog.deleteLater()


def test_a_project_in_a_folder_with_spaces_gets_a_name_without(window: MainWindow, tmp_path: Path) -> None:
    window.files.create(tmp_path / "My Robot")
    assert window.session.name == "My_Robot" and window.session.folder == tmp_path / "My Robot"
