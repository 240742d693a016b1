"""What all simulators share: vehicles from assemblies, their ports and commands, and what their wheels tell.

Which physics moves them is the subclass's: the embedded one of `simulator`, or a Gazebo server.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from studio.messages import JointState, Odometry, PoseTransform, String, Twist, Velocity
from studio.messages.message import Message, like
from studio.model.geometry.library import load_model
from studio.model.spec import Activation, Category
from studio.paths import model_roots
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.component import Component, Parameter
from studio.runtime.sim.vehicles.driving import AT_ORIGIN, AT_REST, COMMAND_HOLDS_NS, Believed, Driving, Motion
from studio.runtime.sim.vehicles.ins import MAP
from studio.runtime.sim.vehicles.ports import ports_of, prefixed
from studio.runtime.sim.vehicles.vehicle import Vehicle, vehicle_of
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.world import Place, World

ODOM = "odom"
ODOMETRY_HZ = 50.0
"""Odometry and joints; a body does not tell how often its wheels are read."""
TRUTH_HZ = 20.0
APART_NS = 500_000_000
"""Two touches of the same things within this time are one collision."""
WHEELS, TRUTH = "wheels", "truth"
"""What is told at a rate besides the devices; no port is called so."""


@dataclass
class Course:
    """How one vehicle is doing, besides its physics."""

    wanted: Motion = AT_REST
    told_ns: int = -COMMAND_HOLDS_NS
    """When it was told what is wanted."""
    motion: Motion = AT_REST
    """What its servos are told now, on the way to what is wanted."""
    believed: Believed = AT_ORIGIN
    believed_ns: int = 0
    touched: dict[str, int] = field(default_factory=dict)
    """Shape -> when it last touched something."""
    collisions: dict[str, int] = field(default_factory=dict)
    """With what -> when it last touched it."""


@dataclass
class Run:
    """All that changes while it runs, apart from the physics and the random generator."""

    begun_ns: int
    """System time at which devices began to measure."""
    origin_ns: int
    """System time of the physics' time 0."""
    courses: list[Course]
    due_ns: dict[str, int]
    """Port -> when it measures next."""
    sent: dict[str, int]

    def schedule(self, key: str, rate_hz: float) -> None:
        """By count and not by adding periods, so that a rate holds to the last digit however long it runs."""
        self.sent[key] += 1
        self.due_ns[key] = self.begun_ns + round(self.sent[key] / rate_hz * SECOND_NS)


WORLD_DOC = "a world of models/worlds, an .sdf file by its path in the project, or one made from a seed: blocks:7"


