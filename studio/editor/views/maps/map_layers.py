"""Planes of maps that lie over each other, as pictures that are made anew only when they have to be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QImage, QPainter

from studio.editor.views.maps.map_raster import Painted, Window, paint
from studio.editor.views.shared.map_colours import UNKNOWN, Scheme, fixed_range, range_of, scheme_for
from studio.messages import Map

MARGIN_PX = 40
"""Around what is visible: a view that follows a vehicle moves the picture, and seldom needs a new one."""
_ROUND = 1e-6


@dataclass(eq=False)
class Layer:
    """One plane of one map, and how it is shown."""

    map: Map
    plane: str
    scheme: Scheme
    opacity: float = 1.0

    @property
    def values(self) -> NDArray[np.float32]:
        return self.map.plane(self.plane)

    def extent_m(self) -> tuple[float, float, float, float]:
        left, bottom = (float(value) for value in self.map.origin_m)
        across, up = self.map.columns * self.map.resolution_m, self.map.rows * self.map.resolution_m
        return left, bottom, left + across, bottom + up

    def known_m(self) -> tuple[float, float, float, float]:
        """The rectangle around the cells that are known: a map may be much larger. All of it if none is."""
        known = np.isfinite(self.values)
        rows, columns = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
        if not rows.size:
            return self.extent_m()
        left, bottom = (float(value) for value in self.map.origin_m)
        ends = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        x0, y0, x1, y1 = (float(end) * self.map.resolution_m for end in ends)
        return left + x0, bottom + y0, left + x1, bottom + y1

    def words_at(self, cell: tuple[int, int]) -> str:
        """The value with its unit and, where the map knows it, the standard deviation."""
        value = float(self.values[cell])
        if math.isnan(value):
            return "unknown"
        if math.isinf(value):
            return "infinite" if value > 0 else "−infinite"
        words = f"{value:+.2f}" if self.scheme.grade is not None else f"{value:.3g}"
        words = words[1:] if words in ("-0.00", "+0.00") else words
        unit = f" {self.scheme.unit}" if self.scheme.unit else ""
        spread = _spread(self.map, self.plane, cell)
        return words.replace("-", "−") + unit + (f" ± {spread:.2f}" if spread is not None else "")


def _spread(map_: Map, plane: str, cell: tuple[int, int]) -> float | None:
    """The standard deviation of a cell, where the map has a plane for it."""
    for name in (f"{plane}_variance", "variance"):
        if name in map_.plane_names and name != plane:
            value = float(map_.plane(name)[cell])
            return math.sqrt(value) if 0 <= value < math.inf else None
    return None


Range = tuple[float, float]


def layer_of(
    map_: Map, plane: str, scheme: Scheme | None = None, opacity: float = 1.0, limits: Range | None = None
) -> Layer:
    """A layer in the colours that suit the plane, within `limits`; without them over the scale that the plane has, or
    over its values if it has none."""
    chosen = scheme or scheme_for(plane)
    if limits is None and not fixed_range(plane) and map_.planes.size:
        limits = range_of(map_.plane(plane))
    return Layer(map_, plane, chosen.over(*limits) if limits is not None else chosen, opacity)


@dataclass(frozen=True)
class _Picture:
    """Of one layer; the image looks into the buffer."""

    layer: Layer
    is_lowest: bool
    painted: Painted
    image: QImage
    buffer: NDArray[np.uint32]


class Ground:
    """The pictures of some layers; each is made anew when its layer is another, all of them with another scale."""

    def __init__(self) -> None:
        self._of = (0.0, "")
        self._window = Window(0.0, 0.0, 1.0, 0, 0)
        self._pictures: list[_Picture] = []

    def clipped(self, number: int) -> tuple[bool, bool]:
        """Whether what was drawn of a layer has values below and above its scale."""
        return self._pictures[number].painted.clipped if number < len(self._pictures) else (False, False)

    def draw(self, painter: QPainter, layers: list[Layer], world: Window, ratio: float, theme: str) -> None:
        """`ratio`: pixels of the screen per pixel of `world`; cells have sharp edges at 150 %, too."""
        scale = world.metres_per_pixel / ratio
        width, height = math.ceil(world.width * ratio), math.ceil(world.height * ratio)
        right, down = (world.left_m - self._window.left_m) / scale, (self._window.top_m - world.top_m) / scale
        is_within = -_ROUND <= right <= self._window.width - width + _ROUND
        is_within = is_within and -_ROUND <= down <= self._window.height - height + _ROUND
        if not is_within or self._of != (scale, theme):
            self._of = (scale, theme)
            around, more = scale * MARGIN_PX, 2 * MARGIN_PX
            self._window = Window(
                world.left_m - around, world.top_m + around, scale, width + more, height + more
            )  # fmt: skip
            right = down = float(MARGIN_PX)
            self._make(layers, theme, known=[])
        else:
            self._make(layers, theme, known=self._pictures)
        for picture in self._pictures:
            picture.image.setDevicePixelRatio(ratio)
            painter.setOpacity(picture.layer.opacity)
            at = QPointF(picture.painted.left - round(right), picture.painted.top - round(down)) / ratio
            painter.drawImage(at, picture.image)
        painter.setOpacity(1.0)

    def _make(self, layers: list[Layer], theme: str, known: list[_Picture]) -> None:
        room = self._window.width * self._window.height
        wanted = [(layer, number == 0) for number, layer in enumerate(layers)]
        kept = {(id(each.layer), each.is_lowest): each for each in known}
        kept = {key: each for key, each in kept.items() if (each.layer, each.is_lowest) in wanted}
        in_use = {id(each.buffer) for each in kept.values()}
        free = [each.buffer for each in self._pictures if each.buffer.size == room and id(each.buffer) not in in_use]
        self._pictures = [
            kept.get((id(layer), is_lowest))
            or self._picture(layer, is_lowest, theme, free.pop() if free else np.empty(room, np.uint32))
            for layer, is_lowest in wanted
        ]

    def _picture(self, layer: Layer, is_lowest: bool, theme: str, buffer: NDArray[np.uint32]) -> _Picture:
        origin = float(layer.map.origin_m[0]), float(layer.map.origin_m[1])
        painted = paint(
            layer.values, origin, layer.map.resolution_m, self._window, layer.scheme.seen_in(theme),
            unknown=UNKNOWN[theme] if is_lowest else "", buffer=buffer,
        )  # fmt: skip
        return _Picture(layer, is_lowest, painted, _image(painted, opaque=is_lowest), buffer)


def _image(painted: Painted, *, opaque: bool) -> QImage:
    """Looks into the pixels, which have to live as long. Without holes it is drawn without blending."""
    height, width = painted.pixels.shape
    form = QImage.Format.Format_RGB32 if opaque else QImage.Format.Format_ARGB32_Premultiplied
    if not painted.pixels.size:
        return QImage()
    # PyQt's stubs know bytes only; any buffer will do, and a copy of it would cost as much as the painting.
    return QImage(painted.pixels.data, width, height, 4 * width, form)  # type: ignore[call-overload,no-any-return]


def common_range(a: Map, b: Map, plane: str) -> tuple[float, float] | None:
    """Equal values have equal colours in both; None for planes whose scale is their own."""
    if fixed_range(plane):
        return None
    ranges = [range_of(map_.plane(plane)) for map_ in (a, b)]
    return min(low for low, _ in ranges), max(high for _, high in ranges)
