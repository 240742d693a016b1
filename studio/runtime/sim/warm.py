"""Imports MuJoCo and the simulator, which takes two seconds on a busy machine, and loads schemas and the machine code
of inner loops: for processes that are forked from here.

No model is made here and no picture of one, which would not survive a fork.
"""

from __future__ import annotations

import mujoco  # noqa: F401

import studio.runtime.sim.simulator
import studio.runtime.sim.terrain_rays  # noqa: F401
from studio.model.xml_schema import load_schema
from studio.runtime.sim.echoes import compiled_echoes
from studio.runtime.sim.sensed_motion import compiled_sensed
from studio.runtime.sim.solid_rays import compiled_cast

for load in (compiled_cast, compiled_echoes, compiled_sensed):
    load()
for schema in ("assembly", "body"):
    load_schema(schema)
