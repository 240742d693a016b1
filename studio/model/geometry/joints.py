"""What can move: joints of a body, or between two bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from studio.model.geometry.rotations import Angles, GeometryError, Matrix, from_axis_angle, unit_axis
from studio.model.origin import Origin

JointKind = Literal["fixed", "hinge", "steering", "drive", "slider"]
JOINT_KINDS: tuple[JointKind, ...] = get_args(JointKind)


@dataclass(frozen=True)
class Mimic:
    """The position is `multiplier` times that of another joint, plus `offset`: gears, grippers, parallel linkages."""

    joint: str
    """Of the same body; for the joint of a constraint as positions are set: a constraint, or `Body.joint`."""
    multiplier: float = 1.0
    offset: float = 0.0
    """Radians or metres."""

    def position(self, other: float) -> float:
        return self.multiplier * other + self.offset


@dataclass(frozen=True)
class Joint:
    """A hinge turns within its limits, a steering joint likewise and is steered, a drive joint turns on and on and
    is driven, a slider slides along its axis. Positions are radians or metres, whatever the file is written in."""

    name: str
    kind: JointKind
    at: str = ""
    """The frame of the body in which the joint sits, with the axis in its coordinates; empty between two bodies.
    If that frame moves with another joint, so does this one."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    lower: float | None = None
    upper: float | None = None
    home: float = 0.0
    """The position before anything is heard of it. Of a joint that mimics another it follows from that one's."""
    speed: float | None = None
    """Limit, rad/s or m/s."""
    effort: float | None = None
    """Limit, Nm or N."""
    mimic: Mimic | None = None
    """Where it is unless its own position is told."""
    angles: Angles | None = None
    """The unit in which the file gives lower, upper, home, speed and offset."""
    origin: Origin | None = None

    def __post_init__(self) -> None:
        unit_axis(self.axis)
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise GeometryError(f"the lower limit {self.lower:g} is above the upper limit {self.upper:g}")

    @property
    def moves(self) -> bool:
        return self.kind != "fixed"

    @property
    def turns(self) -> bool:
        return self.kind in ("hinge", "steering", "drive")

    @property
    def unit(self) -> str:
        return "m" if self.kind == "slider" else "rad"

    def matrix(self, position: float) -> Matrix:
        """Takes points of the moving side to the side that carries it."""
        made = np.eye(4)
        axis = unit_axis(self.axis)
        if self.turns:
            made[:3, :3] = from_axis_angle(axis, position)
        elif self.kind == "slider":
            made[:3, 3] = np.array(axis) * position
        return made


def prefixed_mimic(joint: Joint, prefix: str) -> Joint:
    """As it is called where its assembly is included with `prefix`."""
    return (
        joint if joint.mimic is None else replace(joint, mimic=replace(joint.mimic, joint=prefix + joint.mimic.joint))
    )
