"""Undo, cut, paste and the like in the text that has the focus: the Edit menu means what one is looking at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit

Text = Any
"""A QLineEdit, QPlainTextEdit, QTextEdit, or the QsciScintilla of code, which is not imported before there is any."""
VERBS: dict[str, Callable[[Text], object]] = {
    "edit.undo": lambda text: text.undo(),
    "edit.redo": lambda text: text.redo(),
    "edit.cut": lambda text: text.cut(),
    "edit.copy": lambda text: text.copy(),
    "edit.paste": lambda text: text.paste(),
    "edit.delete": lambda text: _delete(text),
    "edit.select_all": lambda text: text.selectAll(),
}
READ_ONLY = ("edit.copy", "edit.select_all")


def focused_text() -> Text | None:
    widget = QApplication.focusWidget()
    if isinstance(widget, QAbstractSpinBox | QComboBox):
        return widget.lineEdit()
    is_text = isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit) or _is_code(widget)
    return widget if is_text else None


def can(text: Text, action: str) -> bool:
    if text.isReadOnly():
        return action in READ_ONLY
    if action == "edit.undo":
        return bool(_keeper(text).isUndoAvailable())
    if action == "edit.redo":
        return bool(_keeper(text).isRedoAvailable())
    return True


def do_in_text(action: str) -> bool:
    """Whether the action belongs to a text, which has then done it, if it could."""
    text = focused_text()
    if text is None or action not in VERBS:
        return False
    if can(text, action):
        VERBS[action](text)
    return True


def _is_code(widget: object) -> bool:
    return hasattr(widget, "SendScintilla")


def _keeper(text: Text) -> Any:
    """Who knows what can be undone."""
    return text.document() if isinstance(text, QPlainTextEdit | QTextEdit) else text


def _delete(text: Text) -> None:
    """What is selected, or the next letter."""
    if isinstance(text, QLineEdit):
        text.del_()
    elif _is_code(text):
        text.SendScintilla(text.SCI_CLEAR)
    else:
        text.textCursor().deleteChar()
