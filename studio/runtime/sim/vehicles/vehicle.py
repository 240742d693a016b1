"""A vehicle as physics wants it, straight from its assembly: what moves as one piece is one piece, with joints between.

Also where each sensor sits on which piece, and under which port of the simulator it speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Drive
from studio.model.geometry.export_tree import ExportLink, export_links
from studio.model.geometry.inertia import Inertia, combined
from studio.model.geometry.joints import Joint, prefixed_mimic
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.sensors import Bumper, Camera, Gps, Imu, Sensor
from studio.model.geometry.shapes import Shape
from studio.runtime.sim.worlds.errors import SimError

DEFAULT_RATE_HZ = 10.0
"""Of a sensor whose body does not tell its rate."""
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class PlacedShape:
    shape: Shape
    pose: Matrix
    """In its piece."""
    body: str
    file: str | None
    """Of the body, for the paths of meshes."""


@dataclass
class Piece:
    """What moves as one. The first is the vehicle itself; every other hangs on a piece before it by one joint."""

    name: str
    """Full name of its joint: `Raptor.front_left_wheel`."""
    inertia: Inertia
    parent: int = -1
    pose: Matrix = field(default_factory=lambda: np.eye(4))
    """The piece in its parent, with the joint at 0."""
    joint: Joint | None = None
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    anchor: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where the joint is, in the piece."""
    shapes: list[PlacedShape] = field(default_factory=list)


@dataclass(frozen=True)
class Mount:
    """A sensor on a vehicle."""

    port: str
    sensor: Sensor
    body: str
    piece: int
    pose: Matrix
    """The sensor's frame in its piece."""

    @property
    def frame(self) -> str:
        return f"{self.body}:{self.sensor.frame}"


