"""A view on the ground from above, in metres: x to the right, y up; pan, zoom to the pointer, measure, scale bar."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import code_font, text_font
from studio.editor.look.theme import Theme
from studio.editor.views.maps.map_raster import Window
from studio.editor.views.shared.plate_places import PlatePlaces
from studio.editor.views.shared.plates import draw_cross, draw_notes, draw_plate, draw_upright, with_alpha

CLOSEST_M, FARTHEST_M = 0.0005, 50.0
"""Metres per pixel."""
ZOOM_STEP = 1.2
GRID_PX = 90
SCALE_PX = 150
MARGIN = 12


class PlaneView(QWidget):
    clicked = pyqtSignal(float, float)
    """A place that was clicked while `picks` is on."""
    moved_by_hand = pyqtSignal()
    """Another part is seen now."""
    pointed = pyqtSignal(object)
    """Where the pointer is, x and y in metres; None when it has left."""
    plates_toggled = pyqtSignal()
    plate_clicked = pyqtSignal(str)
    plates_moved = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.centre_m = (0.0, 0.0)
        self.metres_per_pixel = 0.1
        self.picks = False
        self.measures = False
        self.shows_plates = True
        self.notes: tuple[str, ...] = ()
        """What has to be known about the picture."""
        self.plates = PlatePlaces()
        self._grabbed: QPointF | None = None
        self._press: QPointF | None = None
        self._pointer: QPointF | None = None
        self._is_guest = False
        """The pointer is really in another view."""
        self._measured: list[tuple[float, float]] = []
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nobody need paint what lies below
        self.setMinimumSize(160, 120)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # ---- where one looks

    def world(self) -> Window:
        """In pixels of the widget, not of the screen."""
        scale = self.metres_per_pixel
        left = self.centre_m[0] - self.width() / 2 * scale
        top = self.centre_m[1] + self.height() / 2 * scale
        return Window(left, top, scale, self.width(), self.height())

    def look_at(self, x_m: float, y_m: float, metres_per_pixel: float | None = None) -> None:
        if not (math.isfinite(x_m) and math.isfinite(y_m)):
            return
        self.centre_m = (x_m, y_m)
        if metres_per_pixel is not None:
            self.metres_per_pixel = min(max(metres_per_pixel, CLOSEST_M), FARTHEST_M)
        self.update()

    def show_rectangle(self, left_m: float, bottom_m: float, right_m: float, top_m: float) -> None:
        """All of it, with a little room around."""
        across = max((right_m - left_m) / max(self.width(), 1), (top_m - bottom_m) / max(self.height(), 1), CLOSEST_M)
        self.look_at((left_m + right_m) / 2, (bottom_m + top_m) / 2, across * 1.06)

    def fit_by_hand(self) -> None:
        """What shows everything is a view of somebody's choice, and stays as any other."""
        self.fit()
        self.moved_by_hand.emit()

    def fit(self) -> None:
        """Show everything there is."""
        extent = self.extent_m()
        if extent is not None:
            self.show_rectangle(*extent)

    def sees(self, left_m: float, bottom_m: float, right_m: float, top_m: float) -> bool:
        """Whether any of this is in the view."""
        world = self.world()
        return (
            left_m < world.x_of(world.width)
            and right_m > world.left_m
            and bottom_m < world.top_m
            and top_m > world.y_of(world.height)
        )

    def extent_m(self) -> tuple[float, float, float, float] | None:
        """Left, bottom, right and top of what there is to see; None while there is nothing."""
        return None

    def zoom_at(self, pixel: QPointF, factor: float) -> None:
        before = self.world()
        x_m, y_m = before.x_of(pixel.x()), before.y_of(pixel.y())
        scale = min(max(self.metres_per_pixel / factor, CLOSEST_M), FARTHEST_M)
        ratio = scale / self.metres_per_pixel
        self.centre_m = (x_m + (self.centre_m[0] - x_m) * ratio, y_m + (self.centre_m[1] - y_m) * ratio)
        self.metres_per_pixel = scale
        self.moved_by_hand.emit()
        self.update()

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.canvas))
        world = self.world()
        self.paint_ground(painter, world)
        if self.shows_grid():
            self._paint_grid(painter, world)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_things(painter, world)
        self._paint_measure(painter, world)
        if self._is_guest and self._pointer is not None:
            draw_cross(painter, self._pointer)
        self.plates.begin()
        if self.shows_plates:
            self.paint_plates(painter)
            self._paint_scale(painter)
            self._paint_read_out(painter, world)  # over what may lie there: it goes again with the pointer
        self.paint_notes(painter)
        painter.end()

    def paint_ground(self, painter: QPainter, world: Window) -> None:
        """Below the grid."""

    def shows_grid(self) -> bool:
        return True

    def paint_things(self, painter: QPainter, world: Window) -> None:
        """Above the grid."""

    def paint_plates(self, painter: QPainter) -> None:
        """On top, in pixels; they can be hidden."""

    def paint_notes(self, painter: QPainter) -> None:
        """On top of all, and always: what nobody may overlook."""
        draw_notes(painter, self.notes, self.width(), self.theme)

    def read_out(self, x_m: float, y_m: float) -> str:
        """What is at a place, in words."""
        return f"x {x_m:.2f}  y {y_m:.2f} m".replace("-", "−")

    def _paint_grid(self, painter: QPainter, world: Window) -> None:
        step = round_step(GRID_PX * self.metres_per_pixel)
        colour = with_alpha(self.theme.text, 26)
        first, last = math.ceil(world.left_m / step), math.floor(world.x_of(world.width) / step)
        for number in range(first, min(last, first + 500) + 1):
            draw_upright(painter, round(world.pixel_of(number * step, 0.0)[0]), world.height, colour)
        first, last = math.ceil(world.y_of(world.height) / step), math.floor(world.top_m / step)
        for number in range(first, min(last, first + 500) + 1):
            y = round(world.pixel_of(0.0, number * step)[1])
            painter.fillRect(0, y, world.width, 1, colour)

    def _paint_scale(self, painter: QPainter) -> None:
        length_m = round_step(min(SCALE_PX, self.width() * 0.3) * self.metres_per_pixel / 2.5)
        width = length_m / self.metres_per_pixel
        painter.setFont(text_font(11))
        words = f"{length_m:g} m" if length_m >= 1 else f"{length_m * 100:g} cm"
        text_width = painter.fontMetrics().horizontalAdvance(words)
        home = QRectF(MARGIN, self.height() - MARGIN - 26, width + text_width + 32, 26)
        plate = self.plates.place("scale", home, self.size())
        draw_plate(painter, plate, self.theme)
        painter.setPen(QPen(QColor(self.theme.text), 1.5))
        left, right, y = plate.left() + 10, plate.left() + 10 + width, plate.center().y()
        painter.drawLine(QPointF(left, y), QPointF(right, y))
        for x in (left, right):
            painter.drawLine(QPointF(x, y - 5), QPointF(x, y + 5))
        painter.drawText(QPointF(right + 10, y + 4), words)

    def _paint_read_out(self, painter: QPainter, world: Window) -> None:
        """At the right, above the scale where both have not room beside each other."""
        if self._pointer is None:
            return
        words = self.read_out(world.x_of(self._pointer.x()), world.y_of(self._pointer.y()))
        painter.setFont(code_font(12))
        width = painter.fontMetrics().horizontalAdvance(words) + 20
        left = self.width() - MARGIN - width
        up = 26 if left > self.plates.where("scale").right() + MARGIN else 56
        home = QRectF(left, self.height() - MARGIN - up, width, 26)
        plate = self.plates.place("read-out", home, self.size())
        draw_plate(painter, plate, self.theme)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_measure(self, painter: QPainter, world: Window) -> None:
        if not self._measured:
            return
        ends = [QPointF(*world.pixel_of(*place)) for place in self._measured]
        if len(ends) == 1 and self._pointer is not None:
            ends.append(self._pointer)
        painter.setPen(QPen(QColor(self.theme.accent), 2, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF(ends))
        for end in ends:
            painter.drawEllipse(end, 4, 4)
        if len(ends) == 2:
            across = (ends[1] - ends[0]) * self.metres_per_pixel
            words = f"{math.hypot(across.x(), across.y()):.2f} m"
            painter.setFont(text_font(12, 600))
            width = painter.fontMetrics().horizontalAdvance(words) + 16
            middle = (ends[0] + ends[1]) / 2
            plate = QRectF(middle.x() - width / 2, middle.y() - 30, width, 22)
            draw_plate(painter, plate, self.theme)
            painter.setPen(QColor(self.theme.text))
            painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, words)

    # ---- hands

    def set_measuring(self, on: bool) -> None:
        self.measures = on
        self._measured = []
        self._show_cursor()
        self.update()

    def set_picking(self, on: bool) -> None:
        """The next clicks choose places."""
        self.picks = on
        self._show_cursor()

    def _show_cursor(self, over: Qt.CursorShape | None = None) -> None:
        """`over`: of what can be dragged below the pointer."""
        crossed = Qt.CursorShape.CrossCursor if self.measures or self.picks else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() != (over or crossed):
            self.setCursor(over or crossed)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.button() == Qt.MouseButton.LeftButton and self.plates.take(event.position()):
            return
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._grabbed = self._press = event.position()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self._pointer, self._is_guest = event.position(), False
        if self.plates.is_held:
            self.plates.drag(event.position())
        elif self._grabbed is not None and event.buttons():
            by = event.position() - self._grabbed
            self._grabbed = event.position()
            x_m, y_m = self.centre_m
            self.centre_m = (x_m - by.x() * self.metres_per_pixel, y_m + by.y() * self.metres_per_pixel)
            self.moved_by_hand.emit()
        world = self.world()
        self.pointed.emit((world.x_of(event.position().x()), world.y_of(event.position().y())))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        plate, was_moved = self.plates.let_go()
        if plate:
            if was_moved:
                self.plates_moved.emit()
            else:
                self.plate_clicked.emit(plate)
            return
        press, self._grabbed, self._press = self._press, None, None
        if press is None or (event.position() - press).manhattanLength() > 4:
            return
        world = self.world()
        place = world.x_of(event.position().x()), world.y_of(event.position().y())
        if self.measures:
            self._measured = [place] if len(self._measured) != 1 else [*self._measured, place]
            self.update()
        elif self.picks:
            self.clicked.emit(*place)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        plate = self.plates.at(event.position())
        if plate:
            self.plates.put_back(plate)
            self.plates_moved.emit()
            self.update()
        elif not (self.measures or self.picks):
            self.fit_by_hand()

    def leaveEvent(self, event: object) -> None:
        self._pointer = None
        self.pointed.emit(None)
        self.update()

    def show_pointer(self, place: tuple[float, float] | None) -> None:
        """As if it were here too: it is at this place of another view of the same ground."""
        world = self.world()
        self._pointer = None if place is None else QPointF(*world.pixel_of(*place))
        self._is_guest = place is not None
        self.update()

    @property
    def pointed_at(self) -> tuple[float, float] | None:
        """The place below the pointer, in metres."""
        if self._pointer is None:
            return None
        world = self.world()
        return world.x_of(self._pointer.x()), world.y_of(self._pointer.y())

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        self.zoom_at(event.position(), ZOOM_STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        step = 60 * self.metres_per_pixel
        middle = QPointF(self.width() / 2, self.height() / 2)
        moves = {
            Qt.Key.Key_Left: (-step, 0.0),
            Qt.Key.Key_Right: (step, 0.0),
            Qt.Key.Key_Up: (0.0, step),
            Qt.Key.Key_Down: (0.0, -step),
        }
        if event.key() in moves:
            x_m, y_m = moves[Qt.Key(event.key())]
            self.look_at(self.centre_m[0] + x_m, self.centre_m[1] + y_m)
            self.moved_by_hand.emit()
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_at(middle, ZOOM_STEP)
        elif event.key() == Qt.Key.Key_Minus:
            self.zoom_at(middle, 1 / ZOOM_STEP)
        elif event.key() == Qt.Key.Key_F:
            self.fit_by_hand()
        elif event.key() == Qt.Key.Key_H:
            self.shows_plates = not self.shows_plates
            self.plates_toggled.emit()
            self.update()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        self.update()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()


def place_in(kept: object) -> tuple[float, float, float] | None:
    """Settings come from a file: x, y and metres per pixel of a view, or nothing."""
    try:
        x_m, y_m, scale = (float(each) for each in kept)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        return None
    return (x_m, y_m, scale) if all(map(math.isfinite, (x_m, y_m, scale))) and scale > 0 else None


def round_step(about: float) -> float:
    """1, 2 or 5 times a power of ten, not below `about`."""
    if not about > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(about))
    return next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= about * 0.999)
