"""Paths into messages are completed while they are typed."""

from __future__ import annotations

from studio.messages import PoseTransform, Range3d
from studio.messages.field_paths import completions


def test_fields_measures_and_axes_are_offered_where_they_are() -> None:
    pose = PoseTransform()
    assert completions(pose, "po") == ("po", ["position"])
    assert completions(pose, "position.") == ("", ["x", "y", "z", "min", "max", "mean", "len"])
    assert completions(pose, "position.x > 3 and ma") == ("ma", ["matrix"])
    assert completions(pose, "frame.") == ("", ["len"])
    assert completions(Range3d(), "points.m") == ("m", ["min", "max", "mean"])
    assert completions(pose, "foo.b") == ("b", []) and completions(pose, "position.x > 3") == ("", [])
