"""Planes of maps as PNG files, in the colours of the viewers, with the way of the vehicle and a legend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from studio.editor.views.shared.map_colours import STEPS, Scheme, ticks

Floats = NDArray[np.float64]
BACKGROUND = (238, 238, 234)
INK = (40, 44, 48)
PIXELS_PER_CELL = 4
LEGEND_PX = 70


def save_png(
    plane: NDArray[np.float32], origin_m: Floats, cell_m: float, scheme: Scheme, file: Path, path: Floats | None = None
) -> None:
    """y up, cut to what is known; what is not known is grey. `path`: (N, 2), in metres."""
    rows, columns = (np.flatnonzero(np.isfinite(plane).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return
    top, left = rows[0], columns[0]
    part = plane[top : rows[-1] + 1, left : columns[-1] + 1]
    pixels = np.repeat(np.repeat(_coloured(part, scheme), PIXELS_PER_CELL, axis=0), PIXELS_PER_CELL, axis=1)
    height, width = pixels.shape[:2]
    picture = Image.new("RGB", (width + LEGEND_PX, height), BACKGROUND)
    picture.paste(Image.fromarray(np.ascontiguousarray(pixels[::-1])), (0, 0))
    draw = ImageDraw.Draw(picture)
    if path is not None and len(path) > 1:
        cells = ((path - origin_m) / cell_m - (left, top)) * PIXELS_PER_CELL
        line = [(float(x), float(height - y)) for x, y in cells]
        draw.line(line, fill=INK, width=2)
        x, y = line[-1]
        draw.ellipse((x - 5, y - 5, x + 5, y + 5), fill=(34, 58, 156), outline=(255, 255, 255), width=2)
    _legend(draw, scheme, width + 10, height)
    picture.quantize(128).save(file, optimize=True)


def _coloured(values: NDArray[np.float32], scheme: Scheme) -> NDArray[np.uint8]:
    share = (values - scheme.low) / (scheme.high - scheme.low)
    known = np.isfinite(values)
    colours = scheme.table()[np.clip(np.where(known, share, 0.0) * STEPS, 0, STEPS - 1).astype(np.int64)]
    channels = np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=-1).astype(np.uint8)
    channels[~known] = BACKGROUND
    return channels


def _legend(draw: ImageDraw.ImageDraw, scheme: Scheme, left: int, height: int) -> None:
    tall, top = min(height - 30, 300), 15
    for y in range(tall):
        value = scheme.high - (scheme.high - scheme.low) * y / (tall - 1)
        red, green, blue = _coloured(np.array([[value]], np.float32), scheme)[0, 0].tolist()
        draw.line((left, top + y, left + 14, top + y), fill=(red, green, blue))
    for value in ticks(scheme.low, scheme.high):
        y = top + (scheme.high - value) / (scheme.high - scheme.low) * (tall - 1)
        draw.text((left + 18, y - 6), f"{value:g} {scheme.unit}", fill=INK)
