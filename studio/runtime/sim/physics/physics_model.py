"""Builds one MuJoCo model of a world and the vehicles in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from studio.model.geometry.joints import Joint
from studio.model.geometry.rotations import Matrix, quaternion_of
from studio.model.geometry.sensors import Imu
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Sphere
from studio.runtime.sim.vehicles.vehicle import PlacedShape, Vehicle
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.meshes import read_mesh
from studio.runtime.sim.worlds.world import GREY, Solid, Terrain, Triangles, World, pose_of

STEP_NS = 5_000_000
BELOW_M = 0.5
"""How thick the ground under a terrain is."""
FEELS = (" acceleration", " rate")
"""The two sensors of an inertial unit, one after the other in MuJoCo's data."""
MESH_GROUP, TERRAIN_GROUP = 4, 5
"""Meshes are what MuJoCo itself casts the rays of lasers at; for the rest see solid_rays.py and terrain_rays.py."""
MESHES = np.array([group == MESH_GROUP for group in range(6)], np.uint8)
NO_TERRAIN = np.array([group != TERRAIN_GROUP for group in range(6)], np.uint8)
MOST_VEHICLES = 30
"""Each has a bit of its own by which it bumps into all but itself."""
WHEEL_SETTLES_S = 0.002
"""How soon a wheel has the speed it is told, where its torque suffices: stiff enough to scrub sideways in a turn."""
GEAR_SHARE = 0.5
"""Inertia of motors and gears at the wheels, against that of the vehicle they move: without it a wheel that slips
would spin up within one step."""
STEERING_GIVES_RAD = math.radians(2.0)
"""By how much a joint that holds a position gives way under its full effort."""
CASTER_FRICTION, HULL_FRICTION = 0.01, 0.3
_KINDS = mujoco.mjtGeom


@dataclass
class Labels:
    """What each geom of the model is, by its number."""

    name: list[str] = field(default_factory=list)
    """Of the solid or the vehicle."""
    owner: list[int] = field(default_factory=list)
    """The vehicle, or -1."""
    is_wheel: list[bool] = field(default_factory=list)
    is_ground: list[bool] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)
    """`Raptor.bumper`; empty for the world."""
    colour: list[tuple[float, ...]] = field(default_factory=list)

    def in_order(self, numbers: list[int]) -> Labels:
        columns = (self.name, self.owner, self.is_wheel, self.is_ground, self.shape, self.colour)
        return Labels(*([column[number] for number in numbers] for column in columns))  # type: ignore[arg-type]


def build(world: World, vehicles: Sequence[tuple[str, Vehicle]]) -> tuple[Any, Labels]:
    """The compiled model. Bodies, joints and servos are called `<vehicle>.<piece>`, free joints `<vehicle>.free`."""
    builder = _filled(world, vehicles)
    try:
        model = builder.spec.compile()
    except ValueError as error:
        raise SimError(f"the physics of {world.name} cannot be built: {error}", file=world.file) from None
    # MuJoCo numbers geoms by the tree of bodies, not as they were added.
    added = [int(model.geom(number).name.removeprefix("geom_")) for number in range(model.ngeom)]
    return model, builder.labels.in_order(added)


def specification(world: World, vehicles: Sequence[tuple[str, Vehicle]]) -> Any:
    """What the model is compiled from; it can be written as MJCF."""
    spec = _filled(world, vehicles).spec
    try:
        spec.compile()
    except ValueError as error:
        raise SimError(f"the physics of {world.name} cannot be built: {error}", file=world.file) from None
    return spec


def _filled(world: World, vehicles: Sequence[tuple[str, Vehicle]]) -> _Builder:
    if len(vehicles) > MOST_VEHICLES:
        raise SimError(f"{len(vehicles)} vehicles in one world", hint=f"at most {MOST_VEHICLES}")
    builder = _Builder(world, len(vehicles))
    for number, solid in enumerate(world.solids):
        builder.add_solid(solid, number)
    for number, terrain in enumerate(world.terrains):
        builder.add_terrain(terrain, number)
    for number, (name, vehicle) in enumerate(vehicles):
        builder.add_vehicle(number, name, vehicle)
    return builder


