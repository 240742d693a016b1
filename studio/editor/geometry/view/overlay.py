"""Painted over the picture: names on plates, the gizmo with its number, the axis cube, words. Sharp at any scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from studio.editor.geometry.view.drawing import Drawing
from studio.editor.geometry.view.gestures.moving import Amount
from studio.editor.geometry.view.gizmo import AXES, BALL_PX, Gizmo, Handle
from studio.editor.geometry.view.labels import Anchor, Plate, placed
from studio.editor.look.fonts import code_font, text_font, width_of
from studio.editor.look.theme import Theme
from studio.editor.views.scene.batches import Floats
from studio.editor.views.scene.camera import Camera
from studio.editor.views.scene.meshes import AXIS_COLOURS
from studio.editor.views.shared.plates import draw_plate, with_alpha

MARGIN = 12
CUBE = 88
NAME_PX = 11
GIZMO_PX = 3.5
LETTERS_WITHIN = 40
"""Letters on the axes of every frame while there are no more frames than this."""


def cube_place(width: int) -> QRectF:
    return QRectF(width - CUBE - MARGIN, MARGIN, CUBE, CUBE)


# ---- names


def plates_of(drawing: Drawing, camera: Camera, width: int, height: int, taken: Sequence[QRectF]) -> list[Plate]:
    if not drawing.names:
        return []
    points, depths = camera.project(np.array([each.point for each in drawing.names]), width, height)
    anchors = [
        Anchor(named.name, x, y, depth, named.is_wanted)
        for named, (x, y), depth in zip(drawing.names, points.tolist(), depths.tolist(), strict=True)
        if depth > camera.nearest_m
    ]
    widths = {each.name: width_of(each.name, NAME_PX) + 14 for each in anchors}
    return placed(anchors, widths, QRectF(4, 4, width - 8, height - 8), taken)


def draw_plates(painter: QPainter, plates: Sequence[Plate], theme: Theme) -> None:
    painter.setFont(text_font(NAME_PX))
    for plate in plates:
        painter.setPen(QPen(QColor(theme.accent if plate.is_wanted else theme.control_border), 1))
        painter.drawLine(plate.anchor, plate.near)
        draw_plate(painter, plate.where, theme)
        if plate.is_wanted:
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRoundedRect(plate.where, 4, 4)
        painter.setPen(QColor(theme.accent if plate.is_wanted else theme.text))
        painter.drawText(plate.where, Qt.AlignmentFlag.AlignCenter, plate.name)


def draw_letters(
    painter: QPainter, frames: Sequence[Floats], length_m: float, camera: Camera, size: tuple[int, int]
) -> None:
    """x, y, z at the tips of frames, where an axis is long enough to tell them apart."""
    if not frames:
        return
    poses = np.array(frames)
    tips = poses[:, None, :3, 3] + 1.18 * length_m * poses[:, :3, :3].transpose(0, 2, 1)
    places, depths = camera.project(tips.reshape(-1, 3), *size)
    starts, _ = camera.project(poses[:, :3, 3], *size)
    painter.setFont(text_font(10, 600))
    for number, (x, y) in enumerate(places.tolist()):
        start = starts[number // 3]
        if depths[number] > camera.nearest_m and np.hypot(x - start[0], y - start[1]) > 14:
            painter.setPen(QColor(AXIS_COLOURS[number % 3]))
            painter.drawText(QRectF(x - 8, y - 8, 16, 16), Qt.AlignmentFlag.AlignCenter, AXES[number % 3])


# ---- the gizmo


def draw_gizmo(painter: QPainter, gizmo: Gizmo, lit: Handle | None, camera: Camera, size: tuple[int, int]) -> None:
    back = camera.axes()[2]
    order = sorted(range(3), key=lambda axis: float(gizmo.direction(axis) @ back))
    for axis in order:
        if "rotate" in gizmo.kinds:
            _draw_ring(painter, gizmo, axis, lit == Handle("rotate", axis), camera, size)
        for kind in ("move", "size"):
            if kind in gizmo.kinds:
                _draw_arrow(painter, gizmo, axis, lit == Handle(kind, axis), camera, size)
    if "move" in gizmo.kinds:
        middle = gizmo.arrow(0, camera, *size)[0]
        painter.setPen(QPen(QColor("#14171A"), 1))
        painter.setBrush(QColor("#FFFFFF" if lit == Handle("move", None) else "#C9CED6"))
        painter.drawEllipse(QPointF(*middle), BALL_PX * 0.6, BALL_PX * 0.6)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_arrow(
    painter: QPainter, gizmo: Gizmo, axis: int, is_lit: bool, camera: Camera, size: tuple[int, int]
) -> None:
    start, tip = gizmo.arrow(axis, camera, *size)
    along = tip - start
    length = float(np.hypot(*along))
    if length < BALL_PX:
        return
    colour = QColor(AXIS_COLOURS[axis]).lighter(130 if is_lit else 100)
    unit = along / length
    side = np.array([-unit[1], unit[0]])
    neck = tip - unit * min(13.0, length / 2)
    painter.setPen(QPen(colour, GIZMO_PX + is_lit, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(QPointF(*start), QPointF(*neck))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    points = [tip + side * 6, tip - side * 6] if "size" in gizmo.kinds else [tip]
    painter.drawPolygon(QPolygonF([QPointF(*each) for each in (neck + side * 6, *points, neck - side * 6)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(colour)
    painter.setFont(text_font(12, 600))
    at = tip + unit * 11
    painter.drawText(QRectF(at[0] - 9, at[1] - 9, 18, 18), Qt.AlignmentFlag.AlignCenter, AXES[axis])


def _draw_ring(painter: QPainter, gizmo: Gizmo, axis: int, is_lit: bool, camera: Camera, size: tuple[int, int]) -> None:
    places, front = gizmo.ring(axis, camera, *size)
    colour = QColor(AXIS_COLOURS[axis]).lighter(130 if is_lit else 100)
    for is_front in (False, True):
        path = QPainterPath()
        for one, other, seen in zip(places, places[1:], front, strict=False):
            if bool(seen) == is_front:
                if path.currentPosition() != QPointF(*one):
                    path.moveTo(QPointF(*one))
                path.lineTo(QPointF(*other))
        faint = with_alpha(colour.name(), 70)
        painter.setPen(QPen(colour if is_front else faint, GIZMO_PX + is_lit if is_front else 1.5))
        painter.drawPath(path)


def draw_amount(painter: QPainter, amount: Amount, at: QPointF, theme: Theme, room: QRectF) -> None:
    """The plate at the gizmo: name, axis, a number that can be typed, and what it snaps to."""
    wide = max(width_of(amount.name, 12, 600) + width_of(amount.axis, 12) + 44, 176.0)
    left = min(max(at.x(), room.left()), room.right() - wide)
    top = min(max(at.y(), room.top()), room.bottom() - 58)
    plate = QRectF(left, top, wide, 58)
    draw_plate(painter, plate, theme)
    painter.setPen(QPen(QColor(theme.accent), 1.5))
    painter.drawRoundedRect(plate, 4, 4)
    painter.setFont(text_font(12, 600))
    painter.setPen(QColor(theme.text))
    line = plate.adjusted(10, 5, -10, -30)
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, amount.name)
    painter.setFont(text_font(12))
    painter.setPen(QColor(theme.muted))
    painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, amount.axis)
    field = QRectF(plate.left() + 10, plate.top() + 30, 88, 22)
    painter.setBrush(QColor(theme.field))
    painter.setPen(QPen(QColor(theme.focus if amount.is_typed else theme.control_border), 1.5))
    painter.drawRoundedRect(field, 3, 3)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(code_font(12))
    painter.setPen(QColor(theme.text))
    caret = "▏" if amount.is_typed else " "
    words = f"{amount.text}{caret}{amount.unit}"
    painter.drawText(field.adjusted(6, 0, -4, 0), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
    painter.setFont(text_font(11))
    painter.setPen(QColor(theme.muted))
    rest = QRectF(field.right() + 8, field.top(), plate.right() - field.right() - 14, 22)
    painter.drawText(rest, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, amount.snap)


# ---- corners


def cube_tips(where: QRectF, camera: Camera) -> list[tuple[str, QPointF, float]]:
    """x, y, z and their opposites on the axis cube, the farthest first: name, place, nearness."""
    right, up, back = camera.axes()
    middle = where.center()
    tips = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            at = middle + QPointF(30 * sign * float(right[axis]), -30 * sign * float(up[axis]))
            tips.append((("-" if sign < 0 else "") + AXES[axis], at, sign * float(back[axis])))
    return sorted(tips, key=lambda each: each[2])


def draw_cube(painter: QPainter, where: QRectF, camera: Camera, theme: Theme) -> None:
    draw_plate(painter, where, theme)
    painter.setFont(text_font(11, 600))
    for name, at, _ in cube_tips(where, camera):
        colour = QColor(AXIS_COLOURS[AXES.index(name[-1])])
        if name.startswith("-"):
            painter.setPen(QPen(colour, 1.5))
            painter.setBrush(QColor(theme.panel))
            painter.drawEllipse(at, 5, 5)
        else:
            painter.setPen(QPen(colour, 2))
            painter.drawLine(where.center(), at)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(at, 8.5, 8.5)
            painter.setPen(QColor("#14171A"))
            painter.drawText(QRectF(at.x() - 9, at.y() - 9, 18, 18), Qt.AlignmentFlag.AlignCenter, name)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_words(painter: QPainter, words: str, height: int, theme: Theme, left: float = MARGIN) -> None:
    if not words:
        return
    painter.setFont(text_font(11))
    plate = QRectF(left, height - MARGIN - 24, width_of(words, 11) + 18, 24)
    draw_plate(painter, plate, theme)
    painter.setPen(QColor(theme.muted))
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, words)


def draw_spots(
    painter: QPainter, points: Sequence[Floats], camera: Camera, size: tuple[int, int], colour: str, radius: float
) -> None:
    """Rings around places: frames that fit."""
    if not points:
        return
    places, depths = camera.project(np.array(points), *size)
    painter.setPen(QPen(QColor(colour), 2))
    painter.setBrush(with_alpha(colour, 60))
    for (x, y), depth in zip(places.tolist(), depths.tolist(), strict=True):
        if depth > camera.nearest_m:
            painter.drawEllipse(QPointF(x, y), radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
