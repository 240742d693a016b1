"""Small pictures of bodies and assemblies: their shapes as they are seen, from the front left above."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from studio.editor.views.scene.batches import Triangles
from studio.editor.views.scene.meshes import AXIS_COLOURS, shape_batches
from studio.model.geometry.arrange import root_poses
from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Part
from studio.model.geometry.rotations import from_rpy

Floats = NDArray[np.float64]
TURN = from_rpy(0.0, np.radians(25.0), 0.0) @ from_rpy(0.0, 0.0, np.radians(-35.0))
"""From the axes of the vehicle to those of the picture: x to the viewer, y right, z up."""
MARGIN = 0.08


def thumbnail(model: Model, width: int, height: int, ratio: float = 1.0) -> QImage:
    """On a transparent ground. A model without shapes has its frames drawn as axes."""
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    faces, colours = _faces(model)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    area = QRectF(0, 0, width, height)
    if len(faces):
        _draw_faces(painter, area, faces, colours)
    else:
        _draw_frames(painter, area, model)
    painter.end()
    return image


def _faces(model: Model) -> tuple[Floats, NDArray[np.uint8]]:
    poses = root_poses(model)
    found = [
        (_placed(batch.points, poses[Part(name, shape.on)]), batch.colours)
        for name, body in model.bodies.items()
        for shape in body.shapes
        if shape.is_visual and Part(name, shape.on) in poses
        for batch in shape_batches(shape)
        if isinstance(batch, Triangles)
    ]
    if not found:
        return np.zeros((0, 3, 3)), np.zeros((0, 4), np.uint8)
    return np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found])


def _placed(corners: Floats, pose: Floats) -> Floats:
    return np.asarray(corners @ pose[:3, :3].T + pose[:3, 3])


def _draw_faces(painter: QPainter, area: QRectF, faces: Floats, colours: NDArray[np.uint8]) -> None:
    """Those farthest away first."""
    turned = faces @ TURN.T
    flat = _fitted(turned[..., 1:], area)
    for place in np.argsort(turned[..., 0].mean(axis=1)):
        red, green, blue, opacity = (int(part) for part in colours[place].reshape(-1)[:4])
        colour = QColor(red, green, blue, opacity)
        painter.setBrush(colour)
        painter.setPen(QPen(colour, 0.6))
        painter.drawPolygon(QPolygonF([QPointF(float(x), float(y)) for x, y in flat[place]]))


def _draw_frames(painter: QPainter, area: QRectF, model: Model) -> None:
    lines = list(_axes(model))
    if not lines:
        return
    flat = _fitted((np.array([line for line, _ in lines]) @ TURN.T)[..., 1:], area)
    for (start, end), (_, axis) in zip(flat, lines, strict=True):
        painter.setPen(QPen(QColor(AXIS_COLOURS[axis]), 2))
        painter.drawLine(QPointF(*map(float, start)), QPointF(*map(float, end)))


def _axes(model: Model) -> Iterator[tuple[Floats, int]]:
    poses = root_poses(model)
    for name, body in model.bodies.items():
        for frame in body.frames:
            pose = poses[Part(name, frame.on)] @ frame.pose.matrix
            for axis in range(3):
                yield np.array([pose[:3, 3], pose[:3, 3] + 0.05 * pose[:3, axis]]), axis


def _fitted(points: Floats, area: QRectF) -> Floats:
    """Into the middle of the picture, as large as it goes; upwards is up."""
    low, high = points.reshape(-1, 2).min(axis=0), points.reshape(-1, 2).max(axis=0)
    room = np.array([area.width(), area.height()]) * (1 - 2 * MARGIN)
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    middle = (points - (low + high) / 2) * scale * np.array([1.0, -1.0])
    return np.asarray(middle + np.array([area.width(), area.height()]) / 2)
