"""One sentence in a panel that has nothing to show yet: what will be there, and what to do."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.editor.icons import pixmap
from studio.editor.theme import Theme

SIZE = 32


class EmptyState(QWidget):
    def __init__(self, icon_name: str, words: str, theme: Theme) -> None:
        super().__init__()
        self.icon_name = icon_name
        self.picture = QLabel()
        self.words = QLabel(words)
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 4, 16, 4)
        layout.addStretch(1)
        for label in (self.picture, self.words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(label)
        layout.addStretch(1)
        self.show_theme(theme)

    def say(self, words: str) -> None:
        self.words.setText(words)

    def show_theme(self, theme: Theme) -> None:
        self.picture.setPixmap(pixmap(self.icon_name, theme.disabled, SIZE, self.devicePixelRatioF()))
