"""SICK LMS 200 (and 291): a laser range finder with an angle of 180 degrees."""

from __future__ import annotations

import math
from collections.abc import Callable

from studio.messages import Range3d
from studio.runtime.component import OutPort, Parameter
from studio.runtime.serial_line import Ended, Health, LineError, Link, SerialSensor

from . import telegrams as lms
from .telegrams import Reply, Scan, Telegrams

NS_PER_S = 1_000_000_000
TURN_S = 1 / 75
"""The mirror turns 75 times a second; half and quarter degrees take two and four turns."""
BITS_PER_BYTE = 10
ANSWER_WITHIN_S = 1.0
FOUND_WITHIN_S = 0.6
CONFIGURED_WITHIN_S = 15.0
"""The device writes its EEPROM."""


class SickLms200(SerialSensor):
    """Reads a SICK LMS 200 laser scanner over RS-232 or RS-422.

    Finds the device at whatever rate it is set to, sets rate, unit, angle and resolution, and publishes every scan.
    """

    icon = "mdi6.radar"
    tags = ("laser", "range", "serial", "sick")
    parameter_sets = {
        "fine": {"resolution_deg": "0.5"},
        "finest": {"angle_deg": 100, "resolution_deg": "0.25"},
        "fast": {"baud": 500000},
    }

    scan = OutPort(Range3d, doc="one scan; stamped with the middle of its measurement")

    baud = Parameter(38400, choices=(9600, 19200, 38400, 500000), unit="baud", doc="rate to use; 500000 needs RS-422")
    angle_deg = Parameter(180, choices=(180, 100), unit="deg", doc="the field of view, half of it to each side")
    resolution_deg = Parameter("1", choices=("1", "0.5", "0.25"), unit="deg", doc="0.25 with an angle of 100 only")
    unit = Parameter("mm", choices=("mm", "cm"), doc="mm reach 8 m, cm 80 m; a change is written to the device")
    interlaced = Parameter(False, doc="publish each turn of the mirror by itself, shifted by a part of a degree")
    maximum_m = Parameter(81.0, minimum=0.1, maximum=100.0, unit="m", doc="farther echoes are left out")
    keep_missing = Parameter(False, doc="keep beams without an echo, as NaN")
    frame = Parameter("Laser:ScanOrigin", kind="frame", doc="frame of the points: x along the middle beam, y left")

    telegrams = Telegrams()
    """What was found on the line that is open, with counts of errors."""
    scans = 0

    def opening_baud(self) -> int:
        return self.baud

    def talk(self, link: Link) -> None:
        self.telegrams = Telegrams()
        talk = _Conversation(link, self.telegrams, self.port)
        angle_deg, resolution = self.angle_deg, round(100 * float(self.resolution_deg))
        if (angle_deg, resolution) not in lms.VARIANTS:
            raise LineError(
                f"the device has no {self.resolution_deg} degrees over {angle_deg}", hint="0.25 goes with angle_deg 100"
            )
        talk.find(self.baud)
        talk.use_rate(self.baud)
        talk.use_unit(self.unit)
        talk.use_variant(angle_deg, resolution)
        talk.start(lms.PARTIAL_SCANS if self.interlaced else lms.ALL_VALUES)
        if self.line is not None:
            link.works()
        self.log.info("scans come from %s at %d baud", self.port, self.baud)
        try:
            self._listen(link, angle_deg, resolution)
        except Ended:
            talk.stop()
            raise

    def _listen(self, link: Link, angle_deg: int, resolution: int) -> None:
        health = Health(link, self.port)
        told_errors = 0
        while True:
            data = link.read()
            arrived_ns = self.now()
            replies = self.telegrams.feed(data) if data else []
            late = self.telegrams.waiting + sum(reply.size for reply in replies)
            for reply in replies:
                late -= reply.size
                scan = lms.scan_of(reply)
                if scan is not None and self._publish(scan, arrived_ns, late, angle_deg, resolution):
                    health.good()
            if self.telegrams.checksum_errors >= max(1, 2 * told_errors):  # told at 1, 2, 4, 8, ...
                told_errors = self.telegrams.checksum_errors
                self.log.warning("%s: %d telegrams with a wrong checksum so far", self.port, told_errors)
            health.check()

    def _publish(self, scan: Scan, arrived_ns: int, bytes_after: int, angle_deg: int, resolution: int) -> bool:
        """False if the scan is not of the kind that was asked for: the device was set otherwise meanwhile."""
        turns = 100 // resolution
        whole = lms.VARIANTS[angle_deg, resolution]
        if scan.partial is None:
            if len(scan.values) != whole:
                return False
            start_deg, step_deg, duration_s = 0.0, resolution / 100, TURN_S * (turns - 1 + angle_deg / 360)
        else:
            if len(scan.values) not in (angle_deg, angle_deg + 1) or not self.interlaced:
                return False
            start_deg, step_deg, duration_s = scan.partial * 0.25, 1.0, TURN_S * angle_deg / 360
        on_the_line_s = (scan.size + bytes_after) * BITS_PER_BYTE / self.baud
        stamp_ns = arrived_ns - round((on_the_line_s + duration_s / 2) * NS_PER_S)
        message = Range3d.from_polar(
            scan.ranges_m(),
            math.radians(start_deg - angle_deg / 2),
            math.radians(step_deg),
            maximum_m=self.maximum_m,
            keep_missing=self.keep_missing,
            stamp_ns=stamp_ns,
            frame=self.frame,
        )
        self.scans += 1
        self.scan.publish(message, stamp_ns=stamp_ns)
        return True


