"""The rate that a log really plays at."""

from __future__ import annotations

from studio.cli.run_parts.play_keys import reached_text
from studio.runtime.playing.actual_rate import ActualRate, too_slow

S = 1_000_000_000


def test_the_rate_is_measured_over_the_last_seconds() -> None:
    meter = ActualRate()
    assert meter.measured(0, 0, 10.0, playing=True) is None, "it has just begun"
    assert meter.measured(S, 10 * S, 10.0, playing=True) == 10.0
    found = [meter.measured(second * S, (10 + 2 * (second - 1)) * S, 10.0, playing=True) for second in range(2, 8)]
    assert found[-1] == 2.0 and too_slow(found[-1], 10.0)


def test_a_pause_another_rate_or_a_jump_begins_anew() -> None:
    meter = ActualRate()
    meter.measured(0, 0, 1.0, playing=True)
    assert meter.measured(2 * S, 2 * S, 1.0, playing=True) == 1.0
    assert meter.measured(3 * S, 2 * S, 1.0, playing=False) is None
    assert meter.measured(4 * S, 2 * S, 1.0, playing=True) is None
    assert meter.measured(6 * S, 4 * S, 1.0, playing=True) == 1.0
    assert meter.measured(6 * S, 90 * S, 1.0, playing=True) is None, "somebody sought"
    assert meter.measured(8 * S, 92 * S, 2.0, playing=True) is None, "another rate was asked for"


def test_the_rate_in_words() -> None:
    assert reached_text(1.0, 1.0) == reached_text(1.0, None) == "1×"
    assert reached_text(10.0, 4.21) == "10×, only 4.2× reached"
    assert reached_text(float("inf"), 33.3) == "flat out: 33.3×"
