from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.sick_lms200 import telegrams as lms
from studio.messages import Range3d
from studio.runtime.emulators.gps import Gps
from studio.runtime.emulators.lms200 import Lms200
from studio.runtime.emulators.pty_port import Faults
from studio.runtime.emulators.room import range_m
from studio.runtime.host.profile import load_class, stale
from tests.components.serial_bench import bench
from tests.waiting import await_true

FOLDER = Path(__file__).resolve().parents[2] / "components/sick_lms200"
SickLms200 = load_class(FOLDER)

# As they are printed in SICK's manual and quoted by every driver since.
PUBLISHED = {
    "02 00 02 00 20 24 34 08": lms.switch_to(lms.ALL_VALUES),
    "02 00 02 00 20 25 35 08": lms.switch_to(lms.ON_REQUEST),
    "02 00 02 00 20 40 50 08": lms.switch_to(lms.BAUD_MODES[38400]),
    "02 00 02 00 20 41 51 08": lms.switch_to(lms.BAUD_MODES[19200]),
    "02 00 02 00 20 42 52 08": lms.switch_to(lms.BAUD_MODES[9600]),
    "02 00 02 00 20 48 58 08": lms.switch_to(lms.BAUD_MODES[500000]),
    "02 00 01 00 74 50 12": lms.telegram(bytes((lms.GET_CONFIGURATION,))),
    "02 00 05 00 3B B4 00 64 00 97 49": lms.set_variant(180, 100),
    "02 00 05 00 3B B4 00 32 00 3B 1F": lms.set_variant(180, 50),
    "02 00 05 00 3B 64 00 64 00 1D 0F": lms.set_variant(100, 100),
    "02 00 05 00 3B 64 00 32 00 B1 59": lms.set_variant(100, 50),
    "02 00 05 00 3B 64 00 19 00 E7 72": lms.set_variant(100, 25),
    "02 00 0A 00 20 00 53 49 43 4B 5F 4C 4D 53 BE C5": lms.switch_to(lms.INSTALLATION, lms.PASSWORD),
}
TELEGRAM = Lms200(unit="mm").scan_telegram()


def scans_in(data: bytes, *pieces: int) -> list[lms.Scan]:
    """What is found when the bytes come in pieces of these sizes, the rest at once."""
    stream, found = lms.Telegrams(), []
    for size in (*pieces, len(data)):
        piece, data = data[:size], data[size:]
        found += stream.feed(piece)
    return [scan for scan in map(lms.scan_of, found) if scan is not None]


def is_the_room(message: Range3d, start_deg: float, step_deg: float, count: int, within_m: float = 0.001) -> bool:
    angles = np.radians(start_deg + step_deg * np.arange(count))
    expected = [range_m(angle) for angle in angles]
    if len(message) != count or not np.allclose(message.ranges_m, expected, atol=within_m):
        return False
    return np.allclose(np.arctan2(message.points[:, 1], message.points[:, 0]), angles, atol=1e-4)


# The telegrams.


@pytest.mark.parametrize("published", PUBLISHED)
def test_telegrams_are_those_of_the_manual(published: str) -> None:
    assert PUBLISHED[published].hex(" ").upper() == published


@pytest.mark.parametrize("unit", ["mm", "cm"])
def test_a_scan_is_read_in_its_unit(unit: str) -> None:
    (scan,) = scans_in(Lms200(unit=unit).scan_telegram())
    ranges = scan.ranges_m()
    assert (len(ranges), scan.unit_m) == (181, 0.001 if unit == "mm" else 0.01)
    assert ranges[90] == pytest.approx(5.0)
    assert ranges[0] == ranges[180] == pytest.approx(2.0)


def test_values_that_tell_why_there_is_none_become_nan() -> None:
    values = [0x1FF6, 0x1FF7, 0x1FFE, 0x1FFF, 0xE000 | 100]  # the three highest bits tell of fields
    body = bytes((lms.SCAN, 5, 0x40)) + b"".join(value.to_bytes(2, "little") for value in values) + b"\x10"
    (scan,) = scans_in(lms.telegram(body, 0x80))
    assert scan.ranges_m().tolist() == pytest.approx([8.182, math.nan, math.nan, math.nan, 0.1], nan_ok=True)


