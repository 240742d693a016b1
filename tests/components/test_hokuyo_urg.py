from __future__ import annotations

import logging
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.hokuyo_urg import scip
from studio.messages import Range3d
from studio.runtime.emulators.pty_port import Faults
from studio.runtime.emulators.room import range_m
from studio.runtime.emulators.urg import Urg
from studio.runtime.host.profile import load_class, stale
from tests.components.serial_bench import bench
from tests.waiting import await_true

FOLDER = Path(__file__).resolve().parents[2] / "components/hokuyo_urg"
HokuyoUrg = load_class(FOLDER)
WHOLE = scip.Request(44, 725)
STEP_RAD = 2 * math.pi / 1024


def answers(request: str, device: Urg | None = None) -> bytes:
    said = (device or Urg()).hear(request.encode() + b"\n", 1_000_000_000)
    return b"".join(each for each in said if isinstance(each, bytes))


def scan_reply(request: scip.Request = WHOLE, device: Urg | None = None) -> bytes:
    """A scan as the device sends it by itself."""
    device = device or Urg()
    answers(request.stream(), device)
    return b"".join(each for each in device.tick(2_500_000_000, True) if isinstance(each, bytes))


SCAN = scan_reply()


def scans_in(data: bytes, *pieces: int, request: scip.Request = WHOLE) -> list[scip.Scan]:
    replies, found = scip.Replies(), []
    for size in (*pieces, len(data)):
        piece, data = data[:size], data[size:]
        found += replies.feed(piece)
    return [scan for reply in found if (scan := scip.scan_of(reply, request)) is not None]


def is_the_room(message: Range3d, first: int, count: int, cluster: int = 1) -> bool:
    steps = first + (cluster - 1) / 2 + cluster * np.arange(count)
    angles = (steps - 384) * STEP_RAD
    if len(message) != count or not np.allclose(
        np.arctan2(message.points[:, 1], message.points[:, 0]), angles, atol=1e-4
    ):
        return False
    expected = [range_m(angle) for angle in angles]
    return bool(np.allclose(message.ranges_m, expected, atol=0.001 if cluster == 1 else 0.1))


# The language.


@pytest.mark.parametrize(("text", "value"), [(b"CB", 1234), (b"1Dh", 5432), (b"m2@0", 16_000_000)])
def test_numbers_are_decoded_as_in_the_specification(text: bytes, value: int) -> None:
    assert scip.decode(text, len(text)).tolist() == [value]


def test_check_characters_are_those_of_a_real_sensor() -> None:
    lines = ["00P", "99b", r"ARES:1024;\ ".strip(), "DMIN:20;4", "DMAX:5600;_", "AMIN:44;7", "AMAX:725;o", "SCAN:600;e"]
    lines += ["VEND:Hokuyo Automatic Co.,Ltd.;[", "PROT:SCIP 2.0;N", "SERI:H0614967;V", "LASR:OFF;7"]
    assert [line for line in lines if scip.checked_line(line.encode()) is None] == []


def test_the_model_is_read_from_its_answer() -> None:
    (reply,) = scip.Replies().feed(answers("PP"))
    assert scip.model_of(reply) == scip.Model("URG-04LX", 20, 5600, 1024, 44, 725, 384, 600)


@pytest.mark.parametrize("characters", [2, 3])
def test_a_scan_is_read_with_the_time_of_the_sensor(characters: int) -> None:
    request = scip.Request(44, 725, characters=characters)
    (scan,) = scans_in(scan_reply(request), request=request)
    assert (scan.time_ms, len(scan.ranges_mm)) == (1500, 682)
    assert scan.ranges_mm[384 - 44] == (4095 if characters == 2 else 5000)


def test_a_data_line_that_ends_with_a_semicolon_is_data() -> None:
    line = b"0" * 63 + b";"
    assert scip.checked_line(line + bytes((scip.sum_of(line),))) == line


