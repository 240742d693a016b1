from __future__ import annotations

import logging
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.nmea_gps import nmea
from studio.messages import NavSatFix
from studio.runtime.emulators import gps
from studio.runtime.emulators.gps import Gps
from studio.runtime.emulators.pty_port import Faults
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from tests.components.serial_bench import bench
from tests.waiting import await_true

FOLDER = Path(__file__).resolve().parents[2] / "components/nmea_gps"
NmeaGps = load_class(FOLDER)

# From the NMEA descriptions that receivers' manuals print.
GGA = b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"
RMC = b"$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n"
VTG = b"$GPVTG,054.7,T,034.4,M,005.5,N,010.2,K*48\r\n"
GSA = b"$GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1*39\r\n"


def value(line: bytes) -> nmea.Value | None:
    (sentence,) = nmea.Sentences().feed(line)
    return nmea.value_of(sentence)


# The sentences.


def test_a_position_is_read() -> None:
    position = value(GGA)
    assert isinstance(position, nmea.Position)
    assert position.latitude_deg == pytest.approx(48 + 7.038 / 60)
    assert position.longitude_deg == pytest.approx(11 + 31 / 60)
    assert position.altitude_m == pytest.approx(545.4 + 46.9)
    assert (position.quality, position.satellites, position.hdop) == (1, 8, 0.9)
    assert position.time_s == 12 * 3600 + 35 * 60 + 19


def test_south_and_west_are_negative() -> None:
    body = b"GNGGA,010203.50,3345.600,S,07030.000,W,2,05,1.5,10.0,M,-5.0,M,,"
    position = value(b"$%s*%02X\r\n" % (body, nmea.checksum(body)))
    assert isinstance(position, nmea.Position)
    assert (position.latitude_deg, position.longitude_deg) == (pytest.approx(-33.76), pytest.approx(-70.5))
    assert position.altitude_m == 5.0


def test_course_and_dilution_are_read() -> None:
    course, track, dilution = value(RMC), value(VTG), value(GSA)
    assert isinstance(course, nmea.Course)
    assert isinstance(track, nmea.Course)
    assert (course.speed_m_s, course.course_rad) == (
        pytest.approx(11.523, abs=0.001),
        pytest.approx(math.radians(84.4)),
    )
    assert (track.speed_m_s, track.course_rad) == (pytest.approx(10.2 / 3.6), pytest.approx(math.radians(54.7)))
    assert dilution == nmea.Dilution(3, 2.5, 1.3, 2.1)


@pytest.mark.parametrize(
    "line",
    [
        GGA.replace(b"*47", b"*48"),
        GGA.replace(b"*47", b""),
        GGA.replace(b"4807", b"4808"),
        b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*4\r\n",
    ],
)
def test_a_sentence_without_its_check_sum_is_left_out(line: bytes) -> None:
    sentences = nmea.Sentences()
    assert sentences.feed(line) == []
    assert sentences.checksum_errors + sentences.skipped > 0


def test_no_flipped_bit_passes() -> None:
    for bit in range((len(GGA) - 2) * 8):
        spoilt = bytearray(GGA)
        spoilt[bit // 8] ^= 1 << bit % 8
        for sentence in nmea.Sentences().feed(bytes(spoilt)):
            assert sentence.kind == "GGA", bit  # a flip of the case of a check digit changes nothing
            assert nmea.value_of(sentence) == value(GGA), bit


@pytest.mark.parametrize("field", ["nan", "inf", "-1", "99999", "x", "1e400"])
def test_fields_that_make_no_sense_give_nothing(field: str) -> None:
    for place in (1, 2, 4, 6, 8, 9):
        fields = GGA[1:-5].decode().split(",")
        fields[place] = field
        body = ",".join(fields).encode()
        position = value(b"$%s*%02X\r\n" % (body, nmea.checksum(body)))
        if position is not None:
            assert isinstance(position, nmea.Position)
            assert abs(position.latitude_deg) <= 90
            assert abs(position.longitude_deg) <= 180
            assert math.isfinite(position.altitude_m)


def test_any_bytes_give_values_or_nothing(scaled: Callable[[int], int]) -> None:
    @settings(max_examples=scaled(30_000), deadline=None)
    @given(
        st.binary(max_size=200),
        st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60),
        st.sampled_from(["GPGGA", "GPRMC", "GPVTG", "GPGSA"]),
    )
    def never_raises(data: bytes, text: str, name: str) -> None:
        body = f"{name},{text}".encode()
        for sentence in nmea.Sentences().feed(data + b"\r\n$%s*%02X\r\n" % (body, nmea.checksum(body)) + data):
            nmea.value_of(sentence)

    never_raises()


# The driver, with an emulated receiver on a pseudo-terminal.


def is_on_the_circle(fix: NavSatFix) -> bool:
    north = (fix.latitude_deg - gps.LATITUDE_DEG) * gps.METRES_PER_DEG
    east = (fix.longitude_deg - gps.LONGITUDE_DEG) * gps.METRES_PER_DEG * math.cos(math.radians(gps.LATITUDE_DEG))
    return abs(math.hypot(north, east) - gps.RADIUS_M) < 0.1 and fix.altitude_m == pytest.approx(234.0)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_positions_come_with_their_covariance_and_velocity(tmp_path: Path) -> None:
    device = Gps(115200, rate_hz=20)
    with bench(NmeaGps, device, tmp_path, "fix", baud=115200, range_error_m=3.0) as line:
        fixes = line.await_more(5)
        assert all(is_on_the_circle(fix) and fix.has_fix for fix in fixes)
        # Vertical dilution is known from the first GSA on, that is from the second position.
        east, north, up = fixes[-1].position_covariance.diagonal()
        assert east == north == pytest.approx((1.2 * 3.0) ** 2 / 2)
        assert up == pytest.approx((1.9 * 3.0) ** 2)
        assert fixes[0].covariance_type == NavSatFix.COVARIANCE_APPROXIMATED
        velocities = line.trial.sent("velocity")
        assert len(velocities) <= len(line.sent()) + 1  # once per measurement, though RMC and VTG both tell it
        assert math.hypot(*velocities[-1].linear[:2]) == pytest.approx(gps.SPEED_M_S, rel=0.01)


