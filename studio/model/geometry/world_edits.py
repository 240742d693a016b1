"""What people do to worlds. Each edit is a value, as in `edits`; a part is a model, a named place or an include."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from studio.model.geometry.editable_world import EditableWorld
from studio.model.geometry.edits import GeometryEdit
from studio.model.geometry.world import WorldPart


@dataclass(frozen=True)
class DescribeWorld(GeometryEdit):
    name: str
    gravity_m_s2: tuple[float, float, float] | None

    @property
    def label(self) -> str:
        return f"Describe {self.name}"

    def apply(self, world: EditableWorld, /) -> None:
        world.describe(self.name, self.gravity_m_s2)


@dataclass(frozen=True)
class AddToWorld(GeometryEdit):
    part: WorldPart
    index: int | None = None

    @property
    def label(self) -> str:
        return f"Add {self.part.name}"

    def apply(self, world: EditableWorld, /) -> None:
        world.add(self.part, self.index)


@dataclass(frozen=True)
class ChangeInWorld(GeometryEdit):
    """Another pose, size, look or name."""

    name: str
    part: WorldPart
    gesture: Hashable = None
    """All edits of one drag have the same, and are one for undo."""

    @property
    def label(self) -> str:
        if self.part.name != self.name:
            return f"Rename {self.name} to {self.part.name}"
        return f"Move {self.name}" if self.gesture == "move" else f"Change {self.name}"

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else ("world", self.name, self.gesture)

    def apply(self, world: EditableWorld, /) -> None:
        world.put(self.name, self.part)


@dataclass(frozen=True)
class RemoveFromWorld(GeometryEdit):
    name: str

    @property
    def label(self) -> str:
        return f"Remove {self.name}"

    def apply(self, world: EditableWorld, /) -> None:
        world.remove(self.name)
