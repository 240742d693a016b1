"""Rates are steady for slow streams too, and fall to nothing soon after the last event."""

from __future__ import annotations

import pytest

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.server.rates import Rates

LOOK_S = 0.25


def rates_of(period_s: float, for_s: float, ends_s: float = float("inf")) -> list[float]:
    """What is told every quarter of a second of a stream that has an event per period until it ends."""
    rates = Rates()
    times = [step * LOOK_S for step in range(round(for_s / LOOK_S))]
    return [rates.rate_hz("x", int(min(at, ends_s) / period_s) + 1, round(at * SECOND_NS)) for at in times]


@pytest.mark.parametrize("period_s", [0.05, 0.25, 1.0, 1.5, 2.0, 7.0, 20.0])
def test_a_stream_that_flows_has_its_rate_all_the_time(period_s: float) -> None:
    told = rates_of(period_s, 10 * max(period_s, 1.0))
    begun = told[round(2 * max(period_s, 1.0) / LOOK_S) :]
    assert begun and all(rate == pytest.approx(1 / period_s, rel=0.3) for rate in begun)


@pytest.mark.parametrize(("period_s", "silent_after_s"), [(0.05, 1.0), (0.25, 1.0), (2.0, 6.0)])
def test_after_three_periods_and_at_least_a_second_it_is_silent(period_s: float, silent_after_s: float) -> None:
    told = rates_of(period_s, 40.0, ends_s=20.0)
    last = max(at for at, rate in enumerate(told) if rate) * LOOK_S
    assert last == pytest.approx(20.0 + silent_after_s, abs=2 * LOOK_S) and told[-1] == 0.0


def test_it_has_no_rate_before_it_begins_and_forgets_what_was_before_a_restart() -> None:
    rates = Rates()
    assert [rates.rate_hz("x", 0, at * SECOND_NS) for at in range(5)] == [0.0] * 5
    assert rates.rate_hz("x", 4, 100 * SECOND_NS) == 0.0
    assert rates.rate_hz("x", 14, 101 * SECOND_NS) == 10.0
    assert rates.rate_hz("x", 2, 102 * SECOND_NS) == 10.0
    assert rates.rate_hz("x", 22, 103 * SECOND_NS) == 20.0
