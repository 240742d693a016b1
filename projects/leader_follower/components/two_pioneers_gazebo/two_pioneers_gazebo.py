"""Two Pioneers on a Gazebo server."""

from __future__ import annotations

from studio.runtime.gazebo.service import GazeboService


class TwoPioneersGazebo(GazeboService):
    """Two Pioneers in one world of a Gazebo server: one leads, one follows."""

    vehicles = {"leader": "pioneer_2dx", "follower": "pioneer_2dx"}
