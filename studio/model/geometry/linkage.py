"""The parts of a model that are rigid in themselves, and what holds them together: a spanning tree, and its loops.

A part is a body, or what one of its joints moves. Constraints and joints are edges; a breadth-first search, whichever
way they point, gives each part a parent. Edges that the tree does not need close loops, and are verified.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from studio.model.close_matches import did_you_mean
from studio.model.geometry.assembly import Constraint, FrameName, Model
from studio.model.geometry.body import Body
from studio.model.geometry.joints import Joint, Mimic
from studio.model.geometry.poses import distance, inverse
from studio.model.geometry.rotations import GeometryError, Matrix


class Part(NamedTuple):
    body: str
    joint: str = ""
    """The joint of the body that moves it; empty for the body itself."""

    def __str__(self) -> str:
        return f"{self.body}.{self.joint}" if self.joint else self.body


@dataclass(frozen=True)
class Edge:
    """`start_from_end = before @ joint @ after`."""

    name: str
    """Of the constraint, or `Body.joint`; a joint's position is set under this name."""
    start: Part
    end: Part
    before: Matrix
    after: Matrix
    joint: Joint | None = None
    constraint: Constraint | None = None

    @property
    def moves(self) -> bool:
        return self.joint is not None and self.joint.moves

    def at(self, position: float | None = None) -> Matrix:
        """With its joint in `position`, by default at home."""
        if self.joint is None:
            return self.before @ self.after
        return self.before @ self.joint.matrix(self.joint.home if position is None else position) @ self.after


@dataclass(frozen=True)
class Branch:
    """How a part hangs on its parent. `forward` if the edge points from the parent to the part."""

    parent: Part
    edge: Edge
    forward: bool

    def at(self, position: float | None = None) -> Matrix:
        """The part in its parent, with its joint in `position`, by default at home."""
        step = self.edge.at(position)
        return step if self.forward else inverse(step)


@dataclass(frozen=True)
class Loop:
    """A constraint that closes a loop: how far its two ends are from where it wants them."""

    edge: Edge
    path: tuple[str, ...]
    """The edges of the tree between its two ends."""
    error_m: float
    error_rad: float
    moves: bool
    """Then it was measured with every joint at home."""

    def closes(self, tolerance_m: float, tolerance_deg: float) -> bool:
        return self.error_m <= tolerance_m and self.error_rad <= math.radians(tolerance_deg)


@dataclass
class Linkage:
    parts: list[Part]
    edges: list[Edge]
    branches: dict[Part, Branch] = field(default_factory=dict)
    """Every part but the roots."""
    order: list[Part] = field(default_factory=list)
    """Parents before children."""
    followers: list[Edge] = field(default_factory=list)
    """Whose joint mimics another, each after the one that it mimics."""
    roots: dict[Part, Part] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)

    def groups(self) -> list[list[Part]]:
        """What hangs together."""
        found: dict[Part, list[Part]] = {}
        for part in self.order:
            found.setdefault(self.roots[part], []).append(part)
        return list(found.values())

    def home_poses(self) -> dict[Part, Matrix]:
        """Every part in its root, with every joint at home."""
        return self.poses({})

    def poses(self, positions: Mapping[str, float]) -> dict[Part, Matrix]:
        """Every part in its root. A joint that `positions` does not name is where its mimic puts it, else at home."""
        positions = self.with_followers(positions)
        poses: dict[Part, Matrix] = {}
        for part in self.order:
            branch = self.branches.get(part)
            if branch is None:
                poses[part] = np.eye(4)
            else:
                poses[part] = poses[branch.parent] @ branch.at(positions.get(branch.edge.name))
        return poses

    def with_followers(self, positions: Mapping[str, float]) -> Mapping[str, float]:
        """With those of joints that mimic what `positions` names, unless it names them too."""
        if not self.followers:
            return positions
        made = dict(positions)
        for edge in self.followers:
            mimic = mimic_of(edge)
            if edge.name not in made and mimic.joint in made:
                made[edge.name] = mimic.position(made[mimic.joint])
        return made

    def ancestors(self, part: Part) -> Iterator[Part]:
        yield part
        while part in self.branches:
            part = self.branches[part].parent
            yield part

    def path(self, start: Part, end: Part) -> list[tuple[Edge, bool]] | None:
        """The edges of the tree from `start` to `end`, and whether each is gone forwards; None if there is no way."""
        if self.roots[start] != self.roots[end]:
            return None
        above = set(self.ancestors(start))
        down: list[tuple[Edge, bool]] = []
        for part in self.ancestors(end):
            if part in above:
                meeting = part
                break
            branch = self.branches[part]
            down.append((branch.edge, branch.forward))
        up: list[tuple[Edge, bool]] = []
        part = start
        while part != meeting:
            branch = self.branches[part]
            up.append((branch.edge, not branch.forward))
            part = branch.parent
        return up + down[::-1]


def link(model: Model, root: str | None = None) -> Linkage:
    """Build the tree, from the first body on, or from the body `root`."""
    parts = [Part(name, part) for name, body in model.bodies.items() for part in body.parts()]
    edges, followers = _with_mimics(model)
    linkage = Linkage(parts, edges, followers=followers)
    starts = parts if root is None else sorted(parts, key=lambda part: part != Part(root))
    _grow(linkage, starts)
    return linkage


def root_places(model: Model, linkage: Linkage) -> dict[Part, Matrix]:
    """From the body of each tree that says where it is, which need not be its root."""
    at_home = linkage.home_poses()
    found: dict[Part, Matrix] = {}
    for body, pose in model.placed.items():
        if body in model.bodies:
            part = Part(body)
            found.setdefault(linkage.roots[part], pose.matrix @ inverse(at_home[part]))
    return found


