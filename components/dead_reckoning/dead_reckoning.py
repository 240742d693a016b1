"""Odometry that restarts now and then, chained into one path."""

from __future__ import annotations

import cmath
import math
from collections import deque

from studio.messages import Odometry
from studio.runtime.component import Component, InPort, OutPort

WAITING_RESTARTS = 16
"""A restart that the odometry never repeats must not wait for ever."""


class DeadReckoning(Component):
    """Chains the increments of odometry that restarts at given poses, as corrected CARMEN logs have it.

    Such a log puts the odometry onto the corrected pose after each scan: its steps are what the wheels measured, its
    poses are not. Here the steps alone count, so what comes out is the path that the wheels would tell. On flat ground.

    In a log as it was recorded the odometry never restarts: there each "restart" is just one more pose of it.
    """

    category = "processor"
    icon = "mdi6.vector-polyline"
    tags = ("odometry", "carmen")

    odom = InPort(Odometry, doc="the odometry; where it repeats a restart to the bit, it has jumped there")
    restarts = InPort(Odometry, optional=True, doc="poses at which the odometry restarts, each sent before the restart")
    chained = OutPort(
        Odometry, doc="the path without the jumps, one pose for each message of odom that is not a restart"
    )
    at_restart = OutPort(Odometry, doc="where the path was at each restart, with the stamp of the restart")

    def on_activate(self) -> None:
        self._waiting: deque[Odometry] = deque(maxlen=WAITING_RESTARTS)
        self._forget()

    def on_clock_jump(self) -> None:
        self._waiting.clear()
        self._forget()

    def _forget(self) -> None:
        # Places and directions as complex numbers: to turn is to multiply.
        self._last: tuple[complex, complex] | None = None
        self._jumps = False
        """Whether the odometry has ever repeated a restart."""
        self._place, self._heading = 0j, 1 + 0j

    def on_restarts(self, message: Odometry) -> None:
        self._take_as_odometry(before_ns=message.stamp_ns)
        self._waiting.append(message)

    def on_odom(self, message: Odometry) -> None:
        restart = self._restart_at(message)
        if restart is None:
            self._take_as_odometry(before_ns=message.stamp_ns)
        self._go_to(message, jump=restart is not None)
        if restart is None:
            self.chained.publish(self._told(message, message.stamp_ns))
        else:
            self.at_restart.publish(self._told(message, restart.stamp_ns))

    def _take_as_odometry(self, before_ns: int) -> None:
        """Restarts that the odometry did not repeat, as long as it never does: they lie on its path."""
        while not self._jumps and self._waiting and self._waiting[0].stamp_ns < before_ns:
            pose = self._waiting.popleft()
            self._go_to(pose, jump=False)
            self.at_restart.publish(self._told(pose, pose.stamp_ns))

    def _go_to(self, message: Odometry, *, jump: bool) -> None:
        place = complex(float(message.position[0]), float(message.position[1]))
        heading = cmath.rect(1.0, message.yaw_rad)
        if self._last is None:
            self._place, self._heading = place, heading
        elif not jump:
            self._move(*self._last, place, heading)
        self._last = (place, heading)

    def _restart_at(self, message: Odometry) -> Odometry | None:
        """The restart that this message repeats; those before it are over."""
        for count, restart in enumerate(self._waiting, start=1):
            if _same_pose(restart, message):
                for _ in range(count):
                    self._waiting.popleft()
                self._jumps = self._jumps or not self._stands_at(restart)
                return restart
        return None

    def _stands_at(self, restart: Odometry) -> bool:
        """Whether the odometry is there anyway: then it has not jumped."""
        place = complex(float(restart.position[0]), float(restart.position[1]))
        return self._last is None or self._last == (place, cmath.rect(1.0, restart.yaw_rad))

    def _move(self, old_place: complex, old_heading: complex, place: complex, heading: complex) -> None:
        back = old_heading.conjugate()
        self._place += self._heading * back * (place - old_place)
        self._heading *= back * heading
        self._heading /= abs(self._heading)  # or rounding would stretch the path over a long drive

    def _told(self, message: Odometry, stamp_ns: int) -> Odometry:
        half_rad = cmath.phase(self._heading) / 2.0
        return message.replace(
            stamp_ns=stamp_ns,
            position=(self._place.real, self._place.imag, 0.0),
            orientation=(0.0, 0.0, math.sin(half_rad), math.cos(half_rad)),
        )


def _same_pose(one: Odometry, other: Odometry) -> bool:
    same = one.position == other.position
    return bool(same.all()) and bool((one.orientation == other.orientation).all())
