"""What of an image message can be shown: pixels in red, green and blue, and what one pixel says. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.editor.views.shared.map_colours import SCHEMES, range_of
from studio.messages import Image

Pixels = NDArray[np.uint8]
Span = tuple[float, float]
UNKNOWN = (96, 40, 96)
"""Of numbers that are none; no grey, so that it cannot be taken for a value."""
COLOURS = ("grey", "cividis")


@dataclass(frozen=True)
class Picture:
    """An image as it is painted, beside the numbers that it was painted of."""

    rgb: Pixels
    """(height, width, 3)."""
    values: NDArray[Any]
    """(height, width) or (height, width, channels), as they came."""
    encoding: str
    span: Span | None = None
    """From black to white; None where the numbers are colours already."""
    unknown: int = 0
    """Pixels that are not a number, or infinite."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.rgb.shape[1], self.rgb.shape[0]

    def words_at(self, column: int, row: int) -> str:
        """What one pixel says."""
        found = np.atleast_1d(self.values[row, column])
        numbers = " ".join(f"{value:.4g}" if self.values.dtype.kind == "f" else str(value) for value in found.tolist())
        return numbers.replace("-", "−")


def picture_of(image: Image, span: Span | None = None, colours: str = "grey") -> Picture:
    """Raises a MessageError where the data do not fit what the message says of them, or the encoding is unknown."""
    values, encoding = image.pixels, image.encoding
    if values.ndim == 3 and values.shape[2] >= 3 and values.dtype.kind == "u":
        return Picture(_coloured(values, encoding), values, encoding)
    single = values if values.ndim == 2 else values[..., 0]
    if single.dtype == np.uint8 and span is None and colours == "grey":
        return Picture(np.repeat(single[..., None], 3, axis=2), values, encoding, (0.0, 255.0))
    return _scaled(single, values, encoding, span, colours)


def _coloured(values: NDArray[Any], encoding: str) -> Pixels:
    eight = values if values.dtype == np.uint8 else (values >> 8).astype(np.uint8)
    order = [2, 1, 0] if encoding.startswith(("bgr", "8U", "16U")) else [0, 1, 2]  # OpenCV has blue first
    return np.ascontiguousarray(eight[..., order])


def _scaled(single: NDArray[Any], values: NDArray[Any], encoding: str, span: Span | None, colours: str) -> Picture:
    numbers = single.astype(np.float32)
    finite = np.isfinite(numbers)
    low, high = span or ((0.0, 255.0) if single.dtype == np.uint8 else range_of(numbers))
    with np.errstate(invalid="ignore"):
        steps = np.clip((numbers - low) * (255.0 / (high - low if high > low else 1.0)), 0, 255)
    steps = np.where(finite, steps, 0).astype(np.uint8)
    rgb = np.ascontiguousarray(_table(colours)[steps])
    rgb[~finite] = UNKNOWN
    return Picture(rgb, values, encoding, (low, high), int((~finite).sum()))


def _table(colours: str) -> Pixels:
    if colours != "cividis":
        return np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    mixed = SCHEMES["variance"].table()
    return np.stack([(mixed >> shift & 255).astype(np.uint8) for shift in (16, 8, 0)], axis=1)
