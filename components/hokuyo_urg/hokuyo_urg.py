"""Hokuyo URG and its relatives: small laser range finders that speak SCIP 2.0."""

from __future__ import annotations

import math

import numpy as np

from studio.messages import Range3d
from studio.runtime.component import OutPort, Parameter
from studio.runtime.serial_line import DeviceClock, Ended, Health, LineError, Link, SerialSensor

from . import scip
from .scip import Model, Replies, Reply, Request, Scan

RATES = (19200, 38400, 57600, 115200, 250000, 500000, 750000)
NS_PER_S = 1_000_000_000
BITS_PER_BYTE = 10
ANSWER_WITHIN_S = 0.6


class HokuyoUrg(SerialSensor):
    """Reads a Hokuyo URG, UBG, UHG or UTM laser scanner over RS-232 or USB.

    Asks the device for its model, switches the laser on, and publishes every scan; the laser goes off at the end.
    """

    icon = "mdi6.radar"
    tags = ("laser", "range", "serial", "hokuyo")
    parameter_sets = {"coarse": {"cluster": 3}, "short_range": {"characters": 2}}

    scan = OutPort(Range3d, doc="one scan; stamped by the sensor's own clock")

    port = Parameter(
        "/dev/ttyACM0", kind="device", doc="the serial device; names under /dev/serial/by-id stay the same"
    )
    baud = Parameter(115200, choices=RATES, unit="baud", doc="rate to use on RS-232; USB has none and ignores it")
    mode = Parameter("stream", choices=("stream", "poll"), doc="stream: the sensor sends by itself (MD); poll: GD")
    characters = Parameter(3, choices=(2, 3), doc="per value: 3 reach 262 m, 2 reach 4 m with fewer bytes (MS, GS)")
    cluster = Parameter(1, minimum=1, maximum=99, doc="neighbouring steps that become one, with the shortest range")
    interval = Parameter(0, minimum=0, maximum=9, doc="scans to leave out after each")
    right_deg = Parameter(
        -135.0, minimum=-180.0, maximum=180.0, unit="deg", doc="where the scan begins; left is positive"
    )
    left_deg = Parameter(135.0, minimum=-180.0, maximum=180.0, unit="deg", doc="where the scan ends")
    keep_missing = Parameter(False, doc="keep beams without an echo, as NaN")
    frame = Parameter("Laser:ScanOrigin", kind="frame", doc="frame of the points: x to the front, y left")

    replies = Replies()
    """What was found on the line that is open, with counts of errors."""
    scans = 0

    def opening_baud(self) -> int:
        return self.baud

    def talk(self, link: Link) -> None:
        self.replies = Replies()
        talk = _Conversation(link, self.replies, self.port)
        talk.find(self.baud)
        version = scip.fields_of(talk.demand("VV"))
        model = scip.model_of(talk.demand("PP"))
        if model is None:
            raise LineError(f"the device on {self.port} does not tell what it is", hint="switch it off and on")
        state = scip.fields_of(talk.demand("II")).get("STAT", "")
        talk.use_rate(self.baud)
        self.log.info(
            "%s, firmware %s, serial %s: %s", model.name, version.get("FIRM", "?"), version.get("SERI", "?"), state
        )
        request = self._request(model)
        talk.demand("BM", fine=("00", "02"))
        if self.line is not None:
            link.works()
        try:
            self._measure(link, talk, model, request)
        except Ended:
            link.write(b"QT\n")  # lasers wear out
            raise

    def _request(self, model: Model) -> Request:
        """The steps between right and left that the device has."""
        per_deg = model.steps_per_turn / 360.0
        first = max(model.first, model.front + math.ceil(self.right_deg * per_deg))
        last = min(model.last, model.front + math.floor(self.left_deg * per_deg))
        if first > last:
            raise LineError(
                f"{model.name} sees nothing between {self.right_deg:g} and {self.left_deg:g} degrees",
                hint="right_deg must be below left_deg",
            )
        return Request(first, last, self.cluster, self.interval, self.characters)

    def _measure(self, link: Link, talk: _Conversation, model: Model, request: Request) -> None:
        clock = DeviceClock(scip.TIME_WRAPS_AT)
        health = Health(link, self.port)
        told_errors = 0
        polled = self.mode == "poll"
        ask_again_s = 0.0
        if not polled:
            talk.demand(request.stream())
        while True:
            if polled and link.seconds() >= ask_again_s:
                link.write(request.once().encode() + b"\n")
                ask_again_s = link.seconds() + 3 * model.turn_s
            data = link.read(model.turn_s)
            arrived_ns = self.now()
            for reply in self.replies.feed(data):
                self._refuse_trouble(reply)
                scan = scip.scan_of(reply, request)
                if scan is not None:
                    health.good()
                    on_the_line_ns = reply.size * BITS_PER_BYTE * NS_PER_S // link.baud
                    self._publish(scan, clock.stamp_ns(scan.time_ms, arrived_ns - on_the_line_ns), model, request)
                    ask_again_s = 0.0
            if self.replies.checksum_errors >= max(1, 2 * told_errors):  # told at 1, 2, 4, 8, ...
                told_errors = self.replies.checksum_errors
                self.log.warning("%s: %d replies with a wrong check sum so far", self.port, told_errors)
            health.check()

    def _refuse_trouble(self, reply: Reply) -> None:
        if reply.status not in ("00", "99", "98"):
            raise LineError(f"the device on {self.port} refuses to measure: {scip.problem(reply.status)}")

    def _publish(self, scan: Scan, stamp_ns: int, model: Model, request: Request) -> None:
        # Below the minimum a value is no range but the number of an error.
        ranges_m = np.where(scan.ranges_mm < model.minimum_mm, np.nan, scan.ranges_mm / 1000.0)
        step_rad = 2.0 * math.pi / model.steps_per_turn
        # A joined beam looks to the middle of its steps.
        middle = request.first + (request.cluster - 1) / 2 - model.front
        message = Range3d.from_polar(
            ranges_m,
            middle * step_rad,
            request.cluster * step_rad,
            maximum_m=model.maximum_mm / 1000.0,
            keep_missing=self.keep_missing,
            stamp_ns=stamp_ns,
            frame=self.frame,
        )
        self.scans += 1
        self.scan.publish(message, stamp_ns=stamp_ns)


