"""The embedded simulator: a periodic component that steps physics to `now()` and sends what the devices measure.

A simulator of your own names its vehicles; its ports follow from their assemblies:

    class TwoRobots(Simulator):
        \"\"\"A Raptor and a Pioneer in one world.\"\"\"
        vehicles = {"raptor": "raptor", "pioneer": "pioneer_2dx"}
"""

from __future__ import annotations

import copy
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
from studio.model.spec import Activation, Category, Value
from studio.paths import model_roots
from studio.runtime.component import Component, Parameter
from studio.runtime.sim.devices import MAP, Device, Moment, devices_of
from studio.runtime.sim.driving import AT_ORIGIN, AT_REST, COMMAND_HOLDS_NS, Believed, Driving, Motion
from studio.runtime.sim.errors import SimError
from studio.runtime.sim.physics import STEP_NS, Physics
from studio.runtime.sim.ports import ports_of, prefixed
from studio.runtime.sim.vehicle import Vehicle, vehicle_of
from studio.runtime.sim.world import Place, World
from studio.runtime.sim.world_writing import world_sdf
from studio.runtime.sim.worlds import load_world

SECOND_NS = 1_000_000_000
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


class Simulator(Component):
    """Vehicles in a world with physics, in place of real ones: takes commands, sends what their devices measure."""

    category: ClassVar[Category] = "sensor"
    icon: ClassVar[str] = "mdi6.cube-outline"
    tags: ClassVar[tuple[str, ...]] = ("simulator", "mujoco")
    activations: ClassVar[tuple[Activation, ...]] = ("periodic",)
    period_s: ClassVar[float] = 0.01

    vehicles: ClassVar[Mapping[str, str]] = {}
    """Name in the ports, and before the names of bodies: assembly. A single vehicle may be called ""."""
    models: ClassVar[Mapping[str, Vehicle]] = {}

    world = Parameter("blocks", doc=WORLD_DOC, kind="world")
    start = Parameter((), doc="x, y and heading (m, rad) of each vehicle; without it the places the world calls start")
    noise = Parameter(1.0, minimum=0.0, maximum=100.0, doc="times the noise and bias of the bodies; 0: ideal sensors")

    _physics: Physics
    _start_state: NDArray[np.float64]
    """Of the physics, where the vehicles start."""
    _sdf: str
    _has_begun = False
    """Not if its world was refused at the start; then a reset has to come first."""
    _run: Run
    _drivings: list[Driving]
    _blanks: list[tuple[Odometry, JointState]]
    """What is told of the wheels, but for the numbers."""
    _devices: list[tuple[int, Device]]
    _named: list[tuple[str, Vehicle]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        roots = model_roots(_project_of(cls))
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

    # Life cycle.

    def on_initialize(self) -> None:
        self._build()

    def on_activate(self) -> None:
        """Every time from the start: who activates it anew finds the vehicles there."""
        self._physics.load(self._start_state)
        self._begin()

    def on_reset(self) -> None:
        self._build()

    def on_parameter(self, name: str, value: Value) -> None:
        """Another world, start or noise: everything begins anew."""
        self._build()
        if self._has_begun:
            self._begin()

    def on_clock_jump(self) -> None:
        """The vehicles stay where they are, and time goes on from here."""
        believed = [course.believed for course in self._run.courses]
        self._run = self._new_run()
        for course, kept in zip(self._run.courses, believed, strict=True):
            course.believed = kept

    def _build(self) -> None:
        """All of it or, where something is refused, nothing: it then goes on as it was."""
        project = self.project or _project_of(type(self))
        world = load_world(self.world, model_roots(project), project)
        named = [(name or vehicle.name, vehicle) for name, vehicle in self.models.items()]
        physics = Physics(world, named, self._places(world))
        devices = [
            (number, replace(device, port=prefixed(name, device.port)))
            for number, (name, vehicle) in enumerate(self.models.items())
            for device in devices_of(physics, number, vehicle, self.noise)
        ]
        self._sdf = world_sdf(world).decode()
        self._physics, self._start_state, self._devices = physics, physics.save(), devices
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

    def _begin(self) -> None:
        self._has_begun = True
        self._run = self._new_run()
        self._send("true_world", String(self._sdf), self.now())

    def _new_run(self) -> Run:
        now_ns = self.now()
        keys = [WHEELS, TRUTH, *(device.port for _, device in self._devices)]
        courses = [Course(told_ns=now_ns - COMMAND_HOLDS_NS, believed_ns=now_ns) for _ in self.models]
        due_ns = dict.fromkeys(keys, now_ns)
        return Run(now_ns, now_ns - self._physics.now_ns, courses, due_ns, dict.fromkeys(keys, 0))

    # Commands.

    def _obey(self, number: int, message: Message) -> None:
        driving, course = self._drivings[number], self._run.courses[number]
        if isinstance(message, Velocity):
            course.wanted = driving.wanted(message.speed_m_s, message.steering_angle_rad)
        elif isinstance(message, Twist):
            course.wanted = driving.wanted_turning(message.speed_m_s, message.yaw_rate_rad_s)
        course.told_ns = self.now()

    # Time passes.

    def on_timer(self) -> None:
        physics, run = self._physics, self._run
        target_ns = self.now()
        at_ns = run.origin_ns + physics.now_ns
        while (left := (target_ns - at_ns) // STEP_NS) > 0:
            next_ns = min(run.due_ns.values())
            steps = min(left, max(1, -((at_ns - next_ns) // STEP_NS)))
            self._drive(at_ns, steps)
            physics.step(steps)
            at_ns = run.origin_ns + physics.now_ns
            if physics.has_contacts:
                self._look_for_touches(at_ns)
            if next_ns <= at_ns:
                self._measure(at_ns)

    def _drive(self, now_ns: int, steps: int) -> None:
        for number, (driving, course) in enumerate(zip(self._drivings, self._run.courses, strict=True)):
            wanted = course.wanted
            if now_ns - course.told_ns >= COMMAND_HOLDS_NS:
                wanted = replace(course.motion, speed_m_s=0.0, yaw_rate_rad_s=0.0)
            if wanted != course.motion:
                course.motion = driving.towards(course.motion, wanted, steps * STEP_NS / SECOND_NS)
                for piece, value in driving.servos(course.motion).items():
                    self._physics.drive(number, piece, value)

    def _look_for_touches(self, now_ns: int) -> None:
        for touch in self._physics.touches():
            course = self._run.courses[touch.vehicle]
            course.touched[touch.shape] = now_ns
            begins = now_ns - course.collisions.get(touch.other, now_ns - SECOND_NS) > APART_NS
            course.collisions[touch.other] = now_ns
            if begins:
                speed = float(np.linalg.norm(self._physics.velocity(touch.vehicle)[0]))
                told = {"shape": touch.shape, "with": touch.other, "speed_m_s": round(speed, 3)}
                port = prefixed(self._named[touch.vehicle][0], "collision")
                self._send(port, String(json.dumps(told)), now_ns)

    def _measure(self, now_ns: int) -> None:
        physics, run = self._physics, self._run
        physics.look()
        if run.due_ns[WHEELS] <= now_ns:
            for number in range(len(run.courses)):
                self._tell_wheels(number, now_ns)
            run.schedule(WHEELS, ODOMETRY_HZ)
        moments = [Moment(now_ns, self.random, course.touched) for course in run.courses]
        for number, device in self._devices:
            if run.due_ns[device.port] <= now_ns:
                self._send(device.port, device.measure(moments[number]), now_ns)
                run.schedule(device.port, device.rate_hz)
        if run.due_ns[TRUTH] <= now_ns:
            for number, (name, vehicle) in enumerate(self.models.items()):
                matrix = physics.pose(number)
                told = PoseTransform(stamp_ns=now_ns, frame=MAP, child_frame=vehicle.name, matrix=matrix)
                self._send(prefixed(name, "true_pose"), told, now_ns)
            run.schedule(TRUTH, TRUTH_HZ)

    def _tell_wheels(self, number: int, now_ns: int) -> None:
        name = self._named[number][0]
        driving, course = self._drivings[number], self._run.courses[number]
        positions, speeds = self._physics.joints(number)
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

    # Checkpoints: the model is built from the parameters; what moves is one array.

    def save_state(self) -> Any:
        return {"physics": self._physics.save(), "run": copy.deepcopy(self._run)}

    def load_state(self, state: Any) -> None:
        self._physics.load(state["physics"])
        self._run = copy.deepcopy(state["run"])


def _add_handler(cls: type[Simulator], port: str, number: int) -> None:
    def handler(self: Simulator, message: Message) -> None:
        self._obey(number, message)

    handler.__name__ = f"on_{port}"
    setattr(cls, handler.__name__, handler)


def _project_of(cls: type) -> Path | None:
    """The project in whose components/ the class lies: its models come first."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    folders = Path(file).resolve().parents if file else ()
    return next((folder.parent for folder in folders if folder.name == "components"), None)
