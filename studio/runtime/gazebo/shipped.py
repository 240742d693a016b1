"""The vehicles that ship, on a Gazebo server. Their profiles are in components/."""

from __future__ import annotations

from studio.runtime.component import Parameter
from studio.runtime.gazebo.service import GazeboService
from studio.runtime.sim.vehicles.simulated_vehicles import WORLD_DOC


class RaptorGazebo(GazeboService):
    """The Raptor in a world of a Gazebo server, in place of the real vehicle, its lasers, GPS and inertial unit."""

    vehicles = {"": "raptor"}  # noqa: RUF012  # a declaration, like a parameter set


class Pioneer2dxGazebo(GazeboService):
    """A Pioneer 2-DX in a world of a Gazebo server, with its laser and sonars."""

    vehicles = {"": "pioneer_2dx"}  # noqa: RUF012
    world = Parameter("maze", doc=WORLD_DOC, kind="world")


class Pioneer3atGazebo(GazeboService):
    """A Pioneer 3-AT in a world of a Gazebo server, with its laser and sonars."""

    vehicles = {"": "pioneer_3at"}  # noqa: RUF012
