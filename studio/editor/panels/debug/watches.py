"""Watches: expressions that are evaluated at every stop, in the frame that is looked at."""

from __future__ import annotations

import json
from typing import Protocol

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QMenu, QVBoxLayout, QWidget

from studio.editor.code import looks
from studio.editor.code.debug_session import Body, Frame
from studio.editor.code.ports import WithDebug
from studio.editor.look.theme import Theme
from studio.editor.panels.debug.value_tree import VALUE, ValueTree
from studio.editor.ports import WithSettings, WithSidePanels, WithTheme
from studio.errors import StudioError

SETTING = "debug/watches"


class Needs(WithDebug, WithSettings, WithSidePanels, WithTheme, Protocol):
    """What is taken from the window."""


class Watches(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.window_, self.debug, self.settings = window, window.debug, window.settings
        self.theme: Theme = window.theme
        self.tree = ValueTree(self.debug, self.theme, "Watches")
        self.tree.more_entries = self._add_entries
        self.field = QLineEdit()
        self.field.setPlaceholderText("Add an expression: np.nanmax(z)")
        self.field.setAccessibleName("Expression to watch")
        self.field.returnPressed.connect(self._add_typed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 6)
        layout.addWidget(self.tree, 1)
        row = QVBoxLayout()
        row.setContentsMargins(8, 0, 8, 0)
        row.addWidget(self.field)
        layout.addLayout(row)
        self.expressions: list[str] = self._kept()
        self.debug.frame_chosen.connect(self._show_frame)
        self._show_frame(self.debug.frame)

    def add(self, expression: str) -> None:
        expression = expression.strip()
        if expression and expression not in self.expressions:
            self.expressions.append(expression)
            self._changed()

    def remove(self, expression: str) -> None:
        if expression in self.expressions:
            self.expressions.remove(expression)
            self._changed()

    def _add_typed(self) -> None:
        self.add(self.field.text())
        self.field.clear()

    def _changed(self) -> None:
        self.settings.set_text(SETTING, json.dumps(self.expressions))
        self.window_.side_panels.set_title("watches", f"Watch {len(self.expressions)}" if self.expressions else "Watch")
        self._show_frame(self.debug.frame)

    def _kept(self) -> list[str]:
        try:
            kept = json.loads(self.settings.text(SETTING))
        except ValueError:
            return []
        return [str(each) for each in kept] if isinstance(kept, list) else []

    def _show_frame(self, frame: Frame | None) -> None:
        self.tree.begin()
        for expression in self.expressions:
            if frame is None:
                item = self.tree.add(None, {"name": expression, "evaluateName": expression})
                item.setForeground(VALUE, QColor(self.theme.muted))
            else:
                self._evaluate(expression)

    def _evaluate(self, expression: str) -> None:
        item = self.tree.add(None, {"name": expression, "evaluateName": expression})
        turn = self.tree.turn

        def show(body: Body) -> None:
            if turn == self.tree.turn:
                self.tree.update_row(item, {**body, "value": body.get("result")})
                self.tree.ask_words({expression: item}, looks.names_of([expression]))

        def fail(error: StudioError) -> None:
            if turn == self.tree.turn:
                item.setText(VALUE, error.message.strip().splitlines()[-1] if error.message.strip() else "no value")
                item.setForeground(VALUE, QColor(self.theme.error))
                item.setToolTip(VALUE, error.message)

        self.debug.evaluate(expression, show, fail, context="watch")

    def _add_entries(self, menu: QMenu, expression: str) -> None:
        for text, do in (
            ("View as an array", lambda: self.window_.side_panels.show("variables").view(expression)),
            ("Remove", lambda: self.remove(expression)),
        ):
            if text == "Remove" and expression not in self.expressions:
                continue
            entry = menu.addAction(text)
            assert entry is not None
            entry.triggered.connect(lambda _=False, do=do: do())

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        item = self.tree.currentItem()
        if event is not None and event.key() == Qt.Key.Key_Delete and item is not None:
            self.remove(self.tree.expression(item))
        else:
            super().keyPressEvent(event)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.tree.show_theme(theme)
        self._show_frame(self.debug.frame)
