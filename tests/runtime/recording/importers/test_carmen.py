"""CARMEN logs, line by line."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.runtime.recording import LogError, LogReader
from studio.runtime.recording.importers import ImportCancelled, import_log
from studio.runtime.recording.importers.carmen import SURVEY_PART
from tests.runtime.recording.importers.carmen_text import (
    bring_in,
    flaser,
    messages,
    odom,
    rawlaser,
    robotlaser,
    stamps_s,
    write,
)


@pytest.mark.parametrize("packed", [False, True])
def test_odometry_comes_with_pose_and_velocity(tmp_path: Path, packed: bool) -> None:
    report, events = bring_in(write(tmp_path, odom(10.25), packed=packed))
    (message,) = messages(report, events, "/carmen/odom")
    assert (message.stamp_ns, message.frame, message.child_frame) == (10_250_000_000, "odom", "base_link")
    assert message.position.tolist() == [1.0, 2.0, 0.0]
    assert message.yaw_rad == pytest.approx(0.5)
    assert (message.twist.speed_m_s, message.twist.yaw_rate_rad_s) == (0.3, 0.1)


def test_a_front_laser_spans_180_degrees_from_right_to_left(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, flaser(1.0, [1.0] * 180), flaser(2.0, [2.0] * 181)))
    open_end, both_ends = messages(report, events, "/carmen/laser")
    assert (open_end.frame, len(open_end), len(both_ends)) == ("laser", 180, 181)
    np.testing.assert_allclose(open_end.xyz[[0, 90]], [[0, -1, 0], [1, 0, 0]], atol=1e-6)
    assert math.atan2(open_end.xyz[-1, 1], open_end.xyz[-1, 0]) == pytest.approx(math.radians(89), abs=1e-6)
    np.testing.assert_allclose(both_ends.xyz[[0, 90, 180]], [[0, -2, 0], [2, 0, 0], [0, 2, 0]], atol=1e-6)


def test_the_poses_of_a_scan_have_topics_of_their_own(tmp_path: Path) -> None:
    line = "FLASER 2 1.0 2.0 1.5 2.0 0.5 1.0 2.0 0.5 7.0 robot 7.0"
    report, events = bring_in(write(tmp_path, line))
    (pose,) = messages(report, events, "/carmen/pose")
    (robot,) = messages(report, events, "/carmen/scan_odom")
    assert (pose.frame, pose.child_frame) == ("odom", "laser")
    assert pose.to_xyz_rpy() == pytest.approx((1.5, 2.0, 0.0, 0.0, 0.0, 0.5))
    assert robot.position.tolist() == [1.0, 2.0, 0.0]
    assert [event[0].stamp_ns for event in events.values()] == [7_000_000_000] * 3


def test_the_rear_laser_has_its_own_topics(tmp_path: Path) -> None:
    _, events = bring_in(write(tmp_path, flaser(1.0, word="RLASER"), robotlaser(2.0, [1.0], "ROBOTLASER2")))
    assert set(events) == {"/carmen/rear_laser", "/carmen/rear_pose", "/carmen/rear_scan_odom"}
    assert len(events["/carmen/rear_laser"]) == 2


def test_a_new_laser_line_tells_its_angles_and_range(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, robotlaser(1.0, [1.0, 30.0, 2.0]), rawlaser(2.0, [3.0, 4.0])))
    (scan,) = messages(report, events, "/carmen/laser")
    np.testing.assert_allclose(scan.xyz, [[math.cos(0.5), -math.sin(0.5), 0], [2, 0, 0]], atol=1e-6)
    (pose,) = messages(report, events, "/carmen/pose")
    assert pose.to_xyz_rpy()[:2] == (5.1, 6.0)
    (robot,) = messages(report, events, "/carmen/scan_odom")
    assert (robot.twist.speed_m_s, robot.twist.yaw_rate_rad_s) == (0.4, 0.2)
    (raw,) = messages(report, events, "/carmen/raw_laser3")
    assert raw.ranges_m.tolist() == [3.0, 4.0]


def test_readings_without_an_echo_are_left_out_and_counted(tmp_path: Path) -> None:
    ranges = [0.0, 1.0, 79.99, 80.0, 81.83, "nan", "inf"]
    report, events = bring_in(write(tmp_path, flaser(1.0, ranges)))
    (scan,) = messages(report, events, "/carmen/laser")
    assert scan.ranges_m.tolist() == pytest.approx([1.0, 79.99])
    assert "5 of 7 beams had no echo and were left out" in report.notes


def test_parameters_set_range_and_width_and_are_kept(tmp_path: Path) -> None:
    parameters = [
        "PARAM robot_front_laser_max 5.0 1089804841.8 lion 1089804841.8",
        "PARAM laser_front_laser_resolution 0.5 nohost 0",
        "PARAM base_name two words 1.0 lion 1.0",
    ]
    report, events = bring_in(write(tmp_path, flaser(1.0, [1, 2, 5, 3]), *parameters))
    (scan,) = messages(report, events, "/carmen/laser")
    assert scan.ranges_m.tolist() == [1, 2, 3]
    assert math.atan2(scan.xyz[0, 1], scan.xyz[0, 0]) == pytest.approx(math.radians(-1), abs=1e-6)
    with LogReader(report.output) as log:
        kept = dict(log.metadata())["carmen.parameters"]
    assert kept["robot_front_laser_max"] == "5.0"
    assert kept["laser_front_laser_resolution"] == "0.5"
    assert kept["base_name"] == "two words"


def test_a_log_of_scans_alone_has_an_empty_topic_for_the_odometry(tmp_path: Path) -> None:
    """A source that plays odometry and scans finds both: carmen_mapping then takes the poses of the scans."""
    report = import_log(write(tmp_path, flaser(1.0), flaser(2.0)), tmp_path / "out.mcap")
    with LogReader(report.output) as log:
        found = log.topics["/carmen/odom"]
        assert (found.count, found.schema.name) == (0, "nav_msgs/msg/Odometry")
    assert "no ODOM lines: /carmen/odom is empty, the odometry comes from the scans" in report.notes


def test_the_true_pose_of_a_simulator_is_kept(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, "TRUEPOS 1 2 0.3 4 5 0.6 8.0 robot 8.0"))
    (pose,) = messages(report, events, "/carmen/true_pose")
    assert pose.to_xyz_rpy() == pytest.approx((1, 2, 0, 0, 0, 0.3))
    assert pose.frame == "world"


def test_unknown_lines_are_listed_with_counts(tmp_path: Path) -> None:
    report, _ = bring_in(write(tmp_path, odom(1.0), "SYNC start 1 robot 1", "NEFF 98.2", "NEFF 97.0"))
    assert {name: entry.count for name, entry in report.not_mapped.items()} == {"SYNC": 1, "NEFF": 2}
    assert report.damage_count == 0


def test_damaged_lines_are_told_by_number_and_cost_nothing_else(tmp_path: Path) -> None:
    bad = [
        "ODOM 1 2",
        "ODOM 1 2 nan 0 0 0 1.0 robot 1.0",
        "FLASER 5 1 2 3 0 0 0 0 0 0 1.0 robot 1.0",
        "FLASER many 1 2",
        "ROBOTLASER1 0 1 2",
        "\x00\x01garbage",
        "ODOM x 2 3 0 0 0 1.0 robot 1.0",
        "FLASER -1 0 0 0 0 0 0 1.0 robot 1.0",
        "ROBOTLASER1 0 1 2 3 4 5 6 0 0 0",
    ]
    lines = [line for text in bad for line in (odom(1.0), text)]
    report, events = bring_in(write(tmp_path, *lines))
    assert len(events["/carmen/odom"]) == len(bad)
    assert report.damage_count == len(bad)
    assert [damage.line for damage in report.damages] == [3 + 2 * number for number in range(len(bad))]
    assert report.damages[3].reason == "'many' is not a number"


def test_a_line_as_long_as_the_file_does_not_stop_it(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, odom(1.0), "x" * 3_000_000, odom(2.0)))
    assert len(events["/carmen/odom"]) == 2
    assert [damage.line for damage in report.damages] == [3]


# Stamps


def test_without_any_stamp_messages_are_spaced_evenly(tmp_path: Path) -> None:
    lines = [odom(0), odom(0), flaser(0), odom(0)]
    report, events = bring_in(write(tmp_path, *lines), spacing_s=0.5)
    assert stamps_s(events["/carmen/odom"]) == [0.5, 1.0, 2.0]
    assert stamps_s(events["/carmen/laser"]) == [1.5]
    assert any("no line has a stamp" in note and "0.5 s apart" in note for note in report.notes)


def test_the_loggers_stamps_serve_when_the_senders_have_none(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, odom(0, logger=3.5), odom(0, logger=4.0)))
    assert stamps_s(events["/carmen/odom"]) == [3.5, 4.0]
    assert any("logger" in note for note in report.notes)


def test_a_line_without_a_stamp_takes_the_time_before_it(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, odom(0), odom(5.0), odom("nan"), odom(-3), odom(6.0)))
    assert stamps_s(events["/carmen/odom"]) == [5.0, 5.0, 5.0, 5.0, 6.0]
    assert "3 lines without a stamp got the stamp of the previous line" in report.notes


def test_stamps_that_go_backwards_are_lifted_in_their_kind_of_line(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, odom(5.0), flaser(4.5), odom(4.0), odom(6.0)))
    assert stamps_s(events["/carmen/odom"]) == [5.0, 5.0, 6.0]
    assert stamps_s(events["/carmen/laser"]) == [4.5], "a scan may well be older than the odometry before it"
    assert [event.log_time_ns / 1e9 for event in events["/carmen/laser"]] == [5.0]
    assert any("1 stamps went backwards, by up to 1 s" in note for note in report.notes)


def test_repeated_stamps_stay_and_are_told(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, odom(5.0), odom(5.0), odom(5.0)))
    assert stamps_s(events["/carmen/odom"]) == [5.0] * 3
    assert any(note.startswith("2 stamps repeat") for note in report.notes)


def test_a_single_stamp_far_away_is_not_believed(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, odom(100.0), odom(1.7e9), odom(101.0), odom(3.4), odom(102.0)))
    assert stamps_s(events["/carmen/odom"]) == [100.0, 100.0, 101.0, 101.0, 102.0]
    assert any(note.startswith("2 stamps were far from") for note in report.notes)


def test_time_that_starts_again_goes_on(tmp_path: Path) -> None:
    report, events = bring_in(write(tmp_path, odom(100.0), odom(1.0), odom(2.0), odom(3.0)))
    assert stamps_s(events["/carmen/odom"]) == [100.0, 100.0, 100.0, 101.0]
    assert any("starts again at line 4" in note for note in report.notes)


def test_an_odometry_line_that_echoes_a_corrected_scan_belongs_to_it(tmp_path: Path) -> None:
    lines = []
    for number in range(1, 11):
        pose = f"{number} 0 0.1"
        lines += [odom(number, f"{number}.01 0 0"), flaser(number, pose=pose), odom("6.1e-62", pose)]
    report, events = bring_in(write(tmp_path, *lines))
    assert stamps_s(events["/carmen/odom"])[1::2] == [float(number) for number in range(1, 11)]
    assert messages(report, events, "/carmen/pose")[0].frame == "map"
    assert any(note.startswith("10 ODOM lines repeat the pose") for note in report.notes)


def test_a_few_damaged_poses_make_no_corrected_log(tmp_path: Path) -> None:
    lines = [flaser(number, pose=f"{number} 0 0") for number in range(1, 21)]
    lines.insert(7, "FLASER 4 1 2 3 4 9 9 9 1 1 1 7.5 robot 7.5")
    lines.insert(9, "FLASER 1 2 3 4 5 6 7 8 9 8.5 robot 8.5")
    report, events = bring_in(write(tmp_path, *lines))
    assert messages(report, events, "/carmen/pose")[0].frame == "odom"
    assert report.damage_count == 1


def test_poses_that_leave_the_odometry_were_corrected(tmp_path: Path) -> None:
    lines = [f"FLASER 1 1.0 {x} 0 0 {x * 1.2} 0 0 {x} robot {x}" for x in (1.0, 2.0, 3.0)]
    report, events = bring_in(write(tmp_path, *lines))
    assert messages(report, events, "/carmen/pose")[0].frame == "map"


def test_the_order_of_the_file_is_kept(tmp_path: Path) -> None:
    report, _ = bring_in(write(tmp_path, odom(5.0), flaser(4.0), odom(3.0), flaser(2.0)))
    with LogReader(report.output) as log:
        order = [event.topic for event in log.events(["/carmen/odom", "/carmen/laser"])]
        times = [event.log_time_ns for event in log.events()]
    assert order == ["/carmen/odom", "/carmen/laser"] * 2
    assert times == sorted(times)


# Damage, progress, cancelling


def test_a_truncated_gzip_gives_what_is_there(tmp_path: Path) -> None:
    path = write(tmp_path, *(odom(number + 1, f"{number} {number * 7919 % 1013} 0") for number in range(3000)))
    whole = gzip.compress(path.read_bytes())
    path.write_bytes(whole[: len(whole) // 2])
    report, events = bring_in(path)
    assert 1000 < len(events["/carmen/odom"]) < 2500
    assert any("ends early" in damage.reason for damage in report.damages)


def test_a_wrong_checksum_of_gzip_costs_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, *(odom(number + 1.0) for number in range(50)), packed=True)
    path.write_bytes(path.read_bytes()[:-8] + bytes(8))
    report, events = bring_in(path)
    assert len(events["/carmen/odom"]) == 50
    assert "damaged from here on" in str(report.damages[0])


def test_gzip_files_one_after_the_other_are_one_log(tmp_path: Path) -> None:
    path = tmp_path / "two.log.gz"
    path.write_bytes(b"".join(gzip.compress(f"{odom(stamp)}\n".encode()) for stamp in (1, 2)))
    _, events = bring_in(path)
    assert stamps_s(events["/carmen/odom"]) == [1.0, 2.0]


def test_progress_goes_from_begin_to_end(tmp_path: Path) -> None:
    path = write(tmp_path, *(odom(number + 1) for number in range(10_000)))
    seen: list[tuple[int, int]] = []
    bring_in(path, progress=lambda done, total: seen.append((done, total)))
    done = [part for part, _ in seen]
    assert done == sorted(done)
    assert len(seen) > 5
    assert seen[-1][0] == seen[-1][1]
    assert seen[-1][1] // SURVEY_PART in done, "the quick first pass does not fill half of a bar"


@pytest.mark.parametrize("after", [0, 3, 9])
def test_cancelling_leaves_no_file(tmp_path: Path, after: int) -> None:
    path = write(tmp_path, *(odom(number + 1) for number in range(10_000)))
    asked = iter(range(1000))
    with pytest.raises(ImportCancelled):
        import_log(path, tmp_path / "out.mcap", cancelled=lambda: next(asked) >= after)
    assert not (tmp_path / "out.mcap").exists()


def test_a_log_without_any_message_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="nothing that can be imported"):
        import_log(write(tmp_path, "NEFF 1"), tmp_path / "out.mcap")
    assert not (tmp_path / "out.mcap").exists()


def test_an_existing_file_is_not_touched(tmp_path: Path) -> None:
    out = tmp_path / "out.mcap"
    out.write_text("mine")
    with pytest.raises(LogError, match="exists already"):
        import_log(write(tmp_path, odom(1.0)), out)
    assert out.read_text() == "mine"


@pytest.mark.parametrize("content", [b"", b"hello\nworld\n", b"\x1f\x8b\x08garbage", bytes(5000)])
def test_what_is_no_log_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(LogError, match="is not a log that Studio can read"):
        import_log(path, tmp_path / "out.mcap")


SEED = "\n".join(
    [
        "# message formats defined: PARAM",
        "PARAM robot_front_laser_max 50.0 nohost 0",
        odom(1.0),
        flaser(1.1),
        robotlaser(1.2, [1, 2, 3]),
        rawlaser(1.3, [4]),
        "TRUEPOS 1 2 3 4 5 6 1.4 robot 1.4",
        "NEFF 3",
        odom(1.5),
    ]
).encode()


@given(data=st.data(), packed=st.booleans())
def test_mutations_raise_nothing_but_log_errors(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, packed: bool
) -> None:
    content = bytearray(gzip.compress(SEED) if packed else SEED)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, max(0, len(content) - 1)))
        piece = data.draw(st.sampled_from([b"", b"\n", b" ", b"9" * 400, b"-", b"1e999", b"\xff", b"ODOM ", b"nan"]))
        content[at : at + data.draw(st.integers(0, 8))] = piece
    folder = tmp_path_factory.mktemp("mutated")
    path, out = folder / "robot.log", folder / "out.mcap"
    path.write_bytes(content)
    try:
        report = import_log(path, out)
    except LogError:
        assert not out.exists()
        return
    with LogReader(out) as log:
        assert log.event_count == report.event_count
        assert not log.check()
