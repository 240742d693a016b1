"""How fast a log grows, and for how long there is room."""

from __future__ import annotations

import pytest

from studio.runtime.recording.writing.disk_room import DiskRoom, duration_words, seconds_left

S = 1_000_000_000


def test_the_rate_is_that_of_the_last_seconds() -> None:
    room = DiskRoom()
    assert room.look(0, 1000) == 0.0
    assert room.look(2 * S, 3000) == 1000.0
    for second in range(3, 30):
        last = room.look(second * S, 3000 + (second - 2) * 500)
    assert last == pytest.approx(500.0)


def test_the_time_that_is_left() -> None:
    assert seconds_left(1_004_000_000, 4_000_000, 1e6) == 1000.0
    assert seconds_left(1, 4_000_000, 1e6) == 0.0
    assert seconds_left(None, 0, 1e6) is seconds_left(10**9, 0, 0.0) is seconds_left(10**15, 0, 1.0) is None


def test_a_duration_in_words() -> None:
    told = [duration_words(seconds) for seconds in (42, 130, 1300, 11_100, 200_000)]
    assert told == ["42 s", "2 min 10 s", "21 min", "3 h 5 min", "2 d 7 h"]
