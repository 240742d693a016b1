"""The physics of a run: a fixed step, the state in and out, rays and contacts. Repeatable to the last bit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.rotations import Matrix, quaternion_of
from studio.runtime.sim.physics.physics_model import FEELS, MESHES, STEP_NS, build
from studio.runtime.sim.physics.solid_rays import compiled_cast
from studio.runtime.sim.vehicles.vehicle import Vehicle
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.world import Place, World, pose_of

Floats = NDArray[np.float64]
STATE = mujoco.mjtState.mjSTATE_INTEGRATION
LIFT_M = 0.01
"""A vehicle is put this much above the ground it would touch, and settles."""
SETTLE_STEPS = 250
STEEP = math.cos(math.radians(45.0))
"""Under a wheel: what is steeper than this is a wall and not ground."""


@dataclass(frozen=True)
class Touch:
    """A contact that is no driving: with a wall, with another vehicle, with its belly on the ground."""

    vehicle: int
    shape: str
    """`Raptor.bumper`"""
    other: str
    """The solid, or the other vehicle."""


class Physics:
    def __init__(self, world: World, vehicles: Sequence[tuple[str, Vehicle]], places: Sequence[Place]) -> None:
        self.world = world
        self.vehicles = [vehicle for _, vehicle in vehicles]
        self.names = [name for name, _ in vehicles]
        self.model, self.labels = build(world, vehicles)
        self.data: Any = mujoco.MjData(self.model)
        # Views that stay: asking MuJoCo for an array anew costs as much as what is done with it.
        self._turns, self._centres = self.data.xmat.reshape(-1, 3, 3), self.data.xpos
        self._felt = self.data.sensordata
        self._ids = [
            [int(self.model.body(f"{v}.{piece}").id) for piece in range(len(vehicle.pieces))]
            for v, vehicle in enumerate(self.vehicles)
        ]
        free = [int(self.model.joint(f"{v}.free").id) for v in range(len(vehicles))]
        self._qpos = [int(self.model.jnt_qposadr[joint]) for joint in free]
        self._qvel = [int(self.model.jnt_dofadr[joint]) for joint in free]
        # By number: a look-up by name costs more than a step.
        moving = [
            [int(self.model.joint(f"{v}.{piece}").id) for piece in range(1, len(vehicle.pieces))]
            for v, vehicle in enumerate(self.vehicles)
        ]
        self._positions = [self.model.jnt_qposadr[joints] for joints in moving]
        self._speeds = [self.model.jnt_dofadr[joints] for joints in moving]
        self._servos = [
            [
                mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_ACTUATOR, f"{v}.{piece}")
                for piece in range(len(vehicle.pieces))
            ]
            for v, vehicle in enumerate(self.vehicles)
        ]
        labels, kinds = self.labels, self.model.geom_type
        is_ball = kinds == mujoco.mjtGeom.mjGEOM_SPHERE
        self._owner = np.array(labels.owner)
        self._rolls = np.array(labels.is_wheel) | (is_ball & (self._owner >= 0))
        self._is_ground = np.array(labels.is_ground)
        # Pairs of geoms that touch when all is well, each as one number.
        wheels, grounds, count = np.flatnonzero(self._rolls), np.flatnonzero(self._is_ground), len(self._owner)
        pairs = [(int(wheel), int(ground)) for wheel in wheels for ground in grounds]
        self._rolls_on = frozenset(one * count + other for pair in pairs for one, other in (pair, pair[::-1]))
        units = [(str(self.model.sensor(n).name), int(at)) for n, at in enumerate(self.model.sensor_adr)]
        self._inertial = {
            name.removesuffix(FEELS[0]): slice(at, at + 6) for name, at in units if name.endswith(FEELS[0])
        }
        self._terrains = terrain_rays(world)
        self._cast = compiled_cast()
        # Views as well, in the order in which the rays want them.
        model, data = self.model, self.data
        self._geoms = (model.geom_type, model.geom_bodyid, model.geom_size, model.geom_rbound)
        self._places = (data.geom_xpos, data.geom_xmat)
        self._has_meshes = bool((model.geom_type == mujoco.mjtGeom.mjGEOM_MESH).any())
        self._stand(places)

    # ---- where the vehicles start

    def _stand(self, places: Sequence[Place]) -> None:
        for number, place in enumerate(places):
            self._put(number, place)
            self._put_followers(number)
        mujoco.mj_kinematics(self.model, self.data)
        self._refuse_overlap(places)
        mujoco.mj_step(self.model, self.data, SETTLE_STEPS)
        self.data.qvel[:] = 0.0
        self.data.qacc_warmstart[:] = 0.0
        self.data.time = 0.0
        self.look()

    def _put(self, number: int, place: Place) -> None:
        """Parallel to the ground under its middle, just above it."""
        vehicle, world = self.vehicles[number], self.world
        wheels = np.array([vehicle.place_of(piece)[:2, 3] for piece in vehicle.drive_joints])
        flat = pose_of(place.x_m, place.y_m, 0.0, 0.0, 0.0, place.heading_rad)
        spots = [(x, y, world.ground_at(*(flat[:2, :2] @ (x, y) + flat[:2, 3]))) for x, y in wheels]
        pitch = roll = 0.0
        base = max(height for _, _, height in spots)
        if len(spots) >= 3:
            matrix = np.array([(x, y, 1.0) for x, y, _ in spots])
            a, b, c = np.linalg.lstsq(matrix, np.array([height for _, _, height in spots]), rcond=None)[0]
            pitch, roll, base = -math.atan(a), math.atan(b), float(c)
        pose = pose_of(place.x_m, place.y_m, base + LIFT_M, roll, pitch, place.heading_rad)
        at = self._qpos[number]
        x, y, z, w = quaternion_of(pose[:3, :3])
        self.data.qpos[at : at + 7] = (*pose[:3, 3], w, x, y, z)

    def _put_followers(self, number: int) -> None:
        """Where their offsets have them, since all others begin at 0: gears that begin elsewhere would jump."""
        vehicle, at = self.vehicles[number], self._positions[number]

        def position(piece: int) -> float:
            leader, joint = vehicle.leader_of(piece), vehicle.pieces[piece].joint
            if leader is None or joint is None or joint.mimic is None:
                return 0.0
            return joint.mimic.position(position(leader))

        self.data.qpos[at] = [position(piece) for piece in range(1, len(vehicle.pieces))]

    def _refuse_overlap(self, places: Sequence[Place]) -> None:
        mujoco.mj_collision(self.model, self.data)
        for vehicle, _, other, depth in self._contacts():
            if depth > LIFT_M:
                place = places[vehicle]
                where = f"({place.x_m:g}, {place.y_m:g})"
                hint = "choose another start; studio sim picture shows the world"
                file = self.world.file
                raise SimError(f"{self.names[vehicle]} would be inside {other} at {where}", file=file, hint=hint)

    # ---- going on

    @property
    def now_ns(self) -> int:
        return round(float(self.data.time) * 1e9)

    @property
    def has_contacts(self) -> bool:
        """Whether something touches that is not a wheel on the ground; quick, for every step."""
        rolls, count = self._rolls_on, len(self._owner)
        return not all(one * count + other in rolls for one, other in self.data.contact.geom.tolist())

    def step(self, count: int) -> None:
        mujoco.mj_step(self.model, self.data, count)

    def look(self) -> None:
        """Bring what is measured (poses, rays) up to the state; a step leaves it where the step began."""
        mujoco.mj_kinematics(self.model, self.data)

    def save(self) -> Floats:
        size = mujoco.mj_stateSize(self.model, STATE)
        state = np.empty(size)
        mujoco.mj_getState(self.model, self.data, state, STATE)
        return np.concatenate([state, self.data.sensordata])

    def load(self, state: Floats) -> None:
        size = mujoco.mj_stateSize(self.model, STATE)
        mujoco.mj_setState(self.model, self.data, state[:size].copy(), STATE)
        self.data.sensordata[:] = state[size:]
        self.look()

    # ---- what can be measured

    def pose(self, vehicle: int, piece: int = 0) -> Matrix:
        body = self._ids[vehicle][piece]
        made = np.zeros((4, 4))
        made[:3, :3] = self._turns[body]
        made[:3, 3] = self._centres[body]
        made[3, 3] = 1.0
        return made

    def turn(self, vehicle: int, piece: int = 0) -> Matrix:
        """Its axes in the world, as a view: use it at once."""
        found: Matrix = self._turns[self._ids[vehicle][piece]]
        return found

    def centre(self, vehicle: int, piece: int = 0) -> Floats:
        """Where its origin is, as a view: use it at once."""
        found: Floats = self._centres[self._ids[vehicle][piece]]
        return found

    def velocity(self, vehicle: int) -> tuple[Floats, Floats]:
        """Of the vehicle's origin, linear and angular, in its own axes."""
        at = self._qvel[vehicle]
        turn = self._turns[self._ids[vehicle][0]]
        return turn.T @ self.data.qvel[at : at + 3], self.data.qvel[at + 3 : at + 6].copy()

    def joints(self, vehicle: int) -> tuple[Floats, Floats]:
        """Positions and velocities of all pieces but the first."""
        data = self.data
        return data.qpos[self._positions[vehicle]], data.qvel[self._speeds[vehicle]]

    def drive(self, vehicle: int, piece: int, value: float) -> None:
        """Tell a servo: a drive joint its speed, any other its position."""
        self.data.ctrl[self._servos[vehicle][piece]] = value

    def motion(self, name: str) -> Floats:
        """What the inertial unit `<vehicle>.<port>` feels, in its own axes: acceleration (with gravity), then rate."""
        found: Floats = self._felt[self._inertial[name]]
        return found

    def rays(self, vehicle: int, piece: int, pose: Matrix, directions: Floats, most_m: float) -> Floats:
        """How far each ray gets from `pose` (in the piece) along `directions` (in `pose`); -1 where it meets nothing
        within `most_m`.

        It does not see the piece it is mounted on.
        """
        own, found = self._ids[vehicle][piece], np.empty(len(directions))
        turn, centre = self._turns[own], self._centres[own]
        self._cast(turn, centre, pose, directions, most_m, own, *self._geoms, *self._places, found)
        if self._has_meshes or self._terrains:
            self._shorten(self.pose(vehicle, piece) @ pose, directions, found, own, most_m)
        return found

    def _shorten(self, at: Matrix, directions: Floats, found: Floats, own: int, most_m: float) -> None:
        """By what has its own way of meeting rays."""
        vectors, start = np.ascontiguousarray(directions @ at[:3, :3].T), at[:3, 3].copy()
        for terrain in self._terrains:
            terrain.shorten(start, vectors, found, most_m)
        if self._has_meshes:
            count = len(vectors)
            ways, hit = np.empty(count), np.empty(count, np.int32)
            mujoco.mj_multiRay(
                self.model, self.data, start, vectors.ravel(), MESHES, 1, own, hit, ways, None, count, most_m
            )
            nearer = (ways >= 0) & (ways <= most_m) & ((found < 0) | (ways < found))
            found[nearer] = ways[nearer]

    def touches(self) -> list[Touch]:
        """Contacts of the last step that are no driving."""
        found = {Touch(vehicle, shape, other): None for vehicle, shape, other, _ in self._contacts()}
        return list(found)

    def _contacts(self) -> Iterator[tuple[int, str, str, float]]:
        """Vehicle, its shape, the other, and how deep; from both sides when two vehicles meet."""
        labels = self.labels
        for contact in self.data.contact:
            for mine, other in ((contact.geom1, contact.geom2), (contact.geom2, contact.geom1)):
                if self._owner[mine] < 0 or contact.dist > 0:
                    continue
                is_flat = self._is_ground[other] or abs(contact.frame[2]) > STEEP
                if self._rolls[mine] and self._owner[other] < 0 and is_flat:
                    continue
                yield int(self._owner[mine]), labels.shape[mine], labels.name[other], -float(contact.dist)


def terrain_rays(world: World) -> list[Any]:
    from studio.runtime.sim.physics.terrain_rays import TerrainRays  # numba: who only asks for ports can do without it

    return [TerrainRays(terrain) for terrain in world.terrains]


__all__ = ["STEP_NS", "Physics", "Touch", "terrain_rays"]
