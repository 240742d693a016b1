"""A console in the frame that is looked at: what is typed is evaluated there, what log points say is shown too."""

from __future__ import annotations

from html import escape
from typing import Protocol

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent, QTextCursor
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from studio.editor.code.debug_session import Body, Frame
from studio.editor.code.ports import WithDebug
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.ports import WithTheme
from studio.errors import StudioError

MOST_LINES = 5000
MOST_CHARACTERS = 20_000
"""Of one answer."""


class Needs(WithDebug, WithTheme, Protocol):
    """What is taken from the window."""


class Evaluate(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.debug = window.debug
        self.theme: Theme = window.theme
        self.page = QPlainTextEdit()
        self.page.setAccessibleName("Evaluated expressions")
        self.page.setReadOnly(True)
        self.page.setFont(code_font(12))
        self.page.setMaximumBlockCount(MOST_LINES)
        self.page.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.field = QLineEdit()
        self.field.setFont(code_font(12))
        self.field.setAccessibleName("Expression to evaluate")
        self.field.returnPressed.connect(self._enter)
        self.field.installEventFilter(self)
        self.where = QLabel(">")
        self.where.setProperty("role", "muted")
        row = QHBoxLayout()
        row.setContentsMargins(10, 0, 8, 6)
        row.addWidget(self.where)
        row.addWidget(self.field, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.page, 1)
        layout.addLayout(row)
        self.history: list[str] = []
        self._at = 0
        self.debug.said.connect(self._said)
        self.debug.frame_chosen.connect(self._show_frame)
        self._show_frame(self.debug.frame)

    def evaluate(self, expression: str) -> None:
        """As if it had been typed."""
        expression = expression.strip()
        if not expression:
            return
        if not self.history or self.history[-1] != expression:
            self.history.append(expression)
        self._at = len(self.history)
        self._write(f"> {expression}", self.theme.accent)
        self.debug.evaluate(expression, self._show, self._fail)

    def _show(self, body: Body) -> None:
        result = str(body.get("result", ""))
        if result:
            more = f" … {len(result)} characters" if len(result) > MOST_CHARACTERS else ""
            self._write(result[:MOST_CHARACTERS] + more, self.theme.text)

    def _fail(self, error: StudioError) -> None:
        lines = error.message.strip().splitlines()
        self._write(lines[-1] if lines else str(error), self.theme.error)

    def _said(self, host: str, category: str, text: str) -> None:
        """Log points, and what the code prints while it is debugged."""
        if text.strip():
            self._write(text.rstrip("\n"), self.theme.error if category == "stderr" else self.theme.muted)

    def _show_frame(self, frame: Frame | None) -> None:
        self.field.setEnabled(frame is not None)
        self.where.setText(f"{frame.function} >" if frame is not None else ">")
        hint = "An expression or a statement, in this frame. ↑ brings back earlier ones"
        self.field.setPlaceholderText(
            hint if frame is not None else "Expressions are evaluated where the code is stopped"
        )

    def _write(self, text: str, colour: str) -> None:
        lines = escape(text).replace(" ", "&nbsp;").replace("\n", "<br>")
        bar = self.page.verticalScrollBar()
        follows = bar is None or bar.value() >= bar.maximum() - 2
        self.page.appendHtml(f'<span style="color:{colour}">{lines}</span>')
        if follows:
            self.page.moveCursor(QTextCursor.MoveOperation.End)

    def _enter(self) -> None:
        text = self.field.text()
        self.field.clear()
        self.evaluate(text)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """The history, with the arrow keys."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
            if step:
                self._at = max(0, min(len(self.history), self._at + step))
                self.field.setText(self.history[self._at] if self._at < len(self.history) else "")
                return True
        return bool(super().eventFilter(watched, event))

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
