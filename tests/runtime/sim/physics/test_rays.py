"""Rays: the compiled ones meet what MuJoCo's own meet, and a scan holds what is left of them."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.library import load_model
from studio.model.geometry.rotations import from_rpy
from studio.runtime.sim.physics.physics import Physics
from studio.runtime.sim.physics.solid_rays import KINDS, PLANE, compiled_cast
from studio.runtime.sim.vehicles.echoes import NOTHING, compiled_echoes, echoes
from studio.runtime.sim.vehicles.vehicle import vehicle_of
from studio.runtime.sim.worlds.made_worlds import block, ground
from studio.runtime.sim.worlds.world import Place, Solid, Triangles, World, pose_of

Floats = NDArray[np.float64]
MOST_M = 12.0
CUBE = Triangles(
    np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]),
    np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
              (0, 6, 4), (1, 5, 7), (1, 7, 3)], np.int32),
)  # fmt: skip


def clutter(random: np.random.Generator) -> Any:
    """Things of every kind, turned anyhow and into each other, on a ground that is hardly level."""
    spec = mujoco.MjSpec()
    for number in range(40):
        geom = spec.worldbody.add_geom()
        kind = KINDS[number % len(KINDS)] if number else PLANE
        geom.type = mujoco.mjtGeom(kind)
        geom.size = (0.0, 0.0, 1.0) if kind == PLANE else random.uniform(0.1, 2.0, 3)
        geom.pos = random.uniform(-12.0, 12.0, 3)
        if kind == PLANE:
            geom.pos = (*geom.pos[:2], -9.0)
            geom.quat = (1.0, *random.uniform(-0.2, 0.2, 3))
        else:
            geom.quat = random.normal(size=4)
    return spec.compile()


def fan(count: int) -> Floats:
    angles = np.linspace(-math.pi, math.pi, count, endpoint=False)
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(count)])


def by_mujoco(model: Any, data: Any, at: Floats, directions: Floats, own: int) -> tuple[Floats, set[int]]:
    """And the geoms that are met."""
    count = len(directions)
    found, hit = np.empty(count), np.empty(count, np.int32)
    vectors = np.ascontiguousarray(directions @ at[:3, :3].T).ravel()
    mujoco.mj_multiRay(model, data, at[:3, 3].copy(), vectors, None, 1, own, hit, found, None, count, MOST_M)
    found[found > MOST_M] = -1.0
    return found, set(hit[found >= 0.0].tolist())


def test_compiled_rays_meet_what_those_of_mujoco_meet() -> None:
    random = np.random.default_rng(8)
    cast, met = compiled_cast(), 0
    for _ in range(25):
        model = clutter(random)
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        for directions in (fan(360), random.normal(size=(200, 3))):
            directions /= np.linalg.norm(directions, axis=1)[:, None]
            at = pose_of(*random.uniform(-8.0, 8.0, 3))
            at[:3, :3] = from_rpy(*random.uniform(-3.0, 3.0, 3))
            found = np.empty(len(directions))
            geoms = (model.geom_type, model.geom_bodyid, model.geom_size, model.geom_rbound)
            cast(
                np.eye(3), np.zeros(3), at, directions, MOST_M, -1, *geoms, data.geom_xpos, data.geom_xmat, found
            )  # fmt: skip
            np.testing.assert_allclose(found, by_mujoco(model, data, at, directions, -1)[0], rtol=0.0, atol=1e-6)
            met += int((found >= 0).sum())
    assert met > 3000


def test_a_laser_sees_meshes_and_vehicles_but_not_what_it_is_fixed_to() -> None:
    raptor, pioneer = vehicle_of(load_model("raptor")), vehicle_of(load_model("pioneer_2dx"))
    mesh = Solid("crate", "mesh", (), pose_of(5.0, 1.5, 0.5, 0.0, 0.0, 0.4), mesh=CUBE)
    world = World("yard", [ground(), block("wall", 10.5, 0.0, (1.0, 8.0, 2.0)), mesh])
    physics = Physics(world, [("raptor", raptor), ("pioneer", pioneer)], [Place(0.0, 0.0), Place(4.5, -1.0)])
    mount = next(mount for mount in raptor.mounts if mount.port == "right_laser")
    seen: set[str] = set()
    for pose in (mount.pose, mount.pose @ pose_of(0.0, 0.0, -0.9, 0.0, -math.radians(11.0))):
        found = physics.rays(0, mount.piece, pose, fan(720), MOST_M)
        at, own = physics.pose(0, mount.piece) @ pose, physics._ids[0][mount.piece]
        expected, geoms = by_mujoco(physics.model, physics.data, at, fan(720), own)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-6)
        seen |= {physics.labels.name[geom] for geom in geoms}
    assert seen == {"ground", "wall", "crate", "pioneer", "raptor"}  # of itself it sees the wheels


def test_an_echo_has_noise_bias_steps_and_sometimes_none() -> None:
    ranges = np.array([-1.0, 0.3, 2.0, 4.02, 9.99, 5.0])
    columns = np.ones((6, 4), np.float32)
    noise, chance = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0]), np.array([0.9, 0.9, 0.9, 0.9, 0.9, 0.1])
    for function in (echoes, compiled_echoes()):
        kept = function(ranges, columns, noise, 0.1, 0.01, chance, 0.2, 0.05, 0.6, 10.0)
        assert kept[:, 3].tolist() == np.array([2.1, 4.05], np.float32).tolist()  # none, too near, too far, dropped
        assert len(function(ranges, columns, NOTHING, 0.0, 0.0, NOTHING, 0.0, 0.0, 0.001, 10.0)) == 5
