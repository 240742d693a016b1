"""Components with much to send, to read or to remember."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np

from studio.messages import Float64, Map
from studio.runtime.component import (
    Component,
    InPort,
    OutPort,
    Parameter,
)


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
