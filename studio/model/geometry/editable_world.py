"""A world as a model that is edited with undo."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from studio.errors import StudioError
from studio.model.changes import Assigned, Model, ModelError, Table
from studio.model.geometry.world import World, WorldFrame, WorldInclude, WorldModel, WorldPart
from studio.model.geometry.world_xml import read_world, write_world

NAME = re.compile(r"(?!world\Z|__)[^\s:<>&\"]([^:<>&\"\n]*[^\s:<>&\"])?\Z")
"""SDF keeps `world` and what begins with two underscores for itself."""


class EditableWorld(Model):
    def __init__(self, world: World) -> None:
        super().__init__()
        self.written = b""
        """As of a body."""
        self._fill(world)

    def _fill(self, world: World) -> None:
        self._file, self._element = world.file, world.element
        self.name = world.name
        self.gravity_m_s2 = world.gravity_m_s2
        self.models: Table[str, WorldModel] = Table("model", lambda model: model.name)
        self.frames: Table[str, WorldFrame] = Table("place", lambda frame: frame.name)
        self.includes: Table[str, WorldInclude] = Table("include", lambda include: include.name)
        self._tables = {"models": self.models, "frames": self.frames, "includes": self.includes}
        for name, table in self._tables.items():
            for value in getattr(world, name):
                table.insert(len(table), value)

    def take_text(self, world: World, written: bytes) -> None:
        """Everything that a new text of the file says: `world` was read from `written`."""
        self.perform(Assigned("text", (self.written, self.world()), (written, world)))

    def _assign(self, field: str, value: object) -> None:
        if field == "text":
            self.written, world = cast("tuple[bytes, World]", value)
            self._fill(world)
        else:
            super()._assign(field, value)

    def world(self) -> World:
        """As it is now."""
        return World(
            self.name, list(self.models), list(self.frames), list(self.includes), self.gravity_m_s2, self._element,
            self._file,
        )  # fmt: skip

    def describe(self, name: str, gravity_m_s2: tuple[float, float, float] | None) -> None:
        if not name.strip():
            raise ModelError("a world needs a name", hint="e.g. yard")
        self._set("name", name.strip())
        self._set("gravity_m_s2", gravity_m_s2)

    # ---- models, places, includes: one name space

    def add(self, part: WorldPart, index: int | None = None) -> None:
        self._check(part)
        self._refuse_taken(part.name)
        self._add(_table_of(part), part, index)

    def put(self, name: str, part: WorldPart) -> None:
        """In the place of the one with this name; what counts from it follows another name."""
        old = self._part(name)
        if type(old) is not type(part):
            raise ModelError(f"{name} is another kind of part")
        if part.name != name:
            self._refuse_taken(part.name)
        if replace(old, pose=part.pose) != part:
            self._check(part)
        self._swap(_table_of(part), name, part)
        if part.name != name:
            self._follow(name, part.name)

    def remove(self, name: str) -> None:
        part = self._part(name)
        users = [each.name for table in self._tables.values() for each in table if each.relative_to == name]
        if users:
            raise ModelError(f"{users[0]} is relative to {name}", hint=f"let {users[0]} be relative to the world first")
        self._drop(_table_of(part), name)

    def _part(self, name: str) -> WorldPart:
        for table in self._tables.values():
            if name in table:
                return cast(WorldPart, table[name])
        raise ModelError(f"there is no {name} in the world {self.name}")

    def _refuse_taken(self, name: str) -> None:
        if any(name in table for table in self._tables.values()):
            raise ModelError(f"there is already a {name}", hint="choose another name")

    def _follow(self, old: str, new: str) -> None:
        for name, table in self._tables.items():
            for part in [each for each in table if each.relative_to == old]:
                self._swap(name, part.name, replace(part, relative_to=new))

    def _check(self, part: WorldPart) -> None:
        """Refuse what no file could say: one part, written by itself, has to be readable."""
        if not NAME.match(part.name):
            raise ModelError(f"{part.name!r} cannot be the name of a part", hint="letters, digits, _ and -")
        alone = World("world").with_part(replace(part, relative_to=""))
        try:
            read_world(write_world(alone))
        except StudioError as error:
            raise ModelError(error.message, hint=error.hint) from error


def _table_of(part: WorldPart) -> str:
    return {WorldModel: "models", WorldFrame: "frames", WorldInclude: "includes"}[type(part)]


def write_editable_world(model: EditableWorld, written: bytes) -> bytes:
    return write_world(model.world(), model.written or written)
