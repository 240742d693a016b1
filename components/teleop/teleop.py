"""A person drives: with a gamepad or the keyboard, as one behaviour among others or alone."""

from __future__ import annotations

import numpy as np

from studio.messages import Joy, Velocity, Vote, candidate_arcs
from studio.runtime.component import Component, InPort, OutPort, Parameter

NS_PER_S = 1_000_000_000
NARROW = 0.15
"""Width of the hill of votes around the wanted arc, as a share of the sharpest arc."""


class Teleop(Component):
    """Turns the sticks of a gamepad into votes for an arbiter, and into commands for a vehicle without one.

    It sends nothing while the dead man's button is released, or when the sticks send no events. With `votes` the other
    behaviours still keep the vehicle from obstacles; with `command` none does. Commands are not repeated: each answers
    one event of the sticks, so that a vehicle stops when the sender of the events has died. Sticks that send no events
    while the button is held are reported as trouble: a real vehicle then stays stopped until a person resumes it.
    """

    category = "processor"
    icon = "mdi6.gamepad-variant"
    tags = ("driving", "vote", "person")
    activations = ("periodic",)
    period_s = 0.05
    needs_geometry = True

    joy = InPort(Joy, keep="latest", optional=True, doc="sticks from -1 to 1, left and forward positive, and buttons")
    votes = OutPort(Vote, doc="for the arc that the stick points at, while the button is held")
    command = OutPort(Velocity, doc="the same as a command, backwards too; one of speed 0 when the button is let go")

    steering_axis = Parameter(0, minimum=0, maximum=31, doc="axis that steers, left positive")
    speed_axis = Parameter(1, minimum=0, maximum=31, doc="axis of the speed, forward positive")
    enable_button = Parameter(0, minimum=-1, maximum=31, doc="has to be held; -1: none")
    max_speed_m_s = Parameter(
        1.5, minimum=0.0, maximum=50.0, unit="m/s", doc="speed with the stick all the way forward"
    )
    dead_zone = Parameter(0.05, minimum=0.0, maximum=0.9, doc="sticks that rest are not exactly at 0")
    valid_s = Parameter(
        0.15, minimum=0.05, maximum=10.0, unit="s", doc="how long the last position of the sticks counts"
    )
    confidence = Parameter(5.0, minimum=0.0, maximum=100.0, doc="weight of the votes among those of others")
    arcs = Parameter(25, minimum=3, maximum=201, doc="candidates")
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_activate(self) -> None:
        self._heard_ns: int | None = None
        self._driving = False
        self.trouble = ""

    def on_clock_jump(self) -> None:
        self._heard_ns = None

    def on_joy(self, joy: Joy) -> None:
        self._heard_ns = self.now()
        self.trouble = ""
        if not self._is_held(joy):
            self._let_go()
            return
        if not self._driving:
            self.log.info("takes over")
        self._driving = True
        self._command(*self._wanted(joy))

    def on_timer(self) -> None:
        joy = self.joy.latest
        fresh = self._heard_ns is not None and self.now() - self._heard_ns <= self.valid_s * NS_PER_S
        if joy is None or not fresh:
            if self._driving:
                self.trouble = "the sticks fell silent"
            self._let_go()
        elif self._driving:
            self._vote(*self._wanted(joy))

    def _let_go(self) -> None:
        if self._driving:
            self.log.info("lets go")
            self._command(0.0, 0.0)
        self._driving = False

    def _wanted(self, joy: Joy) -> tuple[float, float]:
        """Curvature and speed."""
        curvature_per_m = self._axis(joy, self.steering_axis) * self.geometry.drive(self.vehicle).tightest_arc_per_m
        return curvature_per_m, self._axis(joy, self.speed_axis) * self.max_speed_m_s

    def _is_held(self, joy: Joy) -> bool:
        return self.enable_button < 0 or joy.pressed(self.enable_button)

    def _axis(self, joy: Joy, index: int) -> float:
        value = joy.axis(index)
        return value if self.dead_zone < abs(value) <= 1.0 else 0.0

    def _vote(self, curvature_per_m: float, speed_m_s: float) -> None:
        sharpest_per_m = self.geometry.drive(self.vehicle).tightest_arc_per_m
        arcs = candidate_arcs(sharpest_per_m, self.arcs)
        hill = np.exp(-0.5 * ((arcs - curvature_per_m) / (NARROW * sharpest_per_m)) ** 2)
        vote = Vote.over(
            arcs, vote=2.0 * hill - 1.0, confidence=self.confidence, max_speed_m_s=max(speed_m_s, 0.0)
        )  # fmt: skip
        self.votes.publish(vote.replace(stamp_ns=self.now(), frame=self.geometry.drive(self.vehicle).body))

    def _command(self, curvature_per_m: float, speed_m_s: float) -> None:
        drive = self.geometry.drive(self.vehicle)
        self.command.publish(
            Velocity.from_curvature(
                curvature_per_m, speed_m_s, drive.wheelbase_m, stamp_ns=self.now(), frame=drive.body
            )
        )
