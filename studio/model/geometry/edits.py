"""What people do to bodies and assemblies. Each edit is a value; the model decides, the history undoes it.

`document.do(MoveFrame("ImagePlane", Pose((0.012, 0.0, 0.0))))`
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass

from studio.model.geometry.assembly import Constraint, Member
from studio.model.geometry.body import Drive, Frame
from studio.model.geometry.editable import EditableAssembly, EditableBody
from studio.model.geometry.poses import Pose
from studio.model.geometry.sensors import Sensor


class GeometryEdit(ABC):
    @property
    @abstractmethod
    def label(self) -> str:
        """For the menu: Undo <label>."""

    @property
    def merge_key(self) -> Hashable | None:
        return None


# ---- bodies


@dataclass(frozen=True)
class AddFrame(GeometryEdit):
    frame: Frame
    index: int | None = None

    @property
    def label(self) -> str:
        return f"Add frame {self.frame.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.add_frame(self.frame, self.index)


@dataclass(frozen=True)
class MoveFrame(GeometryEdit):
    """While it is dragged, all moves are one for undo."""

    name: str
    pose: Pose

    @property
    def label(self) -> str:
        return f"Move frame {self.name}"

    @property
    def merge_key(self) -> Hashable | None:
        return "move frame", self.name

    def apply(self, body: EditableBody, /) -> None:
        body.move_frame(self.name, self.pose)


@dataclass(frozen=True)
class RenameFrame(GeometryEdit):
    """In assemblies that use the body, FollowFrame does the same."""

    old: str
    new: str

    @property
    def label(self) -> str:
        return f"Rename frame {self.old} to {self.new}"

    def apply(self, body: EditableBody, /) -> None:
        body.rename_frame(self.old, self.new)


@dataclass(frozen=True)
class RemoveFrame(GeometryEdit):
    name: str

    @property
    def label(self) -> str:
        return f"Remove frame {self.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.remove_frame(self.name)


@dataclass(frozen=True)
class SetSensor(GeometryEdit):
    sensor: Sensor

    @property
    def label(self) -> str:
        return f"Change {self.sensor.KIND} {self.sensor.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.set_sensor(self.sensor)


@dataclass(frozen=True)
class SetDrive(GeometryEdit):
    drive: Drive | None

    @property
    def label(self) -> str:
        return "Change the drive" if self.drive is not None else "Remove the drive"

    def apply(self, body: EditableBody, /) -> None:
        body.set_drive(self.drive)


# ---- assemblies


@dataclass(frozen=True)
class AddBody(GeometryEdit):
    """With the constraint that binds it, if it is put somewhere at once."""

    member: Member
    constraint: Constraint | None = None

    @property
    def label(self) -> str:
        return f"Add {self.member.name}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.add_body(self.member)
        if self.constraint is not None:
            assembly.bind(self.constraint)


@dataclass(frozen=True)
class RemoveBody(GeometryEdit):
    name: str

    @property
    def label(self) -> str:
        return f"Remove {self.name}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.remove_body(self.name)


@dataclass(frozen=True)
class RenameBody(GeometryEdit):
    old: str
    new: str

    @property
    def label(self) -> str:
        return f"Rename {self.old} to {self.new}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.rename_body(self.old, self.new)


@dataclass(frozen=True)
class FollowFrame(GeometryEdit):
    """A frame of a body has another name."""

    body: str
    old: str
    new: str

    @property
    def label(self) -> str:
        return f"Rename frame {self.old} of {self.body} to {self.new}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.follow_frame(self.body, self.old, self.new)


@dataclass(frozen=True)
class Bind(GeometryEdit):
    constraint: Constraint
    index: int | None = None

    @property
    def label(self) -> str:
        return f"Bind {self.constraint.end} to {self.constraint.start}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.bind(self.constraint, self.index)


@dataclass(frozen=True)
class MoveConstraint(GeometryEdit):
    name: str
    pose: Pose

    @property
    def label(self) -> str:
        return f"Move {self.name}"

    @property
    def merge_key(self) -> Hashable | None:
        return "move constraint", self.name

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.move(self.name, self.pose)


@dataclass(frozen=True)
class Unbind(GeometryEdit):
    name: str

    @property
    def label(self) -> str:
        return f"Remove {self.name}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.unbind(self.name)
