"""Undo, cut, paste and the like in the text that has the focus: the Edit menu means what one is looking at."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit

Text = QLineEdit | QPlainTextEdit | QTextEdit
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
    return widget if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit) else None


def can(text: Text, action: str) -> bool:
    if text.isReadOnly():
        return action in READ_ONLY
    if action in ("edit.undo", "edit.redo"):
        return _has_undo(text) if action == "edit.undo" else _has_redo(text)
    return True


def do_in_text(action: str) -> bool:
    """Whether the action belongs to a text, which has then done it, if it could."""
    text = focused_text()
    if text is None or action not in VERBS:
        return False
    if can(text, action):
        VERBS[action](text)
    return True


def _delete(text: Text) -> None:
    if isinstance(text, QLineEdit):
        text.del_()
    else:
        text.textCursor().deleteChar()


def _has_undo(text: Text) -> bool:
    if isinstance(text, QLineEdit):
        return text.isUndoAvailable()
    document = text.document()
    return document is not None and document.isUndoAvailable()


def _has_redo(text: Text) -> bool:
    if isinstance(text, QLineEdit):
        return text.isRedoAvailable()
    document = text.document()
    return document is not None and document.isRedoAvailable()
