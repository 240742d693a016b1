"""What is on the screen, as a PNG file, and how that is made small."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PyQt6.QtCore import QRect

Colours = NDArray[np.uint8]
"""Red, green and blue in a row each."""
COLOURS = 256
"""Of a palette: a window has few colours beside the shades of its letters, and the file is a third as large."""
COMMON, WEIGHT = 96, 0.4
"""So many of the palette go to what occurs most; of the others it counts to this power how often they do: a red dot
must stay red beside a million grey pixels."""


def save_area(area: QRect, file: Path) -> None:
    """From the screen and not from a widget: popups are windows of their own."""
    words = f"{area.width()}x{area.height()}+{area.x()}+{area.y()}"
    subprocess.run(["import", "-window", "root", "-crop", words, "+repage", str(file)], check=True, timeout=60)


def shrink(file: Path) -> None:
    """Write it again with a palette, without dots: flat areas stay flat."""
    with Image.open(file) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    packed = pixels.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    kinds, which, counts = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack([kinds >> 16, kinds >> 8 & 255, kinds & 255], axis=1).astype(np.uint8)
    palette = _palette(colours, counts) if len(colours) > COLOURS else colours
    nearest = _nearest(colours, palette)
    few = Image.fromarray(nearest[which].reshape(packed.shape).astype(np.uint8), "P")
    few.putpalette(palette.tobytes())
    few.save(file, optimize=True)


def _palette(colours: Colours, counts: NDArray[np.int64]) -> Colours:
    """The commonest colours to the bit, and then always the one that is farthest from what there is."""
    common = np.argsort(counts)[-COMMON:]
    chosen = list(common)
    every, weight = colours.astype(np.float64), counts**WEIGHT
    far = np.min([((every - every[place]) ** 2).sum(axis=1) for place in chosen], axis=0)
    while len(chosen) < COLOURS:
        chosen.append(int(np.argmax(far * weight)))
        far = np.minimum(far, ((every - every[chosen[-1]]) ** 2).sum(axis=1))
    return colours[chosen]


def _nearest(colours: Colours, palette: Colours) -> NDArray[np.int64]:
    """The place in the palette of what is most like each colour."""
    here, there = colours.astype(np.int32), palette.astype(np.int32)
    return np.concatenate([((part[:, None] - there) ** 2).sum(axis=2).argmin(axis=1) for part in _parts(here)])


def _parts(colours: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    return [colours[start : start + 4096] for start in range(0, len(colours), 4096)]
