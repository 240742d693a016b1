"""A body as a model that is edited with undo.

An edit that would break the file is refused; what a loaded file has wrong stays, and the rules report it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from studio.errors import StudioError
from studio.model.changes import Assigned, Model, ModelError, Table
from studio.model.close_matches import did_you_mean
from studio.model.geometry.body import Body, Drive, Frame, GivenMass
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import Pose
from studio.model.geometry.sensors import Bumper, Sensor
from studio.model.geometry.shapes import Shape
from studio.model.parts import check_name

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z", re.ASCII)
"""As the schemas have it."""


class EditableBody(Model):
    def __init__(self, body: Body) -> None:
        super().__init__()
        self.written = b""
        """The text that the user has written in place of the file; empty while saving starts from the file."""
        self._fill(body)

    def _fill(self, body: Body) -> None:
        self._file = body.file
        self.name = body.name
        self.doc = body.doc
        self.is_static = body.is_static
        self.shapes: tuple[Shape, ...] = tuple(body.shapes)
        """Named by their places: names of shapes are optional, and two may be the same."""
        self.drive: Drive | None = body.drive
        self.frames: Table[str, Frame] = Table("frame", lambda frame: frame.name)
        self.joints: Table[str, Joint] = Table("joint", lambda joint: joint.name)
        self.masses: Table[str, GivenMass] = Table("mass on", lambda mass: mass.on)
        self.sensors: Table[str, Sensor] = Table("sensor", lambda sensor: sensor.name)
        self._tables = {
            "frames": self.frames, "joints": self.joints, "masses": self.masses, "sensors": self.sensors
        }  # fmt: skip
        for name, table in self._tables.items():
            for value in getattr(body, name):
                table.insert(len(table), value)

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
        return Body(
            self.name, self.doc, list(self.frames), list(self.shapes), list(self.masses), list(self.joints),
            list(self.sensors), self.drive, self.is_static, self._file,
        )  # fmt: skip

    def describe(self, name: str, doc: str, is_static: bool) -> None:
        check_name(name, "name of a body", NAME)
        self._set("name", name)
        self._set("doc", doc.strip())
        self._set("is_static", is_static)

    # ---- frames

    def add_frame(self, frame: Frame, index: int | None = None) -> None:
        check_name(frame.name, "name of a frame", NAME)
        self._need_joint(frame.on)
        self._add("frames", frame, index)

    def move_frame(self, name: str, pose: Pose) -> None:
        self._swap("frames", name, replace(self._frame(name), pose=pose))

    def set_frame(self, name: str, frame: Frame) -> None:
        """Another pose, part, or name."""
        self._need_joint(frame.on)
        if frame.name != name:
            self.rename_frame(name, frame.name)
        self._swap("frames", frame.name, frame)

    def rename_frame(self, old: str, new: str) -> None:
        """Joints that sit at it and sensors that measure in it follow; assemblies are files of their own."""
        check_name(new, "name of a frame", NAME)
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

    # ---- shapes

    def add_shape(self, shape: Shape, index: int | None = None) -> None:
        self._sound(Body("body", shapes=[shape]), shape.on)
        place = len(self.shapes) if index is None else max(0, min(index, len(self.shapes)))
        self._set("shapes", (*self.shapes[:place], shape, *self.shapes[place:]))

    def set_shape(self, index: int, shape: Shape) -> None:
        """Another one in its place. Bumpers that feel with it follow its name."""
        old = self._shape(index)
        self._sound(Body("body", shapes=[shape]), shape.on)
        bumpers = self._bumpers_of(old.name)
        if bumpers and not shape.name:  # without a name the bumper would feel with the whole body
            raise ModelError(f"{old.name} is needed by the bumper {bumpers[0].name}", hint="keep a name for the shape")
        self._set("shapes", (*self.shapes[:index], shape, *self.shapes[index + 1 :]))
        if old.name != shape.name:
            for bumper in bumpers:
                self._swap("sensors", bumper.name, replace(bumper, shape=shape.name))

    def remove_shape(self, index: int) -> None:
        shape = self._shape(index)
        namesakes = [other for other in self.shapes if other.name == shape.name]
        bumpers = [bumper.name for bumper in self._bumpers_of(shape.name)] if len(namesakes) == 1 else []
        if bumpers:
            raise ModelError(f"{shape.name} is needed by the bumper {bumpers[0]}", hint="let it use another shape")
        self._set("shapes", (*self.shapes[:index], *self.shapes[index + 1 :]))

    # ---- masses

    def set_mass(self, mass: GivenMass) -> None:
        """Of the body or a moving part, in the place of the one that it has."""
        self._sound(Body("body", masses=[mass]), mass.on)
        if mass.on in self.masses:
            self._swap("masses", mass.on, mass)
        else:
            self._add("masses", mass)

    def remove_mass(self, on: str) -> None:
        if on not in self.masses:
            raise ModelError(f"{f'{self.name}.{on}' if on else self.name} has no mass of its own")
        self._drop("masses", on)

    # ---- joints

    def add_joint(self, joint: Joint, index: int | None = None) -> None:
        self._check_joint(joint)
        self._add("joints", joint, index)
        self._check_mimic(joint)

    def set_joint(self, name: str, joint: Joint) -> None:
        """Also renamed; what is on it follows."""
        self._need_joint(name)
        self._check_joint(joint)
        self._swap("joints", name, joint)
        if joint.name != name:
            self._put_on(name, joint.name)
            self._follow(name, joint.name)
        self._check_mimic(joint)
        if joint.at in self._carried_by(joint.name):
            raise ModelError(f"the joint {joint.name} would depend on itself", hint=f"{joint.at} moves with it")

    def remove_joint(self, name: str, *, with_parts: bool = False) -> None:
        """`with_parts`: all that moves with it goes too, joints further out included. Those that mimic it stop."""
        self._need_joint(name)
        frames = [frame.name for frame in self.frames if frame.on == name]
        shapes = [index for index, shape in enumerate(self.shapes) if shape.on == name]
        if not with_parts and (frames or shapes or name in self.masses):
            carried = [*frames, *([f"{len(shapes)} shapes"] if shapes else []), *(["a mass"] * (name in self.masses))]
            hint = "remove it with its parts, or put those on another part first"
            raise ModelError(f"{name} carries {', '.join(carried)}", hint=hint)
        self._follow(name, None)
        self._drop("joints", name)
        if name in self.masses:
            self._drop("masses", name)
        for frame in frames:
            self._remove_frame_with_parts(frame)
        for shape in reversed([index for index, shape in enumerate(self.shapes) if shape.on == name]):
            self.remove_shape(shape)

    # ---- sensors and drive

    def add_sensor(self, sensor: Sensor, index: int | None = None) -> None:
        self._check_sensor(sensor)
        self._add("sensors", sensor, index)

    def set_sensor(self, sensor: Sensor, name: str | None = None) -> None:
        """Another one in the place of that with its name, or with `name`."""
        self._check_sensor(sensor)
        self._swap("sensors", name or sensor.name, sensor)

    def remove_sensor(self, name: str) -> None:
        self._drop("sensors", name)

    def set_drive(self, drive: Drive | None) -> None:
        if drive is not None:
            self._sound(Body("body", drive=drive))
        self._set("drive", drive)

    # ---- what the mutators need

    def _frame(self, name: str) -> Frame:
        found = self.frames.get(name)
        if found is None:
            raise ModelError(f"{self.name} has no frame {name}", hint=did_you_mean(name, self.frames.keys()))
        return found

    def _shape(self, index: int) -> Shape:
        if not 0 <= index < len(self.shapes):
            raise ModelError(f"{self.name} has no shape number {index + 1}", hint=f"it has {len(self.shapes)}")
        return self.shapes[index]

    def _need_joint(self, name: str) -> None:
        if name and name not in self.joints:
            raise ModelError(f"there is no joint {name}", hint=did_you_mean(name, self.joints.keys()))

    def _check_joint(self, joint: Joint) -> None:
        check_name(joint.name, "name of a joint", NAME)
        self._frame(joint.at)
        self._sound(Body("body", joints=[joint]))

    def _check_mimic(self, joint: Joint) -> None:
        seen, followed = {joint.name}, joint.mimic
        while followed is not None:
            self._need_joint(followed.joint)
            if followed.joint in seen:
                hint = "let one of them move by itself"
                raise ModelError(f"{joint.name} mimics {followed.joint}, which follows it in turn", hint=hint)
            seen.add(followed.joint)
            followed = self.joints[followed.joint].mimic

    def _follow(self, old: str, new: str | None) -> None:
        """The joint `old` has another name, or goes: those that mimic it."""
        for joint in list(self.joints):
            if joint.mimic is not None and joint.mimic.joint == old:
                mimic = None if new is None else replace(joint.mimic, joint=new)
                self._swap("joints", joint.name, replace(joint, mimic=mimic))

    def _check_sensor(self, sensor: Sensor) -> None:
        check_name(sensor.name, "name of a sensor", NAME)
        self._frame(sensor.frame)
        self._sound(Body("body", sensors=[sensor]))

    def _sound(self, alone: Body, on: str = "") -> None:
        """Refuse what no file could say: one part, written by itself, has to be readable."""
        self._need_joint(on)
        try:
            read_body(write_body(alone))
        except StudioError as error:
            raise ModelError(error.message, hint=error.hint) from error

    def _bumpers_of(self, shape: str) -> list[Bumper]:
        return [sensor for sensor in self.sensors if isinstance(sensor, Bumper) and shape and sensor.shape == shape]

    def _put_on(self, old: str, new: str) -> None:
        for frame in [frame for frame in self.frames if frame.on == old]:
            self._swap("frames", frame.name, replace(frame, on=new))
        if old in self.masses:
            self._swap("masses", old, replace(self.masses[old], on=new))
        self._set("shapes", tuple(replace(shape, on=new) if shape.on == old else shape for shape in self.shapes))

    def _carried_by(self, joint: str) -> Iterator[str]:
        """Frames that move with it, those of joints further out included."""
        waiting, seen = [joint], {joint}
        while waiting:
            carrier = waiting.pop()
            frames = [frame.name for frame in self.frames if frame.on == carrier]
            yield from frames
            outer = [each.name for each in self.joints if each.at in frames and each.name not in seen]
            waiting += outer
            seen.update(outer)

    def _remove_frame_with_parts(self, name: str) -> None:
        for joint in [joint.name for joint in self.joints if joint.at == name]:
            self.remove_joint(joint, with_parts=True)
        for sensor in [sensor.name for sensor in self.sensors if sensor.frame == name]:
            self.remove_sensor(sensor)
        self._drop("frames", name)
