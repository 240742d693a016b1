from __future__ import annotations

import logging
import math
from pathlib import Path

import pytest

from studio.messages import Float64
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/low_pass"
LowPass = load_class(FOLDER)


def smoothed(values: list[tuple[float, float]], cutoff_hz: float = 1.0) -> list[float]:
    """What comes out for (time in s, value)."""
    with Trial(LowPass, cutoff_hz=cutoff_hz) as trial:
        for at_s, value in values:
            trial.send("raw", Float64(value), at_s=at_s)
        return [message.data for message in trial.sent("smooth")]


def step_response(at_s: float, cutoff_hz: float) -> float:
    return 1.0 - math.exp(-2.0 * math.pi * cutoff_hz * at_s)


def test_the_first_value_goes_through() -> None:
    assert smoothed([(5.0, 3.0)]) == [3.0]


@pytest.mark.parametrize("stamps", [[0.1 * n for n in range(1, 11)], [0.01, 0.02, 0.3, 0.301, 0.9, 1.0], [1.0]])
def test_the_answer_to_a_step_is_exact_however_the_values_come(stamps: list[float]) -> None:
    told = smoothed([(0.0, 0.0), *((at_s, 1.0) for at_s in stamps)], cutoff_hz=0.5)
    assert told[1:] == pytest.approx([step_response(at_s, 0.5) for at_s in stamps])


def test_a_sine_at_the_cutoff_keeps_71_percent() -> None:
    told = smoothed([(n / 1000, math.sin(2 * math.pi * n / 1000 * 2.0)) for n in range(4000)], cutoff_hz=2.0)
    assert max(told[2000:]) == pytest.approx(1 / math.sqrt(2), abs=0.01)


def test_equal_and_earlier_stamps_do_not_move_the_output() -> None:
    assert smoothed([(1.0, 0.0), (1.0, 5.0), (0.5, 5.0)]) == [0.0, 0.0, 0.0]


def test_a_new_cutoff_holds_from_the_next_value_on() -> None:
    with Trial(LowPass, cutoff_hz=0.001) as trial:
        trial.send("raw", Float64(0.0), at_s=0.0)
        trial.set("cutoff_hz", 1000.0)
        trial.send("raw", Float64(1.0), at_s=1.0)
        assert trial.sent("smooth")[-1].data == pytest.approx(1.0)


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_left_out(poison: float, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert smoothed([(0.0, 1.0), (0.1, poison), (0.2, 1.0)]) == [1.0, 1.0]
    assert "not finite" in caplog.text


def test_a_clock_jump_starts_anew() -> None:
    with Trial(LowPass) as trial:
        trial.send("raw", Float64(1.0), at_s=100.0)
        trial.component.on_clock_jump()
        trial.send("raw", Float64(7.0), at_s=0.0)
        assert trial.sent("smooth")[-1] == Float64(7.0)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
