"""Comparisons of small logs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Float64, Map, Message, PoseTransform, String, encode
from studio.runtime.recording import LogWriter
from studio.runtime.recording.format.mcap_records import Schema
from studio.runtime.replay.comparison import Comparison, Difference, compare
from studio.runtime.replay.field_difference import first_difference
from tests.runtime.replay.small_systems import write_foreign

NAN, INF = float("nan"), float("inf")
Row = tuple[str, int, Message]


def write(path: Path, rows: Iterable[Row]) -> Path:
    with LogWriter(path) as log:
        for at, (topic, sequence, message) in enumerate(rows):
            channel = log.add_topic(topic, type(message))
            log.write(channel, encode(message), log_time_ns=at, sequence=sequence, stamp_ns=sequence * 10)
    return path


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    def run(a: Iterable[Row], b: Iterable[Row], tolerance: float = 0.0, **options: Any) -> Comparison:
        return compare(write(tmp_path / "a.mcap", a), write(tmp_path / "b.mcap", b), tolerance, **options)

    return run


def numbers(*values: float, topic: str = "/n", first: int = 1) -> list[Row]:
    return [(topic, first + at, Float64(value)) for at, value in enumerate(values)]


def test_the_same_events_are_identical(compared: Any) -> None:
    one, other = numbers(1, 2, 3), numbers(4, 5, topic="/m")
    assert compared(one + other, one + other).identical


def test_the_order_between_topics_does_not_matter(compared: Any) -> None:
    one, other = numbers(1, 2, 3), numbers(4, 5, topic="/m")
    found = compared(one + other, other + one)
    assert found.identical
    assert (found.topics["/n"].events_a, found.topics["/m"].events_b) == (3, 2)


def test_a_changed_number_is_told_with_event_and_field(compared: Any) -> None:
    found = compared(numbers(1, 2, 3), numbers(1, 2.5, 4))
    assert found.first_difference == Difference("value", "/n", 2, 20, "data", 2.0, 2.5)
    assert str(found.first_difference) == "/n: event 2, data: 2.0 in A, 2.5 in B"
    assert (found.topics["/n"].differing, found.identical, found.within_tolerance) == (2, False, False)


def test_a_tolerance_forgives_numbers_and_nothing_else(compared: Any) -> None:
    found = compared(numbers(1, 2), numbers(1.0005, 2), 1e-3)
    assert (found.identical, found.within_tolerance, found.first_difference) == (False, True, None)


def test_texts_have_no_tolerance(compared: Any) -> None:
    found = compared([("/t", 1, String("a"))], [("/t", 1, String("b"))], 10.0)
    assert found.first_difference == Difference("value", "/t", 1, 10, "data", "a", "b")


def test_nan_is_nan(compared: Any) -> None:
    found = compared(numbers(NAN, INF), numbers(NAN, INF))
    assert found.identical


def test_nan_and_infinity_under_a_tolerance(compared: Any) -> None:
    found = compared(numbers(NAN, INF, 1, 2), numbers(NAN, INF, NAN, -INF), 0.5)
    assert found.topics["/n"].differing == 2
    assert found.first_difference.sequence == 3


def test_a_zero_with_a_sign_is_another_one_only_without_tolerance(compared: Any) -> None:
    assert first_difference(Float64(0.0), Float64(-0.0)) is not None
    assert first_difference(Float64(0.0), Float64(-0.0), 1e-12) is None


def test_a_truncated_topic_lacks_its_last_events(compared: Any) -> None:
    found = compared(numbers(1, 2, 3, 4), numbers(1, 2))
    assert (found.topics["/n"].missing, found.topics["/n"].extra) == (2, 0)
    assert found.first_difference == Difference("missing", "/n", 3, 30)


def test_a_hole_in_the_middle_is_one_missing_event_and_no_more(compared: Any) -> None:
    found = compared(numbers(1, 2, 3), [*numbers(1), *numbers(3, first=3)])
    topic = found.topics["/n"]
    assert (topic.missing, topic.extra, topic.differing) == (1, 0, 0)
    assert topic.first_difference.sequence == 2


def test_extra_events_and_topics(compared: Any) -> None:
    found = compared(numbers(1), [*numbers(1, 2), *numbers(5, topic="/new")])
    assert found.topics["/n"].extra == 1
    assert found.topics["/new"].first_difference == Difference("extra", "/new")
    assert str(found.topics["/new"].first_difference) == "/new: the topic is extra"
    assert not found.identical


def test_another_type_under_the_same_name(compared: Any) -> None:
    found = compared([("/n", 1, Float64(1.0))], [("/n", 1, String("1"))])
    assert found.first_difference.what == "type"
    assert "std_msgs/msg/Float64 in A and std_msgs/msg/String in B" in str(found.first_difference)


def test_other_stamps_are_a_difference(tmp_path: Path) -> None:
    a = write(tmp_path / "a.mcap", numbers(1))
    with LogWriter(tmp_path / "b.mcap") as log:
        log.write(log.add_topic("/n", Float64), encode(Float64(1.0)), log_time_ns=0, sequence=1, stamp_ns=11)
    assert compare(a, tmp_path / "b.mcap").first_difference == Difference("value", "/n", 1, 10, "stamp_ns", 10, 11)


def test_fields_inside_arrays_and_messages_are_named() -> None:
    planes = np.zeros((1, 3, 4), np.float32)
    changed = planes.copy()
    changed[0, 2, 1] = 0.25
    one, other = (Map(planes=each, plane_names=("h",), resolution_m=0.1, frame="map") for each in (planes, changed))
    assert first_difference(one, other) == ("planes[0][2][1]", 0.0, 0.25)
    assert first_difference(one, other, 0.5) is None
    moved = PoseTransform.from_xyz_rpy(1, 2, 3), PoseTransform.from_xyz_rpy(1, 2.5, 3)
    found = first_difference(*moved)
    assert found is not None and (found.a, found.b) == (2.0, 2.5)


def test_types_that_nobody_knows_are_compared_as_bytes(tmp_path: Path) -> None:
    for name, payload in (("a", b"\0\1\0\0abc"), ("b", b"\0\1\0\0abd")):
        with LogWriter(tmp_path / f"{name}.mcap") as log:
            channel = log.add_channel("/odd", Schema(1, "other/msg/Odd", "ros2msg", b"int8 x"))
            log.write(channel, payload, log_time_ns=1, sequence=1, stamp_ns=1)
    found = compare(tmp_path / "a.mcap", tmp_path / "b.mcap", 1.0)
    assert found.first_difference == Difference("value", "/odd", 1, 1, "byte 6", "63", "64")


def test_logs_of_others_are_matched_by_position(tmp_path: Path) -> None:
    a = write_foreign(tmp_path / "a.mcap", {"/x": [(10, Float64(1.0)), (20, Float64(2.0))]})
    b = write_foreign(tmp_path / "b.mcap", {"/x": [(10, Float64(1.0)), (20, Float64(3.0))]})
    found = compare(a, b).topics["/x"]
    assert (found.differing, found.missing, found.extra) == (1, 0, 0)


def test_the_machinery_is_compared_when_asked(compared: Any) -> None:
    a, b = (numbers(value, topic="/_studio/log") + numbers(1) for value in (1, 2))
    assert compared(a, b).identical


def test_the_machinery_differs_when_it_is_looked_at(compared: Any) -> None:
    a, b = (numbers(value, topic="/_studio/log") + numbers(1) for value in (1, 2))
    assert not compared(a, b, machinery=True).identical
