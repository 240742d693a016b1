"""What floats over the canvas: zoom bar, mini-map, the words at the pointer, the sentence on an empty canvas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.look.fonts import text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.pan_zoom_view import SightView


class ZoomButton(QToolButton):
    """Has a rule of its own in the style sheet."""


class ZoomBar(QFrame):
    RADIUS = 4
    """Of its corners, where the canvas shows through."""

    def __init__(self, view: SightView, theme: Theme) -> None:
        super().__init__(view)
        self._buttons: list[tuple[QToolButton, str]] = []
        self.percent = ZoomButton()
        self.percent.setText("100 %")
        self.percent.setToolTip("Back to 100 % (Ctrl+0)")
        self.percent.setAccessibleName("Zoom, back to 100 per cent")
        self.percent.setMinimumWidth(52)
        self.percent.clicked.connect(lambda: view.glide.to(lambda: view.zoom_to(1.0)))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(3, 2, 3, 2)
        layout.setSpacing(1)
        layout.addWidget(self._button("mdi6.minus", "Zoom out", lambda: view.glide_by(1 / 1.25)))
        layout.addWidget(self.percent)
        layout.addWidget(self._button("mdi6.plus", "Zoom in", lambda: view.glide_by(1.25)))
        layout.addWidget(self._button("mdi6.fit-to-screen-outline", "Fit everything (F)", view.glide_to_fit))
        layout.addWidget(self._button("fa6s.sitemap", "Arrange automatically (L)", lambda: view.commands.arrange()))
        layout.addWidget(self._button("mdi6.magnify", "Find on the canvas (Ctrl+F)", view.find_wanted.emit))
        layout.addWidget(self._button("mdi6.map-outline", "Mini-map", view.toggle_minimap))
        self.show_theme(theme)

    def _button(self, name: str, words: str, do: Callable[[], object]) -> QToolButton:
        button = ZoomButton()
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setIconSize(QSize(15, 15))
        button.clicked.connect(lambda: do())
        self._buttons.append((button, name))
        return button

    def show_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button, name in self._buttons:
            button.setIcon(icon(name, theme.muted))
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Its own ground: where it covers the canvas must not depend on a style sheet."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self._theme.border))
        painter.setBrush(QColor(self._theme.panel))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), self.RADIUS, self.RADIUS)

    def show_zoom(self, zoom: float) -> None:
        self.percent.setText(f"{zoom * 100:.0f} %")


class MiniMap(QWidget):
    SIZE = QSize(164, 96)

    def __init__(self, view: SightView) -> None:
        super().__init__(view)
        self.view = view
        self._resting: tuple[tuple[int, int, frozenset[str]], dict[str, list[QRectF]]] | None = None
        """Cards that are not selected: only the others can move from frame to frame."""
        self._picture: tuple[object, QPixmap] | None = None
        """All cards that rest, until they or the scale are others: panning moves only the frame of the view."""
        self.setFixedSize(self.SIZE)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Mini-map")
        self.setToolTip("Click or drag to go there")

    def _scale(self) -> tuple[float, QRectF]:
        whole = self.view.canvas.content_rect().united(self.view.visible_rect()).adjusted(-40, -40, 40, 40)
        return min(self.width() / max(1.0, whole.width()), self.height() / max(1.0, whole.height())), whole

    def paintEvent(self, event: QPaintEvent | None) -> None:
        theme = self.view.canvas.theme
        scale, whole = self._scale()
        chosen = self._chosen()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._of_resting(frozenset(chosen), scale, whole))
        self._look_from(painter, scale, whole)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent))
        if chosen:
            painter.drawRects(*(item.outline() for item in chosen.values()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        pen = QPen(QColor(theme.accent), 1.5)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawRect(self.view.visible_rect())
        painter.resetTransform()
        painter.setPen(QColor(theme.border))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _of_resting(self, chosen: frozenset[str], scale: float, whole: QRectF) -> QPixmap:
        theme, ratio = self.view.canvas.theme, self.devicePixelRatioF()
        cards = self._rest(chosen)
        assert self._resting is not None
        key = (self._resting[0], whole, theme.look, ratio)
        if self._picture is None or self._picture[0] != key:
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(QColor(theme.panel))
            painter = QPainter(picture)
            self._look_from(painter, scale, whole)
            painter.setPen(Qt.PenStyle.NoPen)
            for colour, areas in cards.items():
                painter.setBrush(QColor(colour))
                painter.drawRects(*areas)
            painter.end()
            self._picture = (key, picture)
        return self._picture[1]

    def _look_from(self, painter: QPainter, scale: float, whole: QRectF) -> None:
        painter.translate((self.width() - whole.width() * scale) / 2, (self.height() - whole.height() * scale) / 2)
        painter.scale(scale, scale)
        painter.translate(-whole.topLeft())

    def _chosen(self) -> dict[str, NodeItem]:
        return {item.name: item for item in self.view.canvas.selectedItems() if isinstance(item, NodeItem)}

    def _rest(self, chosen: frozenset[str]) -> dict[str, list[QRectF]]:
        """By colour: while the system runs, that of the state."""
        canvas = self.view.canvas
        key = (canvas.revision, canvas.looks, chosen)
        if self._resting is None or self._resting[0] != key:
            found: dict[str, list[QRectF]] = {}
            for item in canvas.cards():
                if item.name not in chosen:
                    tone = canvas.theme.tone(item.live.look.tone) if item.live else canvas.theme.control_border
                    found.setdefault(tone, []).append(item.outline())
            self._resting = (key, found)
        return self._resting[1]

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.buttons() & Qt.MouseButton.LeftButton:
            scale, whole = self._scale()
            offset = QPointF((self.width() - whole.width() * scale) / 2, (self.height() - whole.height() * scale) / 2)
            self.view.centerOn(whole.topLeft() + (event.position() - offset) / scale)


class PointerNote(QLabel):
    """A few words beside the pointer while something is dragged."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def say(self, text: str, where: QPoint, theme: Theme, *, good: bool) -> None:
        if not text:
            self.hide()
            return
        colour = theme.fine if good else theme.error
        self.setStyleSheet(
            f"background: {theme.tooltip}; color: {theme.text}; border: 1px solid {colour};"
            f" border-left: 3px solid {colour}; border-radius: 3px; padding: 3px 7px;"
        )
        self.setFont(text_font(12))
        self.setText(text)
        self.adjustSize()
        parent = self.parentWidget()
        assert parent is not None
        x = min(where.x() + 16, max(4, parent.width() - self.width() - 6))
        y = min(where.y() + 18, max(4, parent.height() - self.height() - 6))
        self.move(x, y)
        self.show()
        self.raise_()


