"""Simulators of the vehicles that ship. Their profiles are in components/."""

from __future__ import annotations

from studio.runtime.sim.simulator import Simulator


class RaptorSimulator(Simulator):
    """The Raptor in a simulated world, in place of the real vehicle, its lasers, GPS and inertial unit."""

    vehicles = {"": "raptor"}  # noqa: RUF012  # a declaration, like a parameter set


class Pioneer2dxSimulator(Simulator):
    """A Pioneer 2-DX in a simulated world, with its laser and sonars."""

    vehicles = {"": "pioneer_2dx"}  # noqa: RUF012


class Pioneer3atSimulator(Simulator):
    """A Pioneer 3-AT in a simulated world, with its laser and sonars."""

    vehicles = {"": "pioneer_3at"}  # noqa: RUF012
