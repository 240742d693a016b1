"""Notes and frames: what people write on the canvas for each other."""

from __future__ import annotations

from bisect import bisect_left

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.editor.look.fonts import text_font, width_of
from studio.editor.look.theme import Theme
from studio.model.parts import Frame, Note

GRIP = 14.0
FRAME_TITLE = 24.0
NOTE_TEXT, READABLE = 12.0, 10.5
"""Pixels of letters: on the canvas, and at least on the screen."""


class RemarkItem(QGraphicsItem):
    """Shared by both: a rectangle with an id that can be moved and resized at its lower right corner."""

    def __init__(self, value: Note | Frame, theme: Theme) -> None:
        super().__init__()
        self.value = value
        self.theme = theme
        self.size = (value.width, value.height)
        self.setPos(value.x, value.y)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)

    def show(self, value: Note | Frame, theme: Theme) -> None:  # type: ignore[override]
        self.value, self.theme = value, theme
        self.setPos(value.x, value.y)
        self.resize(value.width, value.height)

    def resize(self, width: float, height: float) -> None:
        self.prepareGeometryChange()
        self.size = (width, height)
        self.update()

    def rect(self) -> QRectF:
        return QRectF(0, 0, *self.size)

    def outline(self) -> QRectF:
        return self.rect().translated(self.pos())

    def is_grip(self, point: QPointF) -> bool:
        corner = self.outline().bottomRight()
        return abs(corner.x() - point.x()) <= GRIP and abs(corner.y() - point.y()) <= GRIP

    def boundingRect(self) -> QRectF:
        return self.rect().adjusted(-5, -5, 5, 5)

    def accessible_name(self) -> str:
        if isinstance(self.value, Frame):
            return f"frame {self.value.title}"
        return f"note: {self.value.text}"

    def _paint_grip(self, painter: QPainter) -> None:
        painter.setPen(QPen(QColor(self.theme.control_border), 1.4))
        corner = self.rect().bottomRight()
        for reach in (5, 9):
            painter.drawLine(corner - QPointF(reach + 2, 3), corner - QPointF(3, reach + 2))


class NoteItem(RemarkItem):
    def __init__(self, value: Note, theme: Theme) -> None:
        super().__init__(value, theme)
        self.setZValue(0.5)

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None and isinstance(self.value, Note)
        theme, rect = self.theme, self.rect()
        painter.fillRect(rect, QColor(theme.panel))
        painter.fillRect(QRectF(0, 0, 3, rect.height()), QColor(theme.warning))
        painter.setPen(QPen(QColor(theme.accent), 2) if self.isSelected() else QPen(QColor(theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        painter.setPen(QColor(theme.text if self.value.text else theme.muted))
        detail = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        self._paint_words(painter, rect.adjusted(13, 9, -9, -7), max(NOTE_TEXT, READABLE / max(detail, 0.05)))
        if self.isSelected():
            self._paint_grip(painter)

    def _paint_words(self, painter: QPainter, room: QRectF, size: float) -> None:
        """As large as can be read at this zoom. What has no room then is cut at a word, and a tooltip has all of it."""
        assert isinstance(self.value, Note)
        words = self.value.text or "Double-click to write"
        font = text_font(size)
        shown = fitting(words, QFontMetricsF(font), room)
        self.setToolTip("" if shown == words else words)
        painter.setFont(font)
        painter.drawText(room, int(WRAPPED), shown)


WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


def fitting(words: str, metrics: QFontMetricsF, room: QRectF) -> str:
    """All of them, or as many as have room, and dots."""

    def fits(text: str) -> bool:
        needed = metrics.boundingRect(QRectF(0, 0, room.width(), 10_000), int(WRAPPED), text)
        return needed.height() <= room.height() + 1 and needed.width() <= room.width() + 1

    if fits(words):
        return words
    places = [place for place, letter in enumerate(words) if letter.isspace()]
    count = bisect_left(range(len(places)), True, key=lambda number: not fits(f"{words[: places[number]]}…"))
    return f"{words[: places[count - 1]]}…" if count else "…"


class FrameItem(RemarkItem):
    def __init__(self, value: Frame, theme: Theme) -> None:
        super().__init__(value, theme)
        self.setZValue(0)

    def title_area(self) -> QRectF:
        """On the canvas: what wires go around, because a word that is struck through cannot be read."""
        assert isinstance(self.value, Frame)
        return QRectF(self.x() + 8, self.y() + 4, width_of(self.value.title, 12, 600) + 6, FRAME_TITLE)

    def shape(self) -> QPainterPath:
        """Only the title bar and the border: what lies inside a frame must be reachable."""
        path = QPainterPath()
        path.addRect(self.rect())
        inside = QPainterPath()
        inside.addRect(self.rect().adjusted(6, FRAME_TITLE, -6, -6))
        grip = QPainterPath()
        grip.addRect(QRectF(self.size[0] - GRIP, self.size[1] - GRIP, GRIP, GRIP))
        return path.subtracted(inside).united(grip)

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None and isinstance(self.value, Frame)
        theme = self.theme
        fill, line = QColor(theme.accent), QColor(theme.accent)
        fill.setAlphaF(0.0 if theme.high_contrast else 0.05)
        line.setAlphaF(1.0 if self.isSelected() or theme.high_contrast else 0.35)
        painter.setBrush(fill)
        painter.setPen(QPen(line, 2 if self.isSelected() else 1.2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(self.rect(), 6, 6)
        detail = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        painter.setFont(text_font(min(FRAME_TITLE, max(12.0, 10.5 / detail)), 600))
        painter.setPen(QColor(theme.muted))
        title = self.rect().adjusted(11, 2, -8, 0)
        title.setHeight(FRAME_TITLE + 4)
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.value.title)
        if self.isSelected():
            self._paint_grip(painter)
