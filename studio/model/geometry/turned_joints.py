"""A constraint written from its other end, with its joint: everything stays where it is and moves as it did."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from studio.model.changes import ModelError
from studio.model.geometry.assembly import Constraint
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import Pose
from studio.model.geometry.tidy_poses import inverse_like

SAME_PLACE_M = 1e-9


def swapped(constraint: Constraint) -> Constraint:
    joint = constraint.joint and _from_the_other_end(constraint.joint, constraint.pose)
    return replace(
        constraint, start=constraint.end, end=constraint.start, pose=inverse_like(constraint.pose), joint=joint
    )


def _from_the_other_end(joint: Joint, pose: Pose) -> Joint:
    """The same axis in the axes of the other frame, turning against the sense in which it did."""
    if joint.turns and float(np.linalg.norm(pose.xyz)) > SAME_PLACE_M:
        hint = "add a frame on the axis to the body at its end, and bind that one"
        raise ModelError(f"the joint {joint.name} would turn about another axis", hint=hint)
    x, y, z = (round(float(value), 12) + 0.0 for value in -(pose.rotation.matrix.T @ np.asarray(joint.axis)))
    return replace(joint, axis=(x, y, z))
