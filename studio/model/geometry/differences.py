"""What two models say differently, in words and with both values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from studio.model.geometry.assembly import FrameName, Model
from studio.model.geometry.body import Body
from studio.model.geometry.linkage import Edge, Linkage, Part, link, part_of
from studio.model.geometry.poses import distance, inverse
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.sensors import ONLY_HERE

SAME_M = 1e-9
SAME_RAD = 1e-9
SAME_SHARE = 1e-9
FEW = 3


@dataclass(frozen=True)
class Difference:
    subject: str
    """`Flea:ImagePlane`, `RightLaser.scan`."""
    what: str
    """`pose`, `range_max_m`, `missing`."""
    one: Any
    other: Any
    message: str


@dataclass(frozen=True)
class Tolerance:
    m: float = SAME_M
    rad: float = SAME_RAD
    share: float = SAME_SHARE
    """Of numbers that are neither metres nor radians."""


USUAL = Tolerance()


def differences(one: Model, other: Model, tolerance: Tolerance = USUAL) -> list[Difference]:
    """Frames are compared as seen from the first body that both have, with every joint at home."""
    return [
        *_missing("body", "", one.bodies, other.bodies),
        *_frames(one, other, tolerance),
        *_joints(one, other, tolerance),
        *_bodies(one, other, tolerance),
    ]


def in_short(one: Model, other: Model) -> str:
    """The first few differences, and how many more there are."""
    told = [each.message for each in differences(one, other)]
    more = [f"and {len(told) - FEW} more"] if len(told) > FEW else []
    return "; ".join([*told[:FEW], *more]) or "in its shapes, or in its text"


def _missing(what: str, prefix: str, one: Any, other: Any) -> Iterator[Difference]:
    for name in one:
        if name not in other:
            yield Difference(prefix + name, "missing", True, False, f"the {what} {prefix}{name} is only in the first")
    for name in other:
        if name not in one:
            yield Difference(prefix + name, "missing", False, True, f"the {what} {prefix}{name} is only in the second")


def _frames(one: Model, other: Model, tolerance: Tolerance) -> Iterator[Difference]:
    common = [name for name in one.bodies if name in other.bodies]
    if not common:
        return
    placed = [_placed(model, common[0]) for model in (one, other)]
    for body in common:
        names = [[frame.name for frame in model.bodies[body].frames] for model in (one, other)]
        yield from _missing("frame", f"{body}:", *names)
        for frame in names[0]:
            poses = [places.get(f"{body}:{frame}") for places in placed]
            if frame not in names[1] or poses[0] is None or poses[1] is None:
                continue
            far_m, turned_rad = distance(poses[0], poses[1])
            if far_m > tolerance.m or turned_rad > tolerance.rad:
                apart = f"{round(far_m * 1000, 6):.4g} mm and {round(math.degrees(turned_rad), 6):.4g} degrees apart"
                message = f"{body}:{frame} is {apart}: at {_at(poses[0])} and at {_at(poses[1])}, seen from {common[0]}"
                yield Difference(f"{body}:{frame}", "pose", poses[0].tolist(), poses[1].tolist(), message)


def _placed(model: Model, root: str) -> dict[str, Matrix]:
    """Every frame that hangs together with `root`, in its axes."""
    linkage = link(model)
    poses = linkage.home_poses()
    base = Part(root)
    home = inverse(poses[base])
    found = {}
    for name, body in model.bodies.items():
        for frame in body.frames:
            part, pose = part_of(model, FrameName(name, frame.name))
            if linkage.roots[part] == linkage.roots[base]:
                found[f"{name}:{frame.name}"] = home @ poses[part] @ pose
    return found


def _at(pose: Matrix) -> str:
    return "(" + " ".join(f"{value:.6g}" for value in (pose[:3, 3] + 0.0)) + ")"


def _joints(one: Model, other: Model, tolerance: Tolerance) -> Iterator[Difference]:
    edges = [_moving(link(model)) for model in (one, other)]
    yield from _missing("joint", "", *edges)
    for name, edge in edges[0].items():
        if name in edges[1]:
            keys = ("lower", "upper", "speed", "effort")
            values = [{key: getattr(found.joint, key) for key in keys} for found in (edge, edges[1][name])]
            for key in keys:
                yield from _number(name, key, values[0][key], values[1][key], tolerance)
            yield from _mimics(name, edge, edges[1][name], tolerance)


def _mimics(name: str, one: Edge, other: Edge, tolerance: Tolerance) -> Iterator[Difference]:
    told = [edge.joint.mimic if edge.joint is not None else None for edge in (one, other)]
    joints = [mimic.joint if mimic is not None else "" for mimic in told]
    if joints[0] != joints[1]:
        words = [f"mimics {joint}" if joint else "moves by itself" for joint in joints]
        message = f"the joint {name} {words[0]} in the first and {words[1]} in the second"
        yield Difference(name, "mimic", joints[0], joints[1], message)
    elif told[0] is not None and told[1] is not None:
        yield from _number(name, "multiplier", told[0].multiplier, told[1].multiplier, tolerance)
        yield from _number(name, "offset", told[0].offset, told[1].offset, tolerance)


def _moving(linkage: Linkage) -> dict[str, Edge]:
    return {edge.name: edge for edge in linkage.edges if edge.moves}


def _bodies(one: Model, other: Model, tolerance: Tolerance) -> Iterator[Difference]:
    for name, body in one.bodies.items():
        if name in other.bodies and body is not other.bodies[name]:
            yield from _sensors(name, body, other.bodies[name], tolerance)
            yield from _masses(name, body, other.bodies[name], tolerance)


def _sensors(name: str, one: Body, other: Body, tolerance: Tolerance) -> Iterator[Difference]:
    sensors = [{sensor.name: sensor for sensor in body.sensors} for body in (one, other)]
    yield from _missing("sensor", f"{name}.", *sensors)
    for key, sensor in sensors[0].items():
        twin = sensors[1].get(key)
        if twin is None:
            continue
        subject = f"{name}.{key}"
        if twin.KIND != sensor.KIND:
            message = f"{subject} is a {sensor.KIND} in the first and a {twin.KIND} in the second"
            yield Difference(subject, "kind", sensor.KIND, twin.KIND, message)
            continue
        values = sensor.values(), twin.values()
        for what in dict.fromkeys([*values[0], *values[1]]):
            if what in ONLY_HERE and not all(what in each for each in values):
                continue
            yield from _number(subject, what, values[0].get(what), values[1].get(what), tolerance)


def _masses(name: str, one: Body, other: Body, tolerance: Tolerance) -> Iterator[Difference]:
    for part in one.parts():
        masses = [inertia.mass_kg if (inertia := body.inertia_of(part)) else None for body in (one, other)]
        if part in list(other.parts()):
            yield from _number(str(Part(name, part)), "mass_kg", masses[0], masses[1], tolerance)


def _number(subject: str, what: str, one: float | None, other: float | None, t: Tolerance) -> Iterator[Difference]:
    if one is None and other is None:
        return
    if one is None or other is None or not math.isclose(one, other, rel_tol=t.share, abs_tol=1e-12):
        shown = ["unknown" if value is None else f"{value:.9g}" for value in (one, other)]
        yield Difference(
            subject, what, one, other, f"{subject}: {what} is {shown[0]} in the first, {shown[1]} in the second"
        )