def test_a_lost_fix_is_told_and_has_no_position(tmp_path: Path) -> None:
    device = Gps(115200, rate_hz=20)
    device.quality = 0
    with bench(NmeaGps, device, tmp_path, "fix", baud=115200) as line:
        (fix,) = line.await_more(1)
        assert (fix.status, fix.covariance_type) == (NavSatFix.STATUS_NO_FIX, NavSatFix.COVARIANCE_UNKNOWN)
        assert math.isnan(fix.latitude_deg)
        device.quality = 4
        await_true(lambda: line.sent()[-1].status == NavSatFix.STATUS_GBAS_FIX, "an RTK fix")


def test_a_wrong_baud_rate_is_told_and_can_be_corrected(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NmeaGps.talk.__globals__, "PATIENCE_S", 0.5)
    with bench(NmeaGps, Gps(115200, rate_hz=10), tmp_path, "fix", baud=4800) as line:
        await_true(lambda: "could not be read at 4800 baud (wrong baud rate" in caplog.text, "word of the baud rate")
        assert line.sent() == []
        monkeypatch.setitem(NmeaGps.talk.__globals__, "PATIENCE_S", 10.0)
        line.trial.set("baud", 115200)
        assert is_on_the_circle(line.await_more(1)[0])


def test_a_silent_line_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NmeaGps.talk.__globals__, "PATIENCE_S", 0.2)
    with bench(NmeaGps, Gps(rate_hz=0.001), tmp_path, "fix"):
        await_true(lambda: "is silent" in caplog.text, "word of the silence")


def test_a_bad_line_costs_positions_but_none_is_wrong(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    faults = Faults(noise=0.3, flip=0.3, cut=0.2)
    with bench(NmeaGps, Gps(115200, rate_hz=50), tmp_path, "fix", faults, baud=115200) as line:
        assert all(is_on_the_circle(fix) for fix in line.await_more(20))
        assert line.trial.component.sentences.checksum_errors > 0
    assert "wrong check sum" in caplog.text


def test_after_a_cut_cable_positions_come_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), bench(NmeaGps, Gps(115200), tmp_path, "fix", baud=115200) as line:
        line.await_more(1)
        line.port.unplug()
        await_true(lambda: "there is no device" in caplog.text, "word of the missing device")
        assert "there is no device" in line.trial.component.trouble
        line.port.plug_in()
        line.await_more(2)
        assert line.trial.component.trouble == ""
    assert "works again" in caplog.text


# The pose on a local plane.


def test_heading_and_position_make_a_pose_on_the_plane_at_the_origin() -> None:
    local = import_module(FOLDER, "local_pose").LocalPose((48.0, 11.0))
    module = import_module(FOLDER, "nmea")
    there = module.Position(None, 48.0 + 1 / 60, 11.0, 1, 8, 1.0, 500.0)
    assert local.at(there, 7, "map", "Gps:PhaseCenter") is None  # nobody knows where it looks
    local.turn(module.Course(True, 0.1, 1.0))
    assert local.at(there, 7, "map", "Gps:PhaseCenter") is None  # too slow for a course
    local.turn(module.Course(True, 2.0, math.radians(90.0)))
    pose = local.at(there, 7, "map", "Gps:PhaseCenter")
    assert (pose.stamp_ns, pose.frame, pose.child_frame) == (7, "map", "Gps:PhaseCenter")
    assert pose.to_xyz_rpy() == pytest.approx((0.0, 1853.3, 0.0, 0.0, 0.0, 0.0), abs=1.0)
    local.turn(module.Heading(0.0))
    local.turn(module.Course(True, 2.0, math.radians(90.0)))
    assert local.at(there, 8, "map", "").yaw_rad == pytest.approx(math.pi / 2)  # a compass is believed rather


def test_without_an_origin_the_first_fix_is_it() -> None:
    local = import_module(FOLDER, "local_pose").LocalPose(())
    module = import_module(FOLDER, "nmea")
    local.turn(module.Heading(0.0))
    first = module.Position(None, -33.0, 179.9999, 1, 8, 1.0, 500.0)
    over_the_date_line = module.Position(None, -33.0, -179.9999, 1, 8, 1.0, 502.0)
    assert local.at(first, 0, "map", "").position.tolist() == [0.0, 0.0, 0.0]
    x_m, y_m, z_m = local.at(over_the_date_line, 0, "map", "").position.tolist()
    assert [x_m, y_m, z_m] == pytest.approx([18.7, 0.0, 2.0], abs=0.1)
    assert local.at(module.Position(None, 0.0, 0.0, 0, 0, math.inf, 0.0), 0, "map", "") is None


def test_a_heading_is_read() -> None:
    heading = value(b"$HEHDT,274.07,T*19\r\n")
    assert isinstance(heading, nmea.Heading)
    assert heading.heading_rad == pytest.approx(math.radians(274.07))
