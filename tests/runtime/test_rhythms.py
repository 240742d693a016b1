"""A topic is quiet when it misses its own rhythm, and only then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.server.silent_topics import SilentTopics

LOOK_S = 0.25


def quiet(
    count_at: Callable[[float], int], for_s: float, rate: float = 1.0, gone_s: tuple[float, float] = (0, 0)
) -> list[int]:
    """What is told every quarter of a second; `rate` of the system's clock; between `gone_s` the system stands."""
    rhythms, told, at_s = SilentTopics(), [], 0.0
    for step in range(round(for_s / LOOK_S)):
        wall_s = step * LOOK_S
        goes = not gone_s[0] <= wall_s < gone_s[1]
        at_s += LOOK_S * rate if goes else 0.0
        told.append(
            rhythms.quiet_s("/a", count_at(at_s), round(at_s * SECOND_NS), round(wall_s * SECOND_NS), goes=goes)
        )
    return told


def until(end_s: float, period_s: float) -> Callable[[float], int]:
    return lambda at_s: int(min(at_s, end_s) / period_s) + 1


@pytest.mark.parametrize("period_s", [0.01, 0.1, 0.3, 1.0, 2.5])
def test_who_keeps_its_rhythm_is_never_quiet(period_s: float) -> None:
    assert not any(quiet(until(1e9, period_s), 20 * max(period_s, 1.0)))


@pytest.mark.parametrize(("period_s", "first_s"), [(0.1, 1), (1.0, 3), (2.5, 7)])
def test_after_three_periods_and_at_least_a_second_it_is_quiet_and_tells_for_how_long(
    period_s: float, first_s: int
) -> None:
    told = quiet(until(20.0, period_s), 40.0)
    begun = next(place for place, seconds in enumerate(told) if seconds)
    assert told[begun] == first_s and begun * LOOK_S == pytest.approx(20.0 + max(1.0, 3 * period_s), abs=1.5 * LOOK_S)
    assert told[-1] == pytest.approx(20, abs=1), "and so it counts on"


def test_what_came_once_or_a_few_times_has_no_rhythm_to_miss() -> None:
    assert not any(quiet(lambda at_s: 1, 60.0))
    assert not any(quiet(lambda at_s: sum(at_s >= moment for moment in (1, 2, 3)), 60.0))


def test_who_speaks_when_something_changes_may_be_silent_in_between() -> None:
    moments = (1, 2, 3, 14, 15, 40, 41, 42, 70, 71, 90)
    assert not any(quiet(lambda at_s: sum(at_s >= moment for moment in moments), 200.0))


def test_a_pause_is_no_silence_and_what_was_silent_before_it_is_so_afterwards() -> None:
    assert not any(quiet(until(1e9, 0.1), 60.0, gone_s=(10.0, 40.0)))
    told = quiet(until(5.0, 0.1), 60.0, gone_s=(10.0, 40.0))
    assert told[round(9.5 / LOOK_S)] == 4 and told[round(20 / LOOK_S)] == 0 and told[round(41 / LOOK_S)] >= 5


@pytest.mark.parametrize("rate", [0.1, 10.0])
def test_a_log_that_is_played_slower_or_faster_has_the_same_rhythm(rate: float) -> None:
    assert not any(quiet(until(1e9, 0.5), 60.0, rate))


def test_a_log_in_slow_motion_after_it_was_played_fast_is_not_quiet() -> None:
    rhythms, at_s, told = SilentTopics(), 0.0, []
    for step in range(400):
        at_s += LOOK_S * (1.0 if step < 80 else 0.05)
        told.append(rhythms.quiet_s("/a", int(at_s / 0.5) + 1, round(at_s * SECOND_NS), step * 250_000_000, goes=True))
    assert not any(told)


def test_a_log_that_is_taken_elsewhere_begins_anew() -> None:
    rhythms = SilentTopics()
    times_s = [step * LOOK_S + (300.0 if step >= 80 else 0.0) for step in range(84)]
    told = [
        rhythms.quiet_s(
            "/a", int(min(step, 79) * LOOK_S / 0.1) + 1, round(at_s * SECOND_NS), step * 250_000_000, goes=True
        )
        for step, at_s in enumerate(times_s)
    ]
    assert not any(told), "its next event has not come yet, and there is no 300 s of silence behind it"


def test_it_forgets_who_counts_anew() -> None:
    rhythms = SilentTopics()
    for step in range(40):
        rhythms.quiet_s("/a", step + 1, step * 250_000_000, step * 250_000_000, goes=True)
    for step in range(40, 60):
        assert rhythms.quiet_s("/a", 1, step * 250_000_000, step * 250_000_000, goes=True) == 0
