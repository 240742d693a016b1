"""Images as heights, as SDF has them: one grey channel, black is the lowest, white the highest."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.errors import StudioError
from studio.model.files import read_bytes
from studio.model.geometry.mesh_files import MeshData, MeshError

MOST_PIXELS = 2049
Floats = NDArray[np.float64]


def heights_of(data: bytes, name: str) -> Floats:
    """From 0 to 1, first row at least y: an image has its first row at the top. StudioError without a place."""
    from PIL import Image  # which few files need

    try:
        with Image.open(io.BytesIO(data)) as image:
            pixels = np.array(image if image.mode.startswith("I") else image.convert("L"))
    # What Pillow raises depends on where a file is damaged.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise StudioError(f"{name} is not an image: {error}", hint="a PNG with one grey channel") from None
    if pixels.ndim != 2 or not all(2 <= side <= MOST_PIXELS for side in pixels.shape):
        raise StudioError(f"{name} has the shape {pixels.shape}", hint=f"2 to {MOST_PIXELS} pixels a side")
    white = 65535.0 if pixels.dtype != np.uint8 else 255.0
    return np.ascontiguousarray(pixels[::-1].astype(np.float64) / white)


def read_height_mesh(path: Path, most_faces: int) -> MeshData:
    """For display: a surface of 1 by 1, from 0 to 1 high, around the middle of the image."""
    if not path.is_file():
        raise MeshError(f"there is no heightmap image {path}", hint="the path is relative to the file of the world")
    heights = heights_of(read_bytes(path), path.name)
    step = max(int(np.ceil(np.sqrt(2 * heights.size / most_faces))), 1)
    rows, columns = (np.unique([*range(0, side, step), side - 1]) for side in heights.shape)
    y, x = np.meshgrid(rows / (heights.shape[0] - 1), columns / (heights.shape[1] - 1), indexing="ij")
    vertices = np.stack([x.ravel() - 0.5, y.ravel() - 0.5, heights[np.ix_(rows, columns)].ravel()], axis=1)
    number = np.arange(len(vertices)).reshape(len(rows), len(columns))
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    faces = np.concatenate([np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)])
    return MeshData(vertices, faces.astype(np.int64))
