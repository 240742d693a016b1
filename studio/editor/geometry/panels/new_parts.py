"""New parts of a body with values that make sense at once: the user then sees them and corrects them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import FrameThing, JointThing, SensorThing, ShapeThing
from studio.errors import StudioError
from studio.model.changes import ModelError
from studio.model.geometry.arrange import free_name
from studio.model.geometry.body import Body, Drive, Frame, GivenMass
from studio.model.geometry.edits import AddFrame, SetDrive
from studio.model.geometry.joints import Joint
from studio.model.geometry.part_edits import AddJoint, AddSensor, AddShape, SetMass
from studio.model.geometry.poses import HERE, Pose
from studio.model.geometry.sensors import Bumper, Camera, Gps, Imu, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Box, Cylinder, Sphere
from studio.model.geometry.workspace import Workspace
from studio.model.history import Edit

ABOVE_M = 0.05
"""From the top of a box to a new sensor."""
NewPart = Callable[[Workspace, str], Edit[Any]]


def _body(workspace: Workspace, name: str) -> Body:
    return workspace.assembled.model.bodies[name]


def _free(wanted: str, parts: list[Any]) -> str:
    return free_name(wanted, {part.name for part in parts})


def _frame(workspace: Workspace, name: str) -> Edit[Any]:
    return AddFrame(Frame(_free("Frame", _body(workspace, name).frames)))


def _box(workspace: Workspace, name: str) -> Edit[Any]:
    return AddShape(Box(_free("box", _body(workspace, name).shapes), size=(0.2, 0.2, 0.2)))


def _cylinder(workspace: Workspace, name: str) -> Edit[Any]:
    return AddShape(Cylinder(_free("cylinder", _body(workspace, name).shapes), radius=0.1, length=0.2))


def _sphere(workspace: Workspace, name: str) -> Edit[Any]:
    return AddShape(Sphere(_free("sphere", _body(workspace, name).shapes), radius=0.1))


def _joint(workspace: Workspace, name: str) -> Edit[Any]:
    body = _body(workspace, name)
    if not body.frames:
        raise ModelError(f"{name} has no frame for a joint", hint="add a frame first")
    return AddJoint(Joint(_free("joint", body.joints), "hinge", body.frames[0].name, angles="degrees"))


def _mass(workspace: Workspace, name: str) -> Edit[Any]:
    return SetMass(GivenMass(1.0))


def _drive(workspace: Workspace, name: str) -> Edit[Any]:
    return SetDrive(Drive("differential", 0.4, 0.4, 0.1))


def _on_top(body: Body) -> Pose:
    """Over the middle of the largest box: inside of it a sensor would see nothing else."""
    boxes = [shape for shape in body.shapes if isinstance(shape, Box) and not shape.on]
    if not boxes:
        return HERE
    box = max(boxes, key=lambda each: each.size[0] * each.size[1] * each.size[2])
    x, y, z = box.pose.xyz
    return Pose((x, y, round(z + box.size[2] / 2 + ABOVE_M, 6)))


def _sensor(kind: type[Sensor]) -> NewPart:
    """In a frame of its own, which is named after what it measures."""

    def make(workspace: Workspace, name: str) -> Edit[Any]:
        body = _body(workspace, name)
        frame = _free("ImagePlane" if kind is Camera else "Sensing", body.frames)
        return AddSensor(kind(_free(kind.KIND, body.sensors), frame), Frame(frame, _on_top(body)))

    return make


NEW_PARTS: dict[str, NewPart] = {
    "Frame": _frame, "Box": _box, "Cylinder": _cylinder, "Sphere": _sphere, "Joint": _joint, "Mass": _mass,
    "Laser": _sensor(Laser), "Camera": _sensor(Camera), "Ultrasonic": _sensor(Ultrasonic), "Bumper": _sensor(Bumper),
    "GPS": _sensor(Gps), "IMU": _sensor(Imu), "Drive": _drive,
}  # fmt: skip


def add_new_part(context: Context, body: str, make: NewPart) -> None:
    """It is selected, so that its properties are there to be changed."""
    try:
        edit = make(context.workspace, body)
    except StudioError as error:
        context.say(str(error), trouble=True)
        return
    if not context.do(edit, body=body):
        return
    match edit:
        case AddShape():
            count = len(context.workspace.assembled.model.bodies[body].shapes)
            context.selection.choose(ShapeThing(body, count - 1))
        case AddFrame():
            context.selection.choose(FrameThing(body, edit.frame.name))
        case AddJoint():
            context.selection.choose(JointThing(body, edit.joint.name))
        case AddSensor():
            context.selection.choose(SensorThing(body, edit.sensor.name))
