"""Shortcuts, guide and about: made from the table of actions and from the files in docs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QPixmap, QTextDocument
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


TWO_PICTURES = re.compile(r'<picture>.*?<img alt="([^"]*)"\s+src="([^"]*)">\s*</picture>', re.DOTALL)
"""As pages write a picture that is another one in the dark, which Qt does not know."""
_Resource = QTextDocument.ResourceType
PAGE_EDGES = 60
"""Beside a picture on a page: margins and the scroll bar."""


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


class GuideBrowser(QTextBrowser):
    """Pictures are as wide as the page at most, and those of the theme where there are two."""

    def __init__(self, *, is_dark: bool) -> None:
        super().__init__()
        self.is_dark = is_dark

    def loadResource(self, kind: int, name: QUrl) -> Any:
        file = Path(self.source().resolved(name).toLocalFile())
        if not file.is_file():
            return super().loadResource(kind, name)
        if kind == _Resource.MarkdownResource.value:
            return TWO_PICTURES.sub(r"![\1](\2)", file.read_text(encoding="utf-8"))
        if kind != _Resource.ImageResource.value:
            return super().loadResource(kind, name)
        dark = file.with_stem(f"{file.stem}_dark")
        picture = QPixmap(str(dark if self.is_dark and dark.is_file() else file))
        ratio, room = self.devicePixelRatioF(), self.width() - PAGE_EDGES
        if picture.width() > room * ratio:
            picture = picture.scaledToWidth(round(room * ratio), Qt.TransformationMode.SmoothTransformation)
            picture.setDevicePixelRatio(ratio)
        return picture


class GuideDialog(QDialog):
    """A page of the guide; links between pages work."""

    def __init__(self, parent: QWidget, page: Path, *, is_dark: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle("Guide")
        self.resize(920, 720)
        self.browser = GuideBrowser(is_dark=is_dark)
        self.browser.resize(self.size())  # the pictures of the page are as wide as it will be
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