def test_no_flipped_bit_passes_for_a_scan() -> None:
    (good,) = scans_in(TELEGRAM)
    for bit in range(0, len(TELEGRAM) * 8, 3):  # every third: 3 is prime to 8, so all places of a byte come up
        spoilt = bytearray(TELEGRAM)
        spoilt[bit // 8] ^= 1 << bit % 8
        found = scans_in(bytes(spoilt) + TELEGRAM + bytes(2000))
        assert all(np.array_equal(scan.values, good.values) for scan in found), bit
        assert len(found) == 1, bit


@given(st.binary(max_size=60), st.integers(0, len(TELEGRAM)), st.lists(st.integers(1, 50), max_size=10))
def test_a_scan_is_found_after_noise_and_a_cut_telegram_however_it_comes(
    noise: bytes, cut: int, pieces: list[int]
) -> None:
    found = scans_in(noise + TELEGRAM[:cut] + TELEGRAM + bytes(2000), *pieces)
    assert len(found) == (2 if cut == len(TELEGRAM) else 1)


def test_any_bytes_give_values_or_nothing(scaled: Callable[[int], int]) -> None:
    @settings(max_examples=scaled(30_000), deadline=None)
    @given(st.binary(max_size=300), st.lists(st.tuples(st.integers(0, 371), st.integers(0, 255)), max_size=5))
    def never_raises(data: bytes, changes: list[tuple[int, int]]) -> None:
        spoilt = bytearray(TELEGRAM)
        for place, byte in changes:
            spoilt[place] = byte
        stream = lms.Telegrams()
        for reply in stream.feed(data + bytes(spoilt) + data):
            scan = lms.scan_of(reply)
            assert scan is None or len(scan.values) == len(scan.ranges_m())
        assert stream.waiting <= lms.LONGEST + 6

    never_raises()


# The driver, with an emulated device on a pseudo-terminal.


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_a_device_at_another_rate_and_unit_is_found_and_set(tmp_path: Path) -> None:
    device = Lms200(baud=9600, unit="cm")
    with bench(SickLms200, device, tmp_path, "scan") as line:
        scans = line.await_more(3)
        assert all(is_the_room(scan, -90, 1, 181) for scan in scans)
        assert (device.baud, device.configured) == (38400, 1)
        assert 0 < time.time_ns() - scans[-1].stamp_ns < 5_000_000_000
        stamps = [scan.stamp_ns for scan in scans]
        assert stamps == sorted(stamps)
        line.trial.component.on_deactivate()
        await_true(lambda: device.mode == 0x25, "the device to be quiet")


@pytest.mark.parametrize(
    ("parameters", "start_deg", "step_deg", "count"),
    [
        ({"resolution_deg": "0.5"}, -90, 0.5, 361),
        ({"angle_deg": 100, "resolution_deg": "0.25"}, -50, 0.25, 401),
        ({"angle_deg": 100, "unit": "cm"}, -50, 1, 101),
    ],
)
def test_every_variant_can_be_had(
    tmp_path: Path, parameters: dict[str, object], start_deg: float, step_deg: float, count: int
) -> None:
    unit = str(parameters.get("unit", "mm"))
    device = Lms200(baud=500000, unit=unit)
    with bench(SickLms200, device, tmp_path, "scan", baud=500000, **parameters) as line:
        (scan,) = line.await_more(1)
        assert is_the_room(scan, start_deg, step_deg, count, within_m=0.001 if unit == "mm" else 0.006)
        assert device.configured == 0


def test_interlaced_scans_come_in_parts_that_are_shifted(tmp_path: Path) -> None:
    parameters = {"angle_deg": 100, "resolution_deg": "0.25", "interlaced": True}
    with bench(SickLms200, Lms200(500000, "mm"), tmp_path, "scan", baud=500000, **parameters) as line:
        await_true(lambda: len(line.sent()) >= 8, "two scans in four parts each")
        starts = {round(math.degrees(math.atan2(scan.points[0, 1], scan.points[0, 0])), 2) for scan in line.sent()}
        assert starts == {-50.0, -49.75, -49.5, -49.25}
        assert {len(scan) for scan in line.sent()} == {101, 100}


def test_a_bad_line_costs_scans_but_none_is_wrong(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    device, faults = Lms200(500000, "mm"), Faults()
    with bench(SickLms200, device, tmp_path, "scan", faults, baud=500000) as line:
        line.await_more(1)
        faults.noise = faults.flip = faults.cut = 0.3
        sent_before = device.scans_sent
        scans = line.await_more(25)
        assert all(is_the_room(scan, -90, 1, 181) for scan in scans)
        assert device.scans_sent - sent_before > 25
        assert line.trial.component.telegrams.checksum_errors > 0
    assert "wrong checksum" in caplog.text


def test_after_a_cut_cable_scans_come_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.INFO),
        bench(SickLms200, Lms200(500000, "mm"), tmp_path, "scan", baud=500000) as line,
    ):
        line.await_more(1)
        line.port.unplug()
        await_true(lambda: "there is no device" in caplog.text, "word of the missing device")
        line.port.plug_in()
        assert is_the_room(line.await_more(2)[1], -90, 1, 181)
    assert "works again" in caplog.text
    assert caplog.text.count("there is no device") == 1


def test_slow_bytes_are_waited_for(tmp_path: Path) -> None:
    with bench(SickLms200, Lms200(500000, "mm"), tmp_path, "scan", Faults(slow=20.0), baud=500000) as line:
        assert all(is_the_room(scan, -90, 1, 181) for scan in line.await_more(2))


def test_another_device_on_the_line_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SickLms200.talk.__globals__, "FOUND_WITHIN_S", 0.2)
    with bench(SickLms200, Gps(rate_hz=10.0), tmp_path, "scan"):
        await_true(lambda: "could not be read at any baud rate" in caplog.text, "word of the other device")


def test_a_variant_that_does_not_exist_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with bench(SickLms200, Lms200(), tmp_path, "scan", angle_deg=180, resolution_deg="0.25"):
        await_true(lambda: "no 0.25 degrees over 180" in caplog.text, "word of the variant")
