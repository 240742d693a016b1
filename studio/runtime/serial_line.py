"""Devices on serial lines: a thread of their own opens the line, talks, and opens it again after a cut cable.

`SerialLine` does the opening, the waiting and the telling of what is wrong; what is said on the line is a function of
the component, which gets a `Link`. Parsers know bytes only and lie beside the component.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

import serial

from studio.errors import StudioError
from studio.model.spec import Category, Value
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.component import Component
from studio.runtime.declarations import Parameter

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 2.0
READ_WITHIN_S = 0.2
"""A read returns after this at the latest; ending the line interrupts it."""


class LineError(StudioError):
    """Something is wrong with the line or the device on it; it is opened again after a while."""


class Ended(Exception):
    """The component wants the line to end."""


class Link:
    """An open line, for the thread that talks on it."""

    def __init__(
        self, port: serial.Serial, path: str, ended: threading.Event, works: Callable[[], None] = lambda: None
    ) -> None:
        self.works = works
        """To be called when the device answers as it should: what was wrong is over."""
        self._port = port
        self._path = path
        self._ended = ended
        self._writing = threading.Lock()
        self.received = 0
        """Bytes that arrived since the line was opened."""

    @property
    def baud(self) -> int:
        return int(self._port.baudrate)

    @baud.setter
    def baud(self, rate: int) -> None:
        try:
            self._port.baudrate = rate
        except (serial.SerialException, OSError, ValueError) as error:
            raise LineError(f"{self._path} cannot do {rate} baud: {error}", hint="choose another rate") from None

    def read(self, within_s: float = READ_WITHIN_S) -> bytes:
        """What has arrived, at least one byte; b"" if nothing does in time."""
        if self._ended.is_set():
            raise Ended
        try:
            self._port.timeout = within_s
            data = bytes(self._port.read(1))
            if data:
                data += bytes(self._port.read(self._port.in_waiting))
        except (serial.SerialException, OSError, TypeError) as error:  # TypeError: closed meanwhile
            raise _gone(self._path, error) from None
        if self._ended.is_set():
            raise Ended
        self.received += len(data)
        return data

    def write(self, data: bytes) -> None:
        """From any thread."""
        try:
            with self._writing:
                self._port.write(data)
        except (serial.SerialException, OSError, TypeError) as error:
            raise _gone(self._path, error) from None

    def drain(self) -> None:
        """Wait until everything written has left: before the baud rate changes."""
        try:
            self._port.flush()
        except (serial.SerialException, OSError) as error:
            raise _gone(self._path, error) from None

    def forget_input(self) -> None:
        try:
            self._port.reset_input_buffer()
        except (serial.SerialException, OSError) as error:
            raise _gone(self._path, error) from None

    def pause(self, seconds: float) -> None:
        """Wait, unless the line is to end."""
        if self._ended.wait(seconds):
            raise Ended

    def seconds(self) -> float:
        """Machine time, for waiting on answers; never for data."""
        return monotonic_ns() / SECOND_NS


Talk = Callable[[Link], None]


class SerialLine:
    """Calls `talk(link)` in a thread of its own, again and again, until it is closed.

    `talk` ends by raising: LineError when the device is gone or silent. Then the line is opened again, after a wait
    that doubles up to two seconds and starts anew once `link.works()` was called.
    """

    def __init__(self, path: str, baud: int, talk: Talk, log: logging.Logger) -> None:
        self.path = path
        self.baud = baud
        self.openings = 0
        self._talk = talk
        self._log = log
        self._ended = threading.Event()
        self._port: serial.Serial | None = None
        self._wait_s = FIRST_WAIT_S
        self._told = ""
        self._thread = threading.Thread(target=self._run, name=f"serial line {path}", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """What is wrong with the line now; empty while the device answers."""
        return self._told

    def _works(self) -> None:
        self._wait_s = FIRST_WAIT_S
        if self._told:
            self._log.info("%s works again", self.path)
            self._told = ""

    def close(self) -> None:
        """End the thread; returns when it has ended."""
        self._ended.set()
        port = self._port
        if port is not None:
            with suppress(serial.SerialException, OSError, AttributeError, TypeError):  # just closed by its own thread
                port.cancel_read()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._once()
            except Ended:
                return
            except StudioError as error:
                self._tell(str(error))
            except Exception:
                self._log.exception("%s: the driver failed; it starts again", self.path)
            self._ended.wait(self._wait_s)
            self._wait_s = min(LONGEST_WAIT_S, 2 * self._wait_s)

    def _once(self) -> None:
        self._port = port = open_port(self.path, self.baud)
        self.openings += 1
        try:
            self._talk(Link(port, self.path, self._ended, self._works))
        finally:
            self._port = None
            with suppress(serial.SerialException, OSError):  # it was unplugged
                port.close()

    def _tell(self, what: str) -> None:
        """Once per change: a device that stays away fills no log."""
        if what != self._told:
            self._told = what
            self._log.warning("%s", what)


def open_port(path: str, baud: int) -> serial.Serial:
    """The line, for this process alone. What keeps it from opening is told with its remedy."""
    try:
        return serial.Serial(path, baud, timeout=READ_WITHIN_S, write_timeout=1.0, exclusive=True)
    except ValueError as error:
        raise LineError(f"{path} cannot be opened at {baud} baud: {error}", hint="choose another rate") from None
    except (serial.SerialException, OSError) as error:
        raise _cannot_open(path, error) from None


def _cannot_open(path: str, error: OSError) -> LineError:
    match _number(error):
        case errno.ENOENT | errno.ENXIO | errno.ENODEV:
            hint = "plug it in, or choose its port: /dev/serial/by-id lists the devices"
            return LineError(f"there is no device {path}", hint=hint)
        case errno.EACCES | errno.EPERM:
            hint = 'sudo usermod -aG dialout "$USER", then log in again'
            return LineError(f"no permission to open {path}", hint=hint)
        case errno.EAGAIN | errno.EBUSY:
            return LineError(f"another program uses {path}", hint=f"fuser -v {path} shows which")
    return LineError(f"{path} cannot be opened: {error}", hint="is it a serial port?")


def _number(error: OSError) -> int | None:
    """The error's number. pyserial wraps some errors: then it is in what they were raised from."""
    causes = (error, error.__context__, error.__cause__)
    return next((each.errno for each in causes if isinstance(each, OSError) and each.errno), None)


