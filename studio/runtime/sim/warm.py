"""Imports MuJoCo and the simulator, which takes two seconds on a busy machine, and loads schemas and the machine code
of inner loops: for processes that are forked from here.

No model is made here and no picture of one, which would not survive a fork.
"""

from __future__ import annotations

import mujoco  # noqa: F401

from studio.model.xml_schema import load_schema
from studio.runtime.sim.physics.solid_rays import compiled_cast
from studio.runtime.sim.vehicles.echoes import compiled_echoes
from studio.runtime.sim.vehicles.sensed_motion import compiled_sensed

for load in (compiled_cast, compiled_echoes, compiled_sensed):
    load()
for schema in ("assembly", "body"):
    load_schema(schema)
