"""Fixtures of the channel's tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.runtime.plan.plan import Plan
from tests.runtime.channel.payload_tools import SHARED, STARTED, kill
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


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of shared payloads, in memory."""
    path = Path(tempfile.mkdtemp(prefix="studio-test-", dir=SHARED))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test() -> Iterator[None]:
    yield
    while STARTED:
        kill(STARTED.pop())
