"""Forms for the vehicle, its bodies, and the constraints between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from studio.editor.geometry import thing_edits
from studio.editor.geometry.panels.form import Form
from studio.editor.geometry.panels.part_forms import Parts, drive_fields, joint_fields, mass_fields
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import BodyThing, ConstraintThing, SensorThing
from studio.model.geometry.arrange import hanging_on
from studio.model.geometry.assembly import Assembly, Constraint, FrameName
from studio.model.geometry.assembly_edits import DescribeAssembly, PlaceAssembly, SetBody, SetConstraint, SetTolerance
from studio.model.geometry.body import Drive
from studio.model.geometry.edits import MoveConstraint, SetDrive, Unbind
from studio.model.geometry.joints import Joint
from studio.model.geometry.part_edits import DescribeBody
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.tidy_poses import pose_like
from studio.model.geometry.used_by import used_by

QUARTER = Pose(rotation=Rotation("rpy", (0.0, 0.0, 90.0), "degrees")).matrix
FLIP = Pose(rotation=Rotation("rpy", (180.0, 0.0, 0.0), "degrees")).matrix


# ---- vehicle


def vehicle_form(form: Form, context: Context, rename: Callable[[str], object]) -> None:
    workspace = context.workspace

    def assembly() -> Assembly:
        return thing_edits.own_assembly(workspace)

    form.title("mdi6.car-outline", lambda: workspace.name, lambda: f"assembly {workspace.main.name}")
    form.text("Name", lambda: workspace.name, rename)
    form.text("About", lambda: assembly().doc, lambda doc: context.do(DescribeAssembly(assembly().name, doc)),
              empty="no description")  # fmt: skip
    form.section("Loops close within")
    form.number("Distance", "length", lambda: assembly().tolerance_m,
                lambda value: context.do(SetTolerance(value, assembly().tolerance_deg)))  # fmt: skip
    form.number("Angle", "", lambda: assembly().tolerance_deg,
                lambda value: context.do(SetTolerance(assembly().tolerance_m, value)), suffix="°")  # fmt: skip
    form.section("Start pose in a world")
    form.pose(lambda: assembly().pose, lambda pose: context.do(PlaceAssembly(pose)))


# ---- body


def body_form(form: Form, context: Context, thing: BodyThing, rename: Callable[[str], object]) -> None:
    workspace, parts = context.workspace, Parts(context, thing.body)
    form.title("mdi6.cube-outline", lambda: thing.body, lambda: _where(context, thing.body))
    if not workspace.is_body:
        _others_change(form, context, thing.body)
    form.text("Name", lambda: thing_edits.name_of(workspace, thing), rename)
    if not workspace.is_body:
        _member_fields(form, context, thing)
        constraint = hanging_on(workspace.assembled.model, thing.body)
        if constraint is not None:
            _mount_fields(form, context, ConstraintThing(constraint.name), thing.body)
    form.section("Body")

    def describe(doc: str, is_static: bool) -> None:
        parts.do(DescribeBody(parts.body.name, doc, is_static))

    form.text("About", lambda: parts.body.doc, lambda doc: describe(doc, parts.body.is_static), empty="no description")
    form.check("Fixed in the world", lambda: parts.body.is_static, lambda on: describe(parts.body.doc, bool(on)),
               "As a house is: nothing in a simulation moves it")  # fmt: skip
    for sensor in parts.body.sensors:
        show = partial(context.selection.choose, SensorThing(thing.body, sensor.name))
        form.buttons((f"{sensor.KIND} {sensor.name}", "mdi6.radar", "Show its data sheet", show))
    mass_fields(form, parts)
    if parts.body.drive is not None:
        drive_fields(form, parts)
    else:
        tip = "Wheelbase, track and wheel radius, for simulators and controllers"
        new = Drive("differential", 0.4, 0.4, 0.1)
        form.buttons(("Add a drive", "mdi6.steering", tip, lambda: parts.do(SetDrive(new))))


def _where(context: Context, body: str) -> str:
    workspace = context.workspace
    file = workspace.file_of(body).name
    constraint = None if workspace.is_body else hanging_on(workspace.assembled.model, body)
    if constraint is None:
        return f"body {file}"
    carrier = constraint.start if constraint.end.body == body else constraint.end
    return f"body {file} · mounted on {carrier.frame}"


def _others_change(form: Form, context: Context, body: str) -> None:
    """Before a shared file is edited: who else has it. A click opens them."""
    workspace = context.workspace
    file = workspace.file_of(body)
    here = [name for name in workspace.bodies_of(file) if name != body]
    others = [path for path in used_by(file, workspace.roots) if path != workspace.main]
    if not here and not others:
        return
    words = f"Edits of {file.name} also change "
    words += " and ".join(([", ".join(here) + " here"] if here else []) + ([_count(others)] if others else []))
    form.notice(words, [(path.stem, f"Open {path}", partial(context.open, path)) for path in others])


def _count(files: list[Path]) -> str:
    return "another assembly:" if len(files) == 1 else f"{len(files)} other assemblies:"


def _member_fields(form: Form, context: Context, thing: BodyThing) -> None:
    home = context.workspace.home("body", thing.body)

    def member() -> Any:
        assembly = context.workspace.value(home.file)
        assert isinstance(assembly, Assembly)
        return next(each for each in assembly.members if each.name == home.name)

    def take(**values: Any) -> None:
        context.do(SetBody(home.name, replace(member(), **values)), file=home.file)

    form.text("File", lambda: member().file, lambda file: take(file=file),
              tip="The body file; bodies of one file are the same")  # fmt: skip
    if member().pose is not None:
        form.section("Place in the assembly")
        form.pose(lambda: member().pose or Pose(), lambda pose: take(pose=pose))


# ---- constraint


def constraint_form(form: Form, context: Context, thing: ConstraintThing, rename: Callable[[str], object]) -> None:
    found = _Found(context, thing)
    form.title("mdi6.link-variant", lambda: thing.name, lambda: f"{found.now.start.body} – {found.now.end.body}")
    form.text("Name", lambda: found.name, rename)
    frames = context.workspace.assembled.transforms.frame_names
    form.text("From", lambda: str(found.now.start), lambda text: found.bind("start", text), choices=frames)
    form.text("To", lambda: str(found.now.end), lambda text: found.bind("end", text), choices=frames)
    form.section("Pose of the end in the start")
    form.pose(lambda: found.now.pose, lambda pose: found.do(MoveConstraint(found.name, pose)))
    _mount_buttons(form, context, found)
    form.section("Joint")
    if found.now.joint is None:
        form.buttons(("Add a joint", "", "The end can turn or slide", lambda: found.set_joint(
            Joint(thing.name, "hinge", angles="degrees"))))  # fmt: skip
        return
    joint_fields(form, lambda: found.now.joint or Joint(thing.name, "fixed"), found.set_joint, found.other_joints)
    form.buttons(("Remove the joint", "", "The two are rigid again", lambda: found.set_joint(None)))


def _mount_fields(form: Form, context: Context, thing: ConstraintThing, body: str) -> None:
    found = _Found(context, thing)
    form.section(f"Mount {found.now.start.frame} → {found.now.end.body}:{found.now.end.frame}")
    form.pose(lambda: found.now.pose, lambda pose: found.do(MoveConstraint(found.name, pose)), "Mount")
    _mount_buttons(form, context, found, body)


def _mount_buttons(form: Form, context: Context, found: _Found, body: str = "") -> None:
    buttons: list[tuple[str, str, str, Callable[[], object]]] = [
        ("Turn 90°", "mdi6.rotate-right", "About z of the mount", lambda: found.turn(QUARTER)),
        ("Flip", "mdi6.flip-vertical", "Upside down", lambda: found.turn(FLIP)),
    ]
    if body:
        detach = lambda: thing_edits.do_arranged(  # noqa: E731
            context.do_all, context.say, lambda: thing_edits.detach(context.workspace, body)
        )
        buttons.append(("Detach", "mdi6.link-variant-off", "Remove the mount; the body stays where it is", detach))
    else:
        buttons.append(
            ("Remove", "mdi6.link-variant-off", "Remove the constraint", lambda: found.do(Unbind(found.name)))
        )
    form.buttons(*buttons)


class _Found:
    """A constraint of the vehicle in the file that it is written in."""

    def __init__(self, context: Context, thing: ConstraintThing) -> None:
        self.context, self.thing = context, thing
        home = context.workspace.home("constraint", thing.name)
        self.file, self.name = home.file, home.name

    @property
    def now(self) -> Constraint:
        """As its file has it."""
        assembly = self.context.workspace.value(self.file)
        assert isinstance(assembly, Assembly)
        return next(each for each in assembly.constraints if each.name == self.name)

    def do(self, edit: Any) -> None:
        self.context.do(edit, file=self.file)

    def turn(self, turned: Any) -> None:
        self.do(MoveConstraint(self.name, pose_like(self.now.pose, self.now.pose.matrix @ turned)))

    def bind(self, side: str, text: str) -> None:
        body, _, frame = text.partition(":")
        if not (body and frame):
            self.context.say(f"{text} names no frame: write Body:Frame", trouble=True)
            return
        self.do(SetConstraint(self.name, replace(self.now, **{side: FrameName(body, frame)})))  # type: ignore[arg-type]

    def other_joints(self) -> list[str]:
        """That move, by their names in its file: an included assembly does not know its prefix."""
        names = self.context.workspace.assembled.transforms.joint_names()
        prefix = self.thing.name.removesuffix(self.name)
        return [name.removeprefix(prefix) for name in names if name.startswith(prefix) and name != self.thing.name]

    def set_joint(self, joint: Joint | None) -> None:
        self.do(SetConstraint(self.name, replace(self.now, joint=joint)))
