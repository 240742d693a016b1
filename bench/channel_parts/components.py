"""Components for the bench: sources that send when triggered, sinks that measure, loops that feed themselves."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from bench.channel_parts.raw import HEAD, Raw, sent_of
from bench.channel_parts.reports import Reporter
from studio.messages import Float64, Image, Message, NavSatFix, Range3d
from studio.runtime.component import Component, InPort, OutPort, Parameter

BEAMS = 361


class Source(Component):
    """Sends `count` messages at each trigger: at once, from the handler; or `pace_us` apart, from a thread."""

    count = Parameter(1, minimum=1)
    pace_us = Parameter(0, minimum=0)
    size = Parameter(100, minimum=16)
    out: OutPort[Any]

    def make(self, sent_ns: int) -> Message:
        raise NotImplementedError

    def on_trigger(self) -> None:
        if self.pace_us:
            threading.Thread(target=self._send_paced, args=(self.count, self.pace_us / 1e6), daemon=True).start()
        else:
            self._send_burst()

    def _send_burst(self) -> None:
        message, publish = self.make(time.monotonic_ns()), self.out.publish
        for _ in range(self.count):
            publish(message)

    def _send_paced(self, count: int, pace_s: float) -> None:
        for _ in range(count):
            time.sleep(pace_s)
            self.out.publish(self.make(time.monotonic_ns()))


class RawSource(Source):
    out = OutPort(Raw)

    def make(self, sent_ns: int) -> Raw:
        return Raw.of_size(self.size, sent_ns)


class BigRawSource(Source):
    """One array, filled once: as a driver has it that reads into the same buffer every time."""

    out = OutPort(Raw)

    def on_activate(self) -> None:
        words = np.ones(1 + self.size // 8, np.int64)
        payload = words.view(np.uint8)[8 - len(HEAD) :]
        payload[: len(HEAD)] = np.frombuffer(HEAD, np.uint8)
        self.words, self.payload = words[1:], memoryview(payload)

    def make(self, sent_ns: int) -> Raw:
        self.words[0] = sent_ns
        return Raw(self.payload)


class FixSource(Source):
    out = OutPort(NavSatFix)

    def make(self, sent_ns: int) -> NavSatFix:
        return NavSatFix(stamp_ns=sent_ns)


class ScanSource(Source):
    out = OutPort(Range3d)

    def on_activate(self) -> None:
        self.points = np.ones((BEAMS, 4), np.float32)

    def make(self, sent_ns: int) -> Range3d:
        return Range3d(stamp_ns=sent_ns, points=self.points)


class ImageSource(Source):
    out = OutPort(Image)

    def on_activate(self) -> None:
        self.pixels = np.ones(self.size, np.uint8)

    def make(self, sent_ns: int) -> Image:
        width = 4096
        return Image(
            stamp_ns=sent_ns, height=self.size // width, width=width, encoding="mono8", step=width, data=self.pixels
        )


class Sink(Component):
    """Reports, after `count` messages, how long they took from the first sending to here (ns), or the age of each."""

    count = Parameter(1, minimum=1)
    pace_us = Parameter(0, minimum=0)
    read = Parameter(False, doc="read all of the payload before looking at the clock")

    def on_initialize(self) -> None:
        self.reporter = Reporter(self.name)
        self.on_parameter("", 0)

    def on_parameter(self, name: str, value: object) -> None:
        self.wanted, self.paced, self.reading = self.count, self.pace_us > 0, self.read
        self.seen = 0
        self.ages: list[int] = []

    def took(self, data: Any, sent_ns: int) -> None:
        """For paced messages, which carry the moment they were sent."""
        if self.reading:
            np.frombuffer(data, np.uint64, len(data) // 8).sum()
        self.ages.append(time.monotonic_ns() - sent_ns)
        if len(self.ages) == self.wanted:
            self.reporter.tell(self.ages)
            self.ages = []

    def counted(self, began_ns: int) -> None:
        """For bursts, whose messages carry the moment the first was sent."""
        self.seen += 1
        if self.seen == self.wanted:
            self.reporter.tell(time.monotonic_ns() - began_ns)
            self.seen = 0


class RawSink(Sink):
    inp = InPort(Raw)

    def on_inp(self, message: Raw) -> None:
        if self.paced:
            self.took(message.data, sent_of(message.data))
        else:
            self.counted(sent_of(message.data))


class StampedSink(Sink):
    def on_inp(self, message: Any) -> None:
        if self.paced:
            self.took(message.data if self.reading else b"", message.stamp_ns)
        else:
            self.counted(message.stamp_ns)


class FixSink(StampedSink):
    inp = InPort(NavSatFix)


class ScanSink(StampedSink):
    inp = InPort(Range3d)


class ImageSink(StampedSink):
    inp = InPort(Image)


class Loop(Component):
    """Answers every event with one: lockstep never runs out."""

    inp = InPort(Float64)
    out = OutPort(Float64)

    def on_activate(self) -> None:
        self.out.publish(Float64(0.0))

    def on_inp(self, message: Float64) -> None:
        self.out.publish(message)


class ScanLoop(Component):
    inp = InPort(Range3d)
    out = OutPort(Range3d)

    def on_activate(self) -> None:
        self.out.publish(Range3d(points=np.ones((BEAMS, 4), np.float32)))

    def on_inp(self, message: Range3d) -> None:
        self.out.publish(message)
