"""The canvas as a picture: SVG for papers, PNG for everything else."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QRectF, QSize
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtWidgets import QGraphicsItem

from studio.editor.canvas.scene.scene import CanvasScene
from studio.model.files import FileError

MARGIN = 24.0


def export_svg(scene: CanvasScene, path: Path) -> None:
    from PyQt6.QtSvg import QSvgGenerator  # only for those who export

    area = _area(scene)
    picture = QSvgGenerator()
    picture.setFileName(str(path))
    picture.setSize(area.size().toSize())
    picture.setViewBox(QRectF(0, 0, area.width(), area.height()))
    picture.setTitle(scene.session.name)
    painter = QPainter()
    if not painter.begin(picture):
        raise FileError("cannot be written", file=path, hint="is the folder writable?")
    _render(scene, painter, area, QRectF(0, 0, area.width(), area.height()))
    painter.end()


def export_png(scene: CanvasScene, path: Path, scale: float = 2.0) -> None:
    area = _area(scene)
    image = picture_of(scene, (area.size() * scale).toSize())
    if not image.save(str(path), "PNG"):
        raise FileError("cannot be written", file=path, hint="is the folder writable?")


def picture_of(scene: CanvasScene, size: QSize) -> QImage:
    """Everything on the canvas, as large as fits into `size`, in the middle of it."""
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(scene.theme.canvas))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    area = _area(scene)
    scale = max(area.width() / size.width(), area.height() / size.height())
    wide, high = size.width() * scale - area.width(), size.height() * scale - area.height()
    centred = area.adjusted(-wide / 2, -high / 2, wide / 2, high / 2)
    _render(scene, painter, centred, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    return image


def _render(scene: CanvasScene, painter: QPainter, area: QRectF, into: QRectF) -> None:
    """Without selection and focus: they belong to the window, not to the picture. And as lines, not as pixels."""
    chosen = scene.selectedItems()
    focus = scene.focus_node
    scene.clearSelection()
    scene.set_focus_node(None)
    painter.fillRect(into, QColor(scene.theme.canvas))
    for node in scene.cards():
        node.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    scene.render(painter, into, area)
    for node in scene.cards():
        node.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
    for item in chosen:
        item.setSelected(True)
    scene.set_focus_node(focus)


def _area(scene: CanvasScene) -> QRectF:
    area = scene.content_rect()
    if area.isEmpty():
        area = QRectF(0, 0, 320, 180)
    return area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
