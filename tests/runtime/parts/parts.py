"""Small components that the channel's tests wire together."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from typing import Any, ClassVar

import numpy as np

from studio.messages import Float64, Map, String
from studio.runtime.actuator import Actuator
from studio.runtime.component import (
    Component,
    InPort,
    OutPort,
    Parameter,
    ProvidedService,
    RequiredService,
    ServiceError,
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


class BigMap(Component):
    """An effect that is far larger than its acknowledgement, first; a small one after it."""

    raw = InPort(Float64)
    big = OutPort(Map)
    small = OutPort(Float64)
    side = Parameter(500, minimum=1, maximum=2000)

    def on_raw(self, message: Float64) -> None:
        planes = np.full((1, self.side, self.side), message.data, np.float32)
        self.big.publish(Map(planes=planes, plane_names=("height",), resolution_m=0.1, frame="map"))
        self.small.publish(message)


class MapSum(Component):
    """Reads a map in full."""

    map = InPort(Map)
    out = OutPort(Float64)

    def on_map(self, message: Map) -> None:
        self.out.publish(Float64(float(message.planes.astype(np.float64).sum())))


class MapKeeper(Component):
    """Keeps a map, and reads the newest only when it gets one more."""

    map = InPort(Map, keep="latest")
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.kept: Map | None = None

    def on_map(self, message: Map) -> None:
        if self.kept is not None:
            self.out.publish(Float64(float(self.kept.planes.sum() + message.planes[0, 0, 0])))
        self.kept = self.map.latest


class Atlas(Component):
    """Has more than a megabyte of state."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.map = np.zeros((400, 400))

    def on_raw(self, message: Float64) -> None:
        self.map[int(message.data)] += 1
        self.out.publish(Float64(float(self.map.sum())))


class Doubler(Component):
    """Provides a service, and publishes each request it serves."""

    raw = InPort(Float64)
    double = ProvidedService(Float64, Float64)
    served = OutPort(Float64)

    def on_activate(self) -> None:
        self.offset = 0.0

    def on_raw(self, message: Float64) -> None:
        self.offset = message.data

    def serve_double(self, request: Float64) -> Float64:
        if request.data < 0:
            raise ValueError("only what is positive")
        self.served.publish(request)
        return Float64(2 * request.data + self.offset)


class Caller(Component):
    """Calls a service inside its handler."""

    raw = InPort(Float64)
    ask = RequiredService(Float64, Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(-1.0))
        self.out.publish(self.ask(message))


class CallerOfMore(Caller):
    """Asks for one more than it got."""

    def on_raw(self, message: Float64) -> None:
        super().on_raw(Float64(message.data + 1))


class CallerTwice(Caller):
    """Asks again, for nothing."""

    def on_raw(self, message: Float64) -> None:
        super().on_raw(message)
        self.ask(message)


class Silent(Caller):
    """Does not ask."""

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(-1.0))


class Tripler(Doubler):
    """Answers something else."""

    def serve_double(self, request: Float64) -> Float64:
        return Float64(super().serve_double(request).data + request.data)


class Sleepy(Doubler):
    """Takes its time with every second request."""

    def serve_double(self, request: Float64) -> Float64:
        if request.data % 2 == 0:
            time.sleep(0.3)
        return Float64(2 * request.data)


class Hasty(Caller):
    """Does not wait for long."""

    def on_raw(self, message: Float64) -> None:
        try:
            patience_s = 0.05 if message.data % 2 == 0 else 10.0
            self.out.publish(self.ask(message, deadline_s=patience_s))
        except ServiceError:
            self.out.publish(Float64(-1.0))


