"""What lies on a map: where the vehicle has been and is to go, its arcs, what its scanners see."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.maps.map_raster import Window
from studio.editor.views.shared.plates import draw_plate, draw_upright, with_alpha
from studio.messages import PoseTransform, Range3d

Places = NDArray[np.float64]
"""Rows of x and y, in metres."""
INK, PAPER = "#14171A", "#FFFFFF"
MOST_POINTS = 20_000
STEP_M = 0.02
STEP_PX = 1.5
ARC_STEPS = 12
ARC_TURN_RAD = 1.3
"""How far the sharpest arc turns; all arcs are as long as that one."""
ARC_MOST_M = 12.0


class Track:
    """Where somebody has been; of standing still one place is kept, and of a long way the newer half."""

    def __init__(self) -> None:
        self._places = np.empty((1024, 2))
        self._along_m = np.empty(1024)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def places(self) -> Places:
        return self._places[: self._size]

    def add(self, x_m: float, y_m: float) -> None:
        passed_m = 0.0
        if self._size:
            last = self._places[self._size - 1]
            passed_m = math.hypot(x_m - last[0], y_m - last[1])
            if passed_m < STEP_M:
                return
            passed_m += float(self._along_m[self._size - 1])
        if self._size == MOST_POINTS:
            half = MOST_POINTS // 2
            self._places[:half], self._along_m[:half] = self._places[half:], self._along_m[half:]
            self._size = half
        if self._size == len(self._along_m):
            room = min(2 * self._size, MOST_POINTS)
            self._places, self._along_m = np.resize(self._places, (room, 2)), np.resize(self._along_m, room)
        self._places[self._size] = x_m, y_m
        self._along_m[self._size] = passed_m
        self._size += 1

    def clear(self) -> None:
        self._size = 0

    def drawn(self, metres_per_pixel: float) -> Places:
        """As many places as can be told apart at a scale, with both ends."""
        if self._size < 3:
            return self.places
        steps = np.floor(self._along_m[: self._size] / (STEP_PX * metres_per_pixel))
        kept = np.flatnonzero(np.diff(steps, prepend=-1.0))
        if kept[-1] != self._size - 1:
            kept = np.append(kept, self._size - 1)
        return self.places[kept]


def on_screen(places: Places, world: Window) -> list[QPointF]:
    x = (places[:, 0] - world.left_m) / world.metres_per_pixel
    y = (world.top_m - places[:, 1]) / world.metres_per_pixel
    return [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def draw_driven(painter: QPainter, world: Window, places: Places) -> None:
    if len(places) > 1:
        line = QPolygonF(on_screen(places, world))
        painter.setPen(QPen(QColor(INK), 4))  # a wide line that shines through would take seven times as long
        painter.drawPolyline(line)
        painter.setPen(QPen(QColor(PAPER), 2))
        painter.drawPolyline(line)


def draw_planned(painter: QPainter, world: Window, places: Places, theme: Theme) -> None:
    """Dashes that are seen on any ground: what is below them differs from them in every theme."""
    if len(places) > 1:
        line = QPolygonF(on_screen(places, world))
        painter.setPen(QPen(QColor(INK if theme.name == "dark" else PAPER), 4))
        painter.drawPolyline(line)
        painter.setPen(QPen(QColor(theme.accent), 2, Qt.PenStyle.DashLine))
        painter.drawPolyline(line)


def draw_goal(painter: QPainter, at: QPointF, theme: Theme) -> None:
    for colour, width in ((INK, 5.0), (PAPER, 2.5)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(at, 9, 9)
    painter.setBrush(QColor(PAPER))
    painter.drawEllipse(at, 2, 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(text_font(11, 600))
    width = painter.fontMetrics().horizontalAdvance("goal") + 12
    plate = QRectF(at.x() + 15, at.y() - 9, width, 18)
    draw_plate(painter, plate, theme)
    painter.setPen(QColor(theme.text))
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, "goal")


def draw_cross_hairs(painter: QPainter, at: QPointF, width: int, height: int, theme: Theme) -> None:
    colour = with_alpha(PAPER if theme.name == "dark" else INK, 150)
    painter.fillRect(0, round(at.y()), width, 1, colour)  # faster by far than a line that shines through
    draw_upright(painter, round(at.x()), height, colour)


def arc_places(pose: PoseTransform, bend_per_m: float, length_m: float) -> Places:
    """Along an arc that begins at the vehicle."""
    along = np.linspace(0.0, length_m, ARC_STEPS + 1)
    turned = along * bend_per_m
    # sin(a)/a and (1-cos(a))/a, which are fine for a straight line, too
    ahead = along * np.sinc(turned / np.pi)
    aside = along * np.sin(turned / 2) * np.sinc(turned / (2 * np.pi))
    yaw, (x_m, y_m) = pose.yaw_rad, pose.position[:2]
    return np.column_stack(
        [x_m + math.cos(yaw) * ahead - math.sin(yaw) * aside, y_m + math.sin(yaw) * ahead + math.cos(yaw) * aside]
    )


def draw_arcs(
    painter: QPainter, world: Window, pose: PoseTransform, theme: Theme,
    arcs: NDArray[np.float64], votes: NDArray[np.float64], veto: NDArray[np.bool_], chosen_per_m: float | None,
) -> None:  # fmt: skip
    """Stronger where more is wanted; short, dotted and crossed where one forbids it; the chosen one in violet."""
    sharpest = float(np.abs(arcs).max(initial=0.0))
    length_m = min(ARC_TURN_RAD / sharpest, ARC_MOST_M) if sharpest > 0 else ARC_MOST_M
    for bend, vote, forbidden in zip(arcs.tolist(), votes.tolist(), veto.tolist(), strict=True):
        line = on_screen(arc_places(pose, bend, length_m * (0.6 if forbidden else 1.0)), world)
        if forbidden:
            painter.setPen(QPen(QColor(theme.error), 1.5, Qt.PenStyle.DotLine))
            painter.drawPolyline(QPolygonF(line))
            painter.setPen(QPen(QColor(theme.error), 1.5))
            x, y = line[-1].x(), line[-1].y()
            painter.drawLines(QLineF(x - 3, y - 3, x + 3, y + 3), QLineF(x - 3, y + 3, x + 3, y - 3))
            continue
        strength = min(max((vote + 1) / 2, 0.0), 1.0) if math.isfinite(vote) else 0.0
        painter.setPen(QPen(with_alpha(theme.fine, int(40 + 200 * strength)), 1 + 2 * strength))
        painter.drawPolyline(QPolygonF(line))
    if chosen_per_m is not None:
        painter.setPen(QPen(QColor(theme.accent), 4, cap=Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(QPolygonF(on_screen(arc_places(pose, chosen_per_m, length_m), world)))


def scan_places(scan: Range3d, mount: NDArray[np.float64], pose: PoseTransform) -> Places:
    """What a scanner of the vehicle sees, in the frame of the map; beams without an echo are left out."""
    points = np.asarray(scan.xyz, np.float64)
    points = points[np.isfinite(points).all(axis=1)]
    placed = pose.matrix @ mount
    found: Places = points @ placed[:2, :3].T + placed[:2, 3]
    return found


def draw_points(painter: QPainter, world: Window, places: Places, colour: str) -> None:
    points = QPolygonF(on_screen(places, world))
    for ink, width in ((with_alpha(INK, 140), 5.0), (QColor(colour), 3.0)):
        painter.setPen(QPen(ink, width, cap=Qt.PenCapStyle.SquareCap))
        painter.drawPoints(points)
