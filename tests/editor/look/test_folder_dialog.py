"""A place for a project is asked for in the words of projects, and files are not in the way."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QLineEdit, QPushButton

from studio.editor.look.folder_dialog import FolderDialog, ask_new_folder
from studio.editor.window.main_window import MainWindow


def test_enter_takes_the_folder_that_is_proposed(one_window: MainWindow, tmp_path: Path) -> None:
    seen: list[str] = []

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, FolderDialog)
        seen.extend(button.text() for button in dialog.findChildren(QPushButton))
        field = dialog.findChild(QLineEdit)
        assert field is not None and field.text() == "my_robot"
        dialog.accept()

    QTimer.singleShot(200, answer)
    chosen = ask_new_folder(one_window, "New project", tmp_path / "my_robot", "Create")
    assert chosen == tmp_path / "my_robot" and "Create" in seen and not chosen.exists()


def test_who_cancels_has_chosen_nothing(one_window: MainWindow, tmp_path: Path) -> None:
    QTimer.singleShot(200, lambda: QApplication.activeModalWidget().reject())  # type: ignore[union-attr]
    assert ask_new_folder(one_window, "New project", tmp_path / "my_robot", "Create") is None
