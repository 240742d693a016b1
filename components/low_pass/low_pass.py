"""A filter of first order, the "RC filter" of electronics."""

from __future__ import annotations

import math

from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort, Parameter

NS_PER_S = 1_000_000_000


class LowPass(Component):
    """Smooths a signal: what changes faster than the cutoff is damped.

    A filter of first order. The time between two values is taken from their stamps, so it is right for signals that
    come irregularly or with gaps.
    """

    category = "processor"
    icon = "mdi6.chart-bell-curve-cumulative"
    tags = ("signal", "filter")
    parameter_sets = {"slow": {"cutoff_hz": 0.2}, "fast": {"cutoff_hz": 20.0}}

    raw = InPort(Float64, doc="the signal to smooth; values that are not finite are left out")
    smooth = OutPort(Float64, doc="the smoothed signal, one value for each that came in")

    cutoff_hz = Parameter(2.0, minimum=0.001, maximum=10_000.0, unit="Hz", doc="a sine of this frequency keeps 71 %")

    def on_activate(self) -> None:
        self._value: float | None = None
        self._last_ns = 0

    def on_clock_jump(self) -> None:
        self._value = None

    def on_raw(self, message: Float64) -> None:
        if not math.isfinite(message.data):  # one NaN would stay in the filter for ever
            self.log.warning("left out a value that is not finite: %s", message.data)
            return
        if self._value is None:  # the first value: nothing to smooth it with yet
            self._value = message.data
        else:
            self._value += self._share() * (message.data - self._value)
        self._last_ns = self.now()
        self.smooth.publish(Float64(self._value))

    def _share(self) -> float:
        """How far the output goes towards the input in the time since the last value; exact for any interval."""
        passed_s = max(0, self.now() - self._last_ns) / NS_PER_S
        return -math.expm1(-2.0 * math.pi * self.cutoff_hz * passed_s)
