"""Draws a recorded drive: the traversability map, the path that was planned last, and the way that was driven.

python projects/raptor_blocks_world/drive_picture.py drive.mcap drive.png
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from studio.errors import StudioError
from studio.messages import Map, PoseTransform, Range3d, decode
from studio.runtime.recording import LogReader

MAPS, PATHS, POSES = "/traverse_map/traverse", "/path_planner/path", "/platform/pose"
UNKNOWN, BLOCKED, GROUND = (222, 224, 228), (52, 58, 70), (250, 250, 248)
UNEVEN, PLANNED, DRIVEN = (226, 160, 60), (140, 110, 210), (30, 110, 200)
START, GOAL = (40, 150, 80), (200, 50, 50)
PIXELS_PER_M = 12


class Canvas:
    """A picture over a rectangle of the ground, x to the right and y up."""

    def __init__(self, low_m: Any, high_m: Any) -> None:
        self._low_m = np.asarray(low_m)
        width, height = np.ceil((np.asarray(high_m) - self._low_m) * PIXELS_PER_M).astype(int).tolist()
        self.image = Image.new("RGB", (width, height), UNKNOWN)
        self._draw = ImageDraw.Draw(self.image)

    def _at(self, places_m: Any) -> list[tuple[float, float]]:
        off = (np.asarray(places_m) - self._low_m) * PIXELS_PER_M
        return [(x, self.image.height - y) for x, y in off.tolist()]

    def ground(self, chart: Map, seen: Any) -> None:
        """Where `seen` is NaN nothing is drawn."""
        level = np.nan_to_num(seen)[..., None]
        colours = np.where(level < 0.15, BLOCKED, np.array(UNEVEN) + (np.array(GROUND) - UNEVEN) * level)
        rgba = np.concatenate([colours, np.where(np.isnan(seen), 0, 255)[..., None]], axis=-1).astype(np.uint8)
        size = tuple(round(side * chart.resolution_m * PIXELS_PER_M) for side in seen.shape[::-1])
        picture = Image.fromarray(rgba[::-1]).resize(size, Image.Resampling.NEAREST)
        top_left = self._at([chart.origin_m + np.array([0.0, seen.shape[0] * chart.resolution_m])])[0]
        self.image.paste(picture, (round(top_left[0]), round(top_left[1])), picture)

    def line(self, places_m: Any, colour: tuple[int, int, int], width: int) -> None:
        if len(places_m) > 1:
            self._draw.line(self._at(places_m), fill=colour, width=width, joint="curve")

    def dot(self, place_m: Any, colour: tuple[int, int, int], radius: int = 8) -> None:
        x, y = self._at([place_m])[0]
        self._draw.ellipse(
            (x - radius, y - radius, x + radius, y + radius), fill=colour, outline=(255, 255, 255), width=2
        )


def drawn(log: Path) -> Image.Image:
    with LogReader(log) as reader:
        charts = [decode(Map, event.payload) for event in reader.events([MAPS])]
        paths = [decode(Range3d, event.payload) for event in reader.events([PATHS])]
        poses = [decode(PoseTransform, event.payload).position[:2] for event in reader.events([POSES])]
    if not charts or not poses:
        raise StudioError(f"{log} holds no drive", hint=f"it needs {MAPS} and {POSES}")
    way = np.array(poses)
    planned = paths[-1].xyz[:, :2] if paths and len(paths[-1].points) else way[-1:]
    first = paths[0].xyz[:, :2] if paths and len(paths[0].points) else way[:1]
    corners = [way, first, planned, *([chart.origin_m] for chart in charts[-1:])]
    seen = [
        chart.origin_m + np.array(chart.plane("traversability").shape[::-1]) * chart.resolution_m for chart in charts
    ]
    everything = np.concatenate([*corners, seen, [chart.origin_m for chart in charts]])
    low, high = (
        np.maximum(everything.min(axis=0), way.min(axis=0) - 12),
        np.minimum(everything.max(axis=0), way.max(axis=0) + 12),
    )
    canvas = Canvas(low, high)
    for chart in charts[:: max(1, len(charts) // 20)] + charts[-1:]:
        canvas.ground(chart, chart.plane("traversability").astype(np.float64))
    canvas.line(first, PLANNED, 2)
    canvas.line(way, DRIVEN, 4)
    canvas.dot(way[0], START)
    canvas.dot(planned[-1], GOAL)
    return canvas.image


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("log", type=Path, help="a recording of raptor_blocks_world")
    parser.add_argument("picture", type=Path, help="the PNG to write")
    options = parser.parse_args(words)
    try:
        drawn(options.log).save(options.picture)
    except StudioError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"saved {options.picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
