"""60 bodies with 400 frames, every body on a moving joint, and queries between random frames at random stamps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.model.geometry.assembly import Constraint, FrameName, Model
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.transforms import SECOND_NS, Transforms

BODIES, FRAMES, QUERIES = 60, 400, 200
SAMPLES, RATE_HZ = 100, 10
"""Ten seconds of every joint."""


@dataclass(frozen=True)
class Query:
    foi: str
    reference: str
    stamp_ns: int


@dataclass(frozen=True)
class Workload:
    model: Model
    positions: dict[str, list[float]]
    """Of every joint, RATE_HZ of them per second."""
    queries: list[Query]
    mean_depth: float

    def transforms(self) -> Transforms:
        made = Transforms(self.model)
        for name, values in self.positions.items():
            for number, position in enumerate(values):
                made.set_joint(name, position, number * SECOND_NS // RATE_HZ)
        return made


def workload(seed: int = 5) -> Workload:
    rng = np.random.default_rng(seed)
    bodies = {f"B{i}": Body(f"B{i}", frames=[Frame("In", _pose(rng))]) for i in range(BODIES)}
    constraints, depth = [], [0]
    for i in range(1, BODIES):
        parent = max(0, i - int(rng.integers(1, 3)))
        depth.append(depth[parent] + 1)
        bodies[f"B{parent}"].frames.append(Frame(f"To{i}", _pose(rng)))
        x, y, z = rng.normal(size=3).tolist()
        joint = Joint(f"c{i}", "hinge", axis=(x, y, z), angles="radians")
        ends = FrameName(f"B{parent}", f"To{i}"), FrameName(f"B{i}", "In")
        constraints.append(Constraint(f"c{i}", *ends, joint=joint))
    names = [f"{body.name}:{frame.name}" for body in bodies.values() for frame in body.frames]
    for number in range(FRAMES - len(names)):
        body = bodies[f"B{number % BODIES}"]
        body.frames.append(Frame(f"F{number}", _pose(rng)))
        names.append(f"{body.name}:F{number}")
    walks = np.cumsum(rng.normal(scale=0.05, size=(BODIES - 1, SAMPLES)), axis=1)
    positions = {f"c{i}": walks[i - 1].tolist() for i in range(1, BODIES)}
    last_ns = (SAMPLES - 1) * SECOND_NS // RATE_HZ
    queries = []
    for _ in range(QUERIES):
        foi, reference = rng.choice(names, 2, replace=False).tolist()
        queries.append(Query(foi, reference, int(rng.integers(0, last_ns))))
    return Workload(Model("bench", bodies, constraints), positions, queries, float(np.mean(depth)))


def _pose(rng: np.random.Generator) -> Pose:
    x, y, z, *turn = rng.uniform(-1, 1, 6).tolist()
    return Pose((x, y, z), Rotation("rpy", tuple(turn), "radians"))
