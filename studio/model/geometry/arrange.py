"""Mount, detach, mirror and repeat the bodies of an assembly: what such a gesture changes, in which files.

A frame takes one constraint, so that a copy beside a mounted body needs a frame of its own on the body that carries
it. Each function therefore gives edits with the file that each belongs to, for one step of undo.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from studio.model.changes import ModelError
from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Member, Model
from studio.model.geometry.assembly_edits import Detach, SetBody, SetConstraint
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.edits import AddBody, AddFrame, Bind
from studio.model.geometry.linkage import Linkage, Part, link, part_of, root_places
from studio.model.geometry.outline import outline_of
from studio.model.geometry.poses import HERE, Pose, distance, inverse
from studio.model.geometry.rotations import GeometryError, Matrix, Rotation, from_axis_angle
from studio.model.geometry.tidy_poses import mirrored, pose_like, tidy
from studio.model.geometry.workspace import On

Placing = Callable[[Matrix], Matrix]
"""From where something is in the axes of the root to where its copy goes."""
SAME_M, SAME_RAD = 1e-6, 1e-6


@dataclass(frozen=True)
class Arrangement:
    """One step for the person who undoes it."""

    label: str
    edits: tuple[On, ...]
    """For `Workspace.do_all`."""


@dataclass(frozen=True)
class MirrorPlane:
    """Across an axis of the first body: 0 has front and rear on its two sides, 1 left and right, 2 above and below."""

    axis: int
    at_m: float = 0.0
    """Where it cuts the axis."""

    def image(self, pose: Matrix) -> Matrix:
        return mirrored(pose, self.axis, self.at_m)


LEFT_RIGHT = MirrorPlane(1)


@dataclass(frozen=True)
class Alternative:
    """How a body can sit on its mount."""

    label: str
    pose: Pose


ALTERNATIVES = tuple(
    Alternative(label, Pose(rotation=Rotation("rpy", rpy, "degrees")) if any(rpy) else HERE)
    for label, rpy in {
        "As is": (0.0, 0.0, 0.0), "Turned 90°": (0.0, 0.0, 90.0), "Turned −90°": (0.0, 0.0, -90.0),
        "Turned 180°": (0.0, 0.0, 180.0), "Flipped": (180.0, 0.0, 0.0), "Flipped, turned 90°": (180.0, 0.0, 90.0),
    }.items()
)  # fmt: skip


# ---- mount and detach


def hanging_on(model: Model, body: str, linkage: Linkage | None = None) -> Constraint | None:
    """The constraint by which a body hangs on the rest; None for the first body, and for one that is bound to nothing.

    A body that carries others hangs by the one that leads to the root.
    """
    branch = (linkage or link(model)).branches.get(Part(body))
    return branch.edge.constraint if branch is not None else None


def mount(model: Model, assembly: Assembly, carried: FrameName, carrier: FrameName, pose: Pose = HERE) -> Arrangement:
    """Put the frame `carried` onto `carrier`. A body that is mounted already moves there with its constraint. Where the
    carrier has a body on it, it gets another frame in the same place: a frame takes one constraint."""
    label = f"Mount {carried.body} on {carrier}"
    old = hanging_on(model, carried.body)
    others = [each for each in model.constraints if old is None or each.name != old.name]
    if any(carrier in (each.start, each.end) for each in others):
        body = model.bodies[carrier.body]
        twin = replace(body.frame(carrier.frame), origin=None)
        twin = replace(twin, name=free_name(twin.name, {each.name for each in body.frames}))
        made = mount(model, assembly, carried, FrameName(carrier.body, twin.name), pose)
        return Arrangement(label, (On(AddFrame(twin), _file(body)), *made.edits))
    own = next((each for each in assembly.constraints if old is not None and each.name == old.name), None)
    if own is not None:
        ends = {"start": carrier, "end": carried, "pose": pose}
        return Arrangement(label, (On(SetConstraint(own.name, replace(own, **ends))),))  # type: ignore[arg-type]
    constraint = Constraint(constraint_name(assembly, carried.body), carrier, carried, pose)
    free = next((each for each in assembly.members if each.name == carried.body and each.pose is not None), None)
    # A place of its own would hold it there, and the vehicle would come to it.
    bound = [] if free is None else [On(SetBody(free.name, replace(free, pose=None)))]
    return Arrangement(label, (*bound, On(Bind(constraint))))


def mount_new(assembly: Assembly, name: str, file: str, frame: str, carrier: FrameName, pose: Pose = HERE) -> AddBody:
    """A body from the library, put onto a frame at once."""
    free = free_name(name, body_names(assembly))
    constraint = Constraint(constraint_name(assembly, free), carrier, FrameName(free, frame), pose)
    return AddBody(Member(free, file), constraint)


def detach(model: Model, assembly: Assembly, body: str, *, stay: bool = True) -> Detach:
    """With `stay` it keeps its place in the axes of the assembly's first body."""
    constraint = hanging_on(model, body)
    if constraint is None or constraint.name not in [each.name for each in assembly.constraints]:
        raise ModelError(f"{body} is not mounted here", hint="only a constraint of this assembly can be removed")
    return Detach(body, constraint.name, tidy(root_poses(model)[Part(body)]) if stay else None)


