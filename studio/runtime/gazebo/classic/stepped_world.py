"""A world of Gazebo classic that goes only as far as it is told: no time passes in it without us.

After each step of its physics the server says on one topic what time it is and what has moved. So nobody has to wait
for its statistics, which come five times a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.rotations import from_quaternion
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.gazebo.classic.client import Connected, Lost, State
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.server import GazeboError

PATIENCE_S = 10.0
STEPS_HZ = 2000.0
"""How often at most a server of our own makes a step: twice as often as the clock of the world wants it of 1 ms."""
Matrix = NDArray[np.float64]


class SteppedWorld:
    """Of one server. After the server was lost and found, `attach` makes the world ours again."""

    def __init__(self, host: str, port: int) -> None:
        self._schema = classic_messages()
        self._came = threading.Condition()
        self._time_ns: int | None = None
        self._poses: dict[str, Any] = {}
        self.lost = 0
        """How often the server was lost."""
        self.is_attached = False
        self._left_ns = 0
        """The world's time when we last left it."""
        self.step_ns = 0
        self.server = ClassicServer(host, port, self._follow)
        self.server.client.subscribe("~/pose/local/info", self._schema.full("PosesStamped"), self._take_poses)
        self._control = self.server.tell("~/world_control", "WorldControl")
        self._tell_physics = self.server.tell("~/physics", "Physics")

    @property
    def state(self) -> State:
        return self.server.client.state

    @property
    def now_ns(self) -> int:
        """The world's own time."""
        return self._time_ns or 0

    def attach(self, *, faster: bool = False) -> None:
        """Pauses the world. `faster`: of a server of our own, which may then go faster than the clock."""
        self.is_attached = False
        self.server.pause(True)
        self.step_ns = round(self.server.physics().max_step_size * SECOND_NS)
        if faster:
            self._tell_physics(real_time_update_rate=STEPS_HZ)
        with self._came:
            self._time_ns, self._poses = None, {}
        self._wait(lambda: self._time_ns is not None, "its time")
        self._left_ns = self.now_ns
        self.is_attached = True

    def advance_to(self, time_ns: int) -> None:
        """To the first step at or after this time; returns when the server has made it."""
        count = -((self.now_ns - time_ns) // self.step_ns)
        if count > 0:
            target_ns = self.now_ns + count * self.step_ns
            self._control(multi_step=count)
            self._wait(lambda: self._time_ns is not None and self._time_ns >= target_ns, "that it made its steps")
            self._left_ns = self.now_ns

    @property
    def has_strayed(self) -> bool:
        """Another client has moved its time since we left it: let it run, stepped it, or reset it."""
        return self.is_attached and self.now_ns != self._left_ns

    def pose(self, name: str) -> Matrix | None:
        """Of a model (`robot`) in the world, or of a link (`robot::arm`) in its model; None before it has moved."""
        with self._came:
            told = self._poses.get(name)
        if told is None:
            return None
        at, turned = told.position, told.orientation
        made = np.eye(4)
        made[:3, :3] = from_quaternion(turned.x, turned.y, turned.z, turned.w)
        made[:3, 3] = at.x, at.y, at.z
        return made

    def close(self) -> None:
        self.server.close()

    def _take_poses(self, body: bytes) -> None:
        told = self._schema.read("PosesStamped", body)
        with self._came:
            self._time_ns = int(told.time.sec) * SECOND_NS + int(told.time.nsec)
            for pose in told.pose:
                self._poses[pose.name] = pose
            self._came.notify_all()

    def _follow(self, state: State) -> None:
        if isinstance(state, Lost):
            with self._came:
                self.is_attached = False
                self._time_ns = None
                self.lost += 1
                self._came.notify_all()

    def _wait(self, fits: Callable[[], bool], what: str) -> None:
        lost, until_ns = self.lost, monotonic_ns() + int(PATIENCE_S * SECOND_NS)
        with self._came:
            while not fits():
                left_s = (until_ns - monotonic_ns()) / SECOND_NS
                if self.lost != lost or not isinstance(self.state, Connected):
                    raise GazeboError("the server was lost", hint="Studio connects again when it is back")
                if left_s <= 0:
                    raise GazeboError(f"the server did not report {what} within {PATIENCE_S:g} s")
                self._came.wait(min(left_s, 0.5))
