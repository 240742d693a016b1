"""The emulated devices by themselves: they answer as the published protocols say, also to what is wrong."""

from __future__ import annotations

import pytest

from studio.runtime.emulators.lms200 import Lms200, crc
from studio.runtime.emulators.urg import Urg
from studio.runtime.emulators.vehicle import Vehicle, framed

STATUS = "02 00 01 00 31 15 12"
INSTALLATION = "02 00 0A 00 20 00 53 49 43 4B 5F 4C 4D 53 BE C5"
FASTEST = "02 00 02 00 20 48 58 08"


def said(device: Lms200 | Urg | Vehicle, heard: bytes, now_ns: int = 10**9) -> bytes:
    """Everything that it answers; what it does afterwards is done."""
    answers = b""
    for each in device.hear(heard, now_ns):
        if isinstance(each, bytes):
            answers += each
        else:
            each()
    return answers


def test_the_scanner_answers_published_telegrams() -> None:
    answer = said(Lms200(), bytes.fromhex(STATUS))
    assert answer[:2] == b"\x06\x02"
    assert answer[5] == 0xB1


def test_a_damaged_telegram_is_not_acknowledged() -> None:
    assert said(Lms200(), bytes.fromhex(STATUS)[:-1] + b"\x13") == b"\x15"


def test_the_scanner_is_configured_in_installation_mode_only() -> None:
    device = Lms200()
    body = bytes((0x02, 0x00, 35, 0x00, 0x77)) + bytes(6) + b"\x01" + bytes(27)
    telegram = body + crc(body).to_bytes(2, "little")
    assert said(device, telegram)[6] == 0
    assert device.configured == 0
    said(device, bytes.fromhex(INSTALLATION))
    assert said(device, telegram)[6] == 1
    assert (device.configured, device.configuration[6]) == (1, 1)


def test_the_scanner_answers_before_it_changes_its_rate() -> None:
    device = Lms200(9600)
    first, then = list(device.hear(bytes.fromhex(FASTEST), 0))
    assert isinstance(first, bytes)
    assert device.baud == 9600
    assert callable(then)
    then()
    assert device.baud == 500000


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GD0044072501", b"10"),
        ("MD0044076901000", b"04"),
        ("MD0400030001000", b"05"),
        ("XX", b"0E"),
        ("SS000300", b"02"),
        ("SS019200", b"03"),
    ],
)
def test_the_urg_refuses_with_the_status_of_the_specification(request_line: str, status: bytes) -> None:
    echo, line, *_ = said(Urg(), request_line.encode() + b"\n").split(b"\n")
    assert (echo, line[:2]) == (request_line.encode(), status)


def test_the_urg_sends_as_many_scans_as_it_is_asked_for() -> None:
    device, now_ns, echoes = Urg(), 10**9, []
    said(device, b"MD0044072501003\n", now_ns)
    while device.due_ns() is not None:
        now_ns += 100_000_000
        echoes += [each[:15] for each in device.tick(now_ns, True) if isinstance(each, bytes)]
    assert echoes == [b"MD0044072501002", b"MD0044072501001", b"MD0044072501000"]


def test_the_vehicle_takes_no_command_twice_and_none_that_is_older() -> None:
    def drive(number: int, speed_mm_s: int) -> bytes:
        return framed(0x01, number, speed_mm_s.to_bytes(2, "little") + b"\0\0\xfa\0")

    vehicle = Vehicle()
    for number, speed_mm_s in ((250, 100), (250, 200), (240, 300), (4, 400), (3, 500)):
        said(vehicle, drive(number, speed_mm_s))
    assert [note.speed_m_s for note in vehicle.record] == [0.1, 0.4]
    said(vehicle, framed(0x04, 0, b""))  # hello: whoever speaks now counts anew
    said(vehicle, drive(1, 600))
    assert vehicle.record[-1].speed_m_s == 0.6


def test_the_vehicle_takes_no_longer_validity_than_a_quarter_of_a_second() -> None:
    vehicle = Vehicle()
    said(vehicle, framed(0x01, 1, b"\xe8\x03\0\0\xff\xff"), 10**9)
    vehicle.advance(20 * 10**9)
    drive, stop = vehicle.record
    assert (drive.valid_ms, stop.at_ns - drive.at_ns, stop.why) == (0xFFFF, 250_000_000, "time-out")
    assert vehicle.x_m == pytest.approx(0.25)
