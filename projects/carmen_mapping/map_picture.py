"""Maps as files: a PNG to look at, and PGM with YAML as the map servers of ROS read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from studio.messages import Map

FREE, UNKNOWN, OCCUPIED = 254, 205, 0
"""The grey levels that ROS uses."""
OCCUPIED_ABOVE, FREE_BELOW = 0.65, 0.25
PATH = (32, 96, 200)
MARGIN_CELLS = 10


def save_png(chart: Map, file: Path, path: NDArray[np.float64]) -> None:
    """The probabilities in grey, y up, with the path (N, 2 or more: x, y in metres) on top."""
    part = _cropped(chart)
    picture = Image.fromarray(_upright(_grey(part))).convert("RGB")
    cells = (path[:, :2] - part.origin_m) / part.resolution_m
    cells[:, 1] = part.rows - cells[:, 1]
    if len(cells) > 1:
        ImageDraw.Draw(picture).line([(float(x), float(y)) for x, y in cells], fill=PATH, width=1)
    picture.quantize(64).save(file, optimize=True)


def save_pgm(chart: Map, file: Path) -> None:
    """The map as free, occupied or unknown, and beside it `<name>.yaml` with its place and scale."""
    occupancy = chart.plane("occupancy")
    levels = np.full(occupancy.shape, UNKNOWN, np.uint8)
    with np.errstate(invalid="ignore"):
        levels[occupancy > OCCUPIED_ABOVE] = OCCUPIED
        levels[occupancy < FREE_BELOW] = FREE
    Image.fromarray(_upright(levels)).save(file)
    x_m, y_m = chart.origin_m.tolist()
    file.with_suffix(".yaml").write_text(
        f"image: {file.name}\nresolution: {chart.resolution_m}\norigin: [{x_m}, {y_m}, 0.0]\n"
        f"negate: 0\noccupied_thresh: {OCCUPIED_ABOVE}\nfree_thresh: {FREE_BELOW}\n"
    )


def _grey(chart: Map) -> NDArray[np.uint8]:
    occupancy = chart.plane("occupancy")
    known = np.isfinite(occupancy)
    return np.where(known, FREE * (1.0 - np.where(known, occupancy, 0.0)), UNKNOWN).astype(np.uint8)


def _upright(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows of pictures go down, rows of maps go up."""
    return np.ascontiguousarray(levels[::-1])


def _cropped(chart: Map) -> Map:
    """Without the lone beams that left through windows: what holds all but a few of the occupied cells."""
    with np.errstate(invalid="ignore"):
        rows, columns = np.nonzero(chart.plane("occupancy") > OCCUPIED_ABOVE)
    if not len(rows):
        return chart
    top, bottom = _span(rows, chart.rows)
    left, right = _span(columns, chart.columns)
    corner_m = chart.origin_m + np.array([left, top]) * chart.resolution_m
    return chart.replace(planes=chart.planes[:, top:bottom, left:right], origin_m=corner_m)


def _span(cells: NDArray[np.intp], count: int) -> tuple[int, int]:
    low, high = np.percentile(cells, [0.2, 99.8])
    return max(0, int(low) - MARGIN_CELLS), min(count, int(high) + MARGIN_CELLS + 1)
