"""Bodies and assemblies as models that are edited with undo, and the documents that keep them in their files.

What an edit would newly break is refused; what a file may hold although it is wrong is loaded, and told by the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from studio.model.changes import Assigned, Model, ModelError, Table
from studio.model.close_matches import did_you_mean
from studio.model.document import Document, OpenFile
from studio.model.files import read_bytes
from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Inclusion, Member
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.body import Body, Drive, Frame
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import Pose
from studio.model.geometry.sensors import Sensor
from studio.model.parts import check_name

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z", re.ASCII)
"""As the schemas have it."""


class EditableBody(Model):
    def __init__(self, body: Body) -> None:
        super().__init__()
        self.written = b""
        """The text that the user has written in place of the file; empty while saving starts from the file."""
        self._fill(body)

    def _fill(self, body: Body) -> None:
        self._rest = replace(body, frames=[], joints=[], sensors=[])
        """What no edit changes yet."""
        self.drive: Drive | None = body.drive
        self.frames: Table[str, Frame] = Table("frame", lambda frame: frame.name)
        self.joints: Table[str, Joint] = Table("joint", lambda joint: joint.name)
        self.sensors: Table[str, Sensor] = Table("sensor", lambda sensor: sensor.name)
        self._tables = {"frames": self.frames, "joints": self.joints, "sensors": self.sensors}
        for table, values in (("frames", body.frames), ("joints", body.joints), ("sensors", body.sensors)):
            for value in values:
                self._tables[table].insert(len(self._tables[table]), value)

    @property
    def name(self) -> str:
        return self._rest.name

    def take_text(self, body: Body, written: bytes) -> None:
        """Everything that a new text of the file says: `body` was read from `written`."""
        self.perform(Assigned("text", (self.written, self.body()), (written, body)))

    def _assign(self, field: str, value: object) -> None:
        if field == "text":
            self.written, body = cast("tuple[bytes, Body]", value)
            self._fill(body)
        else:
            super()._assign(field, value)

    def body(self) -> Body:
        """As it is now."""
        frames, joints, sensors = list(self.frames), list(self.joints), list(self.sensors)
        return replace(self._rest, drive=self.drive, frames=frames, joints=joints, sensors=sensors)

    def add_frame(self, frame: Frame, index: int | None = None) -> None:
        check_name(frame.name, "name of a frame", _NAME)
        if frame.on and frame.on not in self.joints:
            raise ModelError(f"there is no joint {frame.on}", hint=did_you_mean(frame.on, self.joints.keys()))
        self._add("frames", frame, index)

    def move_frame(self, name: str, pose: Pose) -> None:
        self._swap("frames", name, replace(self._frame(name), pose=pose))

    def rename_frame(self, old: str, new: str) -> None:
        """Joints that sit at it and sensors that measure in it follow; assemblies are files of their own."""
        check_name(new, "name of a frame", _NAME)
        self._swap("frames", old, replace(self._frame(old), name=new))
        for joint in list(self.joints):
            if joint.at == old:
                self._swap("joints", joint.name, replace(joint, at=new))
        for sensor in list(self.sensors):
            if sensor.frame == old:
                self._swap("sensors", sensor.name, replace(sensor, frame=new))

    def remove_frame(self, name: str) -> None:
        self._frame(name)
        used = [f"the joint {joint.name}" for joint in self.joints if joint.at == name]
        used += [f"the {sensor.KIND} {sensor.name}" for sensor in self.sensors if sensor.frame == name]
        if used:
            raise ModelError(f"{name} is needed by {' and '.join(used)}", hint="move those to another frame first")
        self._drop("frames", name)

    def set_sensor(self, sensor: Sensor) -> None:
        """Another one in the place of that with its name."""
        self._frame(sensor.frame)
        self._swap("sensors", sensor.name, sensor)

    def set_drive(self, drive: Drive | None) -> None:
        self._set("drive", drive)

    def _frame(self, name: str) -> Frame:
        found = self.frames.get(name)
        if found is None:
            raise ModelError(f"{self.name} has no frame {name}", hint=did_you_mean(name, self.frames.keys()))
        return found


class EditableAssembly(Model):
    def __init__(self, assembly: Assembly) -> None:
        super().__init__()
        self.written = b""
        """As of a body."""
        self._fill(assembly)

    def _fill(self, assembly: Assembly) -> None:
        self._rest = replace(assembly, members=[], inclusions=[], constraints=[])
        self.members: Table[str, Member] = Table("body", lambda member: member.name)
        self.inclusions: Table[str, Inclusion] = Table("included assembly with prefix", lambda each: each.prefix)
        self.constraints: Table[str, Constraint] = Table("constraint", lambda constraint: constraint.name)
        self._tables = {"members": self.members, "inclusions": self.inclusions, "constraints": self.constraints}
        for name, table in self._tables.items():
            for value in getattr(assembly, name):
                table.insert(len(table), value)

    @property
    def name(self) -> str:
        return self._rest.name

    def take_text(self, assembly: Assembly, written: bytes) -> None:
        """Everything that a new text of the file says: `assembly` was read from `written`."""
        self.perform(Assigned("text", (self.written, self.assembly()), (written, assembly)))

    def _assign(self, field: str, value: object) -> None:
        if field == "text":
            self.written, assembly = cast("tuple[bytes, Assembly]", value)
            self._fill(assembly)
        else:
            super()._assign(field, value)

    def assembly(self) -> Assembly:
        """As it is now."""
        return replace(
            self._rest,
            members=list(self.members),
            inclusions=list(self.inclusions),
            constraints=list(self.constraints),
        )

    def add_body(self, member: Member, index: int | None = None) -> None:
        check_name(member.name, "name of a body", _NAME)
        self._add("members", member, index)

    def remove_body(self, name: str) -> None:
        """With what binds it."""
        self._member(name)
        for constraint in list(self.constraints):
            if name in (constraint.start.body, constraint.end.body):
                self._drop("constraints", constraint.name)
        self._drop("members", name)

    def rename_body(self, old: str, new: str) -> None:
        check_name(new, "name of a body", _NAME)
        self._swap("members", old, replace(self._member(old), name=new))
        self._follow(lambda end: end._replace(body=new) if end.body == old else end)

    def follow_frame(self, body: str, old: str, new: str) -> None:
        """A frame of one of its bodies has another name: constraints follow."""
        self._follow(lambda end: end._replace(frame=new) if end == (body, old) else end)

    def bind(self, constraint: Constraint, index: int | None = None) -> None:
        check_name(constraint.name, "name of a constraint", _NAME)
        ends = (constraint.start, constraint.end)
        for end in ends:
            if not any(end.body.startswith(each.prefix) for each in self.inclusions):
                self._member(end.body)
        if ends[0].body == ends[1].body:
            raise ModelError(f"both ends of {constraint.name} are at {ends[0].body}", hint="bind two different bodies")
        for other in self.constraints:
            for end in ends:
                if end in (other.start, other.end):
                    raise ModelError(
                        f"{end} is bound by {other.name}", hint="a frame takes one constraint: add a frame"
                    )
        self._add("constraints", constraint, index)

    def move(self, name: str, pose: Pose) -> None:
        """Another pose of the constraint's end in its start."""
        self._swap("constraints", name, replace(self.constraints[name], pose=pose))

    def unbind(self, name: str) -> None:
        self._drop("constraints", name)

    def _follow(self, moved: Callable[[FrameName], FrameName]) -> None:
        for constraint in list(self.constraints):
            renamed = replace(constraint, start=moved(constraint.start), end=moved(constraint.end))
            self._swap("constraints", constraint.name, renamed)

    def _member(self, name: str) -> Member:
        found = self.members.get(name)
        if found is None:
            raise ModelError(f"{self.name} has no body {name}", hint=did_you_mean(name, self.members.keys()))
        return found


class BodyDocument(Document[EditableBody]):
    """One body file."""

    @classmethod
    def load(cls, path: Path) -> BodyDocument:
        data = read_bytes(path)
        file: OpenFile[EditableBody] = OpenFile(path.name, write_editable_body, data, data)
        return cls(EditableBody(read_body(data, path)), path.parent, [file])


class AssemblyDocument(Document[EditableAssembly]):
    """One assembly file; the bodies that it names are documents of their own."""

    @classmethod
    def load(cls, path: Path) -> AssemblyDocument:
        data = read_bytes(path)
        file: OpenFile[EditableAssembly] = OpenFile(path.name, write_editable_assembly, data, data)
        return cls(EditableAssembly(read_assembly(data, path)), path.parent, [file])


def write_editable_body(model: EditableBody, written: bytes) -> bytes:
    return write_body(model.body(), model.written or written)


def write_editable_assembly(model: EditableAssembly, written: bytes) -> bytes:
    return write_assembly(model.assembly(), model.written or written)
