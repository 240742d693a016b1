"""Shortcuts, made from the table of actions, and about."""

from __future__ import annotations

from PyQt6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio import __version__
from studio.editor.window.actions import keys_table

MOUSE = (
    ("Mouse", "Pan", "middle button, or two fingers"),
    ("Mouse", "Zoom to the pointer", "wheel"),
    ("Mouse", "New wire", "drag from a port, either way"),
    ("Mouse", "Take a wire's end elsewhere", "drag it near its end"),
    ("Mouse", "Without snapping", "hold Alt"),
    ("Keys", "Walk along wires", "arrows"),
    ("Keys", "Walk between cards", "Ctrl+arrows"),
    ("Keys", "Move selection", "Alt+arrows"),
)


class KeysDialog(QDialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts")
        self.resize(520, 620)
        rows = [*keys_table(), *MOUSE]
        table = QTableWidget(len(rows), 3)
        table.setHorizontalHeaderLabels(["", "Action", "Keys"])
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setAccessibleName("Shortcuts")
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                table.setItem(row, column, QTableWidgetItem(text))
        header, side = table.horizontalHeader(), table.verticalHeader()
        assert header is not None and side is not None
        side.hide()
        side.setDefaultSectionSize(24)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        layout = QVBoxLayout(self)
        layout.addWidget(table)


class AboutDialog(QDialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("About")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        title = QLabel(f"Robot Systems Studio {__version__}")
        title.setStyleSheet("font-size: 17px; font-weight: 600;")
        layout.addWidget(title)
        layout.addWidget(QLabel("Wire it, run it, stop it on one event."))
        layout.addWidget(QLabel("Free software under the GPL, version 3 or later."))
