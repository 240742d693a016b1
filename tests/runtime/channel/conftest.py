"""Fixtures of the channel's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from studio.runtime.plan import Plan
from tests.runtime.systems import ProcessRun


@pytest.fixture
def open_session() -> Iterator[Callable[..., ProcessRun]]:
    """Starts systems as processes, behind the barrier and activated; closes them at the end."""
    runs: list[ProcessRun] = []

    def open_one(plan: Plan, **options: object) -> ProcessRun:
        runs.append(ProcessRun(plan, **options))  # type: ignore[arg-type]
        runs[-1].start()
        return runs[-1]

    yield open_one
    for run in runs:
        run.close()