@dataclass(frozen=True)
class Vehicle:
    name: str
    """Of the root body, by which its origin is known in the geometry: `Raptor`."""
    pieces: list[Piece]
    mounts: list[Mount]
    drive: Drive
    file: str | None

    @property
    def drive_joints(self) -> list[int]:
        return [i for i, piece in enumerate(self.pieces) if piece.joint is not None and piece.joint.kind == "drive"]

    @property
    def steering_joints(self) -> list[int]:
        return [i for i, piece in enumerate(self.pieces) if piece.joint is not None and piece.joint.kind == "steering"]

    def leader_of(self, piece: int) -> int | None:
        """The piece whose joint that of this one mimics. What the drive tells by itself mimics nothing."""
        joint = self.pieces[piece].joint
        if joint is None or joint.mimic is None or joint.kind in ("drive", "steering"):
            return None
        return next((i for i, each in enumerate(self.pieces) if each.name == joint.mimic.joint), None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """As the geometry knows them, in the order of the pieces."""
        return tuple(piece.name for piece in self.pieces[1:])

    @property
    def has_ins(self) -> bool:
        """GPS and inertial unit together know the pose."""
        kinds = {type(mount.sensor) for mount in self.mounts}
        return {Gps, Imu} <= kinds

    def place_of(self, piece: int) -> Matrix:
        """A piece in the vehicle, with every joint at 0."""
        pose = self.pieces[piece].pose
        above = self.pieces[piece].parent
        while above >= 0:
            pose = self.pieces[above].pose @ pose
            above = self.pieces[above].parent
        return pose


def vehicle_of(model: Model, prefix: str = "") -> Vehicle:
    """`prefix` comes before the names of all bodies, as in an assembly that includes this one with it."""
    links = export_links(model, [])
    drive = links[0].body.drive
    if drive is None:
        message = f"{model.name} does not say how it drives: its first body, {links[0].name}, has no <drive>"
        hint = '<drive kind="differential" wheelbase_m=... track_m=... wheel_radius_m=.../>'
        raise SimError(message, file=links[0].body.file or model.file, hint=hint)
    gathered = _Gathered()
    for link in links:
        gathered.add(link)
    pieces = gathered.pieces()
    vehicle = Vehicle(links[0].name, pieces, list(_mounts(links, gathered)), drive, model.file)
    _check_drive(vehicle, model)
    return _prefixed(vehicle, prefix) if prefix else vehicle


def _prefixed(vehicle: Vehicle, prefix: str) -> Vehicle:
    pieces = [
        replace(
            piece,
            name=prefix + piece.name,
            joint=piece.joint and prefixed_mimic(piece.joint, prefix),
            shapes=[replace(placed, body=prefix + placed.body) for placed in piece.shapes],
        )
        for piece in vehicle.pieces
    ]
    mounts = [replace(mount, body=prefix + mount.body) for mount in vehicle.mounts]
    return replace(vehicle, name=prefix + vehicle.name, pieces=pieces, mounts=mounts)


def _check_drive(vehicle: Vehicle, model: Model) -> None:
    kind = vehicle.drive.kind
    if len(vehicle.drive_joints) < 2:
        hint = '<joint name="left_wheel" kind="drive" at="LeftAxle" axis="0 1 0"/>'
        raise SimError(f"{model.name} has no wheels to drive: two joints of kind drive at least", hint=hint)
    if kind == "ackermann" and not vehicle.steering_joints:
        raise SimError(f"{model.name} drives by ackermann, but no joint is of kind steering", file=model.file)


class _Gathered:
    """Links joined by what does not move, put together."""

    def __init__(self) -> None:
        self.piece_of: dict[str, int] = {}
        self.pose_of: dict[str, Matrix] = {}
        """Of each link in its piece."""
        self._pieces: list[Piece] = []
        self._inertias: list[list[Inertia]] = []

    def add(self, link: ExportLink) -> None:
        joint = link.joint
        if joint is None or joint.joint is not None:
            self.piece_of[link.name] = len(self._pieces)
            self.pose_of[link.name] = np.eye(4)
            self._pieces.append(self._piece(link))
            self._inertias.append([])
        else:
            self.piece_of[link.name] = self.piece_of[joint.parent]
            self.pose_of[link.name] = self.pose_of[joint.parent] @ joint.before @ joint.after
        number, pose = self.piece_of[link.name], self.pose_of[link.name]
        self._inertias[number].append(link.inertia.moved(pose))
        for shape in link.shapes:
            if shape.is_collision:
                placed = PlacedShape(shape, pose @ shape.pose.matrix, link.part.body, link.body.file)
                self._pieces[number].shapes.append(placed)

    def _piece(self, link: ExportLink) -> Piece:
        joint = link.joint
        if joint is None:
            return Piece(link.name, link.inertia)
        before = self.pose_of[joint.parent] @ joint.before
        # The joint's axes seen from the piece: its axis and its place there.
        turn = joint.after[:3, :3].T
        axis = turn @ np.array(joint.axis)
        anchor = -turn @ joint.after[:3, 3]
        return Piece(
            joint.edge,
            link.inertia,
            self.piece_of[joint.parent],
            before @ joint.after,
            joint.joint,
            (float(axis[0]), float(axis[1]), float(axis[2])),
            (float(anchor[0]), float(anchor[1]), float(anchor[2])),
        )

    def pieces(self) -> list[Piece]:
        for piece, inertias in zip(self._pieces, self._inertias, strict=True):
            piece.inertia = combined(inertias) or piece.inertia
        return self._pieces


def _mounts(links: list[ExportLink], gathered: _Gathered) -> Iterator[Mount]:
    """Cameras are left out: the embedded simulator does not draw pictures."""
    of_body: dict[str, int] = {}
    for link in links:
        of_body[link.part.body] = of_body.get(link.part.body, 0) + len(link.sensors)
    root = links[0].part.body
    for link in links:
        for sensor, pose in link.sensors:
            if isinstance(sensor, Camera):
                continue
            body = link.part.body
            alone = of_body[body] == 1
            words = (sensor.name,) if body == root else (body,) if alone else (body, sensor.name)
            placed = gathered.pose_of[link.name] @ pose
            yield Mount("_".join(map(port_name, words)), sensor, body, gathered.piece_of[link.name], placed)


def scaled_mounts(vehicle: Vehicle, noise: float) -> list[Mount]:
    """`noise` scales all that is random or wrong about the sensors."""
    return [replace(mount, sensor=_scaled(mount.sensor, noise)) for mount in vehicle.mounts]


def _scaled(sensor: Sensor, noise: float) -> Sensor:
    imperfect: dict[str, Any] = {
        name: value * noise for name, value in sensor.values().items() if name.startswith(("noise", "bias", "dropout"))
    }
    return replace(sensor, **imperfect)


def is_pressed(mount: Mount, bumper: Bumper, touched: Mapping[str, int], now_ns: int, period_ns: int) -> bool:
    """`touched`: shape -> when it last touched something. A short touch counts until it has been told."""
    wanted = f"{mount.body}.{bumper.shape}"
    felt = [at for shape, at in touched.items() if shape == wanted or (not bumper.shape and shape.startswith(wanted))]
    return any(now_ns - at_ns <= period_ns for at_ns in felt)


def port_name(name: str) -> str:
    """`LeftLaser` -> `left_laser`."""
    return _WORD.sub("_", name).lower()
