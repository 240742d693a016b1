"""Conditions on fields: what they mean, and what is wrong with those that mean nothing."""

from __future__ import annotations

import numpy as np
import pytest

from studio.messages import Float64, Odometry, Range3d, String
from studio.messages.message import Message
from studio.runtime.control_plane.condition import ConditionError, parse_condition

TOPICS = ["/scan", "/scan/raw", "/odo", "/text", "/level"]
SCAN = Range3d(points=np.array([[1, 0, 0, 1], [0, 0, 0, np.nan], [3, 0, 0, 3]], np.float32))


@pytest.mark.parametrize(
    ("text", "message", "holds"),
    [
        ("/level/data > 2", Float64(2.5), True),
        ("/level.data > 2.5", Float64(2.5), False),
        ("/level/data >= 2.5", Float64(2.5), True),
        ("  /level/data!=-1e3 ", Float64(2.5), True),
        ("/text/data == 'go on'", String("go on"), True),
        ("/text/data.len < 3", String("go on"), False),
        ("/scan/ranges_m.min < 1.5", SCAN, True),
        ("/scan/ranges_m.max > 3", SCAN, False),
        ("/scan/ranges_m[-1] == 3", SCAN, True),
        ("/scan/ranges_m[17] == 3", SCAN, False),
        ("/scan/ranges_m.len == 3", SCAN, True),
        ("/odo/position.x > 0.5", Odometry(position=(1.0, 2.0, 3.0)), True),
        ("/odo/position[1] == 2", Odometry(position=(1.0, 2.0, 3.0)), True),
    ],
)
def test_what_a_condition_means(text: str, message: Message, holds: bool) -> None:
    assert parse_condition(text, TOPICS).holds(message) is holds


def test_nothing_is_the_least_of_nothing() -> None:
    nothing = Range3d(points=np.zeros((0, 4), np.float32))
    assert not parse_condition("/scan/ranges_m.min < 1", TOPICS).holds(nothing)
    assert not parse_condition("/scan/ranges_m.min >= 1", TOPICS).holds(nothing)


def test_the_longest_topic_is_meant() -> None:
    condition = parse_condition("/scan/raw/data > 1", TOPICS)
    assert (condition.topic, condition.path) == ("/scan/raw", ("data",))


def test_a_long_text_is_read_in_one_pass() -> None:
    """The runtime reads it while everything else waits."""
    with pytest.raises(ConditionError, match="is not a number"):
        parse_condition(f"/level/data < 1{' ' * 500_000}x", TOPICS)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("level > 3", "is not a valid condition"),
        ("/level/data", "is not a valid condition"),
        ("/nothing/data > 3", "the log has no such topic"),
        ("/level > 3", "name a field of /level"),
        ("/level/data > much", "much is not a number"),
        ("/level/data() > 3", "is not a field"),
    ],
)
def test_what_cannot_be_read(text: str, complaint: str) -> None:
    with pytest.raises(ConditionError, match=complaint):
        parse_condition(text, TOPICS)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("/level/date > 3", "did you mean data"),
        ("/level/data.min > 3", "there is no field min"),
        ("/level/data[0] > 3", "has no elements"),
        ("/level/data > 'three'", "cannot be compared"),
        ("/level/__class__ > 3", "there is no field __class__"),
        ("/level/replace > 3", "there is no field replace"),
    ],
)
def test_what_does_not_fit_the_message(text: str, complaint: str) -> None:
    with pytest.raises(ConditionError, match=complaint):
        parse_condition(text, TOPICS).holds(Float64(1.0))
