"""Random models for the tests of geometry, made from a seed."""

from __future__ import annotations

import numpy as np

from studio.model.geometry.assembly import Constraint, FrameName, Model
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation, quaternion_of

FORMS = ("rpy", "quaternion", "axis_angle")


def random_pose(rng: np.random.Generator) -> Pose:
    form = FORMS[rng.integers(3)]
    if form == "rpy":
        values = rng.uniform(-3.1, 3.1, 3)
        if rng.random() < 0.2:
            values[1] = np.pi / 2
        rotation = Rotation("rpy", tuple(values.tolist()), "radians")
    elif form == "quaternion":
        turned = Rotation("axis_angle", tuple(rng.normal(size=4).tolist()), "radians").matrix
        rotation = Rotation("quaternion", quaternion_of(turned))
    else:
        rotation = Rotation("axis_angle", (*rng.normal(size=3).tolist(), float(rng.uniform(-180, 180))), "degrees")
    x, y, z = rng.uniform(-2, 2, 3).tolist()
    return Pose((x, y, z), rotation)


def random_joint(rng: np.random.Generator, name: str, at: str = "") -> Joint:
    kind = ("hinge", "drive", "slider", "fixed")[rng.integers(4)]
    x, y, z = rng.normal(size=3).tolist()
    limits = {"lower": -2.0, "upper": 2.0} if kind in ("hinge", "slider") else {}
    return Joint(name, kind, at, (x, y, z), home=float(rng.uniform(-1, 1)), angles="radians", **limits)  # type: ignore[arg-type]


def random_model(seed: int, bodies: int = 8, frames: int = 4, *, chain: bool = False) -> Model:
    """A tree of bodies; constraints point either way, some move, and some bodies have joints of their own."""
    rng = np.random.default_rng(seed)
    made: dict[str, Body] = {}
    for number in range(bodies):
        body = Body(f"B{number}", frames=[Frame(f"F{i}", random_pose(rng)) for i in range(frames)])
        if rng.random() < 0.5:
            body.joints = [random_joint(rng, "j", "F0")]
            body.frames.append(Frame("Moved", random_pose(rng), "j"))
        made[body.name] = body
    constraints = []
    for number in range(1, bodies):
        parent = number - 1 if chain else int(rng.integers(number))
        # A frame takes one constraint: each binding gets frames of its own.
        here, there = made[f"B{number}"], made[f"B{parent}"]
        on = "j" if there.joints and rng.random() < 0.5 else ""
        here.frames.append(Frame("Up", random_pose(rng)))
        there.frames.append(Frame(f"To{number}", random_pose(rng), on))
        ends = [FrameName(there.name, f"To{number}"), FrameName(here.name, "Up")]
        if rng.random() < 0.5:
            ends.reverse()
        joint = random_joint(rng, f"c{number}") if rng.random() < 0.5 else None
        constraints.append(Constraint(f"c{number}", ends[0], ends[1], random_pose(rng), joint))
    return Model(f"random{seed}", made, constraints)
