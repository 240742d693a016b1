"""Where one frame is in another: the questions of the Modelserver, answered from memory.

    transforms = Transforms(load_model("raptor"))
    transforms.get_transformation("Flea:ImagePlane", "Raptor:FrontBumperCenter")      # a 4x4 matrix
    transforms.set_joint("Raptor.front_left_steering", 0.1, stamp_ns=...)
    transforms.get_transformation("Raptor:FrontLeftWheel", "Raptor", stamp_ns=...)

A body's name alone stands for its origin. Setting a joint writes one number; nothing else is computed until somebody
asks. At a stamp, positions of joints are interpolated; outside of what is remembered there is an error, never a guess.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from studio.messages.pose_transform import PoseTransform
from studio.model.close_matches import did_you_mean
from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Edge, Linkage, Part, frame_part, link, mimic_of
from studio.model.geometry.poses import inverse
from studio.model.geometry.rotations import GeometryError, Matrix, unit_axis
from studio.model.geometry.transform_walk import FINE, HEADER, LATEST, NO_WAY, Walk, compiled_walk, walk_plain

REMEMBERED = 1000
"""Positions per joint: ten seconds at 100 Hz, as much as ROS keeps."""
SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class Step:
    """One stretch of a path: inside a body, across a constraint or through a joint."""

    start: str
    end: str
    via: str
    """`body Raptor`, `constraint camera_mount`, `joint Raptor.front_left_steering`."""
    backwards: bool = False
    """Against the direction in which the constraint or joint was written."""

    def __str__(self) -> str:
        return f"{self.start} -> {self.end}  ({self.via}{', backwards' if self.backwards else ''})"


class Transforms:
    def __init__(self, model: Model, *, remembered: int = REMEMBERED, compiled: bool = True) -> None:
        """`compiled=False` is for a few queries, which are over before numba is even imported. Which of the two
        answers is decided here and not while running: their last digits may differ, and replays compare bytes."""
        self.model = model
        self.linkage = link(model)
        self._remembered = remembered
        self._compiled = compiled
        self._walk: Walk | None = None
        self._frames: dict[str, tuple[Part, Matrix]] = _all_frames(model)
        self._index = {name: number for number, name in enumerate(self._frames)}
        self._joints = [edge for edge in self.linkage.edges if edge.moves]
        self._joint_index = {edge.name: number for number, edge in enumerate(self._joints)}
        self._told: set[int] = set()
        """Joints whose own position was heard: these do not go by what they mimic."""
        self._lay_out()

    # ---- the Modelserver's three questions

    def get_transformation(self, foi: str, frame_of_reference: str, stamp_ns: int = LATEST) -> Matrix:
        """The pose of the frame of interest in the frame of reference: `in_for = result @ in_foi`."""
        index = self._index
        try:
            one, other = index[foi], index[frame_of_reference]
        except KeyError:
            raise self._no_frame(foi if foi not in index else frame_of_reference) from None
        made = (self._walk or self._choose())(self._ints, self._floats, one, other, stamp_ns)
        if made[3, 3] != FINE:
            raise self._no_answer(float(made[3, 3]), foi, frame_of_reference, stamp_ns)
        return made

    def get_body_list(self) -> list[str]:
        return list(self.model.bodies)

    def get_body_frame_list(self, body: str) -> list[str]:
        if body not in self.model.bodies:
            raise GeometryError(f"there is no body {body}", hint=did_you_mean(body, self.model.bodies))
        return [frame.name for frame in self.model.bodies[body].frames]

    # ---- more of the same

    def pose_transform(self, foi: str, frame_of_reference: str, stamp_ns: int = LATEST) -> PoseTransform:
        """As a message."""
        matrix = self.get_transformation(foi, frame_of_reference, stamp_ns)
        stamp = 0 if stamp_ns == LATEST else stamp_ns
        return PoseTransform(stamp_ns=stamp, frame=frame_of_reference, child_frame=foi, matrix=matrix)

    def is_rigid(self, foi: str, frame_of_reference: str) -> bool:
        """Whether no moving joint lies between the two: what holds now holds at every stamp."""
        for name in (foi, frame_of_reference):
            if name not in self._index:
                raise self._no_frame(name)
        groups = [int(self._ints[HEADER + self._index[name]]) for name in (foi, frame_of_reference)]
        return groups[0] == groups[1]

    def frame_names(self) -> list[str]:
        """Every `Body:Frame`."""
        return [name for name in self._frames if ":" in name]

    def path(self, foi: str, frame_of_reference: str) -> list[Step]:
        """The way from the frame of reference to the frame of interest, along which transforms are multiplied."""
        for name in (foi, frame_of_reference):
            if name not in self._frames:
                raise self._no_frame(name)
        start, end = self._frames[frame_of_reference][0], self._frames[foi][0]
        edges = self.linkage.path(start, end)
        if edges is None:
            raise self._no_answer(NO_WAY, foi, frame_of_reference, LATEST)
        steps: list[Step] = []
        here = frame_of_reference
        for edge, forward in edges:
            first, last, via = _ends(edge)
            near, far = (first, last) if forward else (last, first)
            if here != near:
                steps.append(Step(here, near, f"body {here.partition(':')[0].partition('.')[0]}"))
            steps.append(Step(near, far, via, not forward))
            here = far
        if here != foi:
            steps.append(Step(here, foi, f"body {foi.partition(':')[0]}"))
        return steps

    # ---- joints

    def joint_names(self) -> list[str]:
        """`Body.joint` for joints of bodies, the constraint's name for those between bodies."""
        return list(self._joint_index)

    def set_joint(self, name: str, position: float, stamp_ns: int | None = None) -> None:
        """Without a stamp it forgets what it knew of the joint: from now on it simply is there, at any latest query.
        Joints that mimic it go with it, until their own position is told."""
        number = self._joint_number(name)
        if not math.isfinite(position):
            raise GeometryError(f"{position} is not a position of the joint {name}")
        self._set(number, position, stamp_ns)
        if self.linkage.followers:
            self._told.add(number)
            self._move_followers({name: position}, stamp_ns)

    def _move_followers(self, moved: dict[str, float], stamp_ns: int | None) -> None:
        for edge in self.linkage.followers:
            number, mimic = self._joint_index[edge.name], mimic_of(edge)
            if mimic.joint in moved and number not in self._told:
                moved[edge.name] = mimic.position(moved[mimic.joint])
                self._set(number, moved[edge.name], stamp_ns)

    def _set(self, number: int, position: float, stamp_ns: int | None) -> None:
        if stamp_ns is None:
            self._floats[self._home_at + number] = position
            self._counts[number] = 0
            return
        stamps, positions, count = self._stamps[number], self._positions[number], int(self._counts[number])
        if count == len(stamps):
            kept = self._remembered - 1
            stamps[:kept], positions[:kept] = stamps[count - kept :].copy(), positions[count - kept :].copy()
            count = kept
        place = count if count == 0 or stamp_ns > stamps[count - 1] else int(np.searchsorted(stamps[:count], stamp_ns))
        if place < count and stamps[place] == stamp_ns:
            positions[place] = position
        else:
            stamps[place + 1 : count + 1] = stamps[place:count].copy()
            positions[place + 1 : count + 1] = positions[place:count].copy()
            stamps[place], positions[place] = stamp_ns, position
            count += 1
        self._counts[number] = count

    def joint_span(self, name: str) -> tuple[int, int] | None:
        """First and last stamp remembered of a joint; None if it has none."""
        number = self._joint_number(name)
        count = int(self._counts[number])
        return (int(self._stamps[number, 0]), int(self._stamps[number, count - 1])) if count else None

    def _joint_number(self, name: str) -> int:
        number = self._joint_index.get(name)
        if number is None:
            hint = did_you_mean(name, self._joint_index) or "nothing in this model moves"
            raise GeometryError(f"there is no moving joint {name}", hint=hint)
        return number

    # ---- errors

    def _no_frame(self, name: str) -> GeometryError:
        body, _, frame = name.partition(":")
        if body in self.model.bodies and frame:
            known = self.get_body_frame_list(body)
            return GeometryError(f"{body} has no frame {frame}", hint=did_you_mean(frame, known))
        hint = did_you_mean(name if ":" in name else body, self._frames if ":" in name else self.model.bodies)
        return GeometryError(f"there is no frame {name}", hint=hint)

    def _no_answer(self, code: float, foi: str, frame_of_reference: str, stamp_ns: int) -> GeometryError:
        if code == NO_WAY:
            hint = f"no constraint leads from {_body(frame_of_reference)} and what it is bound to, to {_body(foi)}"
            return GeometryError(f"{foi} is not connected with {frame_of_reference}", hint=hint)
        name = self._joints[round(-code) - 1].name
        span = self.joint_span(name)
        if span is None:
            return GeometryError(
                f"no position is known of the joint {name} at {_seconds(stamp_ns)}",
                hint="it has no positions with stamps; ask without a stamp for its position",
            )
        side = "before" if stamp_ns < span[0] else "after"
        return GeometryError(
            f"{_seconds(stamp_ns)} is {side} the stored positions of the joint {name}",
            hint=f"from {_seconds(span[0])} to {_seconds(span[1])}",
        )

    # ---- numbers for the walk

    def _choose(self) -> Walk:
        self._walk = (compiled_walk() if self._compiled else None) or walk_plain
        return self._walk

    def _lay_out(self) -> None:
        group_of, in_group, records, places = _groups(self.linkage, self._joint_index)
        frames, groups, joints, room = len(self._frames), len(records), len(self._joints), 2 * self._remembered
        count_at = HEADER + frames + 4 * groups
        self._home_at = 12 * frames + 15 * groups
        self._ints = np.zeros(count_at + joints + joints * room, np.int64)
        self._floats = np.zeros(self._home_at + joints + joints * room)
        self._ints[:HEADER] = frames, groups, joints, room
        for number, (part, pose) in enumerate(self._frames.values()):
            self._ints[HEADER + number] = group_of[part]
            self._floats[12 * number : 12 * number + 12] = _flat(in_group[part] @ pose)
        self._ints[HEADER + frames : count_at] = np.array(records, np.int64).reshape(-1)
        self._floats[12 * frames : self._home_at] = np.array(places).reshape(-1)
        self._floats[self._home_at : self._home_at + joints] = [_home(edge) for edge in self._joints]
        self._counts = self._ints[count_at : count_at + joints]
        self._stamps = self._ints[count_at + joints :].reshape(joints, room)
        self._positions = self._floats[self._home_at + joints :].reshape(joints, room)


