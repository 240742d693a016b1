"""A small plate over a picture that is old: the run is over, or what comes now cannot be shown."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QWidget

from studio.editor.theme import Theme

WORDS = "The run is over"
MARGIN = 8


class RunOver(QLabel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(WORDS, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"background: {theme.panel}; color: {theme.muted}; border: 1px solid {theme.border};"
            " border-radius: 4px; padding: 2px 8px;"
        )

    def show_at(self, top: int, share: float = 0.5, words: str = WORDS) -> None:
        """At the upper edge, in the middle unless a picture has something there: `share` 1 is the right end."""
        self.setText(words)
        parent = self.parentWidget()
        assert parent is not None
        self.adjustSize()
        self.move(max(round((parent.width() - self.width() - 2 * MARGIN) * share) + MARGIN, 0), top)
        self.show()
        self.raise_()
