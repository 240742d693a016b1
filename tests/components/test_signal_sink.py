from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from studio.messages import Float64
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/signal_sink"
SignalSink = load_class(FOLDER)


def figures(sink: Any) -> tuple[float, ...]:
    return sink.count, sink.last, sink.minimum, sink.maximum, sink.mean


def test_it_keeps_the_figures_of_what_it_got() -> None:
    with Trial(SignalSink) as trial:
        for value in (3.0, -1.0, 4.0):
            trial.send("value", Float64(value))
        assert figures(trial.component) == (3, 4.0, -1.0, 4.0, pytest.approx(2.0))


def test_the_mean_stays_exact_for_large_values() -> None:
    with Trial(SignalSink) as trial:
        for _ in range(1000):
            trial.send("value", Float64(1e15 + 1.0))
        assert trial.component.mean == 1e15 + 1.0  # type: ignore[attr-defined]


def test_it_writes_a_line_now_and_then_and_one_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        with Trial(SignalSink, log_every_s=1.0) as trial:
            for tenth in range(1, 25):
                trial.send("value", Float64(float(tenth)), at_s=tenth / 10)
            assert [line.split(",")[0] for line in caplog.messages] == ["10 values", "20 values"]
        assert caplog.messages[-1] == "24 values, last 24.000, between 1.000 and 24.000, mean 12.500"


def test_the_last_line_is_not_written_twice(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), Trial(SignalSink, log_every_s=1.0) as trial:
        for tenth in range(1, 21):
            trial.send("value", Float64(float(tenth)), at_s=tenth / 10)
    assert [line.split(",")[0] for line in caplog.messages] == ["10 values", "20 values"]


def test_it_can_keep_silent_until_the_end(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), Trial(SignalSink, log_every_s=0.0) as trial:
        trial.send("value", Float64(1.0), at_s=1000.0)
        assert caplog.messages == []


def test_it_says_when_nothing_has_arrived(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), Trial(SignalSink):
        pass
    assert caplog.messages == ["nothing has arrived"]


def test_activating_starts_anew() -> None:
    with Trial(SignalSink) as trial:
        trial.send("value", Float64(3.0))
        trial.component.on_activate()
        trial.send("value", Float64(-2.0))
        assert figures(trial.component) == (1, -2.0, -2.0, -2.0, -2.0)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
