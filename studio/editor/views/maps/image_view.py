"""A picture of pixels: zoom to the pointer, pan, and what the pixel under the pointer says."""

from __future__ import annotations

import math

from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor, QImage, QPainter, QResizeEvent

from studio.editor.look.theme import Theme
from studio.editor.views.maps.image_pixels import Picture
from studio.editor.views.maps.map_raster import Window
from studio.editor.views.maps.plane_view import PlaneView
from studio.editor.views.shared.plates import with_alpha

GRID_FROM_PX = 12.0
"""Pixels of the screen that one of the image takes when lines between them help the eye."""


class ImageView(PlaneView):
    """One pixel of the image is one metre of the plane, which goes down from its corner at 0, 0."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.picture: Picture | None = None
        self.image = QImage()
        self._fitted = (0, 0)
        self._is_whole = True
        """Until a hand moves it."""
        self.moved_by_hand.connect(self._let_go)
        self.setAccessibleName("Image")

    def show_picture(self, picture: Picture) -> None:
        width, height = picture.size
        self.picture = picture
        # A copy, because Qt does not keep what it paints of alive.
        self.image = QImage(picture.rgb.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
        if self._fitted != picture.size:  # another camera, or another setting of it
            self._fitted = picture.size
            self.fit()
        self.update()

    def fit(self) -> None:
        super().fit()
        self._is_whole = True

    def _let_go(self) -> None:
        self._is_whole = False

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self._is_whole:
            self.fit()

    def forget(self) -> None:
        self.picture, self.image, self._fitted = None, QImage(), (0, 0)
        self.update()

    def extent_m(self) -> tuple[float, float, float, float] | None:
        if self.picture is None:
            return None
        width, height = self.picture.size
        return 0.0, -float(height), float(width), 0.0

    def real_size(self) -> None:
        """One pixel of the image on one of the screen, around the middle of what is seen."""
        self.look_at(*self.centre_m, 1.0 / self.devicePixelRatioF())
        self._is_whole = False

    def read_out(self, x_m: float, y_m: float) -> str:
        column, row = math.floor(x_m), math.floor(-y_m)
        if self.picture is None:
            return ""
        width, height = self.picture.size
        if not (0 <= column < width and 0 <= row < height):
            return "outside the image"
        colour = self.image.pixelColor(column, row).name().upper()
        return f"column {column}  row {row}   {self.picture.words_at(column, row)}   {colour}"

    def paint_ground(self, painter: QPainter, world: Window) -> None:
        if self.image.isNull():
            return
        left, top = world.pixel_of(0.0, 0.0)
        width, height = (side / self.metres_per_pixel for side in (self.image.width(), self.image.height()))
        # Smaller than it is, an image is averaged; larger, its pixels stay what they are.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self.metres_per_pixel > 1.0)
        painter.drawImage(QRectF(left, top, width, height), self.image)
        painter.setPen(QColor(self.theme.border))
        painter.drawRect(QRectF(left, top, width, height).adjusted(-0.5, -0.5, 0.5, 0.5))

    def _paint_grid(self, painter: QPainter, world: Window) -> None:
        if self.picture is None or 1.0 / self.metres_per_pixel < GRID_FROM_PX:
            return
        width, height = self.picture.size
        colour = with_alpha("#808080", 90)
        for column in range(max(math.ceil(world.left_m), 0), min(math.floor(world.x_of(world.width)), width) + 1):
            painter.fillRect(round(world.pixel_of(column, 0.0)[0]), 0, 1, world.height, colour)
        for row in range(max(math.ceil(-world.top_m), 0), min(math.floor(-world.y_of(world.height)), height) + 1):
            painter.fillRect(0, round(world.pixel_of(0.0, -row)[1]), world.width, 1, colour)

    def _paint_scale(self, painter: QPainter) -> None:
        """A picture has no metres, and the read-out the whole width."""
