"""Forms for the parts of a body: frame, joint, shape, sensor, drive and mass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, replace
from typing import Any, get_args

from studio.editor.geometry.panels.form import Form
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import FrameThing, JointThing, SensorThing, ShapeThing
from studio.errors import StudioError
from studio.model.geometry.body import Body, DriveKind, Frame, GivenMass
from studio.model.geometry.edits import SetDrive, SetSensor
from studio.model.geometry.inertia import Inertia
from studio.model.geometry.joint_sweep import sweep
from studio.model.geometry.joints import JOINT_KINDS, Joint, Mimic
from studio.model.geometry.materials import MATERIALS_KG_M3, material_of
from studio.model.geometry.part_edits import RemoveMass, SetFrame, SetJoint, SetMass, SetShape
from studio.model.geometry.poses import Pose
from studio.model.geometry.sensors import Bumper, Sensor
from studio.model.geometry.shapes import USES, Box, Cylinder, Mesh, Shape, Sphere

SENSOR_WORDS = {
    "fov_deg": ("Field of view", "°"), "beams": ("Beams", ""), "range_min_m": ("Least range", "m"),
    "range_max_m": ("Range", "m"), "rate_hz": ("Rate", "Hz"), "noise_m": ("Noise", "m"), "bias_m": ("Bias", "m"),
    "resolution_m": ("Resolution", "m"), "dropout": ("Dropout", "of 1"), "width_px": ("Width", "px"),
    "height_px": ("Height", "px"), "noise": ("Noise", "of 1"), "noise_up_m": ("Noise up", "m"),
    "bias_up_m": ("Bias up", "m"), "noise_gyro_rad_s": ("Gyro noise", "rad/s"),
    "noise_accelerometer_m_s2": ("Acc. noise", "m/s²"), "noise_attitude_rad": ("Attitude noise", "rad"),
    "bias_gyro_rad_s": ("Gyro bias", "rad/s"), "bias_accelerometer_m_s2": ("Acc. bias", "m/s²"),
    "resolution_gyro_rad_s": ("Gyro steps", "rad/s"), "resolution_accelerometer_m_s2": ("Acc. steps", "m/s²"),
}  # fmt: skip
WHOLE = ("beams", "width_px", "height_px")


class Parts:
    """Of one body in the vehicle: reads them as they are now, and writes them by edits of its file."""

    def __init__(self, context: Context, body: str) -> None:
        self.context, self.name = context, body

    @property
    def body(self) -> Body:
        return self.context.workspace.assembled.model.bodies[self.name]

    def do(self, edit: Any) -> None:
        self.context.do(edit, body=self.name)

    def frame_choices(self) -> list[tuple[str, str]]:
        return [(frame.name, frame.name) for frame in self.body.frames]

    def part_choices(self) -> list[tuple[str, str]]:
        return [("The body itself", ""), *((joint.name, joint.name) for joint in self.body.joints)]


# ---- frame


def frame_form(form: Form, context: Context, thing: FrameThing, rename: Callable[[str], object]) -> None:
    parts = Parts(context, thing.body)

    def frame() -> Frame:
        return parts.body.frame(thing.frame)

    def take(**values: Any) -> None:
        parts.do(SetFrame(thing.frame, replace(frame(), **values)))

    form.title("mdi6.axis-arrow", lambda: thing.frame, lambda: f"frame of {thing.body}")
    form.text("Name", lambda: thing.frame, rename)
    form.choice("Moves with", parts.part_choices, lambda: frame().on, lambda on: take(on=on),
                "The joint that moves it; its pose is then in the axes of the joint")  # fmt: skip
    form.section(f"In {thing.body}")
    form.pose(lambda: frame().pose, lambda pose: take(pose=pose))


# ---- joint


def joint_form(form: Form, context: Context, thing: JointThing, rename: Callable[[str], object]) -> None:
    parts = Parts(context, thing.body)

    def joint() -> Joint:
        found = parts.body.joint(thing.joint)
        assert found is not None
        return found

    form.title("mdi6.rotate-3d-variant", lambda: thing.joint, lambda: f"{joint().kind} joint of {thing.body}")
    form.text("Name", lambda: thing.joint, rename)
    form.choice("At frame", parts.frame_choices, lambda: joint().at,
                lambda at: parts.do(SetJoint(thing.joint, replace(joint(), at=at))))  # fmt: skip
    others = lambda: [other.name for other in parts.body.joints if other.moves and other.name != thing.joint]  # noqa: E731
    joint_fields(form, joint, lambda made: parts.do(SetJoint(thing.joint, made)), others)
    tip = "Moves it from home both ways until something touches, and takes these positions as its limits"
    form.buttons(("Find limits", "mdi6.arrow-expand-horizontal", tip, lambda: find_limits(parts, thing)))


def find_limits(parts: Parts, thing: JointThing) -> None:
    """As far as its own and all other bodies let it; a way that nothing ends keeps its limit."""
    context, joint = parts.context, parts.body.joint(thing.joint)
    assert joint is not None
    try:
        found = sweep(context.workspace.assembled.model, str(thing))
    except StudioError as error:
        context.say(str(error), trouble=True)
        return
    ends = {"lower": found.lower, "upper": found.upper}
    limits = {key: _inwards(end.position, joint) for key, end in ends.items() if end.position is not None}
    touched = [f"{key}: {end.touches}" for key, end in ends.items() if end.position is not None]
    if not limits:
        context.say(f"Nothing touches when {thing.joint} moves")
        return
    parts.do(SetJoint(thing.joint, replace(joint, **limits, angles=joint.angles or "degrees")))  # type: ignore[arg-type]
    context.say(f"Limits of {thing.joint}, {'; '.join(touched)}")


def _inwards(position: float, joint: Joint) -> float:
    """Round numbers on the side on which nothing touches."""
    towards_home = math.floor if position > joint.home else math.ceil
    if joint.turns:
        return math.radians(towards_home(math.degrees(position) * 10) / 10)
    return towards_home(position * 1000) / 1000


def joint_fields(
    form: Form, get: Callable[[], Joint], take: Callable[[Joint], object], others: Callable[[], list[str]]
) -> None:
    """Also of the joint of a constraint. `others`: the joints that it could mimic."""

    def change(**values: Any) -> None:
        made = replace(get(), **values)
        needs_limits = made.kind == "steering" and (made.lower is None or made.upper is None)
        limits = {"lower": math.radians(-30), "upper": math.radians(30)} if needs_limits else {}
        take(replace(made, angles=made.angles or "degrees", **limits))  # type: ignore[arg-type]

    kind = "length" if get().kind == "slider" else "angle"
    unit = form.units.name(kind)
    form.choice("Kind", lambda: [(kind, kind) for kind in JOINT_KINDS], lambda: get().kind,
                lambda chosen: change(kind=chosen))  # fmt: skip
    form.three("Axis", "", lambda: get().axis, lambda axis: change(axis=axis))
    form.choice("Mimics", lambda: [("No other joint", ""), *((name, name) for name in others())],
                lambda: mimic.joint if (mimic := get().mimic) else "",
                lambda name: change(mimic=Mimic(name) if name else None, home=0.0),
                "The joint that it follows, as gears and grippers do")  # fmt: skip
    mimic = get().mimic
    if mimic is not None:
        form.number("Multiplier", "", lambda: mimic_of(get()).multiplier,
                    lambda value: change(mimic=replace(mimic_of(get()), multiplier=value)),
                    tip="Of the position of the other joint; negative: it turns against it")  # fmt: skip
        form.number("Offset", kind, lambda: mimic_of(get()).offset,
                    lambda value: change(mimic=replace(mimic_of(get()), offset=value)),
                    tip="Where it is while the other joint is at 0")  # fmt: skip
    form.section("Limits")
    ends = (("lower", "Lower"), ("upper", "Upper"), *((("home", "Home"),) if mimic is None else ()))
    for key, words in ends:
        _field_of(form, words, kind, get, lambda made: change(**made), key, may_be_empty=key != "home")
    form.number("Speed", kind, lambda: get().speed, lambda value: change(speed=value), suffix=f"{unit}/s",
                may_be_empty=True)  # fmt: skip
    form.number("Effort", "", lambda: get().effort, lambda value: change(effort=value),
                suffix="N" if kind == "length" else "Nm", may_be_empty=True)  # fmt: skip


def mimic_of(joint: Joint) -> Mimic:
    assert joint.mimic is not None
    return joint.mimic


# ---- shape


def shape_form(form: Form, context: Context, thing: ShapeThing, rename: Callable[[str], object]) -> None:
    parts = Parts(context, thing.body)

    def shape() -> Any:
        return parts.body.shapes[thing.index]

    def take(**values: Any) -> None:
        parts.do(SetShape(thing.index, replace(shape(), **values)))

    kind = type(shape()).__name__.lower()
    form.title("mdi6.shape-outline", lambda: shape().name or kind, lambda: f"{kind} of {thing.body}")
    form.text("Name", lambda: shape().name, rename, empty="no name")
    form.choice("Moves with", parts.part_choices, lambda: shape().on, lambda on: take(on=on))
    form.choice("Use", lambda: [(use_words(use), use) for use in USES], lambda: shape().use, lambda use: take(use=use),
                "Purpose: visible, for collisions, or both")  # fmt: skip
    form.section("Size")
    size_fields(form, shape, take)
    form.section("Pose of its centre")
    form.pose(lambda: shape().pose, lambda pose: take(pose=pose))
    form.section("Look and material")
    form.colour("Colour", lambda: shape().colour, lambda text: take(colour=text))
    if not isinstance(shape(), Mesh):
        _material_fields(form, lambda: shape().density_kg_m3, lambda value: take(density_kg_m3=value))
        form.note(lambda: _mass_words(shape()))


def use_words(use: str) -> str:
    return {"both": "Seen and bumps", "visual": "Only seen", "collision": "Only bumps"}[use]


def size_fields(form: Form, shape: Callable[[], Any], take: Callable[..., None]) -> None:
    match shape():
        case Box():
            form.three("Length, width, height", "length", lambda: shape().size, lambda size: take(size=size))
        case Cylinder():
            form.number("Radius", "length", lambda: shape().radius, lambda value: take(radius=value))
            form.number("Length", "length", lambda: shape().length, lambda value: take(length=value))
        case Sphere():
            form.number("Radius", "length", lambda: shape().radius, lambda value: take(radius=value))
        case Mesh():
            form.text("File", lambda: shape().file, lambda file: take(file=file), tip="Relative to the body file")
            form.three("Scale", "", lambda: shape().scale, lambda scale: take(scale=scale))


def _material_fields(form: Form, get: Callable[[], float | None], take: Callable[[float | None], object]) -> None:
    def choices() -> list[tuple[str, Any]]:
        known: list[tuple[str, Any]] = [("Not given", None), *MATERIALS_KG_M3.items()]
        value = get()
        return known if value is None or material_of(value) else [("Another", value), *known]

    form.choice("Material", choices, get, take, "Sets the density, from which mass and inertia follow")
    form.number("Density", "", get, take, suffix="kg/m³", may_be_empty=True)


def _mass_words(shape: Shape) -> str:
    density, volume = shape.density_kg_m3, shape.volume_m3
    if volume is None:
        return ""
    litres = f"{volume * 1000:.4g} litres"
    return litres if density is None else f"{litres}, {density * volume:.4g} kg"


# ---- sensor


def sensor_form(form: Form, context: Context, thing: SensorThing, rename: Callable[[str], object]) -> None:
    parts = Parts(context, thing.body)

    def sensor() -> Sensor:
        return next(each for each in parts.body.sensors if each.name == thing.sensor)

    def take(**values: Any) -> None:
        parts.do(SetSensor(replace(sensor(), **values)))

    form.title("mdi6.radar", lambda: thing.sensor, lambda: f"{sensor().KIND} of {thing.body}")
    form.text("Name", lambda: thing.sensor, rename)
    form.choice("In frame", parts.frame_choices, lambda: sensor().frame, lambda frame: take(frame=frame),
                "A sensor looks along x of its frame, a camera along z")  # fmt: skip
    form.text("Topic", lambda: sensor().topic, lambda topic: take(topic=topic), empty="not given",
              tip="Where its data are found in a log or a simulator")  # fmt: skip
    if isinstance(sensor(), Bumper):
        shapes = [("All that bumps", ""), *((each.name, each.name) for each in parts.body.shapes if each.name)]
        form.choice("Feels with", lambda: shapes, lambda: getattr(sensor(), "shape", ""), lambda name: take(shape=name))
    form.section("Data sheet")
    for name, is_needed in _numbers_of(sensor()):
        words, suffix = SENSOR_WORDS.get(name, (name, ""))
        _field_of(form, words, "", sensor, lambda made: take(**made), name, suffix=suffix, may_be_empty=not is_needed)


def _numbers_of(sensor: Sensor) -> Iterator[tuple[str, bool]]:
    for field in fields(sensor):
        if field.name not in ("name", "frame", "topic", "origin", "shape"):
            yield field.name, field.default is not MISSING and field.default is not None


def _field_of(
    form: Form, words: str, kind: str, get: Callable[[], Any], take: Callable[[dict[str, Any]], object], key: str, *,
    suffix: str = "", may_be_empty: bool = False,
) -> None:  # fmt: skip
    """One number of a value, by the name that it has there."""
    form.number(words, kind, lambda: getattr(get(), key, None), lambda value: take({key: _whole(key, value)}),
                suffix=suffix, may_be_empty=may_be_empty)  # fmt: skip


def _whole(name: str, value: float | None) -> float | int | None:
    return round(value) if name in WHOLE and value is not None else value


# ---- drive and mass of a body


def drive_fields(form: Form, parts: Parts) -> None:
    def take(**values: Any) -> None:
        drive = parts.body.drive
        assert drive is not None
        parts.do(SetDrive(replace(drive, **values)))

    form.section("Drive")
    form.choice("Steering", lambda: [(kind, kind) for kind in get_args(DriveKind)],
                lambda: parts.body.drive.kind if parts.body.drive else "", lambda kind: take(kind=kind))  # fmt: skip
    for key, words, kind, suffix in (
        ("wheelbase_m", "Wheelbase", "length", ""), ("track_m", "Track", "length", ""),
        ("wheel_radius_m", "Wheel radius", "length", ""), ("speed_max_m_s", "Top speed", "", "m/s"),
    ):  # fmt: skip
        _field_of(form, words, kind, lambda: parts.body.drive, lambda made: take(**made), key, suffix=suffix,
                  may_be_empty=key == "speed_max_m_s")  # fmt: skip
    form.buttons(("Remove the drive", "", "The body drives no more", lambda: parts.do(SetDrive(None))))


def mass_fields(form: Form, parts: Parts) -> None:
    """Of the body itself; those of moving parts are beside their joints in the text."""

    def given() -> GivenMass | None:
        return next((mass for mass in parts.body.masses if mass.on == ""), None)

    def weigh(kg: float | None) -> None:
        mass = given()
        if kg is None:
            parts.do(RemoveMass("")) if mass is not None else None
        else:
            parts.do(SetMass(replace(mass, mass_kg=kg) if mass is not None else GivenMass(kg)))

    form.section("Mass")
    form.number("Mass", "", lambda: mass.mass_kg if (mass := given()) else None, weigh, suffix="kg", may_be_empty=True,
                tip="As weighed. Empty: that of the shapes and their densities")  # fmt: skip
    form.note(lambda: _inertia_words(parts.body.inertia_of(), given()))
    form.buttons(
        (
            "Inertia from shapes",
            "",
            "Of even density, with the mass that is given",
            lambda: _from_shapes(parts, given()),
        ),
        ("Write it out", "", "Centre of mass and moments as numbers in the file", lambda: _written_out(parts, given())),
    )


def _inertia_words(inertia: Inertia | None, given: GivenMass | None) -> str:
    if inertia is None:
        return "No mass yet: weigh it, or give the shapes a material"
    x, y, z = inertia.centre
    moments = " ".join(f"{value:.4g}" for value in inertia.about_centre.diagonal())
    how = "as given" if given is not None and given.moments else "from the shapes"
    return f"{inertia.mass_kg:.5g} kg, centre {x:.4g} {y:.4g} {z:.4g} m, moments {moments} kg m² ({how})"


def _from_shapes(parts: Parts, given: GivenMass | None) -> None:
    if given is not None:
        parts.do(SetMass(replace(given, moments=None, has_centre=False, pose=Pose())))
    else:
        parts.context.say("Its mass is that of the shapes already")


def _written_out(parts: Parts, given: GivenMass | None) -> None:
    inertia = parts.body.inertia_of()
    if inertia is None:
        parts.context.say("There is no mass to write out: weigh it, or give the shapes a material", trouble=True)
        return
    x, y, z = (round(float(value), 9) + 0.0 for value in inertia.centre)
    m = inertia.about_centre
    values = tuple(float(f"{value:.9g}") for value in (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]))
    mass = given or GivenMass(inertia.mass_kg)
    kg = float(f"{inertia.mass_kg:.9g}")
    parts.do(SetMass(replace(mass, mass_kg=kg, pose=Pose((x, y, z)), moments=values, has_centre=True)))  # type: ignore[arg-type]