# ---- copies


def mirror(model: Model, assembly: Assembly, body: str, name: str = "", plane: MirrorPlane = LEFT_RIGHT) -> Arrangement:
    """The same body on the other side of a plane."""
    other = name or other_side(body, plane.axis) or f"{body}_mirrored"
    made = _copies(model, assembly, body, [plane.image], [other], plane.axis)
    return Arrangement(f"Mirror {body} to {other}", tuple(made))


def mirror_planes(model: Model, body: str) -> list[MirrorPlane]:
    """Between left and right in the middle of the first body, between front and rear, above and below in the middle of
    its shapes; those first on whose other side a copy of `body` would be in another place."""
    first = next(iter(model.bodies))
    try:
        around = outline_of(replace(model, bodies={first: model.bodies[first]}, constraints=[]), first)
        middle = (around.front_m - around.rear_m) / 2, around.height_m / 2
    except GeometryError:
        middle = 0.0, 0.0
    planes = [LEFT_RIGHT, MirrorPlane(0, round(middle[0], 3)), MirrorPlane(2, round(middle[1], 3))]
    here = root_poses(model)[Part(body)]
    return sorted(planes, key=lambda plane: is_same_place(here, plane.image(here)))


def duplicate(model: Model, assembly: Assembly, body: str, step_m: tuple[float, float, float]) -> Arrangement:
    return replace(linear_array(model, assembly, body, 2, step_m), label=f"Duplicate {body}")


def linear_array(
    model: Model, assembly: Assembly, body: str, count: int, step_m: tuple[float, float, float]
) -> Arrangement:
    """`count` of them with the one that is there, each `step_m` further in the axes of the first body."""
    placings = [_shifted(np.asarray(step_m) * number) for number in range(1, _counted(count))]
    return Arrangement(f"Repeat {body} in a line", tuple(_copies(model, assembly, body, placings)))


def circular_array(
    model: Model,
    assembly: Assembly,
    body: str,
    count: int,
    *,
    sweep_deg: float = 360.0,
    centre_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
) -> Arrangement:
    """Spread over `sweep_deg` about an axis through `centre_m`, in the axes of the first body."""
    full = abs(abs(sweep_deg) - 360.0) < 1e-9
    step = math.radians(sweep_deg) / (_counted(count) if full else count - 1)
    placings = [_turned(axis, step * number, centre_m) for number in range(1, count)]
    return Arrangement(f"Repeat {body} in a circle", tuple(_copies(model, assembly, body, placings)))


def _counted(count: int) -> int:
    if not 2 <= count <= 100:
        raise ModelError(f"{count} is not a count for an array", hint="2 to 100, including the existing one")
    return count


def _shifted(by: Matrix) -> Placing:
    def placed(pose: Matrix) -> Matrix:
        moved = pose.copy()
        moved[:3, 3] += by
        return moved

    return placed


def _turned(axis: tuple[float, float, float], angle: float, centre_m: tuple[float, float, float]) -> Placing:
    turn = np.eye(4)
    turn[:3, :3] = from_axis_angle((np.asarray(axis) / np.linalg.norm(axis)).tolist(), angle)
    turn[:3, 3] = np.asarray(centre_m) - turn[:3, :3] @ np.asarray(centre_m)
    return lambda pose: np.asarray(turn @ pose)


def _copies(
    model: Model, assembly: Assembly, body: str, placings: list[Placing], names: list[str] | None = None,
    mirrored_axis: int | None = None,
) -> Iterator[On]:  # fmt: skip
    """Members like `body`, each with a mount where the placing takes the old one."""
    member = next((each for each in assembly.members if each.name == body), None)
    if member is None:
        raise ModelError(f"{body} is not a body of this assembly", hint="open the assembly that it is in")
    taken = body_names(assembly)
    constraint = hanging_on(model, body)
    used = {end for each in model.constraints for end in (each.start, each.end)}
    poses = root_poses(model)
    for number, placing in enumerate(placings):
        name = free_name(names[number] if names else body, taken)
        taken.add(name)
        copy = replace(member, name=name, origin=None)
        if constraint is None:
            here = poses[Part(body)] if member.pose is None else member.pose.matrix
            there = _elsewhere(body, here, placing)
            yield On(AddBody(replace(copy, pose=pose_like(member.pose or HERE, there))))
            continue
        yield from _mounted_copy(model, assembly, constraint, body, copy, placing, poses, used, mirrored_axis)


