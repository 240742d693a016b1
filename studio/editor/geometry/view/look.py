"""How a vehicle is shown: which layers, what is hidden, what shines through, where it is cut. Plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from studio.editor.geometry.selection import Thing

LAYERS: Mapping[str, str] = {
    "solids": "Shapes",
    "collision": "Collision shapes",
    "frames": "Frames",
    "names": "Names",
    "links": "Constraints",
    "joints": "Joints and their limits",
    "fields": "Fields of view",
    "mass": "Centre of mass and inertia",
    "contacts": "Wheel contacts",
    "grid": "Ground grid",
}
SHOWN_AT_FIRST = frozenset(LAYERS) - {"collision", "mass"}
GLASS = 0.35
"""Opacity of a body that is shown transparent."""
Plane = tuple[float, float, float, float]


@dataclass(frozen=True)
class Look:
    layers: frozenset[str] = SHOWN_AT_FIRST
    hidden: frozenset[str] = frozenset()
    """Bodies."""
    glass: frozenset[str] = frozenset()
    """Bodies that shine through."""
    selected: tuple[Thing, ...] = ()
    hovered: Thing | None = None
    path: tuple[str, ...] = ()
    """Frames that the measured path goes through."""
    touching: frozenset[tuple[str, int]] = frozenset()
    """Shapes that overlap others, as body and index."""
    section: Plane | None = None
    frame_m: float = 0.12
    """Length of the axes of a frame."""
    changed: frozenset[str] = field(default_factory=frozenset)
    """Bodies that a gesture moves."""

    @property
    def path_bodies(self) -> set[str]:
        """That the measured path goes through."""
        return {name.partition(":")[0] for name in self.path}

    def with_layer(self, name: str, on: bool) -> Look:
        return replace(self, layers=self.layers | {name} if on else self.layers - {name})