class _Builder:
    def __init__(self, world: World, vehicles: int) -> None:
        self.spec: Any = mujoco.MjSpec()
        self.labels = Labels()
        self._bits = (1 << (vehicles + 1)) - 1
        self.spec.compiler.degree = False
        option = self.spec.option
        option.timestep = STEP_NS * 1e-9
        option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        # Tyres hold sideways as well as lengthways, and do not creep on slopes.
        option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
        option.gravity = world.gravity_m_s2

    def _geom(self, body: Any, name: str, *, owner: int = -1, wheel: bool = False, ground: bool = False) -> Any:
        labels = self.labels
        labels.name.append(name)
        labels.owner.append(owner)
        labels.is_wheel.append(wheel)
        labels.is_ground.append(ground)
        labels.shape.append("")
        labels.colour.append(GREY)
        geom = body.add_geom()
        geom.name = f"geom_{len(labels.name) - 1}"
        return geom

    # ---- the world

    def add_solid(self, solid: Solid, number: int) -> None:
        geom = self._geom(self.spec.worldbody, solid.name, ground=solid.kind == "plane")
        self.labels.colour[-1] = solid.colour
        geom.friction = (solid.friction, 0.005, 0.0001)
        place(geom, solid.pose)
        if solid.kind == "plane":
            geom.type, geom.size = _KINDS.mjGEOM_PLANE, (0.0, 0.0, 1.0)
        elif solid.kind == "box":
            geom.type, geom.size = _KINDS.mjGEOM_BOX, tuple(side / 2 for side in solid.size)
        elif solid.kind == "cylinder":
            geom.type, geom.size = _KINDS.mjGEOM_CYLINDER, (solid.size[0], solid.size[1] / 2, 0.0)
        elif solid.kind == "sphere":
            geom.type, geom.size = _KINDS.mjGEOM_SPHERE, (solid.size[0], 0.0, 0.0)
        elif solid.mesh is not None:
            self._mesh(geom, f"world_{number}", solid.mesh)

    def add_terrain(self, terrain: Terrain, number: int) -> None:
        low, high = float(terrain.heights_m.min()), float(terrain.heights_m.max())
        rise = max(high - low, 1e-3)
        grid = self.spec.add_hfield()
        grid.name = f"terrain_{number}"
        grid.nrow, grid.ncol = terrain.heights_m.shape
        grid.size = (terrain.size_m[0] / 2, terrain.size_m[1] / 2, rise, BELOW_M)
        grid.userdata = ((terrain.heights_m - low) / rise).astype(np.float32).ravel()
        geom = self._geom(self.spec.worldbody, terrain.name, ground=True)
        self.labels.colour[-1] = terrain.colour
        geom.type, geom.hfieldname, geom.group = _KINDS.mjGEOM_HFIELD, grid.name, TERRAIN_GROUP
        geom.friction = (terrain.friction, 0.005, 0.0001)
        place(geom, terrain.pose @ pose_of(0, 0, low))

    def _mesh(self, geom: Any, name: str, triangles: Triangles) -> None:
        made = self.spec.add_mesh()
        made.name = name
        made.uservert = triangles.vertices.ravel()
        made.userface = triangles.faces.ravel()
        geom.type, geom.meshname, geom.group = _KINDS.mjGEOM_MESH, name, MESH_GROUP

    # ---- vehicles

    def add_vehicle(self, number: int, name: str, vehicle: Vehicle) -> None:
        bodies: list[Any] = []
        driven = set(vehicle.drive_joints)
        for index, piece in enumerate(vehicle.pieces):
            body = (self.spec.worldbody if piece.parent < 0 else bodies[piece.parent]).add_body()
            bodies.append(body)
            body.name = f"{number}.{index}"
            body.explicitinertial = True
            body.mass, body.ipos = piece.inertia.mass_kg, piece.inertia.centre
            m = piece.inertia.about_centre
            body.fullinertia = (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
            if piece.joint is None:
                body.add_freejoint().name = f"{number}.free"
            else:
                place(body, piece.pose)
                self._joint(body, f"{number}.{index}", vehicle, index)
            for placed in piece.shapes:
                geom = self._geom(body, name, owner=number, wheel=index in driven)
                geom.contype, geom.conaffinity = 1 << (number + 1), self._bits & ~(1 << (number + 1))
                self._shape(geom, placed, index in driven)
        for mount in vehicle.mounts:
            if isinstance(mount.sensor, Imu):
                self._imu(bodies[mount.piece], f"{number}.{mount.port}", mount.pose)

    def _shape(self, geom: Any, placed: PlacedShape, is_wheel: bool) -> None:
        shape = placed.shape
        self.labels.shape[-1] = f"{placed.body}.{shape.name}"
        if shape.colour:
            self.labels.colour[-1] = tuple(float(word) for word in shape.colour.split())
        if is_wheel:
            # Of two frictions MuJoCo takes the greater: the ground decides how well a tyre holds.
            geom.friction = (0.0, 0.005, 0.0001)
        else:
            geom.friction = (CASTER_FRICTION if isinstance(shape, Sphere) else HULL_FRICTION, 0.005, 0.0001)
            geom.priority = 1
        place(geom, placed.pose)
        if isinstance(shape, Box):
            geom.type, geom.size = _KINDS.mjGEOM_BOX, tuple(side / 2 for side in shape.size)
        elif isinstance(shape, Cylinder) and is_wheel:
            # A tyre touches the ground in the middle: a cylinder would grip with both edges and scrub in every turn.
            geom.type, geom.size = _KINDS.mjGEOM_ELLIPSOID, (shape.radius, shape.radius, shape.length / 2)
        elif isinstance(shape, Cylinder):
            geom.type, geom.size = _KINDS.mjGEOM_CYLINDER, (shape.radius, shape.length / 2, 0.0)
        elif isinstance(shape, Sphere):
            geom.type, geom.size = _KINDS.mjGEOM_SPHERE, (shape.radius, 0.0, 0.0)
        elif isinstance(shape, Mesh):
            line = shape.origin.line if shape.origin else None
            beside = Path(placed.file).parent if placed.file else Path()
            triangles = read_mesh(beside / shape.file, shape.scale, by=placed.file, line=line)
            self._mesh(geom, f"vehicle_{len(self.labels.name)}", triangles)

    def _joint(self, body: Any, name: str, vehicle: Vehicle, index: int) -> None:
        piece = vehicle.pieces[index]
        assert piece.joint is not None
        joint = body.add_joint()
        slides = piece.joint.kind == "slider"
        joint.name, joint.type = name, mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE
        joint.axis, joint.pos = piece.axis, piece.anchor
        if piece.joint.lower is not None and piece.joint.upper is not None:
            joint.range, joint.limited = (piece.joint.lower, piece.joint.upper), mujoco.mjtLimited.mjLIMITED_TRUE
        leader = vehicle.leader_of(index)
        if leader is not None:
            self._mimic(name, name.partition(".")[0] + f".{leader}", piece.joint)
            return
        servo = self.spec.add_actuator()
        servo.name, servo.target, servo.trntype = name, name, mujoco.mjtTrn.mjTRN_JOINT
        if piece.joint.effort is not None:
            limit = piece.joint.effort
            servo.forcerange, servo.forcelimited = (-limit, limit), mujoco.mjtLimited.mjLIMITED_TRUE
        if piece.joint.kind == "drive":
            total = sum(each.inertia.mass_kg for each in vehicle.pieces)
            borne = total * vehicle.drive.wheel_radius_m**2 / len(vehicle.drive_joints)
            servo.set_to_velocity(kv=borne / WHEEL_SETTLES_S)
            joint.armature = borne * GEAR_SHARE
        else:
            stiffness = (piece.joint.effort or 100.0) / STEERING_GIVES_RAD
            servo.set_to_position(kp=stiffness, dampratio=1.0)

    def _mimic(self, name: str, leader: str, joint: Joint) -> None:
        """Gears: the two joints hold each other."""
        assert joint.mimic is not None
        gear = self.spec.add_equality()
        gear.type, gear.objtype = mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtObj.mjOBJ_JOINT
        gear.name1, gear.name2 = name, leader
        gear.data[:2] = joint.mimic.offset, joint.mimic.multiplier

    def _imu(self, body: Any, name: str, pose: Matrix) -> None:
        site = body.add_site()
        site.name = name
        place(site, pose)
        kinds = mujoco.mjtSensor
        for kind, what in zip((kinds.mjSENS_ACCELEROMETER, kinds.mjSENS_GYRO), FEELS, strict=True):
            sensor = self.spec.add_sensor()
            sensor.type, sensor.objtype, sensor.objname = kind, mujoco.mjtObj.mjOBJ_SITE, name
            sensor.name = name + what


def place(element: Any, pose: Matrix) -> None:
    x, y, z, w = quaternion_of(pose[:3, :3])
    element.pos, element.quat = pose[:3, 3], (w, x, y, z)
