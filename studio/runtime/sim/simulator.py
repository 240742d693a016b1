"""The embedded simulator: a periodic component that steps physics to `now()` and sends what the devices measure.

A simulator of your own names its vehicles; its ports follow from their assemblies:

    class TwoRobots(Simulator):
        \"\"\"A Raptor and a Pioneer in one world.\"\"\"
        vehicles = {"raptor": "raptor", "pioneer": "pioneer_2dx"}
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from studio.messages import String
from studio.model.spec import Value
from studio.paths import model_roots
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.sim.physics.devices import Device, Moment, devices_of
from studio.runtime.sim.physics.physics import STEP_NS, Physics
from studio.runtime.sim.vehicles.ports import prefixed
from studio.runtime.sim.vehicles.simulated_vehicles import (
    ODOMETRY_HZ,
    TRUTH,
    TRUTH_HZ,
    WHEELS,
    WORLD_DOC,
    Run,
    SimulatedVehicles,
    project_of,
)
from studio.runtime.sim.worlds.world_writing import world_sdf
from studio.runtime.sim.worlds.worlds import load_world

__all__ = ["WORLD_DOC", "Simulator"]


class Simulator(SimulatedVehicles):
    """Vehicles in a world with physics, in place of real ones: takes commands, sends what their devices measure."""

    tags: ClassVar[tuple[str, ...]] = ("simulator", "mujoco")

    _physics: Physics
    _start_state: NDArray[np.float64]
    """Of the physics, where the vehicles start."""
    _sdf: str
    _has_begun = False
    """Not if its world was refused at the start; then a reset has to come first."""
    _devices: list[tuple[int, Device]]
    _is_built = False
    """Ahead of its start."""

    # Life cycle.

    def prepare_ahead(self) -> None:
        """The world, the vehicles in it and where they stand follow from files and parameters (host/ahead.py)."""
        self._build()
        self._is_built = True

    def on_initialize(self) -> None:
        if not self._is_built:
            self._build()
        self._is_built = False

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
        project = self.project or project_of(type(self))
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
        self._prepare()

    def _begin(self) -> None:
        self._has_begun = True
        self._run = self._new_run()
        self._send("true_world", String(self._sdf), self.now())

    def _new_run(self) -> Run:
        return self._run_from(self._physics.now_ns, [device.port for _, device in self._devices])

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
        for number, course in enumerate(self._run.courses):
            if self._moved_on(number, now_ns, steps * STEP_NS / SECOND_NS):
                for piece, value in self._drivings[number].servos(course.motion).items():
                    self._physics.drive(number, piece, value)

    def _look_for_touches(self, now_ns: int) -> None:
        for touch in self._physics.touches():
            self._tell_touch(touch.vehicle, touch.shape, touch.other, now_ns)

    def _speed_m_s(self, number: int) -> float:
        return float(np.linalg.norm(self._physics.velocity(number)[0]))

    def _measure(self, now_ns: int) -> None:
        physics, run = self._physics, self._run
        physics.look()
        if run.due_ns[WHEELS] <= now_ns:
            for number in range(len(run.courses)):
                self._tell_wheels(number, *physics.joints(number), now_ns)
            run.schedule(WHEELS, ODOMETRY_HZ)
        moments = [Moment(now_ns, self.random, course.touched) for course in run.courses]
        for number, device in self._devices:
            if run.due_ns[device.port] <= now_ns:
                self._send(device.port, device.measure(moments[number]), now_ns)
                run.schedule(device.port, device.rate_hz)
        if run.due_ns[TRUTH] <= now_ns:
            for number in range(len(run.courses)):
                self._tell_truth(number, physics.pose(number), now_ns)
            run.schedule(TRUTH, TRUTH_HZ)

    # Checkpoints: the model is built from the parameters; what moves is one array.

    def save_state(self) -> Any:
        return {"physics": self._physics.save(), "run": copy.deepcopy(self._run)}

    def load_state(self, state: Any) -> None:
        self._physics.load(state["physics"])
        self._run = copy.deepcopy(state["run"])
