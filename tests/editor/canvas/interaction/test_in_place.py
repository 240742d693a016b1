"""Fields over the canvas keep their keys to themselves."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QRect, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.editor.canvas.interaction.in_place import NameField, TextField


class Behind(QWidget):
    """Something that would act on keys, as the canvas does on arrows."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[int] = []

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        self.keys.append(event.key())


@pytest.mark.parametrize("field", [NameField, TextField])
def test_no_key_of_a_field_comes_to_what_lies_behind_it(field: type[NameField] | type[TextField], qtbot: QtBot) -> None:
    behind = Behind()
    qtbot.addWidget(behind)
    behind.show()
    made = field(behind, QRect(0, 0, 100, 24), "old", lambda _: None)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_Delete, Qt.Key.Key_Insert, Qt.Key.Key_F):
        QTest.keyClick(made, key)
    assert behind.keys == []
