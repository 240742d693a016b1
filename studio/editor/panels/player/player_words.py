"""The words of the LogPlayer: where the log stands, above the list of its streams; and why something cannot be done."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.timeline.timeline import Timeline

STAYS_MS = 6000
HEIGHT, LEFT = 20, 12


class PlayerWords(QWidget):
    """Facts have the room above the list. What is insisted on has the whole width for a while: nobody may miss it."""

    def __init__(self, theme: Theme, over: Timeline) -> None:
        super().__init__(over)
        self.theme, self._over = theme, over
        self._facts = self._insisted = ""
        self._stays = QTimer(self)
        self._stays.setSingleShot(True)
        self._stays.setInterval(STAYS_MS)
        self._stays.timeout.connect(self._give_way)
        over.installEventFilter(self)
        self._show()

    def text(self) -> str:
        return self._insisted or self._facts

    def say(self, words: str) -> None:
        if words != self._facts:
            self._facts = words
            self._show()

    def insist(self, words: str) -> None:
        """What must be read: it stays for a while, whatever is said meanwhile."""
        self._insisted = words
        self._stays.start()
        self._show()

    def _give_way(self) -> None:
        self._insisted = ""
        self._show()

    def _show(self) -> None:
        loud = bool(self._insisted)
        width = self._over.width() if loud else self._over.list_width - 8
        self.setGeometry(QRect(0, 0, width, HEIGHT))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, loud)  # who scrubs below it goes on
        self.setToolTip(self.text())
        self.setAccessibleName(self.text())
        self.update()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.Resize:
            self._show()
        return super().eventFilter(watched, event)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        loud = bool(self._insisted)
        if loud:
            painter.fillRect(self.rect(), QColor(self.theme.tooltip))
        painter.setPen(QColor(self.theme.warning if loud else self.theme.muted))
        painter.setFont(text_font(12, 500) if loud else text_font(11))
        room = self.rect().adjusted(LEFT, 0, -8, 0)
        words = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
