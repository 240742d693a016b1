"""The embedded simulator: how many times real time it runs on one core, against real time and against bare MuJoCo.

The Raptor drives in circles in the blocks world with all its devices: two lasers of 361 rays at 37.6 Hz, pose and
inertial unit at 100 Hz, odometry, joints, GPS. Bare MuJoCo steps the same model and casts the same rays, without making
a message of anything: what is between the two is ours. Times are of the processor, not of the clock on the wall.

The last row is what somebody sees who runs projects/raptor_blocks_world flat out: simulator, maps, behaviours and judge
as processes, every message encoded and through the channel, by the clock on the wall, without the start.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from bench.harness import OURS, Report, interleave
from studio.messages import Velocity
from studio.model.geometry.library import load_model
from studio.runtime.sim.physics.physics import STEP_NS, Physics
from studio.runtime.sim.raptor import RaptorSimulator
from studio.runtime.sim.vehicles.vehicle import Mount, vehicle_of
from studio.runtime.sim.worlds.worlds import load_world
from studio.runtime.trial import Trial

REAL_TIME, MUJOCO, GAZEBO = "real time", "MuJoCo alone", "Gazebo"
SECONDS = 5.0
CIRCLE = Velocity(speed_m_s=2.0, steering_angle_rad=0.35)
LASERS = ("right_laser", "left_laser")
RATE_HZ = 37.6
SCANS = 20
STEPS_PER_S = 1_000_000_000 // STEP_NS
PROJECT = Path(__file__).resolve().parent.parent / "projects" / "raptor_blocks_world"
SHORT_S, LONG_S = 2.0, 12.0
"""Of system time: the difference of two runs is without their start and end."""


def run(rounds: int = 5) -> Report:
    report = Report("sim", rounds)
    if shutil.which("gz") is None:
        report.missing(GAZEBO, "see gazebosim.org, package gz-harmonic")
    trial = Trial(RaptorSimulator, world="blocks").__enter__()
    for output in trial.component._outputs.values():
        output.send = lambda *_: None  # what is sent is made and let go, as a channel does with what it has delivered
    _drive(trial, 1.0)
    bare = _Bare()
    contenders: dict[str, Callable[[], float] | None] = {
        OURS: lambda: SECONDS / _processor_s(lambda: _drive(trial, SECONDS)),
        REAL_TIME: lambda: 1.0,
        MUJOCO: lambda: SECONDS / _processor_s(lambda: bare.run(SECONDS)),
        GAZEBO: None,
    }
    medians = interleave(contenders, rounds)
    report.add("Raptor with two 361-ray lasers", "x real time", medians, against=REAL_TIME, goal=30, better="higher")
    terrain = _Terrain()
    scans: dict[str, Callable[[], float] | None] = {
        OURS: lambda: _processor_s(terrain.ours) / SCANS * 1e3,
        MUJOCO: lambda: _processor_s(terrain.bare) * 1e3,
    }
    report.add("scan of 361 rays over rolling terrain", "ms", interleave(scans, rounds), against=MUJOCO, goal=0.5)
    trial.__exit__(None, None, None)
    systems: dict[str, Callable[[], float] | None] = {
        OURS: lambda: (LONG_S - SHORT_S) / (_system_s(LONG_S) - _system_s(SHORT_S)),
        REAL_TIME: lambda: 1.0,
    }
    report.add("the whole system, over the channel", "x real time", interleave(systems, rounds), against=REAL_TIME,
               better="higher")  # fmt: skip
    return report


def _system_s(seconds: float) -> float:
    words = ["run", str(PROJECT), "--mode", "simulated", "--rate", "0", "--for", str(seconds), "--json"]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "studio", *words], check=True, capture_output=True)
    return time.perf_counter() - start


def _processor_s(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _drive(trial: Trial[Any], seconds: float) -> None:
    """As the channel does it: a tick every 10 ms, a command every 100 ms."""
    for number in range(round(seconds * 100)):
        if number % 10 == 0:
            trial.send("command", CIRCLE)
        trial.tick()


class _Bare:
    """The same model, stepped and looked at by MuJoCo alone."""

    def __init__(self) -> None:
        vehicle, world = vehicle_of(load_model("raptor")), load_world("blocks")
        self.physics = Physics(world, [("raptor", vehicle)], [world.place("start")])
        self.rays = [_Rays(self.physics, mount) for mount in vehicle.mounts if mount.port in LASERS]

    def run(self, seconds: float) -> None:
        physics = self.physics
        for _ in range(round(seconds * RATE_HZ)):
            mujoco.mj_step(physics.model, physics.data, round(STEPS_PER_S / RATE_HZ))
            mujoco.mj_kinematics(physics.model, physics.data)
            for rays in self.rays:
                rays.cast(everything=True)


class _Rays:
    def __init__(self, physics: Physics, mount: Mount) -> None:
        angles = np.radians(np.linspace(-90.0, 90.0, 361))
        self.physics, self.mount = physics, mount
        self.directions = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(361)])
        self.found, self.hit = np.empty(361), np.empty(361, np.int32)

    def cast(self, *, everything: bool) -> None:
        if not everything:
            self.physics.rays(0, self.mount.piece, self.mount.pose, self.directions, 15.0)
            return
        at = self.physics.pose(0, self.mount.piece) @ self.mount.pose
        vectors = np.ascontiguousarray(self.directions @ at[:3, :3].T).ravel()
        model, data = self.physics.model, self.physics.data
        mujoco.mj_multiRay(model, data, at[:3, 3].copy(), vectors, None, 1, 1, self.hit, self.found, None, 361, 15.0)


class _Terrain:
    def __init__(self) -> None:
        vehicle, world = vehicle_of(load_model("raptor")), load_world("slopes")
        physics = Physics(world, [("raptor", vehicle)], [world.place("start")])
        mount = next(mount for mount in vehicle.mounts if mount.port in LASERS)
        self.rays = _Rays(physics, mount)
        self.ours()  # compiles

    def ours(self) -> None:
        for _ in range(SCANS):
            self.rays.cast(everything=False)

    def bare(self) -> None:
        self.rays.cast(everything=True)
