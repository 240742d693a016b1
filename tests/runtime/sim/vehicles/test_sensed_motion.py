"""The attitude that inertial units tell, against the same by matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest

from studio.model.geometry.rotations import from_quaternion, from_rpy
from studio.runtime.sim.vehicles.sensed_motion import compiled_sensed, sensed


@pytest.mark.parametrize("compiled", [False, True])
def test_noise_turns_and_shifts_and_the_mount_comes_last(compiled: bool) -> None:
    random, function = np.random.default_rng(3), compiled_sensed() if compiled else sensed
    upside_down = [(math.pi, 0.0, 0.0), (0.0, 0.0, math.pi), (math.pi, 0.0, math.pi), (0.0, 0.0, 0.0)]
    for angles in [*upside_down, *random.uniform(-math.pi, math.pi, (50, 3)).tolist()]:
        turn, mounted, centre = from_rpy(*angles), from_rpy(*random.uniform(-3.0, 3.0, 3)), random.normal(size=3)
        noise, spread = random.normal(size=6), np.array([0.1, 0.1, 0.2, 0.01, 0.02, 0.03])
        for mount in (mounted, np.eye(3)):
            pose, quaternion = np.empty((4, 4)), np.empty(4)
            function(turn, centre, mount, noise, spread, pose, quaternion)
            assert pose[:3, :3] == pytest.approx(from_rpy(*(noise * spread)[3:]) @ turn @ mount, abs=1e-12)
            assert pose[:3, 3] == pytest.approx(centre + (noise * spread)[:3])
            assert pose[3].tolist() == [0.0, 0.0, 0.0, 1.0]
            assert from_quaternion(*quaternion) == pytest.approx(pose[:3, :3], abs=1e-9)
            assert np.linalg.norm(quaternion) == pytest.approx(1.0)
