from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest

from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/signal_source"
SignalSource = load_class(FOLDER)


def values(ticks: int, **parameters: float | str) -> list[float]:
    with Trial(SignalSource, **parameters) as trial:
        for _ in range(ticks):
            trial.tick()
        return [message.data for message in trial.sent("value")]


def test_one_value_per_tick() -> None:
    assert len(values(7)) == 7


@pytest.mark.parametrize(
    ("shape", "eighths"),
    [
        ("sine", [0.0, 0.7071, 1.0, 0.7071, 0.0, -0.7071, -1.0, -0.7071]),
        ("triangle", [0.0, 0.5, 1.0, 0.5, 0.0, -0.5, -1.0, -0.5]),
        ("square", [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]),
    ],
)
def test_the_shapes_over_one_turn(shape: str, eighths: list[float]) -> None:
    with Trial(SignalSource, shape=shape, frequency_hz=1.0) as trial:
        for _ in range(8):
            trial.tick(after_s=0.125)
        last, *others = [message.data for message in trial.sent("value")][::-1]
        assert [last, *others[::-1]] == pytest.approx(eighths, abs=1e-4)


def test_amplitude_and_offset() -> None:
    told = values(100, amplitude=3.0, offset=10.0)
    assert (min(told), max(told)) == pytest.approx((7.0, 13.0), abs=0.01)


def test_the_signal_follows_system_time_and_not_the_count_of_ticks() -> None:
    with Trial(SignalSource, frequency_hz=1.0) as trial:
        trial.tick(after_s=0.25)
        trial.tick(after_s=0.5)
        assert [message.data for message in trial.sent("value")] == pytest.approx([1.0, -1.0])


def test_a_new_frequency_goes_on_without_a_jump() -> None:
    with Trial(SignalSource, frequency_hz=1.0) as trial:
        for _ in range(30):
            trial.tick()
        trial.set("frequency_hz", 2.0)
        for _ in range(30):
            trial.tick()
        told = [message.data for message in trial.sent("value")]
    steps = [abs(after - before) for before, after in itertools.pairwise(told)]
    assert max(steps) < 2 * math.pi * 2.0 * 0.01 * 1.01


def test_noise_is_as_large_as_it_should_be_and_the_same_each_time() -> None:
    told = values(2000, shape="noise", amplitude=2.0, offset=5.0)
    mean = sum(told) / len(told)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in told) / len(told))
    assert (mean, deviation) == (pytest.approx(5.0, abs=0.2), pytest.approx(2.0, rel=0.1))
    assert told == values(2000, shape="noise", amplitude=2.0, offset=5.0)


def test_noise_on_top_of_a_shape() -> None:
    assert values(3, amplitude=0.0) == [0.0, 0.0, 0.0]
    assert len(set(values(3, amplitude=0.0, noise=0.1))) == 3


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
