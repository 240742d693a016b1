"""Edits of the canvas: they never change what the system does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from studio.model.changes import ModelError
from studio.model.parts import Frame, Group, Note
from studio.model.system import System
from studio.model.system_edits import SystemEdit, shown


@dataclass(frozen=True)
class MoveNodes(SystemEdit):
    """Positions after the move. All moves of one `gesture` are one step of undo."""

    positions: Mapping[str, tuple[float, float]]
    gesture: Hashable | None = None

    @property
    def label(self) -> str:
        return f"Move {shown(self.positions)}"

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else ("move", frozenset(self.positions), self.gesture)

    def apply(self, system: System, /) -> None:
        for name, (x, y) in self.positions.items():
            system.place(name, x, y)


@dataclass(frozen=True)
class PutNote(SystemEdit):
    """A new note, or a change to the one with its id."""

    note: Note
    gesture: Hashable | None = None

    @property
    def label(self) -> str:
        return "Write a note"

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else ("note", self.note.id, self.gesture)

    def apply(self, system: System, /) -> None:
        old = system.layout.notes.get(self.note.id)
        system.put("notes", replace(self.note, origin=old.origin if old else None))


@dataclass(frozen=True)
class PutFrame(SystemEdit):
    """A new frame, or a change to the one with its id."""

    frame: Frame
    gesture: Hashable | None = None

    @property
    def label(self) -> str:
        return f"Frame {self.frame.title}".rstrip()

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else ("frame", self.frame.id, self.gesture)

    def apply(self, system: System, /) -> None:
        old = system.layout.frames.get(self.frame.id)
        system.put("frames", replace(self.frame, origin=old.origin if old else None))


@dataclass(frozen=True)
class RemoveNote(SystemEdit):
    id: str

    @property
    def label(self) -> str:
        return "Remove a note"

    def apply(self, system: System, /) -> None:
        system.take("notes", self.id)


@dataclass(frozen=True)
class RemoveFrame(SystemEdit):
    id: str

    @property
    def label(self) -> str:
        return "Remove a frame"

    def apply(self, system: System, /) -> None:
        system.take("frames", self.id)


@dataclass(frozen=True)
class PutGroup(SystemEdit):
    """A new group, or a change to the one with its id. Whoever belongs to it belongs to no other."""

    group: Group
    what: str = "Group"
    """What is done to it, for the menu."""

    @property
    def label(self) -> str:
        return f"{self.what} {self.group.title}".rstrip()

    def apply(self, system: System, /) -> None:
        if not self.group.members:
            raise ModelError("a group needs members", hint="select its cards first")
        old = system.layout.groups.get(self.group.id)
        for name in self.group.members:
            system.node(name)
            other = system.layout.group_of(name)
            if other is not None and other.id != self.group.id:
                system.leave_group(name)
        system.put("groups", replace(self.group, origin=old.origin if old else None))


@dataclass(frozen=True)
class Ungroup(SystemEdit):
    """Its members stay."""

    id: str

    @property
    def label(self) -> str:
        return "Ungroup"

    def apply(self, system: System, /) -> None:
        system.take("groups", self.id)
