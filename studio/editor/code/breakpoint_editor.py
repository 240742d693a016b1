"""The small form at a breakpoint: when it stops, at which pass, or what it says instead."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from studio.editor.code.breakpoint_book import Breakpoint
from studio.editor.code.condition_check import (
    Scope,
    condition_problem,
    hits_problem,
    log_problem,
    unreadable,
)
from studio.editor.code.expression_field import ExpressionField

WIDTH = 480
_HINT = "Return sets it, Esc leaves it as it was"
_ANYWAY = "Return again sets it, but it will not stop"


class BreakpointEditor(QFrame):
    """Lies over the code, but is no part of it: no key that is pressed in here comes to the code behind it."""

    accepted = pyqtSignal(object)
    """The Breakpoint as it is to be."""
    left = pyqtSignal()

    def __init__(self, parent: QWidget, point: Breakpoint, scope: Scope, first: str = "condition") -> None:
        super().__init__(parent)
        self.point, self.scope = point, scope
        self._is_warned = False
        self.setProperty("role", "card")
        self.setAutoFillBackground(True)
        self.setAccessibleName(f"Breakpoint in line {point.line}")
        self.condition = _expression(scope, "stops when this is true: len(scan.points) > 300", point.condition)
        self.hits = QLineEdit(point.hits)
        self.hits.setPlaceholderText("stops at these passes: 5, >= 5, % 10")
        self.log = _expression(scope, "says this and does not stop: scan {scan.sequence}", point.log)
        self.words = QLabel(_HINT)
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.words.setMinimumHeight(2 * self.words.fontMetrics().lineSpacing() + 4)  # a problem, and what Return does
        self.done, leave = QPushButton("Set breakpoint"), QPushButton("Cancel")
        self.done.setProperty("primary", True)
        self.done.clicked.connect(self.accept)
        leave.clicked.connect(self.leave)
        self._fields: list[tuple[str, QLineEdit]] = [
            ("Condition", self.condition), ("Hit count", self.hits), ("Log", self.log),
        ]  # fmt: skip
        form = QFormLayout(self)
        form.setContentsMargins(12, 10, 12, 10)
        for label, field in self._fields:
            field.setAccessibleName(f"{label} of the breakpoint")
            field.returnPressed.connect(self.accept)
            field.textChanged.connect(self._check)
            form.addRow(label, field)
        form.addRow(self.words)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(leave)
        row.addWidget(self.done)
        form.addRow(row)
        self._order = [self.condition, self.hits, self.log, leave, self.done]
        self.setFixedWidth(WIDTH)
        self._check()
        self._first = {"condition": self.condition, "hits": self.hits, "log": self.log}[first]
        self.setFocusProxy(self._first)

    # ---- what is typed

    @property
    def problem(self) -> str:
        """What is wrong with what was typed; nothing if all is fine."""
        return (
            condition_problem(self.condition.text(), self.scope)
            or hits_problem(self.hits.text())
            or log_problem(self.log.text(), self.scope)
        )

    @property
    def _can_be(self) -> bool:
        """A name that nobody knows may come to be while the code runs; what cannot be read never works."""
        return not unreadable(self.condition.text(), self.hits.text(), self.log.text())

    def _check(self) -> None:
        problem, self._is_warned = self.problem, False
        self.words.setText(problem or _HINT)
        self.words.setProperty("role", "error" if problem else "muted")
        style = self.words.style()
        if style is not None:
            style.polish(self.words)
        self.done.setEnabled(self._can_be)
        self.adjustSize()

    def accept(self) -> None:
        if not self._can_be or self._warns():
            return
        texts = {"condition": self.condition, "hits": self.hits, "log": self.log}
        values = {name: field.text().strip() for name, field in texts.items()}
        self.accepted.emit(Breakpoint(self.point.file, self.point.line, True, **values))
        self.leave()

    def _warns(self) -> bool:
        """What names nothing that exists is set only by who has seen that."""
        if self._is_warned or not self.problem:
            return False
        self._is_warned = True
        self.words.setText(f"{self.problem}\n{_ANYWAY}")
        self.adjustSize()
        return True

    def leave(self) -> None:
        self.hide()
        self.left.emit()
        self.deleteLater()

    # ---- keys

    def event(self, event: QEvent | None) -> bool:
        is_asked = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_asked and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_F9:
            event.accept()  # the window's action would take away what is being edited
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """What none of the fields wants ends here."""
        assert event is not None
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        event.accept()

    def focusNextPrevChild(self, onward: bool) -> bool:
        """Tab goes round within the form."""
        stops = [each for each in self._order if each.isEnabled()]
        at = next((place for place, widget in enumerate(stops) if widget.hasFocus()), -1 if onward else 0)
        stops[(at + (1 if onward else -1)) % len(stops)].setFocus(
            Qt.FocusReason.TabFocusReason if onward else Qt.FocusReason.BacktabFocusReason
        )
        return True


def _expression(scope: Scope, hint: str, text: str) -> ExpressionField:
    field = ExpressionField(text, scope.completions)
    field.setPlaceholderText(hint)
    return field