class EmptyNote(QWidget):
    """One sentence and one action where there is nothing yet."""

    def __init__(self, parent: QWidget, icon_name: str, words: str) -> None:
        super().__init__(parent)
        self.icon_name, self.words = icon_name, words
        self.theme: Theme | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedSize(420, 110)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        if self.theme is None:
            return
        painter = QPainter(self)
        icon(self.icon_name, self.theme.disabled).paint(painter, self.width() // 2 - 20, 8, 40, 40)
        painter.setPen(QColor(self.theme.muted))
        painter.setFont(text_font(14))
        painter.drawText(self.rect().adjusted(0, 56, 0, 0), int(Qt.AlignmentFlag.AlignHCenter), self.words)


def seen_through(overlay: QWidget) -> list[QRect]:
    """Where the canvas shows through what lies over it: only that is painted anew when the canvas moves below."""
    whole = overlay.geometry()
    if overlay.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent):
        return []
    if not isinstance(overlay, ZoomBar):
        return [whole]
    size = overlay.RADIUS + 1
    corner = QRect(0, 0, size, size)
    right, bottom = whole.right() - size + 1, whole.bottom() - size + 1
    return [corner.translated(x, y) for x in (whole.left(), right) for y in (whole.top(), bottom)]


def free_of(whole: QRect, covered: list[QRect]) -> list[QRect]:
    """What is not covered, in few rectangles."""
    free = [whole]
    for cover in covered:
        free = [part for area in free for part in _without(area, cover)]
    return free


def _without(area: QRect, cover: QRect) -> list[QRect]:
    cover = cover & area
    if cover.isEmpty():
        return [area]
    left, top, right, bottom = area.left(), area.top(), area.right(), area.bottom()
    beside_left = QRect(QPoint(left, top), QPoint(cover.left() - 1, bottom))
    beside_right = QRect(QPoint(cover.right() + 1, top), QPoint(right, bottom))
    above = QRect(QPoint(cover.left(), top), QPoint(cover.right(), cover.top() - 1))
    below = QRect(QPoint(cover.left(), cover.bottom() + 1), QPoint(cover.right(), bottom))
    return [part for part in (beside_left, above, below, beside_right) if not part.isEmpty()]
