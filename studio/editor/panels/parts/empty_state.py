"""One sentence in a panel that has nothing to show yet: what will be there, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from studio.editor.look.icons import pixmap
from studio.editor.look.theme import Theme

SIZE = 40
Offer = tuple[str, str]
"""The words of a button, and the action of the window that it does."""


class EmptyState(QWidget):
    def __init__(self, icon_name: str, words: str, theme: Theme) -> None:
        super().__init__()
        self.icon_name = icon_name
        self.picture = QLabel()
        self.words = QLabel(words)
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 4, 16, 4)
        self._column.addStretch(1)
        for label in (self.picture, self.words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            self._column.addWidget(label)
        self._column.addStretch(1)
        self.show_theme(theme)

    def say(self, words: str) -> None:
        self.words.setText(words)

    def show_theme(self, theme: Theme) -> None:
        self.picture.setPixmap(pixmap(self.icon_name, theme.disabled, SIZE, self.devicePixelRatioF()))


class Empty(EmptyState):
    """With one thing to do about it."""

    def __init__(self, icon_name: str, words: str, theme: Theme) -> None:
        super().__init__(icon_name, words, theme)
        self.button = QPushButton()
        self.button.clicked.connect(lambda _: self._do(self._action))
        self.button.hide()
        below_words = self._column.count() - 1
        self._column.insertWidget(below_words, self.button, alignment=Qt.AlignmentFlag.AlignHCenter)
        self._action = ""
        self._do: Callable[[str], object] = lambda _: None

    def offer(self, offer: Offer | None, do: Callable[[str], object]) -> None:
        words, self._action = offer or ("", "")
        self._do = do
        self.button.setText(words)
        self.button.setVisible(bool(words))