def test_no_flipped_bit_passes_for_a_scan() -> None:
    (good,) = scans_in(SCAN)
    for bit in range(0, len(SCAN) * 8, 29):
        spoilt = bytearray(SCAN)
        spoilt[bit // 8] ^= 1 << bit % 8
        found = scans_in(bytes(spoilt) + b"\n\n" + SCAN)
        wrong = [scan for scan in found if not np.array_equal(scan.ranges_mm, good.ranges_mm)]
        assert wrong == [], bit


@given(st.binary(max_size=60), st.integers(0, len(SCAN)), st.lists(st.integers(1, 300), max_size=10))
def test_a_scan_is_found_after_the_next_end_of_a_reply(noise: bytes, cut: int, pieces: list[int]) -> None:
    assert scans_in(noise + SCAN[:cut] + b"\n\n" + SCAN, *pieces)


def test_any_bytes_give_values_or_nothing(scaled: Callable[[int], int]) -> None:
    @settings(max_examples=scaled(30_000), deadline=None)
    @given(st.binary(max_size=200), st.lists(st.tuples(st.integers(0, len(SCAN) - 1), st.integers(0, 255)), max_size=5))
    def never_raises(data: bytes, changes: list[tuple[int, int]]) -> None:
        spoilt = bytearray(SCAN)
        for place, byte in changes:
            spoilt[place] = byte
        replies = scip.Replies()
        for reply in replies.feed(data + bytes(spoilt) + data + answers("PP")):
            scip.model_of(reply)
            scip.problem(reply.status)
            scan = scip.scan_of(reply, WHOLE)
            assert scan is None or len(scan.ranges_mm) == 682

    never_raises()


# The driver, with an emulated device on a pseudo-terminal.


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_a_device_at_another_rate_is_found_and_measures(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HokuyoUrg.talk.__globals__, "ANSWER_WITHIN_S", 0.3)
    device = Urg(baud=38400)
    with caplog.at_level(logging.INFO), bench(HokuyoUrg, device, tmp_path, "scan", baud=500000) as line:
        scans = line.await_more(3)
        assert all(is_the_room(scan, 44, 682) for scan in scans)
        assert device.baud == 500000
        assert np.all(np.diff([scan.stamp_ns for scan in scans]) > 50_000_000)  # by the sensor's clock: 100 ms
        line.trial.component.on_deactivate()
        await_true(lambda: not device.laser, "the laser to go off")
    assert "URG-04LX, firmware 3.1.00" in caplog.text


@pytest.mark.parametrize(
    ("parameters", "first", "count", "cluster"),
    [
        ({"mode": "poll"}, 44, 682, 1),
        ({"cluster": 3, "right_deg": -30.0, "left_deg": 30.0}, 299, 57, 3),
        ({"characters": 2, "right_deg": 60.0, "left_deg": 100.0}, 555, 114, 1),
    ],
)
def test_scans_can_be_polled_joined_and_cut(
    tmp_path: Path, parameters: dict[str, object], first: int, count: int, cluster: int
) -> None:
    with bench(HokuyoUrg, Urg(500000), tmp_path, "scan", baud=500000, **parameters) as line:
        assert all(is_the_room(scan, first, count, cluster) for scan in line.await_more(2))


def test_a_bad_line_costs_scans_but_none_is_wrong(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    device, faults = Urg(500000), Faults()
    with bench(HokuyoUrg, device, tmp_path, "scan", faults, baud=500000) as line:
        line.await_more(1)
        faults.noise = faults.flip = faults.cut = 0.2
        before = device.scans_sent
        assert all(is_the_room(scan, 44, 682) for scan in line.await_more(8))
        faults.noise = faults.flip = faults.cut = 0.0
        line.await_more(1)
        assert device.scans_sent - before > 9


def test_after_a_cut_cable_scans_come_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), bench(HokuyoUrg, Urg(500000), tmp_path, "scan", baud=500000) as line:
        line.await_more(1)
        line.port.unplug()
        await_true(lambda: "there is no device" in caplog.text, "word of the missing device")
        line.port.plug_in()
        assert is_the_room(line.await_more(2)[1], 44, 682)
    assert "works again" in caplog.text
