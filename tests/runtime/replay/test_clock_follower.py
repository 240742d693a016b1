"""The clock that follows a player."""

from __future__ import annotations

from studio.runtime.playing.clock_follower import SLOWEST, ClockFollower

MS = 1_000_000


def test_the_clock_gets_to_where_the_player_will_be() -> None:
    follower = ClockFollower()
    assert follower.rate(0, 5000 * MS, 0) is None
    assert follower.rate(10 * MS, 5100 * MS, 0) is None  # too soon to tell
    assert follower.rate(100 * MS, 6000 * MS, 0) == 10.0  # 1 s in 100 ms, and on from where the player is
    assert follower.rate(200 * MS, 7000 * MS, 7500 * MS) == 5.0  # ahead already: slower


def test_it_never_stands_and_begins_anew_after_a_jump() -> None:
    follower = ClockFollower()
    follower.rate(0, 1000 * MS, 0)
    assert follower.rate(100 * MS, 1000 * MS, 9000 * MS) == SLOWEST
    assert follower.rate(200 * MS, 10 * MS, 0) is None
    follower.begin()
    assert follower.rate(400 * MS, 1000 * MS, 0) is None
