"""The window is shown what flows as often as it has time for."""

from __future__ import annotations

from itertools import accumulate, chain, repeat

import pytest

from studio.editor.live.pace import FASTEST_NS, SHARE, SLOWEST_NS, Pace

MS = 1_000_000


def paced(*works_ms: float) -> Pace:
    """After batches between which the window has worked so long."""
    totals = accumulate((round(work * MS) for work in works_ms), initial=7 * MS)
    pace = Pace(totals.__next__)
    for _ in range(len(works_ms) + 1):
        pace.batch_taken()
    return pace


def test_a_window_with_little_to_do_gets_thirty_a_second() -> None:
    assert Pace().every_ns == FASTEST_NS
    assert paced(*repeat(5.0, 50)).every_ns == FASTEST_NS


def test_a_busy_window_gets_as_many_as_leave_it_most_of_its_time() -> None:
    assert paced(*repeat(20.0, 50)).every_ns == pytest.approx(20 * MS / SHARE, rel=0.01)


def test_however_busy_it_is_figures_come_ten_times_a_second() -> None:
    assert paced(*repeat(500.0, 50)).every_ns == SLOWEST_NS


def test_one_long_batch_changes_little_and_is_forgotten() -> None:
    assert paced(*repeat(5.0, 50), 60.0).every_ns < 2 * FASTEST_NS
    assert paced(*chain(repeat(20.0, 50), repeat(2.0, 50))).every_ns == FASTEST_NS
