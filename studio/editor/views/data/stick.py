"""A stick that is moved with the mouse or with keys, and only counts while a hand holds it."""

from __future__ import annotations

import math

from PyQt6.QtCore import QEvent, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.shared.plates import with_alpha

KEYS: dict[int, tuple[float, float]] = {
    Qt.Key.Key_Left: (1.0, 0.0),
    Qt.Key.Key_A: (1.0, 0.0),
    Qt.Key.Key_Right: (-1.0, 0.0),
    Qt.Key.Key_D: (-1.0, 0.0),
    Qt.Key.Key_Up: (0.0, 1.0),
    Qt.Key.Key_W: (0.0, 1.0),
    Qt.Key.Key_Down: (0.0, -1.0),
    Qt.Key.Key_S: (0.0, -1.0),
}
"""To the left and forward is positive, as on a gamepad."""
KNOB_PX = 22.0
ABOVE_PX, BESIDE_PX = 26, 70
"""The room that words take around the rim."""


class Stick(QWidget):
    """Left and forward are positive, up to 1. Held by Space or a mouse button; let go by anything that takes the hand
    away from it: release, another window, another panel."""

    moved = pyqtSignal()
    """It is held or let go, or stands elsewhere."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._keys: set[int] = set()
        self._space = False
        self._pulled: QPointF | None = None
        """By the mouse, from the middle, as a share of the radius."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(180, 160)
        self.setAccessibleName("Stick: hold Space, and drive with the arrow keys")

    @property
    def is_held(self) -> bool:
        return self._space or self._pulled is not None

    @property
    def position(self) -> tuple[float, float]:
        """To the left and forward; in the middle while nobody holds it."""
        if self._pulled is not None:
            return -self._pulled.x(), -self._pulled.y()
        if not self._space:
            return 0.0, 0.0
        left = sum(KEYS[key][0] for key in self._keys)
        ahead = sum(KEYS[key][1] for key in self._keys)
        return min(max(left, -1.0), 1.0), min(max(ahead, -1.0), 1.0)

    def let_go(self) -> None:
        was_held = self.is_held
        self._keys.clear()
        self._space, self._pulled = False, None
        self.update()
        if was_held:
            self.moved.emit()

    # ---- hands

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.key() == Qt.Key.Key_Space:
            self._space = True
        elif event.key() in KEYS:
            self._keys.add(event.key())
        else:
            if event.key() == Qt.Key.Key_Escape:
                self.let_go()
            super().keyPressEvent(event)  # twice it stops the vehicle, which is the window's
            return
        if not event.isAutoRepeat():
            self._changed()

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.isAutoRepeat():
            return
        if event.key() == Qt.Key.Key_Space:
            self._space = False
        elif event.key() in KEYS:
            self._keys.discard(event.key())
        else:
            super().keyReleaseEvent(event)
            return
        self._changed()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pull(event.position())

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self._pulled is not None:
            self._pull(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pulled = None
            self._changed()

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        self.let_go()
        super().focusOutEvent(event)

    def hideEvent(self, event: QHideEvent | None) -> None:
        self.let_go()

    def event(self, event: QEvent | None) -> bool:
        if event is not None and event.type() in (QEvent.Type.WindowDeactivate, QEvent.Type.ApplicationDeactivate):
            self.let_go()
        is_override = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if isinstance(event, QKeyEvent) and is_override and (event.key() in KEYS or event.key() == Qt.Key.Key_Space):
            event.accept()  # arrows and letters are shortcuts elsewhere; here they drive
            return True
        return super().event(event)

    def _pull(self, at: QPointF) -> None:
        middle, radius = self._circle()
        by = (at - middle) / radius
        far = math.hypot(by.x(), by.y())
        self._pulled = by / far if far > 1 else by
        self._changed()

    def _changed(self) -> None:
        self.update()
        self.moved.emit()

    # ---- painting

    def _circle(self) -> tuple[QPointF, float]:
        """Where the middle of the knob can be; the knob itself stays in the rim, and the words are around that."""
        radius = max(min(self.width() / 2 - BESIDE_PX, self.height() / 2 - ABOVE_PX) - KNOB_PX, 30.0)
        return QPointF(self.width() / 2, self.height() / 2), radius

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self.theme.canvas))
        middle, radius = self._circle()
        left, ahead = self.position
        painter.setPen(QPen(QColor(self.theme.control_border), 1.5))
        painter.setBrush(QColor(self.theme.panel))
        rim = radius + KNOB_PX
        painter.drawEllipse(middle, rim, rim)
        painter.setPen(QPen(QColor(self.theme.border), 1))
        painter.drawLine(middle - QPointF(rim, 0), middle + QPointF(rim, 0))
        painter.drawLine(middle - QPointF(0, rim), middle + QPointF(0, rim))
        far = max(math.hypot(left, ahead), 1.0)  # two keys at once reach into a corner that the circle does not have
        knob = middle + QPointF(-left, -ahead) * (radius / far)
        if self.is_held:
            painter.setPen(QPen(with_alpha(self.theme.accent, 150), 5))
            painter.drawLine(middle, knob)
        painter.setPen(QPen(QColor(self.theme.accent if self.is_held else self.theme.control_border), 2))
        painter.setBrush(QColor(self.theme.accent_fill if self.is_held else self.theme.header))
        painter.drawEllipse(knob, KNOB_PX, KNOB_PX)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self.theme.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(middle, rim + 4, rim + 4)
        self._paint_words(painter, middle, rim)
        painter.end()

    def _paint_words(self, painter: QPainter, middle: QPointF, rim: float) -> None:
        painter.setFont(text_font(11))
        painter.setPen(QColor(self.theme.muted))
        centre = Qt.AlignmentFlag.AlignCenter
        top, bottom = middle.y() - rim - 22, middle.y() + rim + 6
        painter.drawText(QRectF(middle.x() - 60, top, 120, 16), centre, "forward  ↑ W")
        painter.drawText(QRectF(middle.x() - 60, bottom, 120, 16), centre, "back  ↓ S")
        side = Qt.AlignmentFlag.AlignVCenter
        reach = rim + 10
        painter.drawText(
            QRectF(middle.x() - reach - 80, middle.y() - 8, 80, 16), side | Qt.AlignmentFlag.AlignRight, "left  ← A"
        )
        painter.drawText(QRectF(middle.x() + reach, middle.y() - 8, 80, 16), side, "D →  right")

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()
