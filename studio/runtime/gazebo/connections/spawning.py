"""A vehicle of the project, or one that ships, put into the world of a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lxml import etree

from studio.model.geometry.library import load_model
from studio.model.geometry.sdf import to_sdf
from studio.model.xml_parse import parse_hardened
from studio.paths import model_roots
from studio.runtime.gazebo.agreement import Mismatch, check
from studio.runtime.gazebo.connections.scene import turned
from studio.runtime.gazebo.server import GazeboError, GazeboServer, Placement
from studio.runtime.gazebo.vehicle_sdf import vehicle_sdf
from studio.runtime.sim.vehicles.vehicle import vehicle_of

METRES_OF_A_DEGREE = 111_320.0
"""Of latitude."""


def sdf_of(assembly: str, name: str, project: Path | None, *, is_classic: bool) -> str:
    """As this kind of server takes it: the plugins that drive it are of one kind only."""
    model = load_model(assembly, model_roots(project))
    if is_classic:
        return vehicle_sdf(vehicle_of(model), name)
    return _for_modern(to_sdf(replace(model, name=name)).text)


def _for_modern(sdf: str) -> str:
    """The physics of Fortress holds continuous joints fast; as revolute ones without an end they turn. Its satellite
    receivers add their noise to degrees, not to metres."""
    root = parse_hardened(sdf.encode())
    for deviation in root.iterfind(".//gps/position_sensing/horizontal/noise/stddev"):
        deviation.text = repr(float(deviation.text or 0.0) / METRES_OF_A_DEGREE)
    for joint in root.iter("joint"):
        limit = joint.find("axis/limit")
        if joint.get("type") == "continuous" and limit is not None:
            joint.set("type", "revolute")
            for place, (end, value) in enumerate((("lower", "-1e16"), ("upper", "1e16"))):
                made = etree.Element(end)
                made.text = value
                limit.insert(place, made)
    return str(etree.tostring(root, encoding="unicode"))


def spawn_vehicle(
    server: GazeboServer, assembly: str, project: Path | None, x_m: float, y_m: float, heading_rad: float
) -> None:
    """Returns when it is there. One of its name that is there already stays as it is."""
    sdf = sdf_of(assembly, assembly, project, is_classic=server.is_classic)
    server.spawn(assembly, sdf, Placement((x_m, y_m, 0.0), turned(heading_rad)))


def check_vehicle(server: GazeboServer, assembly: str, name: str, project: Path | None) -> list[Mismatch]:
    """What of the model on the server is not as the assembly says."""
    return check(server, name, sdf_of(assembly, name, project, is_classic=server.is_classic))


def replace_vehicle(server: GazeboServer, assembly: str, name: str, project: Path | None) -> None:
    """Make it again from the assembly, where it is now."""
    there = server.entities().get(name)
    if there is None:
        raise GazeboError(f"there is no model {name}")
    sdf = sdf_of(assembly, name, project, is_classic=server.is_classic)
    server.delete(name)
    server.spawn(name, sdf, there)
