"""What a scene is made of: triangles, lines, points and words, in plain arrays that any painter can draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Colours = NDArray[np.uint8]
"""(N, 4): red, green, blue and opacity."""
LIGHT = np.array([0.35, -0.5, 0.8])
LIGHT_SHARE = 0.45
"""Of what a face that looks away from the light has less."""
_LIGHT = LIGHT / np.linalg.norm(LIGHT)


@dataclass(frozen=True)
class Triangles:
    points: Floats
    """(N, 3, 3)."""
    colours: Colours
    """One a triangle, with its shade."""


@dataclass(frozen=True)
class Lines:
    points: Floats
    """(N, 2, 3)."""
    colours: Colours
    width: float = 1.0
    is_on_top: bool = False
    """Seen through everything: a frame inside a body."""


@dataclass(frozen=True)
class Points:
    points: Floats
    """(N, 3)."""
    colours: Colours
    size: float = 3.0


@dataclass(frozen=True)
class Label:
    point: tuple[float, float, float]
    text: str


Batch = Triangles | Lines | Points


class Thing(Protocol):
    """Batches in axes that move as one."""

    @property
    def batches(self) -> tuple[Batch, ...]: ...

    @property
    def pose(self) -> Floats: ...


@dataclass(frozen=True)
class Placed:
    """Batches in the axes of something that moves as one: only its pose changes from picture to picture."""

    batches: tuple[Batch, ...]
    pose: Floats = field(default_factory=lambda: np.eye(4))


@dataclass(frozen=True)
class Scene:
    things: tuple[Thing, ...] = ()
    labels: tuple[Label, ...] = ()
    section: tuple[float, float, float, float] | None = None
    """Seen is what lies where a x + b y + c z + d is not negative."""
    pixel: float = 1.0
    """The width of a line of width 1."""


def is_glass(batch: Batch) -> bool:
    """Whether something shines through it: painted after all that is solid, which it must not hide."""
    return isinstance(batch, Triangles) and len(batch.colours) > 0 and int(batch.colours[:, 3].min()) < 255


def moved(points: Floats, pose: Floats) -> Floats:
    """Points of any shape (..., 3)."""
    found: Floats = points @ pose[:3, :3].T + pose[:3, 3]
    return found


def colour_of(text: str, opacity: float = 1.0) -> tuple[int, int, int, int]:
    """Of `#RRGGBB`."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16), round(255 * opacity)


def all_of(colour: tuple[int, int, int, int], count: int) -> Colours:
    return np.tile(np.array(colour, np.uint8), (count, 1))


def shaded(points: Floats, colours: Colours) -> Colours:
    """Faces that look to the light are brighter: without it a body of one colour has no shape."""
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    facing = (normals @ _LIGHT) / np.where(lengths > 0, lengths, 1.0)
    share = 1.0 - LIGHT_SHARE * (1.0 - np.clip(facing, -1.0, 1.0)) / 2
    made = colours.copy()
    made[:, :3] = (colours[:, :3] * share[:, None]).astype(np.uint8)
    return made
