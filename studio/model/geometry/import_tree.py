"""Links and joints of a foreign file, and the bodies and constraints that become of them.

Each link becomes a body and each joint a constraint between frames made for it. What Studio exported is recognized by
its names and becomes what it was: `Raptor:FrontBumperCenter` a frame of Raptor, `Raptor.front_left_steering` a joint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np

from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Member, Model
from studio.model.geometry.body import Body, Drive, Frame, GivenMass
from studio.model.geometry.export_tree import JOINT_SUFFIX
from studio.model.geometry.joints import Joint, JointKind, Mimic
from studio.model.geometry.linkage import link as linkage_of
from studio.model.geometry.poses import Pose, distance, inverse, is_here
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.sensors import Sensor
from studio.model.geometry.shapes import Shape

SAME = 1e-9
FRAME = "Origin"
"""What a body gets that has no frame of its own."""


@dataclass
class RawLink:
    name: str
    mass: GivenMass | None = None
    shapes: list[Shape] = field(default_factory=list)
    frames: list[tuple[str, Matrix]] = field(default_factory=list)
    sensors: list[tuple[Sensor, Matrix]] = field(default_factory=list)


@dataclass(eq=False)
class RawJoint:
    """`parent_from_child = before @ move(position) @ after`."""

    name: str
    kind: JointKind
    parent: str
    child: str
    before: Matrix
    after: Matrix
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    lower: float | None = None
    upper: float | None = None
    speed: float | None = None
    effort: float | None = None
    home: float = 0.0
    mimic: Mimic | None = None
    """By the name of the other joint in the file."""

    def reversed(self) -> RawJoint:
        x, y, z = self.axis
        ends = {
            "parent": self.child,
            "child": self.parent,
            "before": inverse(self.after),
            "after": inverse(self.before),
        }
        return replace(self, axis=(-x, -y, -z), **ends)  # type: ignore[arg-type]


@dataclass
class Raw:
    """Links and joints as the file has them, whatever Studio makes of them."""

    name: str
    links: list[RawLink] = field(default_factory=list)
    joints: list[RawJoint] = field(default_factory=list)
    drive: Drive | None = None
    pose: Matrix = field(default_factory=lambda: np.eye(4))
    """Where the model is in the world."""
    places: dict[str, Matrix] = field(default_factory=dict)
    """Where links are in the model, with every joint at 0; asked for those that no joint holds."""
    static: set[str] = field(default_factory=set)
    """Links that are fixed in the world."""
    notes: list[str] = field(default_factory=list)


@dataclass
class Imported:
    model: Model
    assembly: Assembly
    notes: list[str]
    """What Studio cannot hold, and what it had to guess."""
    bodies: dict[str, str] = field(default_factory=dict)
    """Links of the file that are bodies of their own, and what those are called."""
    joints: dict[str, str] = field(default_factory=dict)
    """Joints of the file between them, and the constraints that they are."""


def build(raw: Raw, file: str) -> Imported:
    return _Builder(raw, file).build()


class _Builder:
    def __init__(self, raw: Raw, file: str) -> None:
        self.raw = raw
        self.file = file
        self.notes = raw.notes
        self.names = _Names()
        self.bodies: dict[str, Body] = {}
        self.part: dict[str, tuple[str, str]] = {}
        """For each link the body and the joint of it that it belongs to."""
        self.shift: dict[str, Matrix] = {}
        """The link's own origin in its part: a part begins at its joint, a link where it likes."""
        self.joints: dict[str, str] = {}
        self.bound: set[tuple[str, str]] = set()

    def build(self) -> Imported:
        inner = self._joints_inside_bodies()
        for link in self._roots_first():
            if link.name not in inner:
                name = self.names.make(link.name)
                self._tell_renamed("link", link.name, name)
                self.bodies[name] = Body(name, is_static=link.name in self.raw.static, file=self.file)
                self.part[link.name], self.shift[link.name] = (name, ""), np.eye(4)
        for name, joint in inner.items():
            self.part[name] = self.part[name.partition(".")[0]][0], name.partition(".")[2]
            self.shift[name] = joint.after
        for link in self.raw.links:
            self._fill(link)
        for name, joint in inner.items():
            self._add_inner(name, joint)
        inside = {name + JOINT_SUFFIX for name in inner}
        constraints = [self._constraint(joint) for joint in self.raw.joints if joint.name not in inside]
        self._follow_mimics(constraints, {joint.name: name for name, joint in inner.items()})
        for body in self.bodies.values():
            if not body.frames:
                body.frames.append(Frame(FRAME))
        self._add_drive()
        assembly = Assembly(_clean(self.raw.name), constraints=constraints, pose=Pose.from_matrix(self.raw.pose))
        self._tell_renamed("model", self.raw.name, assembly.name)
        model = Model(assembly.name, self.bodies, constraints, file=self.file, pose=assembly.pose)
        model.placed = self._placed(model)
        assembly.members = [Member(name, f"{name}.xml", model.placed.get(name)) for name in self.bodies]
        bodies = {link: body for link, (body, joint) in self.part.items() if not joint}
        return Imported(model, assembly, self.notes, bodies, self.joints)

    def _roots_first(self) -> list[RawLink]:
        """The first body is the root of an export, whatever the order in the file was."""
        held = {joint.child for joint in self.raw.joints}
        return sorted(self.raw.links, key=lambda link: link.name in held)

    def _placed(self, model: Model) -> dict[str, Pose]:
        """Where trees begin; a single one that begins at the origin need not say so."""
        link_of = {body: link for link, (body, joint) in self.part.items() if not joint}
        roots = [group[0].body for group in linkage_of(model).groups()]
        found = {body: self.raw.places[link_of[body]] for body in roots if link_of[body] in self.raw.places}
        if len(roots) == 1 and all(is_here(pose) for pose in found.values()):
            return {}
        return {body: Pose.from_matrix(pose) for body, pose in found.items()}

    def _tell_renamed(self, what: str, theirs: str, ours: str) -> None:
        if theirs != ours:
            self.notes.append(f"the {what} {theirs} is called {ours} here")

    def _joints_inside_bodies(self) -> dict[str, RawJoint]:
        """Links `Body.joint` that Studio exported, with the joint that moves them, from the body outwards."""
        by_name = {joint.name: joint for joint in self.raw.joints}
        bodies = {link.name for link in self.raw.links if "." not in link.name}
        found: dict[str, RawJoint] = {}
        for link in self.raw.links:
            body, _, short = link.name.partition(".")
            joint = by_name.get(link.name + JOINT_SUFFIX)
            if body in bodies and joint is not None and _clean(short) == short:
                outward = joint if joint.child == link.name else joint.reversed()
                if outward.child == link.name and outward.parent.partition(".")[0] == body:
                    found[link.name] = outward
        # Links that look like it, but hang on one that does not, are links like any other.
        while missing := [
            name for name, joint in found.items() if joint.parent not in found and joint.parent not in bodies
        ]:
            for name in missing:
                del found[name]
        return found

    def _fill(self, link: RawLink) -> None:
        (name, on), shift = self.part[link.name], self.shift[link.name]
        body = self.bodies[name]
        for full, pose in link.frames:
            owner, colon, short = full.partition(":")
            wanted = short if colon and _clean(owner) == name else full
            frame = self._free_name(body, _clean(wanted))
            self._tell_renamed("frame", wanted, frame)
            body.frames.append(Frame(frame, Pose.from_matrix(shift @ pose), on))
        for shape in link.shapes:
            body.shapes.append(replace(shape, on=on, pose=Pose.from_matrix(shift @ shape.pose.matrix)))
        if link.mass is not None:
            body.masses.append(replace(link.mass, on=on, pose=Pose.from_matrix(shift @ link.mass.pose.matrix)))
        for sensor, pose in link.sensors:
            frame = self._frame_at(name, on, shift @ pose, f"{_clean(sensor.name)}_frame", free=False)
            known = {each.name for each in body.sensors}
            short = _clean(sensor.name)
            while short in known:
                short += "_"
            self._tell_renamed("sensor", sensor.name, short)
            body.sensors.append(replace(sensor, name=short, frame=frame))

    def _add_inner(self, link: str, raw: RawJoint) -> None:
        (name, on), short = self.part[raw.parent], self.part[link][1]
        at = self._frame_at(name, on, self.shift[raw.parent] @ raw.before, f"{short}_at", free=False)
        self.bodies[name].joints.append(_joint(short, raw, at))

    def _constraint(self, raw: RawJoint) -> Constraint:
        name = self.names.constraint(raw.name)
        self._tell_renamed("joint", raw.name, name)
        self.joints[raw.name] = name
        ends = []
        for link, pose, role in ((raw.parent, raw.before, "from"), (raw.child, inverse(raw.after), "to")):
            body, on = self.part[link]
            ends.append(FrameName(body, self._frame_at(body, on, self.shift[link] @ pose, f"{name}_{role}", free=True)))
        joint = None if raw.kind == "fixed" else _joint(name, raw)
        return Constraint(name, ends[0], ends[1], joint=joint)

    def _follow_mimics(self, constraints: list[Constraint], inner: dict[str, str]) -> None:
        """`inner`: links `Body.joint` by the joints of the file that move them. All joints have their names by now."""
        named = {**self.joints, **inner}
        moving = {joint.name for joint in self.raw.joints if joint.kind != "fixed"}

        def followed(joint: Joint, body: str = "") -> Joint:
            if joint.mimic is None:
                return joint
            theirs = joint.mimic.joint
            name = named.get(theirs, "") if theirs in moving else ""
            if body:
                name = name.removeprefix(f"{body}.") if name.startswith(f"{body}.") else ""
            if not name:
                self.notes.append(f"the joint {joint.name} moves by itself: it cannot mimic {theirs or 'another'} here")
                return replace(joint, mimic=None, home=joint.mimic.offset)
            return replace(joint, mimic=replace(joint.mimic, joint=name))

        for number, constraint in enumerate(constraints):
            if constraint.joint is not None:
                constraints[number] = replace(constraint, joint=followed(constraint.joint))
        for name, body in self.bodies.items():
            body.joints = [followed(joint, name) for joint in body.joints]

    def _frame_at(self, name: str, on: str, pose: Matrix, otherwise: str, *, free: bool) -> str:
        """A frame of the body that is there already (and takes a constraint, if that is wanted), else a new one."""
        body = self.bodies[name]
        for frame in body.frames:
            is_there = frame.on == on and max(distance(frame.pose.matrix, pose)) < SAME
            if is_there and not (free and (name, frame.name) in self.bound):
                break
        else:
            frame = Frame(self._free_name(body, otherwise), Pose.from_matrix(pose), on)
            body.frames.append(frame)
        if free:
            self.bound.add((name, frame.name))
        return frame.name

    def _free_name(self, body: Body, name: str) -> str:
        known = {frame.name for frame in body.frames}
        while name in known:
            name += "_"
        return name

    def _add_drive(self) -> None:
        owner = next(
            (body for body in self.bodies.values() if any(joint.kind == "drive" for joint in body.joints)), None
        )
        if self.raw.drive is not None and owner is not None:
            owner.drive = self.raw.drive


def _joint(name: str, raw: RawJoint, at: str = "") -> Joint:
    mimic = None if raw.kind == "fixed" else raw.mimic
    made = Joint(name, raw.kind, at, raw.axis, raw.lower, raw.upper, raw.home, raw.speed, raw.effort, mimic)
    return made if raw.kind in ("slider", "fixed") else replace(made, angles="radians")


class _Names:
    """Names that Studio can write, each once."""

    def __init__(self) -> None:
        self._bodies: set[str] = set()
        self._constraints: set[str] = set()

    def make(self, name: str) -> str:
        return self._once(_clean(name), self._bodies)

    def constraint(self, name: str) -> str:
        return self._once(_clean(name), self._constraints)

    def _once(self, name: str, known: set[str]) -> str:
        while name in known:
            name += "_"
        known.add(name)
        return name


def _clean(name: str) -> str:
    made = re.sub(r"::|[^A-Za-z0-9_-]", "_", name)[:200] or "_"
    return made if re.match(r"[A-Za-z_]", made) else f"_{made}"
