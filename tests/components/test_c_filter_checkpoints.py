"""A program that takes no checkpoints of itself is stepped forwards, and the refusal to go back names it."""

from __future__ import annotations

import pytest

from studio.runtime.base.clock import ClockKind
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.session.session import Session
from studio.runtime.stepping.stepper import Stepper
from tests.components.bare_channel import RAW, SMOOTH
from tests.components.c_filter_program import build
from tests.components.test_c_filter_system import plan


def test_the_filter_goes_forwards_only() -> None:
    build()
    with Session(plan(), clock=ClockKind.SIMULATION, start_ns=0) as session:
        session.launch()
        session.start()
        stepper = Stepper(session)
        assert [event.topic for event in stepper.forward(3)] == ["/_studio/timer/signal", RAW, SMOOTH]
        with pytest.raises(CannotGoBack, match="filter cannot take checkpoints of itself"):
            stepper.back()
        assert len(stepper.forward(3)) == 3
