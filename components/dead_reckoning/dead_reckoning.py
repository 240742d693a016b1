"""Odometry that starts anew now and then, chained into one path."""

from __future__ import annotations

import cmath
import math
from collections import deque

from studio.messages import Odometry
from studio.runtime.component import Component, InPort, OutPort

WAITING_RESTARTS = 16
"""A restart that the odometry never repeats must not wait for ever."""


class DeadReckoning(Component):
    """Chains the increments of odometry that starts anew at given poses, as corrected CARMEN logs have it.

    Such a log puts the odometry onto the corrected pose after each scan: its steps are what the wheels measured, its
    poses are not. Here the steps alone count, so what comes out is the path that the wheels would tell. On flat ground.
    """

    category = "processor"
    icon = "mdi6.vector-polyline"
    tags = ("odometry", "carmen")

    odom = InPort(Odometry, doc="the odometry; where it repeats a restart to the bit, it has jumped there")
    restarts = InPort(Odometry, optional=True, doc="poses from which the odometry starts anew, each before it does so")
    chained = OutPort(Odometry, doc="the path without the jumps, one pose for each of odom that is no restart")
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
        self._place, self._heading = 0j, 1 + 0j

    def on_restarts(self, message: Odometry) -> None:
        self._waiting.append(message)

    def on_odom(self, message: Odometry) -> None:
        place = complex(float(message.position[0]), float(message.position[1]))
        heading = cmath.rect(1.0, message.yaw_rad)
        restart = self._restart_at(message)
        if self._last is None:
            self._place, self._heading = place, heading
        elif restart is None:
            self._move(*self._last, place, heading)
        self._last = (place, heading)
        if restart is None:
            self.chained.publish(self._told(message, message.stamp_ns))
        else:
            self.at_restart.publish(self._told(message, restart.stamp_ns))

    def _restart_at(self, message: Odometry) -> Odometry | None:
        """The restart that this message repeats; those before it are over."""
        for count, restart in enumerate(self._waiting, start=1):
            if _same_pose(restart, message):
                for _ in range(count):
                    self._waiting.popleft()
                return restart
        return None

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
