"""CARMEN logs as other programs write them: other units, other maxima, rounded stamps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from studio.runtime.recording import LogReader
from studio.runtime.recording.format.metadata import import_notes
from tests.runtime.recording.importers.carmen_text import bring_in, flaser, messages, odom, robotlaser, stamps_s, write


def first_angle_deg(folder: Path, *lines: str) -> tuple[float, list[str]]:
    report, events = bring_in(write(folder, *lines))
    scan = messages(report, events, "/carmen/laser")[0]
    return math.degrees(math.atan2(scan.xyz[0, 1], scan.xyz[0, 0])), report.notes


@pytest.mark.parametrize(
    ("parameter", "first_deg", "unit"),
    [
        ("laser_front_laser_fov 3.14159", -90.0, "radians"),
        ("laser_front_laser_fov 3.141593", -90.0, "radians"),
        ("laser_front_laser_fov 180.0", -90.0, "degrees"),
        ("laser_front_laser_fov 4.712389", -135.0, "radians"),
        ("laser_front_laser_fov 270", -135.0, "degrees"),
        ("laser_front_laser_resolution 0.0174533", -90.0, "radians"),
        ("laser_front_laser_resolution 1.0", -90.0, "degrees"),
    ],
)
def test_the_unit_of_an_angle_is_told_by_its_value(tmp_path: Path, parameter: str, first_deg: float, unit: str) -> None:
    found, notes = first_angle_deg(tmp_path, f"PARAM {parameter} nohost 0", flaser(1.0, [1.0] * 181))
    assert found == pytest.approx(first_deg, abs=0.01)
    assert any(f"PARAM {parameter.split()[0]} " in note and f"is read as {unit}" in note for note in notes)


def test_without_a_parameter_the_default_is_said(tmp_path: Path) -> None:
    _, notes = first_angle_deg(tmp_path, flaser(1.0, [1.0] * 181))
    assert "FLASER: 181 beams from -90° to 90° (no PARAM says so: CARMEN's default is used)" in notes


def test_a_width_that_cannot_be_is_said(tmp_path: Path) -> None:
    found, notes = first_angle_deg(tmp_path, "PARAM laser_front_laser_fov 1800 nohost 0", flaser(1.0, [1.0] * 181))
    assert found == pytest.approx(-90.0)
    assert any("laser_front_laser_fov 1800 is not possible" in note for note in notes)


@pytest.mark.parametrize(
    ("angles", "unit"),
    [("-1.570796 3.141593 1.570796", "radians"), ("-90 180 90", "degrees"), ("-90 180 0", "degrees")],
)
def test_a_new_line_in_degrees_is_recognised(tmp_path: Path, angles: str, unit: str) -> None:
    line = robotlaser(1.0, [1.0, 1.0, 1.0]).replace("-0.5 1.0 0.25", angles)
    report, events = bring_in(write(tmp_path, line))
    (scan,) = messages(report, events, "/carmen/laser")
    np.testing.assert_allclose(scan.xyz[:, :2], [[0, -1], [1, 0], [0, 1]], atol=1e-5)
    assert any(f"read as {unit}" in note for note in report.notes)


# Ranges.


def scan_of(number: int, far: Sequence[float]) -> list[float]:
    """Echoes that vary from 2 to 11 m, with some readings from elsewhere in gaps of the wall."""
    ranges = [2.0 + 0.05 * ((7 * index + number) % 181) for index in range(180)]
    for at, value in enumerate(far):
        ranges[10 + 17 * at] = value
    return ranges


def kept(folder: Path, scans: Sequence[Sequence[float]], *parameters: str) -> tuple[list[float], list[str]]:
    lines = [f"PARAM {parameter} nohost 0" for parameter in parameters]
    lines += [flaser(float(number), ranges) for number, ranges in enumerate(scans, start=1)]
    report, events = bring_in(write(folder, *lines))
    scans_found = messages(report, events, "/carmen/laser")
    return [value for scan in scans_found for value in scan.ranges_m.tolist()], report.notes


def test_echoes_beyond_the_maximum_of_a_parameter_are_kept(tmp_path: Path) -> None:
    scans = [scan_of(number, ()) for number in range(20)]
    found, notes = kept(tmp_path, scans, "robot_front_laser_max 8.0")
    assert len(found) == 20 * 180
    assert any("beyond the maximum of 8 m (PARAM robot_front_laser_max)" in note for note in notes)


@pytest.mark.parametrize("none_m", [51.15, 32.76, 81.91, 8.19, 50.0])
@pytest.mark.parametrize("parameters", [(), ("robot_front_laser_max 81.9",)])
def test_values_that_pile_up_at_the_far_end_are_no_echoes(
    tmp_path: Path, none_m: float, parameters: tuple[str, ...]
) -> None:
    scans = [[0.7 * value for value in scan_of(number, ())] for number in range(20)]
    scans = [[none_m if index % 30 in (4, 5) else value for index, value in enumerate(scan)] for scan in scans]
    found, notes = kept(tmp_path, scans, *parameters)
    assert len(found) == 20 * 168
    assert max(found) < 8.0
    assert "240 of 3600 beams had no echo and were left out" in notes
    assert none_m > 80.0 or any(f"240 readings of FLASER are {none_m:.2f} m" in note for note in notes)


def test_no_echo_of_a_small_scanner_is_recognised(tmp_path: Path) -> None:
    scans = [[min(0.4 * value, 3.8) for value in scan_of(number, ())] for number in range(20)]
    scans = [[4.09 if index % 30 in (4, 5) else value for index, value in enumerate(scan)] for scan in scans]
    found, notes = kept(tmp_path, scans)
    assert max(found) == pytest.approx(3.8)
    assert "240 of 3600 beams had no echo and were left out" in notes


def test_a_pile_beyond_a_maximum_that_is_too_small_is_still_no_echo(tmp_path: Path) -> None:
    scans = [scan_of(number, (51.15, 51.15)) for number in range(20)]
    found, notes = kept(tmp_path, scans, "robot_front_laser_max 8.0")
    assert len(found) == 20 * 178
    assert 10.9 < max(found) < 12.0
    assert any("40 readings of FLASER are 51.15 m" in note for note in notes)


def test_a_far_wall_is_no_pile(tmp_path: Path) -> None:
    """Straight ahead of a robot that stands, the farthest of all: its beams lie beside each other."""
    wall = [12.0 / math.cos(math.radians(index - 90)) if 70 <= index <= 110 else 3.0 for index in range(181)]
    scans = [[round(value + 0.01 * ((index + number) % 3), 2) for index, value in enumerate(wall)]
             for number in range(40)]  # fmt: skip
    found, _ = kept(tmp_path, scans)
    assert len(found) == 40 * 181


def test_the_maximum_of_a_new_line_is_judged_as_well(tmp_path: Path) -> None:
    lines = [robotlaser(number + 1.0, [25.0 + 0.5 * number + index for index in range(4)]) for number in range(20)]
    report, events = bring_in(write(tmp_path, *lines))
    assert sum(len(scan) for scan in messages(report, events, "/carmen/laser")) == 80
    assert any("beyond the maximum of 30 m (in its lines)" in note for note in report.notes)


# Stamps.


@pytest.mark.parametrize("stamps", [["1.08911e+09"], ["1.08911e+09", "1.08912e+09"], ["1.04e+09"], ["1.23457e+06"]])
def test_stamps_of_six_digits_are_no_times(tmp_path: Path, stamps: list[str]) -> None:
    lines = [odom(stamp, f"{number} 0 0") for stamp in stamps for number in range(20)]
    report, events = bring_in(write(tmp_path, *lines), spacing_s=0.5)
    steps = np.diff(stamps_s(events["/carmen/odom"]))
    np.testing.assert_allclose(steps, 0.5)
    assert any("rounded, so they are not used as times" in note for note in report.notes)
    assert "messages were spaced evenly, 0.5 s apart" in report.notes


def test_rounded_stamps_of_the_sender_leave_those_of_the_logger(tmp_path: Path) -> None:
    lines = [odom("1.08911e+09", f"{number} 0 0", logger=1.0 + 0.25 * number) for number in range(20)]
    report, events = bring_in(write(tmp_path, *lines))
    assert stamps_s(events["/carmen/odom"]) == [1.0 + 0.25 * number for number in range(20)]
    assert "the logger's stamps were used" in report.notes


def test_stamps_in_whole_seconds_stay_times(tmp_path: Path) -> None:
    lines = [odom(100 + number // 20, f"{number} 0 0") for number in range(60)]
    report, events = bring_in(write(tmp_path, *lines))
    assert sorted(set(stamps_s(events["/carmen/odom"]))) == [100.0, 101.0, 102.0]
    assert not any("rounded" in note for note in report.notes)


@pytest.mark.parametrize("per_second", [10**3, 10**6])
def test_stamps_in_milliseconds_are_not_called_missing(tmp_path: Path, per_second: int) -> None:
    lines = [odom(1089110000 * per_second + number * per_second // 10, f"{number} 0 0") for number in range(20)]
    report, events = bring_in(write(tmp_path, *lines))
    np.testing.assert_allclose(np.diff(stamps_s(events["/carmen/odom"])), 0.1)
    for clock in ("sender", "logger"):
        assert any(f"the {clock}'s stamps are not times in seconds" in each for each in report.notes)
    assert "messages were spaced evenly, 0.1 s apart" in report.notes


def test_readings_that_are_hardly_in_metres_are_told(tmp_path: Path) -> None:
    scans = [[round(100 * value) for value in scan_of(number, ())] for number in range(20)]
    _, notes = kept(tmp_path, scans)
    assert "most readings of FLASER are too large for metres: they may be in centimetres or millimetres" in notes
    assert any("readings of FLASER are 200.00 m or more: so many" in note for note in notes)


# What was decided stays with the log.


def test_the_new_log_keeps_what_was_decided(tmp_path: Path) -> None:
    lines = ["PARAM laser_front_laser_fov 3.14159 nohost 0", *(flaser("1.04e+09", [1.0] * 181) for _ in range(20))]
    report, _ = bring_in(write(tmp_path, *lines))
    with LogReader(report.output) as log:
        assert import_notes(dict(log.metadata())) == report.notes
    assert len(report.notes) >= 3
