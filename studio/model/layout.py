"""Where things are on the canvas. Kept apart from the system, so that moving a box never touches system.xml."""

from __future__ import annotations

from studio.model.changes import Table
from studio.model.parts import Frame, Group, Note, Place, View


class Layout:
    def __init__(self) -> None:
        self.places: Table[str, Place] = Table("place of", lambda place: place.of)
        self.notes: Table[str, Note] = Table("note", lambda note: note.id)
        self.frames: Table[str, Frame] = Table("frame", lambda frame: frame.id)
        self.groups: Table[str, Group] = Table("group", lambda group: group.id)
        self.view: View | None = None

    def new_id(self, prefix: str) -> str:
        """An id that no note, frame or group has: `n1`, `f4`."""
        taken = {*self.notes.keys(), *self.frames.keys(), *self.groups.keys()}
        number = len(taken) + 1
        while f"{prefix}{number}" in taken:
            number += 1
        return f"{prefix}{number}"

    def group_of(self, name: str) -> Group | None:
        """The group that a component or source belongs to."""
        return next((group for group in self.groups if name in group.members), None)
