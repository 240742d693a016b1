"""A small plate over a picture that is old: the run is over, nothing comes, or what comes now cannot be shown."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QWidget

from studio.editor.look.theme import Theme

WORDS = "The run is over"
MARGIN = 8


class RunOver(QLabel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(WORDS, parent)
        self._fitted = ("", 0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"background: {theme.panel}; color: {theme.muted}; border: 1px solid {theme.border};"
            " border-radius: 4px; padding: 2px 8px;"
        )

    def show_at(self, top: int, share: float = 0.5, words: str = WORDS) -> None:
        """At the upper edge, in the middle unless a picture has something there: `share` 1 is the right end. In several
        lines where one has no room."""
        parent = self.parentWidget()
        assert parent is not None
        if (words, parent.width()) != self._fitted:
            self._fitted = (words, parent.width())
            self.setText(words)
            self.setWordWrap(False)
            room = parent.width() - 2 * MARGIN
            self.setWordWrap(self.sizeHint().width() > room)
            self.resize(room, self.heightForWidth(room)) if self.wordWrap() else self.resize(self.sizeHint())
        self.move(max(round((parent.width() - self.width() - 2 * MARGIN) * share) + MARGIN, 0), top)
        self.show()
        self.raise_()
