"""A vehicle on a serial line, with a protocol that fits any microcontroller (README.md)."""

from __future__ import annotations

import json
import math
from itertools import count

from studio.messages import Float64, Odometry, String, Velocity
from studio.runtime.actuator import Actuator
from studio.runtime.component import InPort, OutPort, Parameter
from studio.runtime.serial_line import DeviceClock, Health, LineError, Link, SerialLine

from . import frames
from .frames import Flags, Frames, Identity, State

PROTOCOL = 1
ANSWER_WITHIN_S = 0.5
BITS_PER_BYTE = 10
ON_THE_WAY_NS = 10_000_000
"""Of the 250 ms that a command may act, for what passes before the vehicle has heard it and when it stops."""
TELL_EVERY_NS = 1_000_000_000
STOPS = {
    Flags.EMERGENCY_STOP: "the stop button on the vehicle is pressed",
    Flags.BUMPER: "the bumper has touched something",
    Flags.FOLLOWING_ERROR: "the wheels do not follow the commands",
}


class SerialVehicle(Actuator):
    """Drives a vehicle over a serial line and reads its odometry, battery, bumper and stop button.

    Takes commands only while armed, of real origin, and younger than 250 ms; the vehicle itself stops when the last one
    has run out. Bumper, stop button and following error latch: trigger the component to reset them, then arm it again.
    """

    icon = "mdi6.car-side"
    tags = ("vehicle", "ackermann", "serial", "odometry")

    command = InPort(Velocity, keep="latest", doc="speed and steering angle; zero after 250 ms without one")
    odometry = OutPort(Odometry, doc="position since the vehicle was switched on, and its speed")
    battery = OutPort(Float64, doc="voltage in V, once a second")
    state = OutPort(
        String,
        doc="JSON: armed, fault, stopped, emergency_stop, bumper, timed_out, refused; on changes and once a second",
    )

    port = Parameter(
        "/dev/ttyUSB0", kind="device", doc="the serial device; names under /dev/serial/by-id stay the same"
    )
    baud = Parameter(115200, choices=(9600, 19200, 38400, 57600, 115200), unit="baud", doc="of the vehicle")
    top_speed_m_s = Parameter(1.0, minimum=0.0, maximum=20.0, unit="m/s", doc="faster commands are slowed down to it")
    most_steering_rad = Parameter(0.6, minimum=0.0, maximum=1.5, unit="rad", doc="sharper commands are limited to it")
    frame = Parameter("odom", doc="frame of the positions")
    child_frame = Parameter("base_link", doc="frame of the vehicle")

    line: SerialLine | None = None
    received = Frames()
    """What was found on the line that is open, with counts of errors."""
    _link: Link | None = None
    """The line while a vehicle answers on it."""
    _identity: Identity | None = None
    _last: State | None = None
    _reset_sent: int | None = None
    """The number of a reset that the vehicle has not heard yet: what it tells until then is the past."""
    _told_state = ""

    # The line.

    def on_activate(self) -> None:
        self._numbers = count(1)
        self._open()

    def on_deactivate(self) -> None:
        self._close()

    def on_error(self, error: Exception) -> None:
        self._close()

    def on_finalize(self) -> None:
        self._close()

    def on_parameter(self, name: str, value: object) -> None:
        if name in ("port", "baud") and self.line is not None:
            self.disarm()
            self._close()
            self._open()

    def on_trigger(self) -> None:
        """The base class has reset its own part; the vehicle has latched what it saw, too."""
        if not self.fault:
            self._reset_sent = self._send(frames.RESET)

    def why_not_reset(self) -> str:
        last = self._last
        if last is None:
            return "no vehicle answers"
        if last.flags & Flags.BUMPER_PRESSED:
            return "the bumper is still pressed"
        return "the stop button is still pressed" if last.flags & Flags.EMERGENCY_STOP else ""

    @property
    def trouble(self) -> str:  # type: ignore[override]
        return self.line.trouble if self.line is not None else ""

    def _open(self) -> None:
        if self.is_live():
            self.line = SerialLine(self.port, self.baud, self.talk, self.log)
        else:
            self.log.info("the system does not run by the wall clock: %s is not opened", self.port)

    def _close(self) -> None:
        if self.line is not None:
            self.line.close()
            self.line = None

    # Commands.

    def on_command(self, message: Velocity) -> None:
        speed, steering = self.speed_of(message), message.steering_angle_rad
        if not math.isfinite(message.speed_m_s) or not math.isfinite(steering):
            self.latch("a command was not a number")
            return
        steering = max(-self.most_steering_rad, min(self.most_steering_rad, steering))
        link = self._link
        if link is not None:
            self._write(link, frames.drive(next(self._numbers), speed, steering, self._valid_ms()))

    def speed_of(self, message: Velocity) -> float:
        return max(-self.top_speed_m_s, min(self.top_speed_m_s, message.speed_m_s))

    def _valid_ms(self) -> int:
        """The vehicle counts from when it has heard the command: the time on the line is not its own to drive."""
        line_ns = frames.DRIVE_BYTES * BITS_PER_BYTE * 1_000_000_000 // self.baud
        return max(0, self.valid_ns() - ON_THE_WAY_NS - line_ns) // 1_000_000

    def halt(self) -> None:
        self._send(frames.HALT)

    def _send(self, kind: int) -> int | None:
        """The number of what was sent; None if there is nobody to send it to."""
        link = self._link
        if link is None:
            return None
        number = next(self._numbers) & 0xFF
        self._write(link, frames.frame(kind, number))
        return number

    def _write(self, link: Link, data: bytes) -> None:
        """A line that is gone is told by the thread that reads it; the vehicle stops by itself."""
        try:
            link.write(data)
        except LineError as error:
            self.log.debug("not sent: %s", error)

    # What the vehicle says; all of this runs in the line's thread.

    def talk(self, link: Link) -> None:
        self.received = Frames()
        self._identity = self._greet(link)
        if self.line is not None:
            link.works()
        self.log.info("%s answers on %s, protocol %d", self._identity.name, self.port, self._identity.protocol)
        self._link = link
        try:
            self._listen(link, self._identity)
        finally:
            self._link = self._last = self._reset_sent = None
            self.disarm()

    def _greet(self, link: Link) -> Identity:
        link.forget_input()
        health = Health(link, self.port, patience_s=2.0)
        while True:
            self._write(link, frames.frame(frames.HELLO, 0))
            until_s = link.seconds() + ANSWER_WITHIN_S
            while (left_s := until_s - link.seconds()) > 0:
                for one in self.received.feed(link.read(min(left_s, 0.2))):
                    identity = frames.identity_of(one)
                    if identity is not None and identity.protocol != PROTOCOL:
                        hint = f"this driver speaks {PROTOCOL}: update the vehicle or Studio"
                        raise LineError(f"{identity.name} speaks protocol {identity.protocol}", hint=hint)
                    if identity is not None:
                        return identity
            health.check()

    def _listen(self, link: Link, identity: Identity) -> None:
        clock = DeviceClock(1 << 32)
        health = Health(link, self.port, patience_s=2.0)
        told_errors, battery_ns = 0, 0
        while True:
            data = link.read()
            arrived_ns = self.now()
            for one in self.received.feed(data):
                state = frames.state_of(one)
                if state is None:
                    continue
                health.good()
                stamp_ns = clock.stamp_ns(state.uptime_ms, arrived_ns)
                self._look_at(state)
                self.odometry.publish(self._odometry(state, stamp_ns, identity.wheelbase_m), stamp_ns=stamp_ns)
                again = stamp_ns - battery_ns >= TELL_EVERY_NS
                if again:
                    battery_ns = stamp_ns
                    self.battery.publish(Float64(state.battery_v), stamp_ns=stamp_ns)
                self._tell_state(state, stamp_ns, again)
            if self.received.checksum_errors >= max(1, 2 * told_errors):  # told at 1, 2, 4, 8, ...
                told_errors = self.received.checksum_errors
                self.log.warning("%s: %d frames with a wrong check sum so far", self.port, told_errors)
            health.check()

    def _look_at(self, state: State) -> None:
        self._last = state
        if self._reset_sent is not None and (state.heard - self._reset_sent) & 0xFF >= 0x80:
            return
        self._reset_sent = None
        for flag, fault in STOPS.items():
            if state.flags & flag and not self.fault:
                self.latch(fault)

    def _odometry(self, state: State, stamp_ns: int, wheelbase_m: float) -> Odometry:
        yaw_rate = state.speed_m_s * math.tan(state.steering_rad) / wheelbase_m if wheelbase_m > 0 else 0.0
        planar = Odometry.planar(state.x_m, state.y_m, state.heading_rad, state.speed_m_s, yaw_rate)
        return planar.replace(stamp_ns=stamp_ns, frame=self.frame, child_frame=self.child_frame)

    def _tell_state(self, state: State, stamp_ns: int, again: bool) -> None:
        told = {
            "armed": self.armed,
            "fault": self.fault,
            "stopped": self.safety_stop,
            "emergency_stop": bool(state.flags & Flags.EMERGENCY_STOP),
            "bumper": bool(state.flags & Flags.BUMPER_PRESSED),
            "timed_out": bool(state.flags & Flags.TIMED_OUT),
        }
        changed = json.dumps(told) != self._told_state
        if changed or again:
            self._told_state = json.dumps(told)
            text = json.dumps({**told, "refused": sum(self.refused.values())})
            self.state.publish(String(text), stamp_ns=stamp_ns)
