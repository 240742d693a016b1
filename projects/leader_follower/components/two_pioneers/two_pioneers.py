"""Two Pioneers in the embedded simulator."""

from __future__ import annotations

from studio.runtime.sim.simulator import Simulator


class TwoPioneers(Simulator):
    """Two Pioneers in one world: one leads, one follows."""

    vehicles = {"leader": "pioneer_2dx", "follower": "pioneer_2dx"}
