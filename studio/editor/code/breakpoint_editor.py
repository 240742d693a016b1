"""The small form at a breakpoint: when it stops, at which pass, or what it says instead."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QLineEdit, QPushButton, QWidget

from studio.editor.code.breakpoint_book import Breakpoint

WIDTH = 460


class BreakpointEditor(QFrame):
    accepted = pyqtSignal(object)
    """The Breakpoint as it is to be."""

    def __init__(self, parent: QWidget, point: Breakpoint, first: str = "condition") -> None:
        super().__init__(parent)
        self.point = point
        self.setProperty("role", "card")
        self.setAutoFillBackground(True)
        self.condition = _field("stops when this is true: len(scan.points) > 300", point.condition)
        self.hits = _field("stops at these passes: 5, >= 5, % 10", point.hits)
        self.log = _field("says this and does not stop: scan {scan.sequence}", point.log)
        form = QFormLayout(self)
        form.setContentsMargins(12, 10, 12, 10)
        for label, field in (("Condition", self.condition), ("Hit count", self.hits), ("Log", self.log)):
            field.setAccessibleName(f"{label} of the breakpoint")
            field.returnPressed.connect(self.accept)
            form.addRow(label, field)
        done, leave = QPushButton("Set breakpoint"), QPushButton("Cancel")
        done.setProperty("primary", True)
        done.clicked.connect(self.accept)
        leave.clicked.connect(self.leave)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(leave)
        row.addWidget(done)
        form.addRow(row)
        self.setFixedWidth(WIDTH)
        self.adjustSize()
        {"condition": self.condition, "hits": self.hits, "log": self.log}[first].setFocus()

    def accept(self) -> None:
        texts = {"condition": self.condition, "hits": self.hits, "log": self.log}
        values = {name: field.text().strip() for name, field in texts.items()}
        self.accepted.emit(Breakpoint(self.point.file, self.point.line, True, **values))
        self.leave()

    def leave(self) -> None:
        self.hide()
        self.deleteLater()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)


def _field(hint: str, text: str) -> QLineEdit:
    field = QLineEdit(text)
    field.setPlaceholderText(hint)
    return field
