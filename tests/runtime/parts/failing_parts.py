"""Components that fail, each in its way."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import ClassVar

from studio.messages import Float64
from studio.runtime.component import (
    Component,
    InPort,
    OutPort,
    Parameter,
)


class Suicide(Component):
    """Kills its own process when it gets 5."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        if message.data == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        self.out.publish(message)


class FarBehind(Component):
    """Gets more than it can handle; writes into a file that it was deactivated."""

    raw = InPort(Float64)
    file = Parameter("")

    def on_raw(self, message: Float64) -> None:
        time.sleep(0.05)

    def on_deactivate(self) -> None:
        Path(self.file).write_text("deactivated")


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


class OwnClock(Component):
    """Asks the machine for the time, which no component should."""

    raw = InPort(Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(float(time.monotonic_ns())))
