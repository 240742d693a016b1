"""Poses that count from each other by name, as `relative_to` in SDF has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from studio.model.geometry.rotations import GeometryError, Matrix

DEEPEST = 100
"""Poses that count from other poses."""


@dataclass(frozen=True)
class Counted:
    """A pose, and the name of what it counts from; empty for the axes in which all of them are."""

    matrix: Matrix
    relative_to: str = ""


def resolved(poses: Mapping[str, Counted]) -> dict[str, Matrix]:
    """All of them in the same axes."""
    found: dict[str, Matrix] = {"": np.eye(4)}

    def pose_of(name: str, above: tuple[str, ...]) -> Matrix:
        if name not in found:
            counted = poses.get(name)
            if counted is None:
                raise GeometryError(f"the pose of {above[-1]} is relative to {name}, which does not exist")
            if name in above or len(above) > DEEPEST:
                raise GeometryError(f"the pose of {name} is relative to itself")
            found[name] = pose_of(counted.relative_to, (*above, name)) @ counted.matrix
        return found[name]

    return {name: pose_of(name, ()) for name in poses}
