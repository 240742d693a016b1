"""A card below a segment: what a choice of sources stops and starts, and a button to go on."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFormLayout, QFrame, QLabel, QPushButton, QWidget

from studio.editor.live.effects import Effects
from studio.editor.look.dialog_parts import button_row, fill, move_to
from studio.editor.look.theme import Theme
from studio.model.sources import SourceMode

WIDTH = 380
STAYS = "Components that stay keep their state."


class SourceCard(QFrame):
    """Enter goes on, Escape and a click elsewhere leave everything as it is."""

    def __init__(
        self, parent: QWidget, theme: Theme, mode: SourceMode, effects: Effects, apply: Callable[[], object],
        word: str = "", note: str = STAYS,
    ) -> None:  # fmt: skip
        """`word`: what is chosen, where that is not the mode."""
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(WIDTH)
        self.setProperty("role", "card")  # by the style of the application: it follows the theme while it is open
        word = word or theme.origins[mode].word
        self._apply = apply
        title = QLabel(f"Switch to {word}?")
        title.setStyleSheet("font-size: 14px; font-weight: 600;")
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(5)
        for name, words in effects.rows:
            label = QLabel(name)
            label.setProperty("role", "muted")
            label.setAlignment(Qt.AlignmentFlag.AlignTop)  # beside the first of several lines
            value = QLabel(words)
            value.setWordWrap(True)
            form.addRow(label, value)
        self.cancel = QPushButton("Cancel")
        self.cancel.clicked.connect(self.close)
        self.go = QPushButton(f"Switch to {word}")
        self.go.setProperty("primary", "true")
        self.go.clicked.connect(self._go)
        below = QLabel(note)
        below.setWordWrap(True)
        below.setProperty("role", "muted")
        fill(self, title, form, below, button_row(self.cancel, self.go), margins=(14, 12))
        self.setAccessibleName(f"Switch to {word}? {effects.sentence}")

    def open_at(self, at: QPoint) -> None:
        move_to(self, at)
        self.show()
        self.go.setFocus()

    def _go(self) -> None:
        self.close()
        self._apply()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.cancel.hasFocus():
            self._go()
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close()
        else:
            super().keyPressEvent(event)


def card_text(effects: Effects, head: str) -> str:
    """The same for a tooltip."""
    rows = "".join(
        f"<tr><td style='padding-right: 10px'>{name}:</td><td>{words}</td></tr>" for name, words in effects.rows
    )
    return f"<b>{head}</b><table>{rows}</table>"