class SimulatedVehicles(Component):
    """Vehicles in a world, in place of real ones."""

    category: ClassVar[Category] = "sensor"
    icon: ClassVar[str] = "mdi6.cube-outline"
    activations: ClassVar[tuple[Activation, ...]] = ("periodic",)
    period_s: ClassVar[float] = 0.01

    vehicles: ClassVar[Mapping[str, str]] = {}
    """Name in the ports, and before the names of bodies: assembly. A single vehicle may be called ""."""
    models: ClassVar[Mapping[str, Vehicle]] = {}

    world = Parameter("blocks", doc=WORLD_DOC, kind="world")
    start = Parameter((), doc="x, y and heading (m, rad) of each vehicle; empty: the places named start in the world")
    noise = Parameter(
        1.0, minimum=0.0, maximum=100.0, doc="factor for the noise and bias of the sensors; 0: ideal sensors"
    )

    _run: Run
    _drivings: list[Driving]
    _blanks: list[tuple[Odometry, JointState]]
    """What is told of the wheels, but for the numbers."""
    _named: list[tuple[str, Vehicle]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        roots = model_roots(project_of(cls))
        cls.models = {
            name: vehicle_of(load_model(model, roots), prefixed(name, "")) for name, model in cls.vehicles.items()
        }
        for name, port in ports_of(cls.models).items() if cls.models else ():
            port.__set_name__(cls, name)
            setattr(cls, name, port)
        for number, (name, vehicle) in enumerate(cls.models.items()):
            _add_handler(cls, prefixed(name, "command"), number)
            if vehicle.drive.kind != "ackermann":
                _add_handler(cls, prefixed(name, "twist"), number)
        if list(cls.vehicles) == [""]:  # several are put together by an assembly that only the project has
            cls.brings_geometry = cls.vehicles[""]
        super().__init_subclass__(**kwargs)

    def _prepare(self) -> None:
        """Of the vehicles, whatever moves them."""
        self._named = list(self.models.items())
        self._drivings = [Driving(vehicle) for vehicle in self.models.values()]
        self._blanks = [
            (Odometry(frame=prefixed(name, ODOM), child_frame=vehicle.name), JointState(names=vehicle.joint_names))
            for name, vehicle in self.models.items()
        ]

    def _places(self, world: World) -> list[Place]:
        count = len(self.vehicles)
        if not self.start:
            return [world.place("start" if count == 1 else f"start_{name}") for name in self.vehicles]
        if len(self.start) != 3 * count:
            message = f"start has {len(self.start)} numbers for {count} vehicle{'s' if count > 1 else ''}"
            raise SimError(message, hint="x, y and heading of each: 2.0 1.5 0.0")
        return [Place(*self.start[3 * i : 3 * i + 3]) for i in range(count)]

    def _run_from(self, physics_ns: int, ports: list[str]) -> Run:
        """What has begun now, when the physics' own time is `physics_ns`. `ports`: of the devices."""
        now_ns = self.now()
        keys = [WHEELS, TRUTH, *ports]
        courses = [Course(told_ns=now_ns - COMMAND_HOLDS_NS, believed_ns=now_ns) for _ in self.models]
        return Run(now_ns, now_ns - physics_ns, courses, dict.fromkeys(keys, now_ns), dict.fromkeys(keys, 0))

    # Commands.

    def _obey(self, number: int, message: Message) -> None:
        driving, course = self._drivings[number], self._run.courses[number]
        if isinstance(message, Velocity):
            course.wanted = driving.wanted(message.speed_m_s, message.steering_angle_rad)
        elif isinstance(message, Twist):
            course.wanted = driving.wanted_turning(message.speed_m_s, message.yaw_rate_rad_s)
        course.told_ns = self.now()

    def _moved_on(self, number: int, now_ns: int, passed_s: float) -> bool:
        """Brings what a vehicle's servos are told nearer to what is wanted; whether that changes them."""
        driving, course = self._drivings[number], self._run.courses[number]
        wanted = course.wanted
        if now_ns - course.told_ns >= COMMAND_HOLDS_NS:
            wanted = replace(course.motion, speed_m_s=0.0, yaw_rate_rad_s=0.0)
        if wanted == course.motion:
            return False
        course.motion = driving.towards(course.motion, wanted, passed_s)
        return True

    # What is told.

    def _speed_m_s(self, number: int) -> float:
        """Of a vehicle, as the physics knows it."""
        raise NotImplementedError

    def _tell_touch(self, number: int, shape: str, other: str, now_ns: int) -> None:
        course = self._run.courses[number]
        course.touched[shape] = now_ns
        begins = now_ns - course.collisions.get(other, now_ns - SECOND_NS) > APART_NS
        course.collisions[other] = now_ns
        if begins:
            told = {"shape": shape, "with": other, "speed_m_s": round(self._speed_m_s(number), 3)}
            self._send(prefixed(self._named[number][0], "collision"), String(json.dumps(told)), now_ns)

    def _tell_truth(self, number: int, matrix: NDArray[np.float64], now_ns: int) -> None:
        name, vehicle = self._named[number]
        told = PoseTransform(stamp_ns=now_ns, frame=MAP, child_frame=vehicle.name, matrix=matrix)
        self._send(prefixed(name, "true_pose"), told, now_ns)

    def _tell_wheels(
        self, number: int, positions: NDArray[np.float64], speeds: NDArray[np.float64], now_ns: int
    ) -> None:
        name = self._named[number][0]
        driving, course = self._drivings[number], self._run.courses[number]
        at_rad = positions.tolist()
        wheels = [at_rad[piece - 1] for piece in driving.wheels]
        steerings = [at_rad[piece - 1] for piece in driving.steered]
        passed_s = (now_ns - course.believed_ns) / SECOND_NS
        course.believed, course.believed_ns = driving.believe(course.believed, wheels, steerings, passed_s), now_ns
        at, half = course.believed, course.believed.heading_rad / 2
        # One array in four pieces: numpy takes its time for each that it makes.
        sine, cosine, zero = math.sin(half), math.cos(half), 0.0
        told = np.array(
            [at.x_m, at.y_m, zero, zero, zero, sine, cosine, at.speed_m_s, zero, zero, zero, zero, at.yaw_rate_rad_s]
        )
        for values in (told, positions, speeds):
            values.setflags(write=False)
        odometry, joints = self._blanks[number]
        pieces = {"position": told[:3], "orientation": told[3:7], "linear": told[7:10], "angular": told[10:]}
        self._send(prefixed(name, "odometry"), like(odometry, stamp_ns=now_ns, **pieces), now_ns)
        moved = like(joints, stamp_ns=now_ns, position=positions, velocity=speeds)
        self._send(prefixed(name, "joints"), moved, now_ns)

    def _send(self, port: str, message: Message, stamp_ns: int) -> None:
        self._outputs[port].publish(message, stamp_ns=stamp_ns)


def _add_handler(cls: type[SimulatedVehicles], port: str, number: int) -> None:
    def handler(self: SimulatedVehicles, message: Message) -> None:
        self._obey(number, message)

    handler.__name__ = f"on_{port}"
    setattr(cls, handler.__name__, handler)


def project_of(cls: type) -> Path | None:
    """The project in whose components/ the class lies: its models come first."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    folders = Path(file).resolve().parents if file else ()
    return next((folder.parent for folder in folders if folder.name == "components"), None)
