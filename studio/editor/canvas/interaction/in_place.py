"""Editing right on the canvas: the name of a card, the text of a note, the title of a frame."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QRect, Qt
from PyQt6.QtGui import QFocusEvent, QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from studio.editor.look.typed_names import keep_to_names


class NameField(QLineEdit):
    """Enter or a click elsewhere takes the name, Escape leaves the old one."""

    def __init__(
        self, parent: QWidget, where: QRect, text: str, take: Callable[[str], None], *, is_title: bool = False
    ) -> None:
        """`is_title`: any words will do; it names nothing that others refer to."""
        super().__init__(text, parent)
        self._take = take
        self._old = text
        self._done = False
        self.setAccessibleName("Name")
        if not is_title:
            keep_to_names(self)
        self.setGeometry(where)
        self.show()
        self.setFocus()
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Enter stays here: Qt's own field passes it on, and on the canvas it means the inspector."""
        assert event is not None
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._finish()
        else:
            super().keyPressEvent(event)
        event.accept()  # arrows that the field has no use for would move cards

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        super().focusOutEvent(event)
        self._finish()

    def _finish(self) -> None:
        if not self._done:
            text = self.text().strip()
            self._close()
            if text and text != self._old:
                self._take(text)

    def _close(self) -> None:
        self._done = True
        parent = self.parentWidget()
        self.hide()
        self.deleteLater()
        if parent is not None:
            parent.setFocus()


class TextField(QPlainTextEdit):
    """Of a note: Enter makes a new line, Ctrl+Enter or a click elsewhere takes the text."""

    def __init__(self, parent: QWidget, where: QRect, text: str, take: Callable[[str], None]) -> None:
        super().__init__(text, parent)
        self._take = take
        self._old = text
        self._done = False
        self.setAccessibleName("Text of the note")
        self.setGeometry(where)
        self.show()
        self.setFocus()
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers():
            self._finish()
        else:
            super().keyPressEvent(event)
        event.accept()  # arrows that the field has no use for would move cards

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        super().focusOutEvent(event)
        self._finish()

    def _finish(self) -> None:
        if not self._done:
            text = self.toPlainText().strip()
            self._close()
            if text != self._old:
                self._take(text)

    def _close(self) -> None:
        self._done = True
        parent = self.parentWidget()
        self.hide()
        self.deleteLater()
        if parent is not None:
            parent.setFocus()
