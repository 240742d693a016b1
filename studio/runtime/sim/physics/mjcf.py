"""A vehicle as MJCF, the format of MuJoCo: the same pieces, wheels and servos that the embedded simulator drives."""

from __future__ import annotations

from studio.model.geometry.assembly import Model
from studio.runtime.sim.physics.physics_model import specification
from studio.runtime.sim.vehicles.vehicle import vehicle_of
from studio.runtime.sim.worlds.world import World


def to_mjcf(model: Model) -> str:
    """Without an XML declaration."""
    world = World(model.name)
    spec = specification(world, [("", vehicle_of(model))])
    spec.modelname = model.name
    text = str(spec.to_xml())
    return text.partition("?>")[2].lstrip() if text.startswith("<?xml") else text
