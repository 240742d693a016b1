"""The variables of the frame that is looked at, and below them an array as image, map, plot or table."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QMenu, QSplitter, QStackedLayout, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.editor.code import looks
from studio.editor.code.debug_session import Body, Frame
from studio.editor.code.ports import WithDebug
from studio.editor.look.theme import Theme
from studio.editor.panels.debug.value_tree import GROUPS, NAME, ValueTree
from studio.editor.panels.parts.empty_state import EmptyState
from studio.editor.ports import WithSidePanels, WithTheme
from studio.editor.views.data.array_data import ArrayData
from studio.editor.views.data.array_view import ArrayView

NOTHING = "Variables appear when code is stopped at a line"


class Needs(WithDebug, WithSidePanels, WithTheme, Protocol):
    """What is taken from the window."""


class Variables(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.window_, self.debug = window, window.debug
        self.theme: Theme = window.theme
        self.tree = ValueTree(self.debug, self.theme, "Variables")
        self.tree.chosen.connect(lambda expression, is_array: self.view(expression) if is_array else None)
        self.tree.more_entries = self._add_entries
        self.array = ArrayView(self.theme)
        self.array.plane_chosen.connect(lambda plane: self.view(self._viewed, plane))
        self.array.hide()
        self.parts = QSplitter(Qt.Orientation.Vertical)
        self.parts.setChildrenCollapsible(False)
        self.parts.addWidget(self.tree)
        self.parts.addWidget(self.array)
        self.parts.setStretchFactor(0, 3)
        self.parts.setStretchFactor(1, 2)
        self.empty = EmptyState("mdi6.variable", NOTHING, self.theme)
        pages = QWidget()
        self._stack = QStackedLayout(pages)  # without a widget around it, its first page would be a window for a moment
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.parts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(pages)
        self._viewed, self._plane = "", 0
        self.debug.frame_chosen.connect(self._show_frame)
        self._show_frame(self.debug.frame)

    # ---- the frame

    def _show_frame(self, frame: Frame | None) -> None:
        session = self.debug.session
        if frame is None or session is None:
            self._stack.setCurrentIndex(0)
            return
        session.ask("scopes", self._show_scopes, frameId=frame.id)
        if self._viewed:
            self.view(self._viewed)

    def _show_scopes(self, body: Body) -> None:
        scopes, session = body.get("scopes", []), self.debug.session
        if not scopes or session is None:
            return
        local, others = scopes[0], scopes[1:]

        def show(answer: Body) -> None:
            self.tree.begin()
            rows = [told for told in answer.get("variables", []) if told.get("name") not in GROUPS]
            # `self` holds what a component remembers; the rest is of this call.
            rows.sort(key=lambda told: told.get("name") == "self")
            items = {str(told.get("name", "")): self.tree.add(None, told) for told in rows}
            for scope in others:
                self._add_scope(scope)
            self._stack.setCurrentIndex(1)
            self.tree.ask_words(items, looks.known_of(items))

        session.ask("variables", show, variablesReference=int(local["variablesReference"]))

    def _add_scope(self, scope: Body) -> None:
        told = {"name": scope.get("name"), "variablesReference": scope.get("variablesReference")}
        item: QTreeWidgetItem = self.tree.add(None, told)
        item.setForeground(NAME, QColor(self.theme.muted))

    # ---- arrays

    def view(self, expression: str, plane: int | None = None) -> None:
        """Show an expression as an array, below; of one with three axes, this grid."""
        if plane is not None or expression != self._viewed:
            self._plane = plane or 0
        self._viewed = expression

        def show(body: Body) -> None:
            told = looks.told(str(body.get("result", "")))
            self.array.show()
            if "data" in told:
                self.array.show_array(ArrayData.read(expression, told))
            else:
                self.array.say(expression, str(told.get("error", "is not an array")))

        def fail(error: Exception) -> None:
            if not self.array.isHidden():
                self.array.say(expression, "has no value in this frame")

        self.debug.evaluate(looks.array_of(expression, self._plane), show, fail, context="clipboard")

    def _add_entries(self, menu: QMenu, expression: str) -> None:
        if not expression:
            return
        for text, do in (
            ("View as an array", lambda: self.view(expression)),
            ("Watch", lambda: self.window_.side_panels.show("watches").add(expression)),
        ):
            entry = menu.addAction(text)
            assert entry is not None
            entry.triggered.connect(lambda _=False, do=do: do())

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.tree.show_theme(theme)
        self.array.show_theme(theme)
        self.empty.show_theme(theme)
        self._show_frame(self.debug.frame)