def _mounted_copy(
    model: Model, assembly: Assembly, constraint: Constraint, body: str, copy: Member, placing: Placing,
    poses: dict[Part, Matrix], used: set[FrameName], mirrored_axis: int | None,
) -> Iterator[On]:  # fmt: skip
    carrier, carried = (constraint.start, constraint.end)
    mounted = constraint.pose
    if carrier.body == body:
        carrier, carried, mounted = carried, carrier, tidy(inverse(constraint.pose.matrix))
    part, in_part = part_of(model, carrier)
    there = _elsewhere(body, poses[part] @ in_part @ mounted.matrix, placing)
    frame, at = _frame_for_copy(model, carrier, placing(poses[part] @ in_part), poses, used, mirrored_axis)
    used.add(FrameName(carrier.body, frame.name))
    if frame.name not in [each.name for each in model.bodies[carrier.body].frames]:
        yield On(AddFrame(frame), _file(model.bodies[carrier.body]))
    pose = pose_like(mounted, inverse(at) @ there)
    bound = Constraint(
        free_name(f"{copy.name}_mount".lower(), {each.name for each in model.constraints}),
        FrameName(carrier.body, frame.name), FrameName(copy.name, carried.frame), pose,
        constraint.joint and replace(constraint.joint, name=f"{copy.name}_joint", origin=None),
    )  # fmt: skip
    yield On(AddBody(copy, bound))


def _elsewhere(body: str, here: Matrix, placing: Placing) -> Matrix:
    there = placing(here)
    if is_same_place(here, there):
        hint = "mirror it across another plane, or move it away from this one first"
        raise ModelError(f"the copy of {body} would be in the same place", hint=hint)
    return there


def is_same_place(one: Matrix, other: Matrix) -> bool:
    far_m, turned_rad = distance(one, other)
    return far_m < SAME_M and turned_rad < SAME_RAD


def _frame_for_copy(
    model: Model, carrier: FrameName, wanted: Matrix, poses: dict[Part, Matrix], used: set[FrameName],
    mirrored_axis: int | None,
) -> tuple[Frame, Matrix]:  # fmt: skip
    """A free frame that is there already, such as LeftMount for RightMount, else a new one; and where it is."""
    body = model.bodies[carrier.body]
    on = body.frame(carrier.frame).on
    for frame in body.frames:
        at = poses[Part(carrier.body, frame.on)] @ frame.pose.matrix
        if FrameName(carrier.body, frame.name) not in used and is_same_place(at, wanted):
            return frame, at
    taken = {frame.name for frame in body.frames} | {end.frame for end in used if end.body == carrier.body}
    other = other_side(carrier.frame, mirrored_axis) if mirrored_axis is not None else ""
    name = free_name(other or carrier.frame, taken)
    part = poses[Part(carrier.body, on)]
    made = Frame(name, pose_like(body.frame(carrier.frame).pose, inverse(part) @ wanted), on)
    return made, part @ made.pose.matrix


# ---- names and places


SIDES = (("Front", "Rear"), ("Left", "Right"), ("Top", "Bottom"))


def other_side(name: str, axis: int = 1) -> str:
    """`LeftLaser` for `RightLaser`; empty if a name tells no side."""
    for form in (str, str.lower, str.upper):
        one, other = map(form, SIDES[axis])
        if one in name:
            return name.replace(one, other)
        if other in name:
            return name.replace(other, one)
    return ""


def free_name(wanted: str, taken: set[str]) -> str:
    """`Hokuyo`, `Hokuyo2`, …"""
    if wanted not in taken:
        return wanted
    stem = wanted.rstrip("0123456789") or wanted
    return next(name for number in range(2, len(taken) + 3) if (name := f"{stem}{number}") not in taken)


def body_names(assembly: Assembly) -> set[str]:
    return {member.name for member in assembly.members}


def constraint_name(assembly: Assembly, body: str) -> str:
    return free_name(f"{body}_mount".lower(), {each.name for each in assembly.constraints})


def root_poses(model: Model, linkage: Linkage | None = None) -> dict[Part, Matrix]:
    """Every part in the axes of the assembly, with every joint at home; of the first body, where none is placed."""
    linkage = linkage or link(model)
    roots = root_places(model, linkage)
    poses = linkage.home_poses()
    return {part: roots.get(linkage.roots[part], np.eye(4)) @ pose for part, pose in poses.items()}


def _file(body: Body) -> Path | None:
    return None if body.file is None else Path(body.file)
