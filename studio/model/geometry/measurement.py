"""One frame in another as people want to have it: numbers, the path, and text for other programs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Linkage
from studio.model.geometry.rotations import Matrix, angle_of, quaternion_of, rpy_of
from studio.model.geometry.transforms import Step, Transforms


@dataclass(frozen=True)
class Measurement:
    """The frame of interest in the frame of reference, with the joints where they are now."""

    foi: str
    reference: str
    matrix: Matrix
    steps: tuple[Step, ...]
    is_rigid: bool

    @property
    def xyz_m(self) -> tuple[float, float, float]:
        x, y, z = (float(value) + 0.0 for value in self.matrix[:3, 3])
        return x, y, z

    @property
    def rpy_rad(self) -> tuple[float, float, float]:
        return rpy_of(self.matrix[:3, :3])

    @property
    def rpy_deg(self) -> tuple[float, float, float]:
        roll, pitch, yaw = (math.degrees(value) for value in self.rpy_rad)
        return roll, pitch, yaw

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """x, y, z, w."""
        return quaternion_of(self.matrix[:3, :3])

    @property
    def distance_m(self) -> float:
        return float(np.linalg.norm(self.matrix[:3, 3]))

    @property
    def angle_deg(self) -> float:
        """By how much the frame of interest is turned, about one axis."""
        return math.degrees(angle_of(self.matrix[:3, :3]))

    @property
    def axis_angles_deg(self) -> tuple[float, float, float]:
        """Between the two x axes, the two y axes and the two z axes."""
        x, y, z = (math.degrees(math.acos(max(-1.0, min(1.0, float(self.matrix[i, i]))))) for i in range(3))
        return x, y, z

    @property
    def frames(self) -> tuple[str, ...]:
        """Those that the path goes through, from the frame of reference on."""
        return (self.reference, *(step.end for step in self.steps))

    # ---- text for other programs

    def as_python(self) -> str:
        rows = ",\n".join(f"    [{', '.join(_short(value) for value in row)}]" for row in self.matrix)
        return f"import numpy as np\n\n# {self.foi} in {self.reference}\nT = np.array([\n{rows},\n])\n"

    def as_xml(self) -> str:
        """A constraint that puts it there; of the origin of a body, which no constraint binds, the pose alone."""
        pose = f'xyz="{_words(self.xyz_m)}" rpy="{_words(self.rpy_deg)}" angles="degrees"'
        if not (":" in self.foi and ":" in self.reference):
            return pose
        name = f"{self.foi}_in_{self.reference}".lower().replace(":", "_")
        return f'<constraint name="{name}" from="{self.reference}" to="{self.foi}" {pose}/>'

    def as_ros_static_transform(self) -> str:
        """A command line for ROS 2. Frames have the names of the links that the URDF export makes of them."""
        keys = ("x", "y", "z", "qx", "qy", "qz", "qw")
        values = (*self.xyz_m, *self.quaternion)
        numbers = " ".join(f"--{key} {_short(value)}" for key, value in zip(keys, values, strict=True))
        ends = f"--frame-id {self.reference} --child-frame-id {self.foi}"
        return f"ros2 run tf2_ros static_transform_publisher {numbers} {ends}"

    def as_text(self) -> str:
        """For a note: position, angles and quaternion."""
        return (
            f"{self.foi} in {self.reference}\n"
            f"xyz [m]     {_words(self.xyz_m)}\n"
            f"rpy [deg]   {_words(self.rpy_deg)}\n"
            f"xyzw        {_words(self.quaternion)}\n"
        )


class LoopError(NamedTuple):
    """A constraint that closes a loop, and how far its two ends are apart."""

    constraint: str
    path: tuple[str, ...]
    error_m: float
    error_deg: float
    closes: bool
    moves: bool
    """Then it was measured with every joint at home."""


def measure(transforms: Transforms, foi: str, reference: str) -> Measurement:
    """GeometryError where a name is not known or nothing connects the two."""
    matrix = transforms.get_transformation(foi, reference)
    steps = tuple(transforms.path(foi, reference))
    return Measurement(foi, reference, matrix, steps, transforms.is_rigid(foi, reference))


def loops(model: Model, linkage: Linkage) -> list[LoopError]:
    return [
        LoopError(
            loop.edge.name, loop.path, loop.error_m, math.degrees(loop.error_rad),
            loop.closes(model.tolerance_m, model.tolerance_deg), loop.moves,
        )
        for loop in linkage.loops
    ]  # fmt: skip


def _short(value: float) -> str:
    return f"{round(float(value), 12) + 0.0:.12g}"


def _words(values: tuple[float, ...]) -> str:
    return " ".join(map(_short, values))
