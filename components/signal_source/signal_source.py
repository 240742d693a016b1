"""A signal to try things with: no hardware needed."""

from __future__ import annotations

import math

from studio.messages import Float64
from studio.runtime.component import Component, OutPort, Parameter

NS_PER_S = 1_000_000_000


class SignalSource(Component):
    """Makes a test signal: sine, square, triangle or noise.

    One value per period. Parameters can be changed while it runs; the phase goes on without a jump.
    """

    category = "sensor"
    icon = "mdi6.sine-wave"
    tags = ("signal", "test")
    activations = ("periodic",)
    period_s = 0.01
    parameter_sets = {"noisy": {"noise": 0.2}, "slow": {"frequency_hz": 0.1}}

    value = OutPort(Float64, doc="the signal")

    shape = Parameter("sine", choices=("sine", "square", "triangle", "noise"), doc="form of the signal")
    frequency_hz = Parameter(1.0, minimum=0.0, maximum=1000.0, unit="Hz", doc="repetitions per second")
    amplitude = Parameter(1.0, minimum=0.0, doc="the largest distance from the offset, for shape noise its deviation")
    offset = Parameter(0.0, doc="the middle of the signal")
    noise = Parameter(0.0, minimum=0.0, doc="standard deviation of the noise on top of the signal")

    def on_activate(self) -> None:
        self._turns = 0.0
        self._last_ns = self.now()

    def on_clock_jump(self) -> None:
        self._last_ns = self.now()

    def on_timer(self) -> None:
        # Summed up, not computed from the time alone: so a new frequency goes on from where the signal is.
        passed_s = (self.now() - self._last_ns) / NS_PER_S
        self._turns = (self._turns + self.frequency_hz * passed_s) % 1.0
        self._last_ns = self.now()
        value = self.offset + self.amplitude * self._form()
        if self.noise:
            value += self.random.normal(0.0, self.noise)
        self.value.publish(Float64(value))

    def _form(self) -> float:
        """The shape at the current phase, between -1 and 1; noise has a deviation of 1."""
        turns = self._turns
        match self.shape:
            case "sine":
                return math.sin(2.0 * math.pi * turns)
            case "square":
                return 1.0 if turns < 0.5 else -1.0
            case "triangle":  # like the sine: zero and rising at the start
                return 1.0 - 4.0 * abs((turns + 0.25) % 1.0 - 0.5)
            case _:
                return self.random.normal()
