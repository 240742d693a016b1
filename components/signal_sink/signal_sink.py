"""The end of a signal: keeps the figures and writes them to the log."""

from __future__ import annotations

import math

from studio.messages import Float64
from studio.runtime.component import Component, InPort, Parameter

NS_PER_S = 1_000_000_000


class SignalSink(Component):
    """Takes a signal and keeps its count, last value, minimum, maximum and mean.

    Writes them to the log now and then, and once more at the end.
    """

    category = "actuator"
    icon = "mdi6.gauge"
    tags = ("signal", "test")

    value = InPort(Float64, doc="the signal")

    log_every_s = Parameter(1.0, minimum=0.0, unit="s", doc="time between two lines of the log; 0: only at the end")

    def on_activate(self) -> None:
        self.count = 0
        self.last = math.nan
        self.minimum = math.inf
        self.maximum = -math.inf
        self.mean = math.nan
        self._told_ns = self.now()
        self._told_count = -1

    def on_value(self, message: Float64) -> None:
        self._add(message.data)
        if self.log_every_s and self.now() - self._told_ns >= self.log_every_s * NS_PER_S:
            self._told_ns = self.now()
            self._tell()

    def on_clock_jump(self) -> None:
        self._told_ns = self.now()

    def on_deactivate(self) -> None:
        # A run of whole seconds ends just after a line: once is enough.
        if self.count != self._told_count:
            self._tell()

    def _add(self, value: float) -> None:
        self.count += 1
        self.last = value
        self.minimum = min(self.minimum, value)
        self.maximum = max(self.maximum, value)
        # A running mean, not a sum: a sum loses digits over days.
        self.mean = value if self.count == 1 else self.mean + (value - self.mean) / self.count

    def _tell(self) -> None:
        self._told_count = self.count
        if not self.count:
            self.log.info("nothing has arrived")
            return
        self.log.info(
            "%d values, last %.3f, between %.3f and %.3f, mean %.3f",
            self.count, self.last, self.minimum, self.maximum, self.mean,
        )  # fmt: skip