def frame_part(name: str, body: Body, frame: str) -> tuple[Part, Matrix]:
    """The part that carries a frame, and the frame in it."""
    found = body.frame(frame)
    if found.on and body.joint(found.on) is None:
        hint = did_you_mean(found.on, [joint.name for joint in body.joints]) or "the body has no joints"
        line = found.origin.line if found.origin else None
        message = f"{name}:{frame} is on the joint {found.on}, which does not exist"
        raise GeometryError(message, file=body.file, line=line, hint=hint)
    return Part(name, found.on), found.pose.matrix


def part_of(model: Model, name: FrameName) -> tuple[Part, Matrix]:
    return frame_part(name.body, model.bodies[name.body], name.frame)


def mimic_of(edge: Edge) -> Mimic:
    assert edge.joint is not None and edge.joint.mimic is not None
    return edge.joint.mimic


def _with_mimics(model: Model) -> tuple[list[Edge], list[Edge]]:
    """All edges, and those that mimic others: these name them as positions are set, and have the home that follows."""
    edges = [*_joint_edges(model), *_constraint_edges(model)]
    moving = {edge.name: edge for edge in edges if edge.moves}
    made: dict[str, Edge] = {}

    def follow(edge: Edge, above: tuple[str, ...] = ()) -> Edge:
        joint = edge.joint
        if joint is None or joint.mimic is None or not joint.moves or edge.name in made:
            return made.get(edge.name, edge)
        name = joint.mimic.joint if edge.constraint is not None else str(Part(edge.start.body, joint.mimic.joint))
        if name not in moving:
            raise _no_mimic(model, edge, f"mimics {name}, and no joint of that name moves", did_you_mean(name, moving))
        if name in (*above, edge.name):
            hint = "let one of them move by itself"
            raise _no_mimic(model, edge, f"mimics {name}, which follows it in turn", hint)
        home = joint.mimic.position(_home(follow(moving[name], (*above, edge.name))))
        made[edge.name] = replace(edge, joint=replace(joint, home=home, mimic=replace(joint.mimic, joint=name)))
        return made[edge.name]

    return [follow(edge) for edge in edges], list(made.values())


def _home(edge: Edge) -> float:
    return 0.0 if edge.joint is None else edge.joint.home


def _no_mimic(model: Model, edge: Edge, words: str, hint: str) -> GeometryError:
    if edge.constraint is not None:
        file, line = model.place_of("constraint", edge.name)
    else:
        origin = edge.joint.origin if edge.joint is not None else None
        file, line = model.bodies[edge.start.body].file, origin.line if origin is not None else None
    return GeometryError(f"the joint {edge.name} {words}", file=file, line=line, hint=hint)


def _joint_edges(model: Model) -> Iterator[Edge]:
    for name, body in model.bodies.items():
        for joint in body.joints:
            carrier, at = frame_part(name, body, joint.at)
            moved = Part(name, joint.name)
            yield Edge(str(moved), carrier, moved, at, np.eye(4), joint)


def _constraint_edges(model: Model) -> Iterator[Edge]:
    for constraint in model.constraints:
        for end in (constraint.start, constraint.end):
            if end.body not in model.bodies:
                raise GeometryError(f"the constraint {constraint.name} binds {end}, but there is no body {end.body}")
        start, start_frame = part_of(model, constraint.start)
        end_part, end_frame = part_of(model, constraint.end)
        after = constraint.pose.matrix @ inverse(end_frame)
        yield Edge(constraint.name, start, end_part, start_frame, after, constraint.joint, constraint)


def _grow(linkage: Linkage, starts: list[Part]) -> None:
    """What stands first in the file becomes the tree; what joins two parts that hang together already closes a loop.
    People add a brace last, and expect to be told of the brace."""
    tree, closing = _split(linkage)
    touching: dict[Part, list[Edge]] = {part: [] for part in linkage.parts}
    for edge in tree:
        touching[edge.start].append(edge)
        touching[edge.end].append(edge)
    for start in starts:
        if start in linkage.roots:
            continue
        linkage.roots[start] = start
        waiting = deque([start])
        while waiting:
            part = waiting.popleft()
            linkage.order.append(part)
            for edge in touching[part]:
                forward = edge.start == part
                other = edge.end if forward else edge.start
                if other not in linkage.roots:
                    linkage.roots[other] = start
                    linkage.branches[other] = Branch(part, edge, forward)
                    waiting.append(other)
    poses = linkage.home_poses()
    linkage.loops = [_loop(linkage, edge, poses) for edge in closing]


def _split(linkage: Linkage) -> tuple[list[Edge], list[Edge]]:
    leader = {part: part for part in linkage.parts}

    def leader_of(part: Part) -> Part:
        while leader[part] != part:
            leader[part] = part = leader[leader[part]]
        return part

    tree: list[Edge] = []
    closing: list[Edge] = []
    for edge in linkage.edges:
        one, other = leader_of(edge.start), leader_of(edge.end)
        (closing if one == other else tree).append(edge)
        leader[other] = one
    return tree, closing


def _loop(linkage: Linkage, edge: Edge, poses: dict[Part, Matrix]) -> Loop:
    error_m, error_rad = distance(poses[edge.start] @ edge.at(), poses[edge.end])
    path = linkage.path(edge.start, edge.end) or []
    moves = edge.moves or any(step.moves for step, _ in path)
    return Loop(edge, tuple(step.name for step, _ in path), error_m, error_rad, moves)
