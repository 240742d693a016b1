"""One view of the vehicle on the screen: asks for pictures, paints what lies over them, and hands the mouse on.

The next picture is asked for as soon as the last one is there, and the camera of the picture on the screen places names
and gizmo, so that they never run ahead of it. Where GL is software, a view at rest is painted once more at twice the
size: smooth edges cost nothing while nothing moves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import numpy as np
from PyQt6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from studio.editor.geometry.selection import FrameThing
from studio.editor.geometry.view import overlay
from studio.editor.geometry.view.drawing import Drawing
from studio.editor.geometry.view.gestures.mounting import MountGesture
from studio.editor.geometry.view.gestures.moving import TransformGesture
from studio.editor.geometry.view.gizmo import on_plane
from studio.editor.geometry.view.hands import Button, Hands
from studio.editor.geometry.view.labels import Plate
from studio.editor.geometry.view.picking import Hit, on_view_plane, pick
from studio.editor.geometry.view.stage import Stage
from studio.editor.look.fonts import text_font
from studio.editor.views.scene.batches import Floats
from studio.editor.views.scene.camera import Camera, Preset
from studio.editor.views.scene.picture_thread import Job, Made, PictureThread
from studio.runtime.base.clock import SECOND_NS, monotonic_ns

ZOOM_STEP = 1.18
MOST_PIXELS = 1_400_000
SHARP = 2
"""Times the size of a picture at rest."""
REST_MS = 250
ANGLES = 8
STRIP_HEIGHT = 480
"""A view that is lower has no room for the words below the tools."""
BUTTONS: dict[Qt.MouseButton, Button] = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.MiddleButton: "middle",
    Qt.MouseButton.RightButton: "right",
}
DIGITS = set("0123456789.,-")
SIZES = DIGITS - {"-"} | {" "}
"""Several numbers."""
STANDARD = {
    "-x": Preset("", 180.0, 0.0), "x": Preset("", 0.0, 0.0), "-y": Preset("", -90.0, 0.0),
    "y": Preset("", 90.0, 0.0), "z": Preset("", -90.0, 90.0), "-z": Preset("", -90.0, -90.0),
}  # fmt: skip
"""From where one looks when a ball of the axis cube is clicked."""


class MouseSpot:
    """Where the mouse is on a canvas; what is under it is found when it is asked for, once."""

    def __init__(self, canvas: Canvas, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        self._canvas = canvas
        self.x, self.y = at.x(), at.y()
        self.is_fine = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        self.is_slow = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        self._hit: list[Hit | None] = []

    @property
    def camera(self) -> Camera:
        return self._canvas.camera

    @property
    def size(self) -> tuple[int, int]:
        return self._canvas.width(), self._canvas.height()

    def ray(self) -> tuple[Floats, Floats]:
        return self.camera.ray(self.x, self.y, *self.size)

    def hit(self) -> Hit | None:
        if not self._hit:
            scene = self._canvas.stage.drawing.pickable
            self._hit.append(pick(scene, self.camera, self.x, self.y, *self.size))
        return self._hit[0]


class Canvas(QWidget):
    looked = pyqtSignal()
    """From elsewhere, by hand."""
    painter_known = pyqtSignal()
    """The first picture is there."""

    def __init__(self, stage: Stage, hands: Hands, *, title: str = "", without_gl: str = "") -> None:
        super().__init__()
        self.stage, self.hands, self.title = stage, hands, title
        self.camera = Camera()
        self.turns = True
        """Orbit is allowed: not in a standard projection."""
        self.pictures = PictureThread(self, without_gl=without_gl)
        self.pictures.made.connect(self._take)
        self.made: Made | None = None
        self.painted = 0
        self.plates: list[Plate] = []
        self.left_margin = 0
        """What lies over the picture at its left edge."""
        self._asked: Drawing | None = None
        self._shown: Drawing | None = None
        self._is_asked, self._is_old = False, True
        self._is_sharp = False
        self._painted_ns: deque[int] = deque(maxlen=30)
        self._timer = self._once(0, self._ask)
        self._rest = self._once(REST_MS, self._sharpen)
        stage.listen(self.changed)
        self.setMinimumSize(160, 120)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAcceptDrops(True)
        self.setAccessibleName("Vehicle in three dimensions" if not title else f"Vehicle, {title}")

    def _once(self, after_ms: int, do: Callable[[], object]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(after_ms)
        timer.timeout.connect(do)
        return timer

    # ---- pictures

    def changed(self) -> None:
        self._is_old, self._is_sharp = True, False
        if self.isVisible() and not self._is_asked and not self._timer.isActive():
            self._timer.start()

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self.changed()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        self.changed()

    def _ask(self, scale: int = 1) -> None:
        if not self.isVisible() or self._is_asked:
            return
        self._asked = self.stage.drawing
        ratio = self.devicePixelRatioF()
        width, height = self.width() * ratio, self.height() * ratio
        shrink = min(1.0, (MOST_PIXELS / (width * height)) ** 0.5) * scale
        scene = replace(self._asked.scene, pixel=max(shrink * ratio, 1.0))
        self._is_old, self._is_asked, self._is_sharp = False, True, scale > 1
        size = max(round(width * shrink), 2), max(round(height * shrink), 2)
        self.pictures.paint(Job(scene, deepcopy(self.camera), *size, self.stage.context.theme.canvas))

    def _sharpen(self) -> None:
        maker = self.pictures.maker
        if not self._is_old and maker is not None and maker.words == "software GL":
            self._ask(SHARP)

    def _take(self, made: Made) -> None:
        is_first = self.made is None
        self.made, self._shown, self._is_asked = made, self._asked, False
        self.painted += 1
        if not self._is_sharp:
            self._painted_ns.append(monotonic_ns())
        self.update()
        if is_first:
            self.painter_known.emit()
        if self._is_old:
            self._timer.start()
        elif not self._is_sharp:
            self._rest.start()

    def rate_hz(self) -> float:
        recent = [at for at in self._painted_ns if monotonic_ns() - at < SECOND_NS]
        return (len(recent) - 1) * SECOND_NS / (recent[-1] - recent[0]) if len(recent) > 2 else 0.0

    def close_canvas(self) -> None:
        self._timer.stop()
        self._rest.stop()
        self.pictures.close()

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        theme = self.stage.context.theme
        if self.made is None or self._shown is None:
            painter.fillRect(self.rect(), QColor(theme.canvas))
            painter.end()
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(self.rect()), self.made.picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_over(painter, self._shown, self.made.job.camera)
        painter.end()

    def _paint_over(self, painter: QPainter, drawing: Drawing, camera: Camera) -> None:
        theme, size, hands = self.stage.context.theme, (self.width(), self.height()), self.hands
        cube = overlay.cube_place(self.width())
        left = self.left_margin if self.height() < STRIP_HEIGHT else 0
        words = QRectF(left, self.height() - 44, 420, 44)
        self.plates = overlay.plates_of(drawing, camera, *size, [cube, words, QRectF(0, 0, self.left_margin, size[1])])
        overlay.draw_plates(painter, self.plates, theme)
        overlay.draw_letters(painter, self._lettered(drawing), self.stage.look.frame_m, camera, size)
        if isinstance(hands.gesture, MountGesture):
            self._paint_mount(painter, hands.gesture, drawing, camera)
        gizmo = hands.gizmo()
        if gizmo is not None:
            gesture = hands.gesture
            lit = gesture.handle if isinstance(gesture, TransformGesture) else hands.handle
            overlay.draw_gizmo(painter, gizmo, lit, camera, size)
            if isinstance(gesture, TransformGesture):
                at, _ = camera.project(gizmo.origin[None], *size)
                beside = QPointF(at[0, 0] + 70, at[0, 1] - 100)
                overlay.draw_amount(
                    painter, gesture.amount(), beside, theme, QRectF(self.rect()).adjusted(8, 8, -8, -8)
                )
        if self.turns:
            overlay.draw_cube(painter, cube, camera, theme)
            overlay.draw_words(painter, self.words(), self.height(), theme, left + overlay.MARGIN)
        else:
            painter.setFont(text_font(11))
            overlay.draw_words(painter, self.title, self.height(), theme, self.left_margin + overlay.MARGIN)

    def _lettered(self, drawing: Drawing) -> list[Floats]:
        look = self.stage.seen
        chosen = {look.hovered, *look.selected}
        if "frames" not in look.layers:
            return []
        few = len(drawing.frames) <= overlay.LETTERS_WITHIN
        return [pose for thing, pose in drawing.frames.items() if few or thing in chosen]

    def _paint_mount(self, painter: QPainter, gesture: MountGesture, drawing: Drawing, camera: Camera) -> None:
        theme, size = self.stage.context.theme, (self.width(), self.height())
        fits = [
            drawing.frames[each][:3, 3]
            for each in gesture.fitting
            if isinstance(each, FrameThing) and each in drawing.frames
        ]
        overlay.draw_spots(painter, fits, camera, size, theme.fine, 7.0)
        if gesture.offer is not None and gesture.offer.carrier in drawing.frames:
            overlay.draw_spots(
                painter, [drawing.frames[gesture.offer.carrier][:3, 3]], camera, size, theme.accent, 12.0
            )
        elif gesture.mouse is not None and gesture.carried in drawing.frames:
            start, _ = camera.project(drawing.frames[gesture.carried][None, :3, 3], *size)
            painter.setPen(QColor(theme.accent))
            painter.drawLine(QPointF(*start[0]), QPointF(*gesture.mouse))

    def words(self) -> str:
        maker, rate = self.pictures.maker, self.rate_hz()
        how = "orthographic" if self.camera.is_flat else "perspective"
        axes = {"body": "own axes", "world": "world axes", "chosen": "chosen axes"}[self.hands.axes]
        painted = "" if maker is None else f" · {maker.words}, {f'{rate:.0f} fps' if rate else 'still'}"
        return f"Grid {self.stage.grid_m:g} m · {how} · {axes}{painted}"

    # ---- where one looks

    def look_from(self, preset: Preset) -> None:
        self.camera.look_from(preset)
        self._looked()

    def fit(self) -> None:
        self.show_ball(self.stage.centre, self.stage.radius_m)

    def show_ball(self, centre: Floats, radius_m: float) -> None:
        self.camera.show_sphere(centre, radius_m)
        narrow = min(1.0, self.width() / max(self.height(), 1))
        self.camera.zoom(max(narrow, 0.2))
        self._looked()

    def _looked(self) -> None:
        self.changed()
        self.looked.emit()

    # ---- the mouse

    def _spot(self, event: QMouseEvent) -> MouseSpot:
        return MouseSpot(self, event.position(), event.modifiers())

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        button = BUTTONS.get(event.button())
        if button is None or (button == "left" and self._press_cube(event.position())):
            return
        held = event.modifiers()
        shift, ctrl = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
        pans = bool(held & shift) or not self.turns
        self.hands.press(self._spot(event), button, adds=bool(held & (ctrl | shift)), pans=pans)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self.hands.move(self._spot(event))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self.hands.release(self._spot(event))
        self.looked.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self.hands.drawn is not None:
            self.hands.finish()
            return
        hit = self._spot(event).hit()
        thing = self.hands.meant(hit)
        if thing is None:
            self.fit()
        else:
            self.show_ball(*self.stage.thing_ball(thing))

    def leaveEvent(self, event: QEvent | None) -> None:
        if self.hands.gesture is None:
            self.stage.selection.hover(None)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """What is below the mouse stays there."""
        assert event is not None
        event.accept()
        spot = MouseSpot(self, event.position(), event.modifiers())
        hit = spot.hit()
        point = hit.point if hit is not None else on_view_plane(self.camera, *spot.ray())
        self.camera.zoom_at(ZOOM_STEP ** (event.angleDelta().y() / 120), point)
        self._looked()

    def under(self, at: QPointF) -> object:
        """For what is dropped: the frame there, else the point of a face or of the ground."""
        spot = MouseSpot(self, at, Qt.KeyboardModifier.NoModifier)
        hit = spot.hit()
        if hit is not None:
            return hit.thing if isinstance(hit.thing, FrameThing) else hit.point
        start, way = spot.ray()
        point = on_plane(np.zeros(3), np.array([0.0, 0.0, 1.0]), start, way)
        return on_view_plane(self.camera, start, way) if point is None else point

    def _press_cube(self, at: QPointF) -> bool:
        """A ball of the axis cube: look from there."""
        where = overlay.cube_place(self.width())
        if not self.turns or not where.contains(at):
            return False
        tips = overlay.cube_tips(where, self.camera)
        near = [(name, (tip - at).manhattanLength()) for name, tip, _ in reversed(tips)]
        name, off = min(near, key=lambda each: each[1])
        if off < 16:
            self.look_from(STANDARD[name])
        return True

    # ---- keys

    def event(self, event: QEvent | None) -> bool:
        """Keys of the view come before shortcuts of the window."""
        if event is not None and event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
            is_number = bool(event.text()) and event.text() in self._typed_now()
            if plain and (is_number or Qt.Key(event.key()) in KEYS):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        spot = MouseSpot(self, QPointF(self.mapFromGlobal(self.cursor().pos())), event.modifiers())
        is_command = bool(event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier))
        if is_command or not self._key(Qt.Key(event.key()), event.text(), spot):
            super().keyPressEvent(event)

    def _key(self, key: Qt.Key, text: str, spot: MouseSpot) -> bool:
        hands = self.hands
        if text and text in self._typed_now():
            return hands.type(text)
        match key:
            case Qt.Key.Key_Escape:
                return hands.cancel() or hands.let_go()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                return hands.finish()
            case Qt.Key.Key_Backspace:
                return hands.type("\b")
            case Qt.Key.Key_X | Qt.Key.Key_Y | Qt.Key.Key_Z:
                return hands.choose_axis(key - Qt.Key.Key_X)
            case Qt.Key.Key_G:
                return hands.begin("move")
            case Qt.Key.Key_R:
                return hands.begin("rotate")
            case Qt.Key.Key_E:
                return hands.begin("size")
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal | Qt.Key.Key_Minus:
                self.camera.zoom(1 / ZOOM_STEP if key == Qt.Key.Key_Minus else ZOOM_STEP)
                self._looked()
                return True
        return self._arrow(key, spot)

    def _typed_now(self) -> set[str]:
        """Characters that are for what is being done."""
        if self.hands.gesture is not None:
            return DIGITS
        return SIZES if self.hands.entry is not None else set()

    def _arrow(self, key: Qt.Key, spot: MouseSpot) -> bool:
        """Nudges what is selected; without that, looks around."""
        if key not in ARROWS:
            return False
        right, up, deep = ARROWS[key]
        if self.hands.nudge(right, up, deep, spot):
            return True
        if self.turns:
            self.camera.orbit(right * 3 * ANGLES, up * 3 * ANGLES)
        self._looked()
        return True


ARROWS = {
    Qt.Key.Key_Left: (-1, 0, 0), Qt.Key.Key_Right: (1, 0, 0), Qt.Key.Key_Up: (0, 1, 0), Qt.Key.Key_Down: (0, -1, 0),
    Qt.Key.Key_PageUp: (0, 0, 1), Qt.Key.Key_PageDown: (0, 0, -1),
}  # fmt: skip
KEYS = {
    *ARROWS, Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Backspace, Qt.Key.Key_X, Qt.Key.Key_Y,
    Qt.Key.Key_Z, Qt.Key.Key_G, Qt.Key.Key_R, Qt.Key.Key_E, Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus,
}  # fmt: skip
