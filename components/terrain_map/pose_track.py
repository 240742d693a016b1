"""Where the vehicle was when a scan was taken, between two poses that were measured before and after it."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

import numpy as np
from numpy.typing import NDArray

from studio.messages import PoseTransform

Floats = NDArray[np.float64]

KEPT = 1024
"""Poses that are remembered: ten seconds of a fast one."""
FARTHEST_M = 1e9
"""Poses that are farther away are nonsense, and their cells could not be counted."""
VAGUEST_RAD2 = 100.0
"""An attitude that is less certain than this says nothing."""


class PoseTrack:
    def __init__(self, kept: int = KEPT) -> None:
        self._poses: deque[PoseTransform] = deque(maxlen=kept)

    def __len__(self) -> int:
        return len(self._poses)

    @property
    def last_ns(self) -> int:
        return self._poses[-1].stamp_ns

    def add(self, pose: PoseTransform) -> bool:
        """False for a pose that cannot be used: not finite, beyond all maps, or of an attitude that nobody knows. One
        that is older than the last, or of other frames, starts a new track."""
        # Not "greater than": NaN is not below anything either.
        if not (np.abs(pose.position).max() < FARTHEST_M and np.abs(pose.attitude_covariance).max() < VAGUEST_RAD2):
            return False
        if not np.isfinite(pose.matrix).all():
            return False
        if self._poses:
            last = self._poses[-1]
            if pose.stamp_ns < last.stamp_ns or (pose.frame, pose.child_frame) != (last.frame, last.child_frame):
                self._poses.clear()
        self._poses.append(pose)
        return True

    def clear(self) -> None:
        self._poses.clear()

    def at(self, stamp_ns: int, longest_gap_ns: int) -> PoseTransform | None:
        """The pose at a stamp; None where the two around it are farther apart in time than `longest_gap_ns`."""
        place = bisect_left(self._poses, stamp_ns, key=lambda pose: pose.stamp_ns)
        if place == len(self._poses):
            return None
        after = self._poses[place]
        if after.stamp_ns == stamp_ns:
            return after
        if place == 0:
            return None
        before = self._poses[place - 1]
        if after.stamp_ns - before.stamp_ns > longest_gap_ns:
            return None
        return between(before, after, stamp_ns)


def between(before: PoseTransform, after: PoseTransform, stamp_ns: int) -> PoseTransform:
    """Straight from one place to the other, turning evenly."""
    share = (stamp_ns - before.stamp_ns) / (after.stamp_ns - before.stamp_ns)
    matrix = np.eye(4)
    matrix[:3, 3] = before.position + share * (after.position - before.position)
    matrix[:3, :3] = before.rotation @ _part_of(before.rotation.T @ after.rotation, share)
    covariance = before.attitude_covariance + share * (after.attitude_covariance - before.attitude_covariance)
    return before.replace(stamp_ns=stamp_ns, matrix=matrix, attitude_covariance=covariance)


def _part_of(turn: Floats, share: float) -> Floats:
    """A share of a rotation about the same axis, by Rodrigues' formula; none of half a turn, which has no axis."""
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2.0
    sine = float(np.linalg.norm(axis))
    if sine < 1e-9:
        return np.eye(3)
    angle = share * float(np.arctan2(sine, (turn.trace() - 1.0) / 2.0))
    x, y, z = axis / sine
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    part: Floats = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
    return part