class _Conversation:
    """Requests to the device, and its replies."""

    def __init__(self, link: Link, replies: Replies, port: str) -> None:
        self._link = link
        self._replies = replies
        self._port = port

    def find(self, wanted: int) -> None:
        """Stop the output at whatever rate the device has, and have it speak SCIP 2.0; then it answers."""
        heard = 0
        for rate in (wanted, *(rate for rate in RATES if rate != wanted)):
            self._link.baud = rate
            self._link.forget_input()
            # The first line ends what the device may have heard at another rate.
            for request in ("\nQT", "SCIP2.0\nQT"):
                if self._ask(request, "QT") is not None:
                    return
            heard = self._link.received
        if heard:
            what = f"{heard} bytes on {self._port} could not be read at any baud rate"
            raise LineError(what, hint="is it a Hokuyo scanner that speaks SCIP 2.0?")
        raise LineError(f"nothing answers on {self._port}", hint="check cable, power, and that this is the right port")

    def use_rate(self, rate: int) -> None:
        """On RS-232 the rate is set by a request; a device on USB says that it has none, and that is fine."""
        if rate == self._link.baud:
            return
        reply = self._ask(f"SS{rate:06d}", f"SS{rate:06d}")
        if reply is not None and reply.status in ("00", "03", "04"):
            self._link.drain()
            self._link.baud = rate
            self.demand("QT")

    def demand(self, request: str, fine: tuple[str, ...] = ("00",)) -> Reply:
        reply: Reply | None = None
        for _ in range(3):
            reply = self._ask(request, request)
            if reply is not None and reply.status in fine:
                return reply
        if reply is None:
            raise LineError(f"the device on {self._port} does not answer {request}", hint="switch it off and on")
        raise LineError(f"the device on {self._port} refuses {request}: {scip.problem(reply.status)}")

    def _ask(self, request: str, echo: str) -> Reply | None:
        self._link.write(request.encode() + b"\n")
        until_s = self._link.seconds() + ANSWER_WITHIN_S
        while (left_s := until_s - self._link.seconds()) > 0:
            for reply in self._replies.feed(self._link.read(min(left_s, 0.2))):
                if reply.echo == echo:
                    return reply
        return None
