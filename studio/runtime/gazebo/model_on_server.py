"""One vehicle on a Gazebo classic server: put there, driven, and what its sensors, joints and contacts tell."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.rotations import quaternion_of
from studio.model.geometry.sensors import Bumper, Gps, Laser, Ultrasonic
from studio.model.geometry.sensors import Imu as ImuSensor
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.classic.stepped_world import SteppedWorld
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.conversions import Convert, Known, classic_drive, converter
from studio.runtime.gazebo.joint_drive import JointDrive
from studio.runtime.gazebo.own_shapes import OwnShapes
from studio.runtime.gazebo.sensor_stream import SensorStream
from studio.runtime.gazebo.server import Placement
from studio.runtime.gazebo.vehicle_sdf import TOUCHES, TOUCHES_HZ, link_name, shape_of, vehicle_sdf
from studio.runtime.sim.vehicles.driving import AT_REST, Driving, Motion
from studio.runtime.sim.vehicles.ports import prefixed
from studio.runtime.sim.vehicles.vehicle import DEFAULT_RATE_HZ, Vehicle, scaled_mounts
from studio.runtime.sim.worlds.world import World

KINDS = {Laser: ("scan", "LaserScanStamped"), Ultrasonic: ("scan", "LaserScanStamped"), Gps: ("", "GPS"),
         ImuSensor: ("imu", "IMU")}  # fmt: skip
"""What a server puts behind the name of a sensor, and the type of its messages."""
Matrix = NDArray[np.float64]


class ModelOnServer:
    def __init__(
        self,
        stepped: SteppedWorld,
        model: str,
        name: str,
        vehicle: Vehicle,
        world: World,
        noise: float,
        partition: str,
    ) -> None:
        """`model`: what it is called there; `name`: what comes before its ports."""
        self._stepped, self._model, self._name, self._vehicle = stepped, model, name, vehicle
        self.scaled = replace(vehicle, mounts=scaled_mounts(vehicle, noise))
        self.partition = partition
        self.streams: list[SensorStream] = []
        """What is waited for: one for each wired sensor."""
        self._contacts: list[SensorStream] = []
        self._converts: dict[str, Convert] = {}
        self._labels = _Labels(world)
        self._origin_deg = world.latitude_deg, world.longitude_deg
        self._spawned: Matrix = np.eye(4)
        self._angles: NDArray[np.float64] | None = None
        self._angles_ns = 0
        self._joints: JointDrive | None = None
        self._velocity = None
        if vehicle.drive.kind == "differential":
            self._velocity = stepped.server.tell(f"~/{model}/vel_cmd", "Pose")
        plugged = vehicle.drive_joints if self._velocity is not None else ()
        self._held = [index for index in range(1, len(vehicle.pieces)) if index not in plugged]
        """Pieces whose joints are driven one by one."""

    # There and away.

    def spawn(self, at: Matrix, wired: Set[str], random: np.random.Generator) -> None:
        """A model of this name that is there already goes back to its start: a server does not delete a model with
        sensors while it is paused. It has the sensors that it was made with."""
        server = self._stepped.server
        self.unsubscribe()
        self._spawned, self._angles = at, None
        x, y, z, w = quaternion_of(at[:3, :3])
        x_m, y_m, z_m = (float(value) for value in at[:3, 3])
        placement = Placement((x_m, y_m, z_m), (x, y, z, w))
        if self._model in server.entities():
            self._tell_velocity(AT_REST)  # it goes on as it was last told
            server.move(self._model, placement)
        else:
            server.spawn(self._model, vehicle_sdf(self.scaled, self._model), placement)
        if self._joints is None and self._held:
            step_s = self._stepped.step_ns / SECOND_NS
            self._joints = JointDrive(self._model, self._vehicle, self._held, step_s, self.partition)
        if self._joints is not None:
            self._joints.tell(dict.fromkeys(self._held, 0.0))
        self._subscribe(wired, random)

    def unsubscribe(self) -> None:
        for stream in (*self.streams, *self._contacts):
            stream.end()
        self.streams, self._contacts = [], []

    def close(self) -> None:
        self.unsubscribe()
        if self._joints is not None:
            self._joints.close()
            self._joints = None

    def _subscribe(self, wired: Set[str], random: np.random.Generator) -> None:
        for mount in self.scaled.mounts:
            port = prefixed(self._name, mount.port)
            if port in wired and not isinstance(mount.sensor, Bumper):
                suffix, kind = KINDS[type(mount.sensor)]
                words = (link_name(self._vehicle, mount.piece), mount.port, suffix)
                stream = self._stream(port, words, kind, mount.sensor.rate_hz or DEFAULT_RATE_HZ)
                self.streams.append(stream)
                placed = self._vehicle.place_of(mount.piece) @ mount.pose
                known = Known(self._spawned[:3, :3] @ placed[:3, :3], self._origin_deg)
                self._converts[port] = converter(mount, OwnShapes(self._vehicle, mount), random, known)
        feels = {prefixed(self._name, mount.port) for mount in self.scaled.mounts if isinstance(mount.sensor, Bumper)}
        if wired & (feels | {prefixed(self._name, "collision")}):
            for index, piece in enumerate(self._vehicle.pieces):
                if piece.shapes:
                    words = (link_name(self._vehicle, index), TOUCHES, "")
                    self._contacts.append(self._stream(TOUCHES, words, "Contacts", TOUCHES_HZ))

    def _stream(self, port: str, words: tuple[str, ...], kind: str, rate_hz: float) -> SensorStream:
        topic = "/".join(("~", self._model, *filter(None, words)))
        stream = SensorStream(port, topic, kind, rate_hz, is_exact=kind != "IMU")
        schema = classic_messages()
        stream.end = self._stepped.server.client.subscribe(
            topic, schema.full(kind), lambda body: stream.put(schema.read(kind, body))
        )
        return stream

    # What it is told.

    def drive(self, driving: Driving, motion: Motion, *, is_changed: bool) -> None:
        if self._joints is not None:
            self._joints.tell({} if self._velocity else driving.servos(motion))
        if is_changed:
            self._tell_velocity(motion)

    def _tell_velocity(self, motion: Motion) -> None:
        if self._velocity is not None:
            self._velocity(**classic_drive(classic_messages().new, motion))

    # What it tells.

    def pose(self) -> Matrix:
        """Of its origin in the world."""
        found = self._stepped.pose(self._model)
        return self._spawned if found is None else found

    def joints(self, now_ns: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Positions and speeds of all pieces but the first. Wheels count on where they come round."""
        raw = np.array([self._angle(index) for index in range(1, len(self._vehicle.pieces))])
        before, passed_s = self._angles, (now_ns - self._angles_ns) / SECOND_NS
        if before is None or passed_s <= 0:
            self._angles, self._angles_ns = raw, now_ns
            return raw, np.zeros(len(raw))
        turns = [piece.joint is not None and piece.joint.kind != "slider" for piece in self._vehicle.pieces[1:]]
        step = raw - before
        step = np.where(turns, np.remainder(step + np.pi, 2 * np.pi) - np.pi, step)
        self._angles, self._angles_ns = before + step, now_ns
        return self._angles, step / passed_s

    def touches(self) -> Iterator[tuple[str, str]]:
        """Shape and what it has touched, of all contacts that came since it was asked."""
        mine = f"{self._model}::"
        for stream in self._contacts:
            for _, told in stream.take():
                for contact in told.contact:
                    one, other = contact.collision1, contact.collision2
                    if not one.startswith(mine):
                        one, other = other, one
                    label = self._labels.of(other)
                    if label and not other.startswith(mine):
                        yield shape_of(one.rpartition("::")[2]), label

    def take(self) -> Iterator[tuple[int, str, Convert, Any]]:
        """Time of the server, port, what converts it, and the message, of all that came since it was asked."""
        for stream in self.streams:
            for at_ns, message in stream.take():
                yield at_ns, stream.port, self._converts[stream.port], message

    def _angle(self, index: int) -> float:
        piece = self._vehicle.pieces[index]
        now = np.linalg.inv(self._place(piece.parent)) @ self._place(index)
        moved = np.linalg.inv(piece.pose) @ now
        axis = np.array(piece.axis)
        if piece.joint is not None and piece.joint.kind == "slider":
            return float(axis @ moved[:3, 3])
        turn = moved[:3, :3]
        sine = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        return float(np.arctan2(axis @ sine, (np.trace(turn) - 1) / 2))

    def _place(self, index: int) -> Matrix:
        """Of a piece in the model."""
        found = self._stepped.pose(f"{self._model}::{link_name(self._vehicle, index)}")
        return self._vehicle.place_of(index) if found is None or index == 0 else found


class _Labels:
    """What the solids of a world are called in its file, by what a server calls their collisions."""

    def __init__(self, world: World) -> None:
        self._names = {solid.name for solid in world.solids} | {terrain.name for terrain in world.terrains}
        self._ground = {solid.name for solid in world.solids if solid.kind == "plane"}
        self._ground |= {terrain.name for terrain in world.terrains}

    def of(self, collision: str) -> str:
        """Empty for the ground, which every vehicle touches."""
        model, _, rest = collision.partition("::")
        whole = f"{model}/{rest.rpartition('::')[2]}"
        name = whole if whole in self._names else model
        return "" if name in self._ground else name