class Circle(Component):
    """Serves by calling another: two of them, wired to each other, go in a circle."""

    raw = InPort(Float64)
    ask = RequiredService(Float64, Float64)
    answer = ProvidedService(Float64, Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(self.ask(message))

    def serve_answer(self, request: Float64) -> Float64:
        return self.ask(request)


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


class Slow(Component):
    """Takes its time with everything."""

    raw = InPort(Float64)
    out = OutPort(Float64)
    seconds = Parameter(0.01, minimum=0.0, maximum=60.0)

    def on_raw(self, message: Float64) -> None:
        time.sleep(self.seconds)
        self.out.publish(message)


class SlowLatest(Slow):
    raw = InPort(Float64, keep="latest")


class Flood(Component):
    """Publishes from a thread of its own as fast as it is told to, as a sensor does."""

    category = "sensor"
    out = OutPort(Float64)
    rate_hz = Parameter(5000.0, minimum=1.0, maximum=1e6)

    def on_activate(self) -> None:
        self.going = threading.Event()
        self.going.set()
        self.thread = threading.Thread(target=self._publish, daemon=True)
        self.thread.start()

    def _publish(self) -> None:
        start, count = time.monotonic(), 0
        while self.going.is_set():
            due = int((time.monotonic() - start) * self.rate_hz)
            while count < due:
                count += 1
                self.out.publish(Float64(count))
            time.sleep(0.001)

    def on_deactivate(self) -> None:
        self.going.clear()
        self.thread.join()

    def save_state(self) -> None:
        return None

    def load_state(self, state: None) -> None:
        pass


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


class BigFlood(Flood):
    """The same with maps of 1 MB."""

    maps = OutPort(Map)

    def _publish(self) -> None:
        count = 0
        while self.going.is_set():
            count += 1
            planes = np.full((1, 512, 512), count, np.float32)
            self.maps.publish(Map(planes=planes, plane_names=("height",), resolution_m=0.1, frame="map"))
            time.sleep(1 / self.rate_hz)


class Suicide(Component):
    """Kills its own process when it gets 5."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        if message.data == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        self.out.publish(message)


class Early(Component):
    """Publishes before anybody can hear it."""

    out = OutPort(Float64)

    def on_initialize(self) -> None:
        self.out.publish(Float64(1.0))


class Locked(Component):
    """Keeps what cannot be copied."""

    out = OutPort(Float64)

    def on_initialize(self) -> None:
        self.lock = threading.Lock()


class Deaf(Component):
    """Never returns from its handler, ignores SIGINT and SIGTERM, and has a child that does so too."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_initialize(self) -> None:
        ignore = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (2, 15)]; time.sleep(600)"
        self.child = subprocess.Popen([sys.executable, "-c", ignore])
        for number in (signal.SIGINT, signal.SIGTERM):
            # Python lets only the main thread do this, and this is another one.
            ctypes.CDLL(None).signal(int(number), ctypes.c_void_p(1))

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(self.child.pid))
        threading.Event().wait()


class Parent(Component):
    """Has a child that does nothing, and does not look after it."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_initialize(self) -> None:
        self.child = subprocess.Popen(["sleep", "600"])

    def on_raw(self, message: Float64) -> None:
        self.out.publish(message)


class Chatterbox(Component):
    """Prints `megabytes` at the first value, then goes on as if nothing had been."""

    raw = InPort(Float64)
    out = OutPort(Float64)
    megabytes = Parameter(10, minimum=1, maximum=2000)

    def on_raw(self, message: Float64) -> None:
        if message.data == 1.0:
            for number in range(self.megabytes):
                sys.stdout.write(f"{number:06d} ".ljust(1023, "x") + "\n" + ("y" * 1023 + "\n") * 1023)
            print("that was all")
        self.out.publish(message)


class Relapsing(Component):
    """Starts well the first time, and never again while the file `sick` is there."""

    raw = InPort(Float64)
    out = OutPort(Float64)
    sick = Parameter("")

    def on_initialize(self) -> None:
        if os.path.exists(self.sick):
            print("the device is not there", file=sys.stderr, flush=True)
            os._exit(3)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(message)


class Moody(Component):
    """Does what it likes: its outputs depend on how often it was asked, in all the time of its process."""

    raw = InPort(Float64)
    out = OutPort(Float64)
    asked: ClassVar[list[float]] = []

    def on_raw(self, message: Float64) -> None:
        self.asked.append(message.data)
        for _ in range(len(self.asked) % 3):
            self.out.publish(message)
