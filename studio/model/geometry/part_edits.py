"""What people do to the parts of a body: shapes, masses, joints, sensors. Each edit is a value, as in `edits`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from studio.model.geometry.body import Frame, GivenMass
from studio.model.geometry.editable_body import EditableBody
from studio.model.geometry.edits import GeometryEdit
from studio.model.geometry.joints import Joint
from studio.model.geometry.sensors import Sensor
from studio.model.geometry.shapes import Shape


@dataclass(frozen=True)
class DescribeBody(GeometryEdit):
    name: str
    doc: str = ""
    is_static: bool = False

    @property
    def label(self) -> str:
        return f"Describe {self.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.describe(self.name, self.doc, self.is_static)


@dataclass(frozen=True)
class SetFrame(GeometryEdit):
    """Another pose, part or name. In assemblies that use the body, FollowFrame follows a new name."""

    name: str
    frame: Frame

    @property
    def label(self) -> str:
        return f"Change frame {self.name}"

    @property
    def merge_key(self) -> Hashable | None:
        return ("move frame", self.name) if self.frame.name == self.name else None

    def apply(self, body: EditableBody, /) -> None:
        body.set_frame(self.name, self.frame)


# ---- shapes, named by their places in the body


@dataclass(frozen=True)
class AddShape(GeometryEdit):
    shape: Shape
    index: int | None = None

    @property
    def label(self) -> str:
        return f"Add {shape_text(self.shape)}"

    def apply(self, body: EditableBody, /) -> None:
        body.add_shape(self.shape, self.index)


@dataclass(frozen=True)
class SetShape(GeometryEdit):
    index: int
    shape: Shape
    gesture: Hashable = None
    """All edits of one drag have the same, and are one for undo."""

    @property
    def label(self) -> str:
        return f"Change {shape_text(self.shape)}"

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else ("shape", self.index, self.gesture)

    def apply(self, body: EditableBody, /) -> None:
        body.set_shape(self.index, self.shape)


@dataclass(frozen=True)
class RemoveShape(GeometryEdit):
    index: int
    name: str = "shape"

    @property
    def label(self) -> str:
        return f"Remove {self.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.remove_shape(self.index)


def shape_text(shape: Shape) -> str:
    """`box hood`, or `a box` for one without a name."""
    kind = type(shape).__name__.lower()
    return f"{kind} {shape.name}" if shape.name else f"a {kind}"


# ---- masses


@dataclass(frozen=True)
class SetMass(GeometryEdit):
    mass: GivenMass

    @property
    def label(self) -> str:
        return f"Change the mass of {self.mass.on}" if self.mass.on else "Change the mass"

    def apply(self, body: EditableBody, /) -> None:
        body.set_mass(self.mass)


@dataclass(frozen=True)
class RemoveMass(GeometryEdit):
    on: str = ""

    @property
    def label(self) -> str:
        return f"Remove the mass of {self.on}" if self.on else "Remove the mass"

    def apply(self, body: EditableBody, /) -> None:
        body.remove_mass(self.on)


# ---- joints


@dataclass(frozen=True)
class AddJoint(GeometryEdit):
    joint: Joint
    index: int | None = None

    @property
    def label(self) -> str:
        return f"Add joint {self.joint.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.add_joint(self.joint, self.index)


@dataclass(frozen=True)
class SetJoint(GeometryEdit):
    """What is on it follows a new name."""

    name: str
    joint: Joint

    @property
    def label(self) -> str:
        if self.joint.name != self.name:
            return f"Rename joint {self.name} to {self.joint.name}"
        return f"Change joint {self.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.set_joint(self.name, self.joint)


@dataclass(frozen=True)
class RemoveJoint(GeometryEdit):
    name: str
    with_parts: bool = False

    @property
    def label(self) -> str:
        return f"Remove joint {self.name}" + (" and what it moves" if self.with_parts else "")

    def apply(self, body: EditableBody, /) -> None:
        body.remove_joint(self.name, with_parts=self.with_parts)


# ---- sensors


@dataclass(frozen=True)
class AddSensor(GeometryEdit):
    """With its frame, where it is a new one."""

    sensor: Sensor
    frame: Frame | None = None
    index: int | None = None

    @property
    def label(self) -> str:
        return f"Add {self.sensor.KIND} {self.sensor.name}"

    def apply(self, body: EditableBody, /) -> None:
        if self.frame is not None:
            body.add_frame(self.frame)
        body.add_sensor(self.sensor, self.index)


@dataclass(frozen=True)
class RenameSensor(GeometryEdit):
    old: str
    sensor: Sensor

    @property
    def label(self) -> str:
        return f"Rename {self.sensor.KIND} {self.old} to {self.sensor.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.set_sensor(self.sensor, self.old)


@dataclass(frozen=True)
class RemoveSensor(GeometryEdit):
    name: str

    @property
    def label(self) -> str:
        return f"Remove {self.name}"

    def apply(self, body: EditableBody, /) -> None:
        body.remove_sensor(self.name)
