"""Small components that the channel's tests wire together; others are beside them, by what they are good for."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from studio.messages import Float64, String
from studio.runtime.actuator import Actuator
from studio.runtime.component import (
    Component,
    InPort,
    OutPort,
    Parameter,
)


class Ticker(Component):
    """Publishes 1, 2, 3 ... at every tick."""

    category = "sensor"
    activations = ("periodic", "event")
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.count = 0

    def on_timer(self) -> None:
        self.count += 1
        self.out.publish(Float64(self.count))


class Sampler(Component):
    """Works by its timer with the value that it was given last."""

    activations = ("periodic", "event")
    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.kept: Float64 | None = None

    def on_raw(self, message: Float64) -> None:
        self.kept = message

    def on_timer(self) -> None:
        if self.kept is not None:
            self.out.publish(self.kept)


class Adder(Component):
    """Publishes every input plus `amount`, `copies` times."""

    raw = InPort(Float64)
    out = OutPort(Float64)
    amount = Parameter(0.0)
    copies = Parameter(1, minimum=0, maximum=100)

    def on_raw(self, message: Float64) -> None:
        for copy in range(self.copies):
            self.out.publish(Float64(message.data + self.amount + 1000 * copy))


class Merger(Component):
    """Two inputs, one output that tells in which order they came."""

    left = InPort(Float64)
    right = InPort(Float64)
    out = OutPort(String)

    def on_left(self, message: Float64) -> None:
        self.out.publish(String(f"left {message.data:g} at {self.now()}"))

    def on_right(self, message: Float64) -> None:
        self.out.publish(String(f"right {message.data:g} at {self.now()}"))


class Sink(Component):
    """Keeps what it got; fails when the sequence of values has a hole it should not have."""

    raw = InPort(Float64)
    total = OutPort(Float64)

    def on_activate(self) -> None:
        self.got: list[float] = []

    def on_raw(self, message: Float64) -> None:
        self.got.append(message.data)


class LastWord(Component):
    """Says nothing until the end, and then how much it has heard."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.count = 0

    def on_raw(self, _message: Float64) -> None:
        self.count += 1

    def on_end(self) -> None:
        self.out.publish(Float64(self.count))


class Loop(Component):
    """Feeds itself for ever: publishes its input plus one."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.out.publish(Float64(0.0))

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(message.data + 1))


class Bouncer(Component):
    """Feeds itself for a while: publishes its input minus one until nothing is left."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        if message.data >= 1:
            self.out.publish(Float64(message.data - 1))


class Memory(Component):
    """State of many kinds; publishes what it makes of all of it. Waits for nobody who holds it by its method."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.grid = np.zeros((4, 4))
        self.recent: deque[float] = deque(maxlen=5)
        self.kinds: set[str] = set()
        self.tree: dict[str, Any] = {"counts": {}, "list": [1, [2, 3]]}
        self.tree["itself"] = self.tree
        self.add = self._add
        self.port = self.out
        self.dice = self.random

    def _add(self, value: float) -> None:
        self.grid[int(value) % 4] += value
        self.recent.append(value)
        self.kinds.add(f"kind {int(value) % 3}")
        self.tree["counts"][int(value) % 5] = len(self.recent)

    def on_raw(self, message: Float64) -> None:
        self.add(message.data + self.dice.integers(3) + self.random.integers(3))
        self.port.publish(Float64(float(self.grid.sum() + sum(self.recent) + len(self.kinds))))


class Dice(Component):
    """Randomness and time, which must come out the same in every run."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(float(self.random.random()) + message.data + self.now() % 7))


class Fragile(Component):
    """Raises at the third input."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.count = 0

    def on_raw(self, message: Float64) -> None:
        self.count += 1
        if self.count == 3:
            raise ZeroDivisionError("the third one is too much")
        self.out.publish(message)


class Watcher(Component):
    """Reads a port that has no handler."""

    raw = InPort(Float64)
    pose = InPort(Float64, keep="latest")
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        latest = self.pose.latest
        self.out.publish(Float64(latest.data if latest is not None else float("nan")))


class Triggered(Component):
    """Runs by trigger; can be told to run periodically instead."""

    activations = ("trigger", "periodic")
    out = OutPort(Float64)
    step = Parameter(1.0, minimum=0.0, maximum=10.0)

    def on_activate(self) -> None:
        self.value = 0.0

    def on_trigger(self) -> None:
        self.value += self.step
        self.out.publish(Float64(self.value))

    def on_timer(self) -> None:
        self.on_trigger()


class EpochGuard(Component):
    """Fails when it gets something of an epoch that is over, or of another origin than the epoch began with."""

    raw = InPort(Float64)

    def on_activate(self) -> None:
        self.epoch, self.origin = 0, -1

    def on_raw(self, _message: Float64) -> None:
        event = self._handled()
        assert event is not None
        if event.epoch < self.epoch:
            raise ValueError(f"{event} is of epoch {event.epoch}, and it is {self.epoch}")
        if event.epoch > self.epoch or self.origin < 0:
            self.epoch, self.origin = event.epoch, event.origin
        if event.origin != self.origin:
            raise ValueError(f"{event} is of origin {event.origin}, and epoch {self.epoch} began with {self.origin}")


class Mover(Actuator):
    """Something real that only says that it was moved."""

    raw = InPort(Float64, keep="latest")
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(message)

    def halt(self) -> None:
        self.log.info("stands")
