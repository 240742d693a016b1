"""The simulator of the Raptor; its profile is in components/. A module of its own: importing it reads one model."""

from __future__ import annotations

from studio.runtime.sim.simulator import Simulator


class RaptorSimulator(Simulator):
    """The Raptor in a simulated world, in place of the real vehicle, its lasers, GPS and inertial unit."""

    vehicles = {"": "raptor"}  # noqa: RUF012  # a declaration, like a parameter set
