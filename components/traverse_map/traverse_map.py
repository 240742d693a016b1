"""Where a vehicle can drive, from a map of heights."""

from __future__ import annotations

import math

import numpy as np

from studio.messages import Map
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .ground import compiled_measure, traversability

STEP_OF_WHEEL = 0.5
"""A wheel climbs a step of half its radius, if nobody says otherwise."""
ROUGHNESS_OF_WHEEL = 0.2


class TraverseMap(Component):
    """Tells for each cell of a terrain map how well it can be driven over: 1 like a floor, 0 not at all, NaN not known.

    Slope, steps and roughness of the ground are measured around each cell and compared with what the vehicle can do;
    the worst of the three counts. The geometry's drive says which steps the wheels can climb.
    """

    category = "processor"
    icon = "mdi6.map-check"
    tags = ("map", "autonomy")
    needs_geometry = True

    terrain = InPort(
        Map, keep="latest", doc="planes height (m), variance (m2) and spread (m), as terrain_map makes them"
    )
    traverse = OutPort(
        Map, doc="planes traversability (0 to 1), slope (degrees), step (m) and roughness (m), NaN where not known"
    )

    max_slope_deg = Parameter(20.0, minimum=1.0, maximum=60.0, unit="deg", doc="steeper ground cannot be driven")
    max_step_m = Parameter(
        0.0, minimum=0.0, unit="m", doc="higher steps cannot be driven; 0: half the radius of the vehicle's wheels"
    )
    max_roughness_m = Parameter(
        0.0, minimum=0.0, unit="m", doc="rougher ground cannot be driven; 0: a fifth of the radius of the wheels"
    )
    patch_m = Parameter(
        1.0, minimum=0.05, maximum=20.0, unit="m", doc="side of the ground that is looked at around each cell"
    )
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_initialize(self) -> None:
        compiled_measure()

    def on_terrain(self, terrain: Map) -> None:
        height, variance, spread = (
            np.ascontiguousarray(terrain.plane(name)) for name in ("height", "variance", "spread")
        )
        most_step_m = self.max_step_m or STEP_OF_WHEEL * self.geometry.drive(self.vehicle).wheel_radius_m
        most_roughness_m = self.max_roughness_m or ROUGHNESS_OF_WHEEL * self.geometry.drive(self.vehicle).wheel_radius_m
        most_slope = math.tan(math.radians(self.max_slope_deg))
        reach = max(1, round(self.patch_m / 2.0 / terrain.resolution_m))
        measured = compiled_measure()(height, variance, spread, terrain.resolution_m, reach, most_step_m, most_slope)
        worth = traversability(measured, most_slope, most_step_m, most_roughness_m)
        measured[0] = np.degrees(np.arctan(measured[0]))
        self.traverse.publish(
            terrain.replace(
                plane_names=("traversability", "slope", "step", "roughness"),
                planes=np.concatenate([worth[None], measured]),
            )
        )
