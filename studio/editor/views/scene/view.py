"""The scene on the screen: orbit, pan, zoom; painted when something changed, and no oftener than it can be paid for."""

from __future__ import annotations

from collections import deque
from copy import deepcopy

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.scene.camera import PRESETS, Camera
from studio.editor.views.scene.content import SHOWN_AT_FIRST, Content
from studio.editor.views.scene.meshes import AXIS_COLOURS
from studio.editor.views.scene.painted_picture import MOST_QUADS
from studio.editor.views.scene.picture_thread import Job, Made, PictureThread
from studio.editor.views.shared.plates import draw_plate
from studio.runtime.base.clock import SECOND_NS, monotonic_ns

FASTEST_MS = 75
"""Between two pictures of what moves by itself."""
REST = 2.0
"""Times as long as a picture took, nothing is painted of what moves by itself: a third of a core at most."""
MOST_PIXELS = 1_400_000
"""A larger picture is painted smaller, and stretched."""
ZOOM_STEP = 1.15
KEYS = {Qt.Key.Key_I: 0, Qt.Key.Key_T: 1, Qt.Key.Key_S: 2, Qt.Key.Key_A: 3}
MARGIN = 12


class SceneView(QWidget):
    moved_by_hand = pyqtSignal()
    """The target: the view follows nobody any more."""
    looked = pyqtSignal()
    """From elsewhere."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.content = Content()
        self.camera = Camera()
        self.shown: set[str] = set(SHOWN_AT_FIRST)
        self.follows = True
        self.shows_plates = True
        self.pictures = PictureThread(self)
        self.pictures.made.connect(self._take)
        self.made: Made | None = None
        """What is seen."""
        self.took_ms = 0.0
        self.painted = 0
        self._is_asked = False
        self._is_by_hand = False
        """Somebody looks elsewhere since the last picture was asked for."""
        self._painted_ns: deque[int] = deque(maxlen=20)
        self._grabbed: QPointF | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._ask)
        self._is_old = True
        self.setMinimumSize(200, 140)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Scene in three dimensions")

    # ---- when

    def changed(self, *, by_hand: bool = False) -> None:
        """Something is elsewhere, or looks different: there will be a new picture soon."""
        self._is_old = True
        self._is_by_hand = by_hand or self._is_by_hand
        if not self.isVisible() or self._is_asked:
            return  # asked again when it is seen, or when the picture that is being painted is there
        # A hand on the mouse does not wait: resting as long again as a picture took held it at 7 pictures a second
        # beside a running simulation, where each takes three times as long.
        wait = 0 if by_hand else max(FASTEST_MS, round(self.took_ms * REST))
        if not self._timer.isActive() or (by_hand and self._timer.remainingTime() > wait):
            self._timer.start(wait)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        if self._is_old:
            self.changed()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        self.changed(by_hand=True)

    def _ask(self) -> None:
        if not self.isVisible() or self.width() < 2 or self.height() < 2:
            return
        if self.follows and self.content.pose is not None:
            self.camera.target = self.content.pose[:3, 3].copy()
        scene = self.content.scene(self.shown, self.theme, self.camera.distance_m, self._most_quads())
        width, height = self._pixels()
        self._is_old, self._is_asked, self._is_by_hand = False, True, False
        self.pictures.paint(Job(scene, deepcopy(self.camera), width, height, self.theme.canvas))

    def _most_quads(self) -> int:
        """While nobody knows who will paint, few: it may be Qt."""
        maker = self.pictures.maker
        return maker.most_quads if maker is not None else MOST_QUADS

    def _take(self, made: Made) -> None:
        is_first = self.made is None
        self.made, self.took_ms, self._is_asked = made, made.took_ms, False
        self.painted += 1
        self._painted_ns.append(monotonic_ns())
        self.update()
        if self._is_old or is_first:
            self.changed(by_hand=self._is_by_hand)

    def close_view(self) -> None:
        """Nothing is painted any more."""
        self._timer.stop()
        self.pictures.close()

    def _pixels(self) -> tuple[int, int]:
        ratio = self.devicePixelRatioF()
        width, height = self.width() * ratio, self.height() * ratio
        shrink = min(1.0, (MOST_PIXELS / (width * height)) ** 0.5)
        return max(round(width * shrink), 2), max(round(height * shrink), 2)

    def rate_hz(self) -> float:
        """Pictures a second, of the last two."""
        recent = [at for at in self._painted_ns if monotonic_ns() - at < 2 * SECOND_NS]
        return (len(recent) - 1) * SECOND_NS / (recent[-1] - recent[0]) if len(recent) > 2 else 0.0

    def words(self) -> str:
        """How it is painted: in the corner."""
        maker, rate = self.pictures.maker, self.rate_hz()
        return f"{maker.words}, {f'{rate:.0f} fps' if rate else 'still'}" if maker is not None else ""

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        if self.made is None:
            painter.fillRect(self.rect(), QColor(self.theme.canvas))
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(self.rect()), self.made.picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_labels(painter, self.made.job)
        if self.shows_plates:
            self._paint_axes(painter)
            self._paint_words(painter)
        painter.end()

    def _paint_labels(self, painter: QPainter, job: Job) -> None:
        """The nearest first; one that would lie on another is left out."""
        labels = job.scene.labels
        if not labels:
            return
        places, depths = job.camera.project(np.array([label.point for label in labels]), self.width(), self.height())
        painter.setFont(text_font(11))
        taken: list[QRectF] = []
        for number in np.argsort(depths).tolist():
            if depths[number] < job.camera.nearest_m:
                continue
            text = labels[number].text
            x, y = places[number].tolist()
            width = painter.fontMetrics().horizontalAdvance(text) + 10
            plate = QRectF(x + 8, y - 22, width, 17)
            if not self.rect().contains(plate.toRect()) or any(plate.intersects(other) for other in taken):
                continue
            taken.append(plate)
            painter.setPen(QPen(QColor(self.theme.muted), 0))
            painter.drawLine(QPointF(x, y), plate.bottomLeft())
            draw_plate(painter, plate, self.theme)
            painter.setPen(QColor(self.theme.text))
            painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_axes(self, painter: QPainter) -> None:
        """Which way x, y and z are, with their letters; the one that comes nearest last."""
        right, up, back = self.camera.axes()
        middle = QPointF(MARGIN + 34, MARGIN + 34)
        painter.setFont(text_font(11, 600))
        for number in np.argsort(back).tolist():
            tip = middle + QPointF(28 * float(right[number]), -28 * float(up[number]))
            colour = QColor(AXIS_COLOURS[number])
            painter.setPen(QPen(colour, 2))
            painter.drawLine(middle, tip)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(tip, 8, 8)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor("#14171A"))
            painter.drawText(QRectF(tip.x() - 8, tip.y() - 8, 16, 16), Qt.AlignmentFlag.AlignCenter, "XYZ"[number])

    def _paint_words(self, painter: QPainter) -> None:
        words = self.words()
        painter.setFont(text_font(11))
        width = painter.fontMetrics().horizontalAdvance(words) + 16
        plate = QRectF(MARGIN, self.height() - MARGIN - 24, width, 24)
        draw_plate(painter, plate, self.theme)
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, words)

    # ---- where one looks

    def fit(self) -> None:
        """Everything there is to see."""
        self.camera.show_sphere(*self.content.extent(self.shown))
        self._let_go()
        self._looked()

    def follow(self, on: bool) -> None:
        self.follows = on
        self.changed(by_hand=True)

    def look_from(self, number: int) -> None:
        """One of the presets."""
        self.camera.look_from(PRESETS[number])
        self._looked()

    def _let_go(self) -> None:
        if self.follows:
            self.follows = False
            self.moved_by_hand.emit()

    def _looked(self) -> None:
        self.changed(by_hand=True)
        self.looked.emit()

    # ---- hands

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self._grabbed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._grabbed is None or not event.buttons():
            return
        by = event.position() - self._grabbed
        self._grabbed = event.position()
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.buttons() & Qt.MouseButton.LeftButton and not is_shifted:
            self.camera.orbit(by.x(), by.y())
        else:
            self.camera.pan(by.x(), -by.y(), self.height())
            self._let_go()
        self.changed(by_hand=True)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._grabbed = None
        self.looked.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        self.fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        event.accept()
        self.camera.zoom(ZOOM_STEP ** (event.angleDelta().y() / 120))
        self._looked()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        key = Qt.Key(event.key())
        arrows = {
            Qt.Key.Key_Left: (-24, 0),
            Qt.Key.Key_Right: (24, 0),
            Qt.Key.Key_Up: (0, 24),
            Qt.Key.Key_Down: (0, -24),
        }
        if key in arrows:
            across, up = arrows[key]
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.camera.pan(-across, -up, self.height())
                self._let_go()
            else:
                self.camera.orbit(across, up)
        elif key in KEYS:
            self.camera.look_from(PRESETS[KEYS[key]])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.camera.zoom(1 / ZOOM_STEP if key == Qt.Key.Key_Minus else ZOOM_STEP)
        elif key == Qt.Key.Key_F:
            self.fit()
        elif key == Qt.Key.Key_H:
            self.shows_plates = not self.shows_plates
        else:
            super().keyPressEvent(event)
            return
        self._looked()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.changed(by_hand=True)
