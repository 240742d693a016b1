"""Shortcuts, guide and about: made from the table of actions and from the files in docs."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QUrl
from PyQt6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from studio import __version__
from studio.editor.actions import keys_table

MOUSE = (
    ("Mouse", "Pan", "middle button, or two fingers"),
    ("Mouse", "Zoom to the pointer", "wheel"),
    ("Mouse", "New wire", "drag from a port, either way"),
    ("Mouse", "Take a wire's end elsewhere", "drag it near its end"),
    ("Mouse", "Without snapping", "hold Alt"),
    ("Keys", "Walk along wires", "arrows"),
    ("Keys", "Walk between cards", "Ctrl+arrows"),
    ("Keys", "Move what is selected", "Alt+arrows"),
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


class GuideDialog(QDialog):
    """A page of the guide; links between pages work."""

    def __init__(self, parent: QWidget, page: Path) -> None:
        super().__init__(parent)
        self.setWindowTitle("Guide")
        self.resize(820, 640)
        self.browser = QTextBrowser()
        self.browser.setOpenExternalLinks(True)
        self.browser.setAccessibleName("Guide")
        if page.is_file():
            self.browser.setSearchPaths([str(page.parent)])
            self.browser.setSource(QUrl.fromLocalFile(str(page)))
        else:
            self.browser.setPlainText(
                "The guide is not installed with this copy of Studio; it is in docs/guide of the sources."
            )
        layout = QVBoxLayout(self)
        layout.addWidget(self.browser)


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