def _gone(path: str, error: Exception) -> LineError:
    """pyserial's own words for an end of file are a guess at many causes; a number of the system is a fact."""
    number = _number(error) if isinstance(error, OSError) else None
    why = f": {os.strerror(number)}" if number else ""
    return LineError(f"{path} is gone{why}", hint="check cable and power; Studio opens it again when it is back")


class SerialSensor(Component):
    """A sensor on a serial line. Subclasses write `talk`, which reads from the link and publishes.

    `talk` runs in the line's own thread: what it publishes enters the system as input, stamped by acquisition time.
    """

    category: ClassVar[Category] = "sensor"

    port = Parameter(
        "/dev/ttyUSB0", kind="device", doc="the serial device; names under /dev/serial/by-id stay the same"
    )

    line: SerialLine | None = None

    def talk(self, link: Link) -> None:
        """Set the device up, then read until the line ends. Raise LineError for what a person should know."""
        raise NotImplementedError

    def opening_baud(self) -> int:
        """The rate at which the line is opened."""
        return 9600

    @property
    def trouble(self) -> str:  # type: ignore[override]
        return self.line.trouble if self.line is not None else ""

    def on_activate(self) -> None:
        if self.is_live():
            self.line = SerialLine(self.port, self.opening_baud(), self.talk, self.log)
        else:
            self.log.info("the system does not run by the wall clock: %s is not opened", self.port)

    def on_deactivate(self) -> None:
        self._close()

    def on_finalize(self) -> None:
        self._close()

    def on_error(self, error: Exception) -> None:
        self._close()

    def on_parameter(self, name: str, value: Value) -> None:
        """Every setting is made on a line that is opened anew."""
        if self.line is not None:
            self._close()
            self.on_activate()

    def _close(self) -> None:
        if self.line is not None:
            self.line.close()
            self.line = None

    # What a device has sent cannot be had again: there is nothing to go back to.

    def save_state(self) -> Any:
        return None

    def load_state(self, state: Any) -> None:
        """Nothing to take back."""


class Health:
    """Tells silence from a wrong baud rate: counts what came and how much of it made sense."""

    def __init__(self, link: Link, path: str, patience_s: float = 3.0) -> None:
        self._link = link
        self._path = path
        self._patience_s = patience_s
        self._since_s = link.seconds()
        self._bytes = link.received

    def good(self) -> None:
        """Something arrived that makes sense."""
        self._since_s, self._bytes = self._link.seconds(), self._link.received

    def check(self) -> None:
        """Raise when nothing has made sense for too long."""
        if self._link.seconds() - self._since_s < self._patience_s:
            return
        got = self._link.received - self._bytes
        if got == 0:
            hint = "check cable, power and that this is the right port"
            raise LineError(f"{self._path} is silent for {self._patience_s:g} s", hint=hint)
        what = f"{got} bytes on {self._path} could not be read at {self._link.baud} baud"
        raise LineError(what, hint="wrong baud rate or another device?")


class DeviceClock:
    """Turns a device's own time into system time: bytes come late by a varying delay, its clock does not.

    What arrived with the least delay tells how the two clocks stand to each other. The estimate may rise by 100 parts
    per million, so that it follows a device whose clock is slow.
    """

    DRIFT = 1e-4

    def __init__(self, wraps_at: int, tick_ns: int = 1_000_000) -> None:
        self._wraps_at = wraps_at
        self._tick_ns = tick_ns
        self._last: int | None = None
        self._elapsed = 0
        self._offset_ns = 0

    def stamp_ns(self, ticks: int, arrived_ns: int) -> int:
        """System time of the device's `ticks`, given that they were read at system time `arrived_ns`."""
        if self._last is None:
            self._offset_ns, passed = arrived_ns, 0
        else:
            passed = (ticks - self._last) % self._wraps_at
        self._last = ticks
        self._elapsed += passed
        device_ns = self._elapsed * self._tick_ns
        drifted_ns = self._offset_ns + int(passed * self._tick_ns * self.DRIFT)
        self._offset_ns = min(drifted_ns, arrived_ns - device_ns)
        stamp_ns = device_ns + self._offset_ns
        if arrived_ns - stamp_ns > SECOND_NS:  # the device was reset, or its clock jumped: begin anew
            self._last, self._elapsed, self._offset_ns = ticks, 0, arrived_ns
            return arrived_ns
        return stamp_ns
