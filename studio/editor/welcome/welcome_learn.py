"""The guide on the first page: the four things that people come for, and every page behind one button."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QMenu, QPushButton, QSizePolicy, QWidget

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

WORKFLOWS: tuple[tuple[str, str, str], ...] = (
    ("first_system.md", "mdi6.graph-outline", "Assemble a system, run it and watch it"),
    ("geometry.md", "mdi6.axis-arrow", "Shape the vehicle, and ask where its frames are"),
    ("sources.md", "mdi6.swap-horizontal", "Switch between simulation, log and real devices"),
    ("debugger.md", "fa6s.bug", "Debug: stop everything on one event"),
)
"""Page, icon, and what one learns there."""


class Learn(QWidget):
    page_wanted = pyqtSignal(Path)

    def __init__(self, guide: Path, theme: Theme) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(10)
        for place, (name, picture, words) in enumerate(WORKFLOWS):
            button = QPushButton(icon(picture, theme.accent), f"  {words}")
            button.setStyleSheet("text-align: left; min-height: 46px; padding-left: 12px;")
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # no title may widen the page
            button.clicked.connect(lambda _, page=guide / name: self.page_wanted.emit(page))
            grid.addWidget(button, place // 2, place % 2)
        self.pages = QMenu(self)
        for page in sorted(guide.glob("*.md")):
            title = page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            self.pages.addAction(title, lambda page=page: self.page_wanted.emit(page))
        every = QPushButton("All pages of the guide")
        every.setProperty("link", "true")
        every.setMenu(self.pages)
        grid.addWidget(every, 2, 0, Qt.AlignmentFlag.AlignLeft)
