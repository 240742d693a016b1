"""The bench on which a motor is commanded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.actuator.motor_bench import Bench


@pytest.fixture
def bench() -> Any:
    made = Bench()
    yield made
    made.close()