def _all_frames(model: Model) -> dict[str, tuple[Part, Matrix]]:
    frames: dict[str, tuple[Part, Matrix]] = {}
    for name, body in model.bodies.items():
        frames[name] = Part(name), np.eye(4)
        for frame in body.frames:
            frames[f"{name}:{frame.name}"] = frame_part(name, body, frame.name)
    return frames


def _groups(
    linkage: Linkage, joint_index: dict[str, int]
) -> tuple[dict[Part, int], dict[Part, Matrix], list[tuple[int, int, int, int]], list[list[float]]]:
    """What is rigid together: the group of each part, the part in it, and for each group how it hangs on its parent."""
    group_of: dict[Part, int] = {}
    in_group: dict[Part, Matrix] = {}
    records: list[tuple[int, int, int, int]] = []
    places: list[list[float]] = []
    for part in linkage.order:
        branch = linkage.branches.get(part)
        if branch is not None and not branch.edge.moves:
            group_of[part] = group_of[branch.parent]
            in_group[part] = in_group[branch.parent] @ branch.at()
            continue
        group_of[part] = len(records)
        if branch is None or branch.edge.joint is None:
            in_group[part] = np.eye(4)
            records.append((-1, 0, 0, 0))
            places.append([*_flat(np.eye(4)), 0.0, 0.0, 1.0])
            continue
        edge, joint = branch.edge, branch.edge.joint
        before, after = (edge.before, edge.after) if branch.forward else (inverse(edge.after), inverse(edge.before))
        in_group[part] = after
        kind = (1 if joint.turns else 2) * (1 if branch.forward else -1)
        parent = group_of[branch.parent]
        records.append((parent, records[parent][1] + 1, joint_index[edge.name], kind))
        places.append([*_flat(in_group[branch.parent] @ before), *unit_axis(joint.axis)])
    return group_of, in_group, records, places


def _flat(pose: Matrix) -> list[float]:
    return [*pose[:3, :3].reshape(-1).tolist(), *pose[:3, 3].tolist()]


def _home(edge: Edge) -> float:
    return edge.joint.home if edge.joint is not None else 0.0


def _ends(edge: Edge) -> tuple[str, str, str]:
    if edge.constraint is not None:
        return str(edge.constraint.start), str(edge.constraint.end), f"constraint {edge.name}"
    joint = edge.joint
    at = f"{edge.start.body}:{joint.at}" if joint is not None else str(edge.start)
    return at, str(edge.end), f"joint {edge.name}"


def _body(name: str) -> str:
    return name.partition(":")[0]


def _seconds(stamp_ns: int) -> str:
    return f"{stamp_ns / SECOND_NS:.6f} s"
