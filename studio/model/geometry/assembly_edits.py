"""What people do to the members and constraints of an assembly, beyond the edits in `edits`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from studio.model.geometry.assembly import Constraint, Inclusion, Member
from studio.model.geometry.editable_assembly import EditableAssembly
from studio.model.geometry.edits import GeometryEdit
from studio.model.geometry.poses import Pose


@dataclass(frozen=True)
class DescribeAssembly(GeometryEdit):
    name: str
    doc: str = ""

    @property
    def label(self) -> str:
        return f"Describe {self.name}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.describe(self.name, self.doc)


@dataclass(frozen=True)
class SetTolerance(GeometryEdit):
    tolerance_m: float
    tolerance_deg: float

    @property
    def label(self) -> str:
        return "Change the tolerance of loops"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.set_tolerance(self.tolerance_m, self.tolerance_deg)


@dataclass(frozen=True)
class PlaceAssembly(GeometryEdit):
    """Where a world has it at first."""

    pose: Pose

    @property
    def label(self) -> str:
        return "Change the start pose"

    @property
    def merge_key(self) -> Hashable | None:
        return "place assembly"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.set_pose(self.pose)


@dataclass(frozen=True)
class SetBody(GeometryEdit):
    """Another file, name, or place of its own."""

    name: str
    member: Member

    @property
    def label(self) -> str:
        return f"Change {self.name}"

    @property
    def merge_key(self) -> Hashable | None:
        return ("body", self.name) if self.member.name == self.name else None

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.set_body(self.name, self.member)


@dataclass(frozen=True)
class RootAt(GeometryEdit):
    """All other bodies are placed from this one."""

    name: str

    @property
    def label(self) -> str:
        return f"Make {self.name} the root"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.root_at(self.name)


@dataclass(frozen=True)
class Include(GeometryEdit):
    inclusion: Inclusion

    @property
    def label(self) -> str:
        return f"Include {self.inclusion.file}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.include(self.inclusion)


@dataclass(frozen=True)
class SetInclusion(GeometryEdit):
    prefix: str
    inclusion: Inclusion

    @property
    def label(self) -> str:
        return f"Change {self.prefix}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.set_inclusion(self.prefix, self.inclusion)


@dataclass(frozen=True)
class RemoveInclusion(GeometryEdit):
    prefix: str

    @property
    def label(self) -> str:
        return f"Remove {self.prefix}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.remove_inclusion(self.prefix)


@dataclass(frozen=True)
class SetConstraint(GeometryEdit):
    """Other ends, pose, joint or name."""

    name: str
    constraint: Constraint

    @property
    def label(self) -> str:
        if self.constraint.name != self.name:
            return f"Rename {self.name} to {self.constraint.name}"
        return f"Change {self.name}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.set_constraint(self.name, self.constraint)


@dataclass(frozen=True)
class SwapEnds(GeometryEdit):
    """Written from the other side; nothing moves."""

    name: str

    @property
    def label(self) -> str:
        return f"Swap the ends of {self.name}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.swap_ends(self.name)


@dataclass(frozen=True)
class Detach(GeometryEdit):
    """A body is bound no more. With `pose` it stays where it was, without one it is nowhere."""

    body: str
    constraint: str
    pose: Pose | None = None

    @property
    def label(self) -> str:
        return f"Detach {self.body}"

    def apply(self, assembly: EditableAssembly, /) -> None:
        assembly.unbind(self.constraint)
        if self.pose is not None:
            member = assembly.members[self.body]
            assembly.set_body(self.body, Member(member.name, member.file, self.pose, member.origin))
