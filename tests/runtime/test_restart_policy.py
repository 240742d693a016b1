"""When one that died is started again, and when no more."""

from __future__ import annotations

from studio.runtime.processes.supervision import RestartPolicy


def test_the_pause_doubles_from_start_to_start_that_led_to_nothing() -> None:
    policy = RestartPolicy(most=5, pause_s=0.1)
    pauses_ns = [policy.pause_ns(recent, recent) for recent in range(6)]
    assert pauses_ns == [0, 100_000_000, 200_000_000, 400_000_000, 800_000_000, None]


def test_one_that_ran_well_is_started_again_at_once_until_it_is_given_up() -> None:
    policy = RestartPolicy(most=5)
    assert [policy.pause_ns(recent, 0) for recent in range(6)] == [0, 0, 0, 0, 0, None]
