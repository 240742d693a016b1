"""A Gazebo server in place of vehicle and sensors: the same ports as the embedded simulator, the same worlds.

The server goes only as far as the clock of the system: it is paused, and each period of this component it makes the
steps up to `now()`. So a breakpoint, a pause and a single step hold its time, too, and no scan is lost meanwhile.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from studio.messages import Float64, String
from studio.model.geometry.sensors import Bumper
from studio.model.spec import Value
from studio.paths import model_roots
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.component import Parameter
from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.classic.client import Lost
from studio.runtime.gazebo.classic.stepped_world import SteppedWorld
from studio.runtime.gazebo.connections.address import Address, Family
from studio.runtime.gazebo.connections.finding import partition_of
from studio.runtime.gazebo.local_classic import LocalClassic
from studio.runtime.gazebo.model_on_server import ModelOnServer
from studio.runtime.gazebo.server import GazeboError
from studio.runtime.sim.vehicles.ins import ins_of
from studio.runtime.sim.vehicles.ports import prefixed
from studio.runtime.sim.vehicles.simulated_vehicles import (
    ODOMETRY_HZ,
    TRUTH,
    TRUTH_HZ,
    WHEELS,
    SimulatedVehicles,
    project_of,
)
from studio.runtime.sim.vehicles.vehicle import DEFAULT_RATE_HZ, is_pressed
from studio.runtime.sim.worlds.world import Ground, Place, World, pose_of
from studio.runtime.sim.worlds.world_writing import world_sdf
from studio.runtime.sim.worlds.worlds import load_world

READY_S = 20.0
IN_FLIGHT_S = 0.1
"""A message of a sensor is waited for so long before the server gets another step."""
MOST_MISSES = 50
"""So many steps late, a sensor is not waited for any more."""
POSE = "pose"


class GazeboService(SimulatedVehicles):
    """Vehicles in a world of a Gazebo classic server, in place of real ones."""

    tags: ClassVar[tuple[str, ...]] = ("simulator", "gazebo")

    server = Parameter(
        "", doc="host:port of a Gazebo classic server that runs this world; empty: one is started for this run"
    )

    _world: World
    _start_places: list[Place]
    _ground: Ground
    stepped: SteppedWorld | None = None
    local: LocalClassic | None = None
    _folder: Path | None = None
    _trouble = ""
    _models: list[ModelOnServer]
    _reads: dict[str, tuple[int, float, Callable[[int, int], Any]]]
    """What is made from poses and contacts here, by its key in the schedule: vehicle, rate, and the message."""

    @property
    def trouble(self) -> str:  # type: ignore[override]
        return self._trouble

    # Life cycle.

    def on_initialize(self) -> None:
        self._load()

    def on_reset(self) -> None:
        self._close()
        self._load()

    def on_activate(self) -> None:
        """Every time from the start: a vehicle that is there already is made anew."""
        self._open()
        try:
            self._attach()
        except GazeboError:
            self._close()
            raise

    def on_deactivate(self) -> None:
        for model in self._models:
            model.unsubscribe()

    def on_finalize(self) -> None:
        self._close()

    def on_error(self, error: Exception) -> None:
        self._close()

    def on_parameter(self, name: str, value: Value) -> None:
        self._load()
        if self.stepped is not None:
            self._close()
            self.on_activate()

    def on_clock_jump(self) -> None:
        """The vehicles stay where they are, and time goes on from here."""
        if self.stepped is not None and self.stepped.is_attached:
            believed = [course.believed for course in self._run.courses]
            self._begin()
            for course, kept in zip(self._run.courses, believed, strict=True):
                course.believed = kept

    def _load(self) -> None:
        project = self.project or project_of(type(self))
        self._world = load_world(self.world, model_roots(project), project)
        self._start_places = self._places(self._world)
        self._ground = self._world.ground()
        self._prepare()
        self._models = []

    def _open(self) -> None:
        """Once for each server, whatever is done with it."""
        if self.stepped is not None:
            return
        if self.server:
            address = Address.parse(self.server)
            if address.family is not Family.CLASSIC:
                raise GazeboError(f"{self.server} is not a Gazebo classic server", hint="host:port")
            host, port, partition = address.host, address.port, partition_of(address.port)
        else:
            host, port = "127.0.0.1", _free_port()
            partition = f"studio-{os.getpid()}-{port}"
            self._start_server(port, partition)
        self.stepped = SteppedWorld(host, port)
        self._models = [
            ModelOnServer(
                self.stepped, model_name(name, self.vehicles), name, vehicle, self._world, self.noise, partition
            )
            for name, vehicle in self._named
        ]

    def _start_server(self, port: int, partition: str) -> None:
        tree = local_classic.installed()
        if tree is None:
            raise GazeboError("no Gazebo server is installed", hint="studio gazebo install")
        self._folder = self._folder or Path(tempfile.mkdtemp(prefix="studio-gazebo-"))
        file = Path(self._world.file) if self._world.file else self._folder / f"{self._world.name}.sdf"
        if not self._world.file:
            file.write_bytes(world_sdf(self._world))
        self.local = LocalClassic.start(
            tree, file.resolve(), self._folder, port=port, is_paused=True, is_alone=False, partition=partition,
            seed=int(self.random.integers(1, 2**31)),
        )  # fmt: skip

    def _attach(self) -> None:
        """Make the world ours, put the vehicles into it, and begin."""
        stepped = self.stepped
        assert stepped is not None
        self._await_server(stepped)
        stepped.attach(faster=not self.server)
        there = stepped.server.worlds()
        if self._world.name not in there:
            words = "the Gazebo server runs the world %s, and not %s: ground truth comes from another world"
            self.log.warning(words, ", ".join(there), self._world.name)
        wired = {port for port, output in self._outputs.items() if output.is_wired}
        for model, place in zip(self._models, self._start_places, strict=True):
            at = pose_of(place.x_m, place.y_m, self._ground.at(place.x_m, place.y_m), yaw=place.heading_rad)
            model.spawn(at, wired, self.random)
        self._await_sensors(stepped)
        self._begin()
        self._trouble = ""
        self._send("true_world", String(world_sdf(self._world).decode()), self.now())

    def _await_server(self, stepped: SteppedWorld) -> None:
        until_ns = monotonic_ns() + int(READY_S * SECOND_NS)
        while not stepped.server.client.wait_for_server(0.1):
            if self.local is not None and self.local.process.poll() is not None:
                words = self.local.last_words()
                raise GazeboError(f"the Gazebo server ended with status {self.local.process.returncode}: {words}")
            if monotonic_ns() > until_ns:
                state = stepped.state
                why = state.reason if isinstance(state, Lost) else ""
                raise GazeboError(f"no Gazebo server on {self.server or 'this machine'}: {why}")

    def _await_sensors(self, stepped: SteppedWorld) -> None:
        """A vehicle is there when each of its sensors has measured once."""
        slowest_ns = max((stream.period_ns for model in self._models for stream in model.streams), default=0)
        for _ in range(4):
            silent = [stream for model in self._models for stream in model.streams if stream.last_ns is None]
            if not silent:
                break
            stepped.advance_to(stepped.now_ns + slowest_ns)
            for stream in silent:
                stream.wait(stepped.now_ns - slowest_ns, 1.0)
        else:
            names = ", ".join(stream.topic for stream in silent)
            raise GazeboError(f"the server has no data on {names}", hint="look at its log")
        for model in self._models:
            for stream in model.streams:
                stream.take()

    def _begin(self) -> None:
        assert self.stepped is not None
        self._reads = {}
        for number, (name, vehicle) in enumerate(self._named):
            if vehicle.has_ins:
                rate_hz, read = ins_of(self._models[number].scaled, self._world.heading_deg)

                def pose(number: int, now_ns: int, read: Any = read) -> Any:
                    at = self._models[number].pose()
                    return read(np.ascontiguousarray(at[:3, :3]), at[:3, 3].copy(), self.random, now_ns)

                self._reads[prefixed(name, POSE)] = number, rate_hz, pose
            for mount in vehicle.mounts:
                if isinstance(mount.sensor, Bumper):
                    rate_hz = mount.sensor.rate_hz or DEFAULT_RATE_HZ

                    def press(
                        number: int, now_ns: int, mount: Any = mount, period_ns: int = round(SECOND_NS / rate_hz)
                    ) -> Any:
                        touched = self._run.courses[number].touched
                        return Float64(float(is_pressed(mount, mount.sensor, touched, now_ns, period_ns)))

                    self._reads[prefixed(name, mount.port)] = number, rate_hz, press
        self._run = self._run_from(self.stepped.now_ns, list(self._reads))

    def _close(self) -> None:
        for model in self._models:
            model.close()
        self._models = []
        if self.stepped is not None:
            self.stepped.close()
            self.stepped = None
        if self.local is not None:
            self.local.stop()
            self.local = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    # Time passes.

    def on_timer(self) -> None:
        stepped = self.stepped
        if stepped is None:
            return
        try:
            if stepped.has_strayed:
                self.log.warning("another program has changed the time of the Gazebo server; the world restarts")
                self._attach()
            if not stepped.is_attached:
                self._come_back(stepped)
            if stepped.is_attached:
                self._go_to(stepped, self.now())
        except GazeboError as error:
            self._complain(str(error))

    def _come_back(self, stepped: SteppedWorld) -> None:
        """After the server was lost: as soon as it is there, everything is as at the start."""
        if self.local is not None and self.local.process.poll() is not None:
            words = self.local.last_words()
            self._complain(f"the Gazebo server ended with status {self.local.process.returncode}: {words}")
            self._start_server(stepped.server.client.port, self._models[0].partition)
        elif stepped.server.client.wait_for_server(0.0):
            self._attach()
            self.log.info("the Gazebo server is back")
        else:
            state = stepped.state
            self._complain(f"no Gazebo server: {state.reason if isinstance(state, Lost) else ''}")

    def _complain(self, what: str) -> None:
        if what != self._trouble:
            self._trouble = what
            self.log.warning("%s", what)

    def _go_to(self, stepped: SteppedWorld, target_ns: int) -> None:
        run = self._run
        while target_ns - (run.origin_ns + stepped.now_ns) >= stepped.step_ns:
            at_ns = run.origin_ns + stepped.now_ns
            next_ns = min(target_ns, *run.due_ns.values(), *self._dues(run.origin_ns))
            next_ns = max(next_ns, at_ns + stepped.step_ns)
            self._drive(at_ns, (next_ns - at_ns) / SECOND_NS)
            stepped.advance_to(next_ns - run.origin_ns)
            self._await_due(stepped)
            self._tell(run.origin_ns + stepped.now_ns)

    def _dues(self, origin_ns: int) -> list[int]:
        """When the world has to be looked at: where a sensor is due, and step by step while one is late."""
        streams = [stream for model in self._models for stream in model.streams]
        return [
            origin_ns + stream.due_ns
            for stream in streams
            if stream.due_ns is not None and (stream.is_exact or stream.misses) and stream.misses < MOST_MISSES
        ]

    def _await_due(self, stepped: SteppedWorld) -> None:
        """What is due in this step. Where a server has looked at its sensors too early, it comes with a later step: of
        this period or the next, since waiting makes none."""
        streams = [stream for model in self._models for stream in model.streams]
        for stream in streams:
            has_come = stream.wait(stepped.now_ns, IN_FLIGHT_S if stream.misses < MOST_MISSES else 0.0)
            stream.misses = 0 if has_come else stream.misses + 1
        silent = ", ".join(stream.topic for stream in streams if stream.misses >= MOST_MISSES)
        if silent:
            self._complain(f"the server has no more data on {silent}")
        else:
            self._trouble = ""

    def _drive(self, now_ns: int, passed_s: float) -> None:
        for number, model in enumerate(self._models):
            is_changed = self._moved_on(number, now_ns, passed_s)
            model.drive(self._drivings[number], self._run.courses[number].motion, is_changed=is_changed)

    def _tell(self, now_ns: int) -> None:
        run = self._run
        for number, model in enumerate(self._models):
            for shape, other in model.touches():
                self._tell_touch(number, shape, other, now_ns)
        if run.due_ns[WHEELS] <= now_ns:
            for number, model in enumerate(self._models):
                self._tell_wheels(number, *model.joints(now_ns), now_ns)
            run.schedule(WHEELS, ODOMETRY_HZ)
        for key, (number, rate_hz, read) in self._reads.items():
            if run.due_ns[key] <= now_ns:
                self._send(key, read(number, now_ns), now_ns)
                run.schedule(key, rate_hz)
        came = [each for model in self._models for each in model.take()]
        for at_ns, port, convert, message in sorted(came, key=lambda each: each[:2]):
            stamp_ns = run.origin_ns + at_ns
            self._send(port, convert(message, stamp_ns), stamp_ns)
        if run.due_ns[TRUTH] <= now_ns:
            for number, model in enumerate(self._models):
                self._tell_truth(number, model.pose(), now_ns)
            run.schedule(TRUTH, TRUTH_HZ)

    def _speed_m_s(self, number: int) -> float:
        return abs(self._run.courses[number].believed.speed_m_s)

    # What a server has done cannot be taken back: there is nothing to go back to.

    def save_state(self) -> Any:
        return None

    def load_state(self, state: Any) -> None:
        """Nothing to take back."""


def model_name(name: str, vehicles: Mapping[str, str]) -> str:
    """What a vehicle is called on a server: as in the ports, or as its assembly."""
    return name or Path(vehicles[name]).stem


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
