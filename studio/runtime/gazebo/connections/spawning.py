"""A vehicle of the project, or one that ships, put into the world of a server."""

from __future__ import annotations

from pathlib import Path

from studio.model.geometry.library import load_model
from studio.paths import model_roots
from studio.runtime.gazebo.connections.scene import turned
from studio.runtime.gazebo.server import GazeboServer, Placement
from studio.runtime.gazebo.vehicle_sdf import vehicle_sdf
from studio.runtime.sim.vehicle import vehicle_of


def spawn_vehicle(
    server: GazeboServer, assembly: str, project: Path | None, x_m: float, y_m: float, heading_rad: float
) -> None:
    """Returns when it is there. One of its name that is there already stays as it is."""
    vehicle = vehicle_of(load_model(assembly, model_roots(project)))
    placement = Placement((x_m, y_m, 0.0), turned(heading_rad))
    server.spawn(assembly, vehicle_sdf(vehicle, assembly), placement)
