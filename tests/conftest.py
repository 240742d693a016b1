"""Shared by all tests: the scale of counts, and a home that is not the developer's."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.collecting import in_one_order, share_the_compiling
from tests.failure_record import FailureRecord
from tests.leftovers import Leftovers

PATIENT_S = 300
ROOT = Path(__file__).resolve().parent.parent
# The projects of the tests are ours. Here, as fixtures of modules start before those of tests.
os.environ["STUDIO_TRUST"] = "all"
# Who looks for running systems finds those of this process, and not what others of the machine have going.
_RUNS = tempfile.TemporaryDirectory(prefix="studio-t-")
os.environ["STUDIO_RUNS"] = _RUNS.name
# What the tests record is not among the developer's recordings.
RECORDINGS = Path(_RUNS.name) / "recordings"
os.environ["STUDIO_RECORDINGS"] = str(RECORDINGS)
# Hundreds of processes import numpy; the threads of its algebra would cost each as much again, for nothing.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shared or busy machine must not make a property test fail.
settings.register_profile("studio", deadline=None)
settings.load_profile("studio")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the long versions: full counts, hours if need be")
    parser.addoption("--record-failures", metavar="FILE", help="write each failure there, as a line of JSON")
    parser.addoption("--leftovers", action="store_true", help="fail what leaves something behind in every folder")
    parser.addoption("--second-chance", action="store_true", help="what failed is tried again: see must_not_flake")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--soak"):
        config.option.markexpr = ""
        config.option.timeout = 6 * 3600
    config.pluginmanager.register(Leftovers(Path(_RUNS.name), everywhere=config.getoption("--leftovers")))
    if worker := getattr(config, "workerinput", None):
        share_the_compiling(config, worker)
    elif record := config.getoption("--record-failures"):
        config.pluginmanager.register(FailureRecord(Path(record), again=config.getoption("--second-chance")))


@pytest.hookimpl(tryfirst=True)  # before pytest puts those together that share a fixture
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`--soak` runs what has a long version, and nothing else. Who may not try again gets the time that it takes."""
    in_one_order(items)
    for item in items:
        if item.get_closest_marker("must_not_flake") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(PATIENT_S))
    if config.getoption("--soak"):
        long = [item for item in items if item.get_closest_marker("soak") or "scaled" in _fixtures(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in long])
        items[:] = long
        for item in long:  # a limit that is meant for one per cent of the counts does not hold here
            item.add_marker(pytest.mark.timeout(config.option.timeout), append=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A replay that is the same every other time is not the same: what came out wrong once has failed."""
    if item.config.getoption("--second-chance") and item.get_closest_marker("must_not_flake"):
        pytest.fail("it has failed, and is one of those that may not fail even once (must_not_flake)", pytrace=False)


def _fixtures(item: pytest.Item) -> list[str]:
    return list(getattr(item, "fixturenames", ()))


@pytest.fixture
def scaled(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """`scaled(1_000_000)` is the full count under `make soak` and one per cent of it in the ordinary tests."""
    soak = bool(request.config.getoption("--soak"))
    return lambda count: count if soak else max(1, count // 100)


@pytest.fixture(scope="session")
def checkout() -> Path:
    return ROOT


@pytest.fixture(autouse=True)
def _clean_environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the developer's own search path reaches a test, and no recording of another test."""
    monkeypatch.delenv("STUDIO_PATH", raising=False)
    monkeypatch.setenv(
        "STUDIO_RECORDINGS", str(RECORDINGS / hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12])
    )