class _Conversation:
    """Questions to the device, and its answers."""

    def __init__(self, link: Link, telegrams: Telegrams, port: str) -> None:
        self._link = link
        self._telegrams = telegrams
        self._port = port

    def find(self, wanted: int) -> None:
        """Stop the output at whatever rate the device has; then it answers."""
        heard = 0
        for rate in (wanted, *(rate for rate in (9600, 19200, 38400, 500000) if rate != wanted)):
            self._link.baud = rate
            self._link.forget_input()
            for _ in range(2):
                if self._ask(lms.switch_to(lms.ON_REQUEST), lms.SWITCHED, FOUND_WITHIN_S) is not None:
                    return
            heard = self._link.received
        if heard:
            hint = "is it an LMS 2xx? check the plug: RS-232 or RS-422"
            raise LineError(f"{heard} bytes on {self._port} could not be read at any baud rate", hint=hint)
        raise LineError(f"nothing answers on {self._port}", hint="check cable, power, and that this is the right port")

    def use_rate(self, rate: int) -> None:
        if rate != self._link.baud:
            self._demand(lms.switch_to(lms.BAUD_MODES[rate]), lms.SWITCHED, f"change to {rate} baud")
            self._link.drain()
            self._link.baud = rate
            self._demand(lms.switch_to(lms.ON_REQUEST), lms.SWITCHED, f"answer at {rate} baud")

    def use_unit(self, unit: str) -> None:
        """Written only when it differs: the EEPROM endures 100,000 times."""
        asked = lms.telegram(bytes((lms.GET_CONFIGURATION,)))
        answer = self._ask(asked, lms.CONFIGURATION)
        if answer is None or len(answer.data) < lms.CONFIGURATION_BYTES:
            raise LineError(f"the device on {self._port} does not tell its configuration", hint="switch it off and on")
        if answer.data[lms.UNIT_AT] == lms.UNITS[unit]:
            return
        changed = bytearray(answer.data)
        changed[lms.UNIT_AT] = lms.UNITS[unit]
        self._demand(lms.switch_to(lms.INSTALLATION, lms.PASSWORD), lms.SWITCHED, "enter installation mode")
        body = bytes((lms.CONFIGURE,)) + bytes(changed)
        self._demand(lms.telegram(body), lms.CONFIGURED, f"measure in {unit}", good=1, within_s=CONFIGURED_WITHIN_S)
        self._demand(lms.switch_to(lms.ON_REQUEST), lms.SWITCHED, "leave installation mode")

    def use_variant(self, angle_deg: int, resolution: int) -> None:
        what = f"scan {angle_deg} degrees in steps of {resolution / 100:g}"
        self._demand(lms.set_variant(angle_deg, resolution), lms.VARIANT_SET, what, good=1)

    def start(self, mode: int) -> None:
        self._demand(lms.switch_to(mode), lms.SWITCHED, "send scans")

    def stop(self) -> None:
        """Let the device be quiet when nobody listens."""
        self._link.write(lms.switch_to(lms.ON_REQUEST))

    def _demand(
        self, question: bytes, command: int, what: str, good: int = 0, within_s: float = ANSWER_WITHIN_S
    ) -> None:
        for _ in range(3):
            answer = self._ask(question, command, within_s)
            if answer is not None and answer.data[:1] == bytes((good,)):
                return
        raise LineError(f"the device on {self._port} does not {what}", hint="switch it off and on")

    def _ask(self, question: bytes, command: int, within_s: float = ANSWER_WITHIN_S) -> Reply | None:
        self._link.write(question)
        return self._await(lambda reply: reply.command == command, within_s)

    def _await(self, wanted: Callable[[Reply], bool], within_s: float) -> Reply | None:
        until_s = self._link.seconds() + within_s
        while (left_s := until_s - self._link.seconds()) > 0:
            for reply in self._telegrams.feed(self._link.read(min(left_s, 0.2))):
                if wanted(reply):
                    return reply
        return None
