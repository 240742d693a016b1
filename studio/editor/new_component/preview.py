"""The files that will be made, as they will be: a tab for each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PyQt6.Qsci import QsciScintilla
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QLabel, QTabBar, QVBoxLayout, QWidget

from studio.editor.code.lexers import lexer_for, scintilla_font
from studio.editor.look.theme import Theme


class FilePreview(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.files: dict[str, str] = {}
        self.place = QLabel()
        self.place.setProperty("role", "muted")
        self.place.setWordWrap(True)
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName("Files that will be made")
        self.tabs.currentChanged.connect(lambda _: self._show())
        self.text = QsciScintilla()
        self.text.setAccessibleName("Preview")
        self.text.setUtf8(True)
        self.text.setReadOnly(True)
        self.text.setMarginWidth(1, 0)
        self.text.SendScintilla(QsciScintilla.SCI_SETMARGINLEFT, 0, 10)
        self.text.setScrollWidthTracking(True)
        self.text.setScrollWidth(1)
        self.text.setCaretWidth(0)
        self.text.setFont(scintilla_font(12))
        self.text.setPaper(QColor(theme.code))
        self.text.setColor(QColor(theme.text))
        self.text.setFrameShape(QsciScintilla.Shape.NoFrame)
        self.text.SendScintilla(QsciScintilla.SCI_SETEXTRAASCENT, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.place)
        layout.addWidget(self.tabs)
        layout.addWidget(self.text, 1)

    def show_files(self, files: Mapping[str, str], place: str) -> None:
        self.place.setText(place)
        if list(files) != list(self.files):
            current = max(0, self.tabs.currentIndex())
            self.tabs.blockSignals(True)
            while self.tabs.count():
                self.tabs.removeTab(0)
            for name in files:
                self.tabs.addTab(name)
            self.tabs.setCurrentIndex(min(current, len(files) - 1))
            self.tabs.blockSignals(False)
        self.files = dict(files)
        self._show()

    def _show(self) -> None:
        name = self.tabs.tabText(self.tabs.currentIndex())
        first = self.text.firstVisibleLine()
        lexer = lexer_for(Path(name), self.theme, self.text)
        if lexer is not None:
            self.text.setLexer(lexer)
        self.text.setText(self.files.get(name, ""))
        self.text.setFirstVisibleLine(first)
