"""Satellite receivers that speak NMEA 0183, that is nearly all of them."""

from __future__ import annotations

import math

from studio.messages import NavSatFix, PoseTransform, Twist
from studio.runtime.component import OutPort, Parameter
from studio.runtime.serial_line import Health, Link, SerialSensor

from . import nmea
from .local_pose import LocalPose
from .nmea import Course, Dilution, Heading, Position, Sentences

NS_PER_S = 1_000_000_000
BITS_PER_BYTE = 10
PATIENCE_S = 4.0
"""Receivers send at least once a second."""
RANGE_ERROR_M = {1: 1.0, 2: 0.25, 3: 0.5, 4: 0.005, 5: 0.1, 6: 10.0}
"""Quality of a fix -> how much of the range error of a receiver by itself is left."""
STATUS = {
    0: NavSatFix.STATUS_NO_FIX,
    2: NavSatFix.STATUS_SBAS_FIX,
    4: NavSatFix.STATUS_GBAS_FIX,
    5: NavSatFix.STATUS_GBAS_FIX,
}


class NmeaGps(SerialSensor):
    """Reads a satellite receiver: position with covariance, velocity over ground, and the pose on a local plane.

    Takes GGA, RMC, VTG, GSA and HDT of any talker (GP, GN, GL ...). The covariance is made from the dilutions that the
    receiver tells and the range error that you expect of it.
    """

    icon = "mdi6.crosshairs-gps"
    tags = ("gps", "gnss", "position", "serial", "nmea")

    fix = OutPort(NavSatFix, doc="one position per GGA; without a fix its status says so")
    velocity = OutPort(Twist, doc="over ground: linear x to the east, y to the north; only while it is known")

    pose = OutPort(
        PoseTransform, doc="the antenna in the map, x east, y north, one per fix as soon as it is known where it looks"
    )

    baud = Parameter(
        9600, choices=(4800, 9600, 19200, 38400, 57600, 115200), unit="baud", doc="of the receiver; 4800 for old ones"
    )
    range_error_m = Parameter(4.0, minimum=0.001, maximum=100.0, unit="m", doc="of one satellite, receiver by itself")
    delay_s = Parameter(0.0, minimum=0.0, maximum=2.0, unit="s", doc="from the measurement to the first byte")
    frame = Parameter("Gps:PhaseCenter", kind="frame", doc="frame of the antenna")
    map_name = Parameter("map", doc="frame of the poses")
    origin_deg = Parameter((), unit="deg", doc="latitude and longitude of the map's origin; default: the first fix")

    sentences = Sentences()
    """What was found on the line that is open, with counts of errors."""
    fixes = 0

    def opening_baud(self) -> int:
        return self.baud

    def talk(self, link: Link) -> None:
        self.sentences = Sentences()
        burst = _Burst(self)
        health = Health(link, self.port, patience_s=PATIENCE_S)
        told_errors, told_works = 0, False
        while True:
            data = link.read()
            arrived_ns = self.now()
            found = self.sentences.feed(data) if data else []
            late = self.sentences.waiting + sum(sentence.size for sentence in found)
            for sentence in found:
                began_ns = arrived_ns - late * BITS_PER_BYTE * NS_PER_S // link.baud
                late -= sentence.size
                health.good()
                burst.take(nmea.value_of(sentence), began_ns, arrived_ns)
            if found and not told_works:
                told_works = True
                if self.line is not None:
                    link.works()
            if self.sentences.checksum_errors >= max(1, 2 * told_errors):  # told at 1, 2, 4, 8, ...
                told_errors = self.sentences.checksum_errors
                self.log.warning("%s: %d sentences with a wrong check sum so far", self.port, told_errors)
            health.check()


class _Burst:
    """The sentences of one measurement come right after each other; the first of them tells when it was."""

    APART_NS = 50_000_000

    def __init__(self, gps: NmeaGps) -> None:
        self._gps = gps
        self._began_ns = 0
        self._last_ns: int | None = None
        self._time_s: float | None = None
        self._dilution: Dilution | None = None
        self._course_at: int | None = None
        self._local = LocalPose(gps.origin_deg)

    def take(self, value: nmea.Value | None, began_ns: int, arrived_ns: int) -> None:
        time_s = value.time_s if isinstance(value, Position | Course) else None
        anew = time_s is not None and self._time_s is not None and time_s != self._time_s
        if anew or self._last_ns is None or began_ns - self._last_ns > self.APART_NS:
            self._began_ns = began_ns
        self._last_ns = arrived_ns
        self._time_s = time_s if time_s is not None else self._time_s
        stamp_ns = self._began_ns - round(self._gps.delay_s * NS_PER_S)
        if isinstance(value, Course | Heading):
            self._local.turn(value)
        match value:
            case Dilution():
                self._dilution = value
            case Position():
                self._gps.fixes += 1
                self._gps.fix.publish(self._fix(value, stamp_ns), stamp_ns=stamp_ns)
                pose = self._local.at(value, stamp_ns, self._gps.map_name, self._gps.frame)
                if pose is not None:
                    self._gps.pose.publish(pose, stamp_ns=stamp_ns)
            case Course(valid=True) if self._course_at != stamp_ns:  # RMC and VTG tell the same
                self._course_at = stamp_ns
                east_m_s = value.speed_m_s * math.sin(value.course_rad)
                north_m_s = value.speed_m_s * math.cos(value.course_rad)
                self._gps.velocity.publish(Twist(linear=(east_m_s, north_m_s, 0.0)), stamp_ns=stamp_ns)

    def _fix(self, position: Position, stamp_ns: int) -> NavSatFix:
        known = position.quality > 0 and math.isfinite(position.hdop)
        variances = self._variances(position) if known else (0.0, 0.0)
        horizontal, vertical = variances
        return NavSatFix(
            stamp_ns=stamp_ns,
            frame=self._gps.frame,
            status=STATUS.get(position.quality, NavSatFix.STATUS_FIX),
            service=NavSatFix.SERVICE_GPS,
            latitude_deg=position.latitude_deg if position.quality else math.nan,
            longitude_deg=position.longitude_deg if position.quality else math.nan,
            altitude_m=position.altitude_m if position.quality else math.nan,
            position_covariance=[[horizontal, 0.0, 0.0], [0.0, horizontal, 0.0], [0.0, 0.0, vertical]],
            covariance_type=NavSatFix.COVARIANCE_APPROXIMATED if known else NavSatFix.COVARIANCE_UNKNOWN,
        )

    def _variances(self, position: Position) -> tuple[float, float]:
        """Of one horizontal axis and of the altitude. HDOP squared is the sum over both horizontal axes."""
        error_m = self._gps.range_error_m * RANGE_ERROR_M.get(position.quality, 1.0)
        dilution = self._dilution
        vdop = dilution.vdop if dilution is not None and math.isfinite(dilution.vdop) else 2.0 * position.hdop
        return (position.hdop * error_m) ** 2 / 2.0, (vdop * error_m) ** 2
