"""What must hold for a model: the four rules of the Modelserver report, and what else no geometry can be without."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from studio.errors import Problem, Severity, StudioError
from studio.model.close_matches import did_you_mean
from studio.model.geometry.assembly import FrameName, Model
from studio.model.geometry.body import Body
from studio.model.geometry.inertia import impossible
from studio.model.geometry.library import Library
from studio.model.geometry.linkage import Loop, link
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.sensors import Bumper
from studio.model.origin import Origin

FAR_M = 50.0
"""No frame of a body is this far from its origin, unless somebody wrote millimetres."""
HEAVY_KG = 20_000.0
DENSE_KG_M3 = 23_000.0
"""Osmium; what is denser has its dimensions or its mass in other units."""
THIN_KG_M3 = 0.5
FULL_TURN_RAD = 2 * math.pi
MANY_RAD = 20.0
"""A limit or roll-pitch-yaw of more than three turns in radians was written in degrees."""


def check_file(path: Path, library: Library | None = None) -> tuple[Model | None, list[Problem]]:
    """The model of a file, None if it cannot be put together, and everything that is wrong with it."""
    library = library or Library()
    try:
        model = library.load(path)
    except StudioError as error:
        return None, [*library.problems, *Problem.all_from(error)]
    is_assembly = not any(body.file == model.file for body in model.bodies.values())
    return model, [*library.problems, *check_model(model, is_assembly=is_assembly)]


def check_model(model: Model, *, is_assembly: bool = True) -> list[Problem]:
    problems = []
    if is_assembly:
        problems += list(_rules(model))
    checked: set[int] = set()
    for body in model.bodies.values():
        if id(body) not in checked:
            checked.add(id(body))
            problems += check_body(body)
    if not any(problem.severity == "error" for problem in problems):
        problems += list(_links(model, is_assembly))
    return problems


def check_body(body: Body) -> list[Problem]:
    return [*_body_rules(body), *_joint_rules(body), *_mass_rules(body), *_suspicions(body)]


# ---- assemblies


def _rules(model: Model) -> Iterator[Problem]:
    if len(model.bodies) < 2 and not any(body.drive for body in model.bodies.values()):  # a drive makes a vehicle of it
        hint = "rule 1: an assembly binds at least two; add <body .../> or <include .../>"
        count = "no body" if not model.bodies else "one body only"
        yield Problem(f"the assembly {model.name} has {count}", "error", model.file, None, hint, model.name)
    bound: dict[FrameName, str] = {}
    names: set[str] = set()
    for constraint in model.constraints:
        file, line = model.place_of("constraint", constraint.name)

        def fault(message: str, hint: str, file: str | None = file, line: int | None = line,
                  subject: str = constraint.name) -> Problem:  # fmt: skip
            return Problem(message, "error", file, line, hint, subject)

        if constraint.name in names:
            yield fault(f"a second constraint {constraint.name}", "rename one")
        names.add(constraint.name)
        if constraint.start == constraint.end:
            yield fault(f"the constraint {constraint.name} binds {constraint.start} to itself", "bind two frames")
            continue
        for end in (constraint.start, constraint.end):
            missing = _missing(model, end)
            if missing:
                yield fault(f"the constraint {constraint.name} binds {end}, but {missing[0]}", f"rule 3: {missing[1]}")
            elif end in bound:
                hint = (
                    f"rule 4: a frame takes one constraint, and {bound[end]} has it; give the body another frame there"
                )
                yield fault(f"{end} is bound a second time, by {constraint.name}", hint)
            bound.setdefault(end, constraint.name)


def _missing(model: Model, end: FrameName) -> tuple[str, str] | None:
    if end.body not in model.bodies:
        return f"there is no body {end.body}", did_you_mean(end.body, model.bodies)
    frames = [frame.name for frame in model.bodies[end.body].frames]
    if end.frame not in frames:
        return f"{end.body} has no frame {end.frame}", did_you_mean(end.frame, frames) or "it has no frames"
    return None


def _links(model: Model, is_assembly: bool) -> Iterator[Problem]:
    try:
        linkage = link(model)
    except GeometryError as error:
        yield from Problem.all_from(error)
        return
    for loop in linkage.loops:
        if not loop.closes(model.tolerance_m, model.tolerance_deg):
            yield _open_loop(model, loop)
    groups = linkage.groups()
    for group in groups[1:] if is_assembly else ():
        if any(part.body in model.placed for part in group):
            continue
        file, line = model.place_of("body", group[0].body)
        first = groups[0][0].body
        message = f"{group[0].body} is not connected with {first}"
        yield Problem(message, "warning", file, line, "bind one of its frames by a <constraint>", group[0].body)


def _open_loop(model: Model, loop: Loop) -> Problem:
    file, line = model.place_of("constraint", loop.edge.name)
    error = f"{loop.error_m * 1000:.3g} mm and {math.degrees(loop.error_rad):.3g} degrees"
    home = " with every joint at home" if loop.moves else ""
    way = " -> ".join(loop.path) or "the body itself"
    message = f"the loop that {loop.edge.name} closes is off by {error}{home}"
    hint = f"the other way is {way}; {model.tolerance_m * 1000:g} mm and {model.tolerance_deg:g} degrees are tolerated"
    return Problem(message, "error", file, line, hint, loop.edge.name)


# ---- bodies


def _problem(
    body: Body, message: str, hint: str, origin: Origin | None, subject: str = "", severity: Severity = "error"
) -> Problem:
    line = origin.line if origin is not None else None
    return Problem(message, severity, body.file, line, hint, f"{body.name}:{subject}" if subject else body.name)


def _body_rules(body: Body) -> Iterator[Problem]:
    if not body.frames:
        hint = 'rule 2: a body has at least one; add <frame name="Origin"/>'
        yield _problem(body, f"the body {body.name} has no frame", hint, None)
    joints = [joint.name for joint in body.joints]
    parts = [
        *((f"the frame {frame.name}", frame.on, frame.origin) for frame in body.frames),
        *((f"a shape of {body.name}", shape.on, shape.origin) for shape in body.shapes),
        *((f"a mass of {body.name}", mass.on, mass.origin) for mass in body.masses),
    ]
    for what, on, origin in parts:
        if on and on not in joints:
            hint = did_you_mean(on, joints) or "the body has no joints"
            yield _problem(body, f"{what} is on the joint {on}, which does not exist", hint, origin, on)
    frames = [frame.name for frame in body.frames]
    shapes = [shape.name for shape in body.shapes if shape.name]
    for sensor in body.sensors:
        if sensor.frame not in frames:
            message = f"the {sensor.KIND} {sensor.name} is in the frame {sensor.frame}, which does not exist"
            yield _problem(body, message, did_you_mean(sensor.frame, frames), sensor.origin, sensor.name)
        if isinstance(sensor, Bumper) and sensor.shape and sensor.shape not in shapes:
            message = f"the bumper {sensor.name} feels with the shape {sensor.shape}, which does not exist"
            yield _problem(body, message, did_you_mean(sensor.shape, shapes), sensor.origin, sensor.name)


def _joint_rules(body: Body) -> Iterator[Problem]:
    frames = {frame.name: frame for frame in body.frames}
    for joint in body.joints:
        if joint.at not in frames:
            message = f"the joint {joint.name} sits at the frame {joint.at}, which does not exist"
            yield _problem(body, message, did_you_mean(joint.at, frames), joint.origin, joint.name)
            continue
        carried, seen = frames[joint.at].on, {joint.name}
        while carried and carried not in seen:
            seen.add(carried)
            carrier = body.joint(carried)
            carried = frames[carrier.at].on if carrier is not None and carrier.at in frames else ""
        if carried:
            hint = f"the frame {joint.at} moves with {frames[joint.at].on}"
            yield _problem(body, f"the joint {joint.name} depends on itself", hint, joint.origin, joint.name)


def _mass_rules(body: Body) -> Iterator[Problem]:
    for part in body.parts():
        inertia = body.inertia_of(part)
        origin = next((mass.origin for mass in body.masses if mass.on == part), None)
        if inertia is None:
            continue
        of = f"{body.name}.{part}" if part else body.name
        for reason in impossible(inertia):
            hint = "ixx iyy izz ixy ixz iyz, about the centre of mass, in kg m2"
            yield _problem(body, f"impossible inertia of {of}: {reason}", hint, origin, part)


# ---- suspicions


def _suspicions(body: Body) -> Iterator[Problem]:
    def doubt(message: str, hint: str, origin: Origin | None, subject: str) -> Problem:
        return _problem(body, message, hint, origin, subject, "warning")

    for frame in body.frames:
        far = max(map(abs, frame.pose.xyz))
        if far > FAR_M:
            yield doubt(f"the frame {frame.name} is {far:g} m from the origin of {body.name}",
                        "positions are in metres; was it millimetres?", frame.origin, frame.name)  # fmt: skip
        rotation = frame.pose.rotation
        if rotation.form == "rpy" and rotation.angles == "radians" and max(map(abs, rotation.values)) > FULL_TURN_RAD:
            yield doubt(f"the frame {frame.name} is turned by {max(map(abs, rotation.values)):g} radians",
                        'was it angles="degrees"?', frame.origin, frame.name)  # fmt: skip
    for shape in body.shapes:
        if shape.extent_m > FAR_M:
            yield doubt(f"a shape of {body.name} is {shape.extent_m:g} m long",
                        "sizes are in metres; was it millimetres?", shape.origin, shape.name)  # fmt: skip
        density = shape.density_kg_m3
        if density is not None and not THIN_KG_M3 <= density <= DENSE_KG_M3:
            yield doubt(f"a shape of {body.name} has a density of {density:g} kg/m3",
                        "water has 1000, steel 7850", shape.origin, shape.name)  # fmt: skip
    for mass in body.masses:
        if mass.mass_kg > HEAVY_KG:
            yield doubt(f"{body.name} weighs {mass.mass_kg:g} kg", "masses are in kilograms", mass.origin, mass.on)
    for joint in body.joints:
        limits = [abs(value) for value in (joint.lower, joint.upper) if value is not None]
        if joint.turns and joint.angles == "radians" and limits and max(limits) > MANY_RAD:
            yield doubt(f"the joint {joint.name} is limited to {max(limits):g} radians",
                        'was it angles="degrees"?', joint.origin, joint.name)  # fmt: skip
