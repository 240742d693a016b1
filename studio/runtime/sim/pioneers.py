"""Simulators of both Pioneers. Their profiles are in components/."""

from __future__ import annotations

from studio.runtime.component import Parameter
from studio.runtime.sim.simulator import WORLD_DOC, Simulator


class Pioneer2dxSimulator(Simulator):
    """A Pioneer 2-DX in a simulated world, with its laser and sonars."""

    vehicles = {"": "pioneer_2dx"}  # noqa: RUF012
    # Its laser sees 4 m: in the world of blocks it drives for half a minute without an echo.
    world = Parameter("maze", doc=WORLD_DOC, kind="world")


class Pioneer3atSimulator(Simulator):
    """A Pioneer 3-AT in a simulated world, with its laser and sonars."""

    vehicles = {"": "pioneer_3at"}  # noqa: RUF012
