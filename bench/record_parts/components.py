"""Producers of a load, and one that times its own publishing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.channel_parts.reports import Reporter
from studio.messages import Map, Message, PoseTransform, Range3d
from studio.runtime.component import Component, InPort, OutPort, Parameter

BEAMS = 361
SIDE = 400
CATCH_UP_S = 0.1
DIFFERENT = 8
"""Messages of each kind, sent in turn. They are noisy, as measurements are: equal ones compress to almost nothing."""


def scans() -> list[Range3d]:
    """5.8 KB each."""
    ranges_m = np.random.default_rng(1).normal(4.0, 0.02, (DIFFERENT, BEAMS))
    return [Range3d.from_polar(each, -np.pi / 2, np.pi / 360, frame="laser") for each in ranges_m]


def poses() -> list[PoseTransform]:
    """250 bytes each."""
    places_m = np.random.default_rng(2).normal(0.0, 5.0, (DIFFERENT, 2))
    return [PoseTransform.from_xyz_rpy(x, y, 0.0, frame="map", child_frame="base_link") for x, y in places_m.tolist()]


def height_maps() -> list[Map]:
    """640 KB each: too large for the socket, so it goes through shared memory."""
    heights_m = np.random.default_rng(3).normal(0.0, 0.1, (DIFFERENT, 1, SIDE, SIDE)).astype(np.float32)
    return [Map(frame="map", resolution_m=0.1, plane_names=("height",), planes=planes) for planes in heights_m]


class Load(Component):
    """Publishes at three rates from a thread of its own, as a sensor does; each topic counts by itself."""

    category = "sensor"
    poses = OutPort(PoseTransform)
    scans = OutPort(Range3d)
    maps = OutPort(Map)
    poses_hz = Parameter(0.0, minimum=0.0, maximum=1e6)
    scans_hz = Parameter(0.0, minimum=0.0, maximum=1e6)
    maps_hz = Parameter(0.0, minimum=0.0, maximum=1e6)

    def on_activate(self) -> None:
        self.going = threading.Event()
        self.going.set()
        self.thread = threading.Thread(target=self._publish, daemon=True)
        self.thread.start()

    def _publish(self) -> None:
        topics: list[tuple[Callable[[Any], None], Sequence[Message], float]] = [
            (self.poses.publish, poses(), self.poses_hz),
            (self.scans.publish, scans(), self.scans_hz),
            (self.maps.publish, height_maps(), self.maps_hz),
        ]
        counts = [0] * len(topics)
        passed_s, last_s = 0.0, time.monotonic()
        while self.going.is_set():
            now_s = time.monotonic()
            # A sensor that could not go on for a while does not send all that it would have sent at once.
            passed_s, last_s = passed_s + min(now_s - last_s, CATCH_UP_S), now_s
            for index, (publish, messages, rate_hz) in enumerate(topics):
                while counts[index] < passed_s * rate_hz:
                    publish(messages[counts[index] % DIFFERENT])
                    counts[index] += 1
            time.sleep(0.001)

    def on_deactivate(self) -> None:
        self.going.clear()
        self.thread.join()


class Timed(Component):
    """At a trigger: publishes one kind of message `count` times, a millisecond apart, and tells what each took."""

    activations = ("trigger",)
    poses = OutPort(PoseTransform)
    scans = OutPort(Range3d)
    maps = OutPort(Map)
    kind = Parameter("scans")
    count = Parameter(100, minimum=1)
    pause_ms = Parameter(1.0, minimum=0.0)

    def on_initialize(self) -> None:
        self.reporter = Reporter(self.name)
        self.messages: dict[str, Sequence[Message]] = {"poses": poses(), "scans": scans(), "maps": height_maps()}

    def on_trigger(self) -> None:
        publish, messages = getattr(self, self.kind).publish, self.messages[self.kind]
        took_ns = []
        for number in range(self.count):
            message = messages[number % DIFFERENT]
            time.sleep(self.pause_ms / 1000)
            began = time.perf_counter_ns()
            publish(message)
            took_ns.append(time.perf_counter_ns() - began)
        self.reporter.tell(took_ns)


class Ear(Component):
    """Somebody who listens, recorder or not."""

    poses = InPort(PoseTransform)
    scans = InPort(Range3d)
    maps = InPort(Map)

    def on_poses(self, message: PoseTransform) -> None:
        pass

    def on_scans(self, message: Range3d) -> None:
        pass

    def on_maps(self, message: Map) -> None:
        pass
