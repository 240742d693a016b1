"""What a test leaves behind fails it: threads, processes, running systems, shared memory, widgets, timers.

The next tests of the process would have to live with it, and fail or crash for no reason of theirs. What a fixture of a
module or of the session has made may stay until that ends; so may threads, processes, systems and memory that have come
while a fixture of the module was there, as they may be of that.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests import qt_leftovers

GRACE_S = 20.0
"""What has been told to end may take a moment."""
CLEAN = (
    "tests/components/",
    "tests/messages/",
    "tests/model/",
    "tests/projects/",
    "tests/runtime/actuator/",
    "tests/runtime/borders/",
    "tests/runtime/causality/",
    "tests/runtime/channel/",
    "tests/runtime/debug/",
    "tests/runtime/recording/",
    "tests/runtime/replay/",
    "tests/runtime/sim/",
    "tests/runtime/strikes/",
    "tests/runtime/test_",
    "tests/tools/",
)
"""What was looked through. `pytest --leftovers` checks the others, too: mend what it finds there, and add them here."""
STAYS = ("thread ", "process ", "system ", "shared memory ")
"""What the fixture of a module may make while it is used."""
SHARED_BY_ALL = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "studio fork server")
"""Processes that are started once and end with the one that runs the tests."""


class Leftovers:
    """A plugin of pytest. `runs`: the folder of running systems that only this process and its children use.

    `everywhere`: not only in the folders that were found clean.
    """

    def __init__(self, runs: Path, *, everywhere: bool) -> None:
        self._runs = runs
        self._everywhere = everywhere
        self._checks = everywhere
        self._known: dict[object, str] = {}
        self._staying: set[object] = set()
        """What may be of a fixture that is still there: to be gone when that is."""
        self._of_modules: set[pytest.FixtureDef[Any]] = set()
        """Fixtures that are there for several tests, but not for all."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self._checks = self._everywhere or item.nodeid.startswith(CLEAN)
        if not self._checks:
            return (yield)
        self._known = {key: name for key, name in self._found(timers=False).items() if key not in self._staying}
        gc.freeze()  # what is there already need not be looked through for timers after the test
        try:
            return (yield)
        finally:
            gc.unfreeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
        """What is made for several tests is not of this one."""
        if fixturedef.scope == "function" or not self._checks:
            return (yield)
        before = self._found()
        try:
            return (yield)
        finally:
            self._known |= {key: name for key, name in self._found().items() if key not in before}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[Any]:
        result = yield
        item.funcargs = {}  # type: ignore[attr-defined]  # pytest keeps what it gave to the test for a little longer
        who = "this test, or by one of its module before it" if self._staying else "this test"
        if self._checks and (left := self._left(item)):
            pytest.fail(f"left behind by {who}: {', '.join(sorted(left.values()))}", pytrace=False)
        return result

    def _left(self, item: pytest.Item) -> dict[object, str]:
        end = time.monotonic() + GRACE_S
        qt_leftovers.delete()
        self._of_modules |= {each for each in _fixtures(item) if each.scope in ("class", "module", "package")}
        self._of_modules = {each for each in self._of_modules if each.cached_result is not None}
        self._staying.clear()
        while left := self._new(uses_qt="qapp" in getattr(item, "fixturenames", ())):
            if self._of_modules and all(name.startswith(STAYS) for name in left.values()):
                self._staying |= left.keys()
                return {}
            if time.monotonic() > end:
                return left
            gc.collect()
            qt_leftovers.delete()
            time.sleep(0.01)
        return {}

    def _new(self, *, uses_qt: bool) -> dict[object, str]:
        """A window that is kept for later tests may make another one while a test without Qt runs."""
        found = {key: name for key, name in self._found(timers=uses_qt).items() if key not in self._known}
        return found if uses_qt else {key: name for key, name in found.items() if not name.startswith("widget ")}

    def _found(self, *, timers: bool = True) -> dict[object, str]:
        """Key -> name of all that there is now."""
        found = threads() | processes(os.getpid()) | systems(self._runs) | shared_memory() | qt_leftovers.windows()
        return found | qt_leftovers.timers() if timers else found


def _fixtures(item: pytest.Item) -> list[pytest.FixtureDef[Any]]:
    return [each[-1] for each in item._fixtureinfo.name2fixturedefs.values()]  # type: ignore[attr-defined]


def threads() -> dict[object, str]:
    own = (each for each in threading.enumerate() if not isinstance(each, threading._DummyThread))
    return {("thread", each.ident): f"thread {each.name}" for each in own}


def processes(parent: int) -> dict[object, str]:
    """All below it. One that ended is there until its parent has waited for it."""
    found: dict[object, str] = {}
    for pid in _children(parent):
        command = _command(pid)
        if not any(word in command for word in SHARED_BY_ALL):
            found[("process", pid)] = f"process {pid} ({command})"
            found |= processes(pid)
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return found


def _command(pid: int) -> str:
    command = b""
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    return command.replace(b"\0", b" ").decode(errors="replace").strip() or "ended"


def systems(runs: Path) -> dict[object, str]:
    """Also those that were started detached, and have no parent of ours."""
    with suppress(FileNotFoundError):
        return {("system", name): f"system {name}" for name in os.listdir(runs) if (runs / name).is_dir()}
    return {}


def shared_memory() -> dict[object, str]:
    """Files in it that this process holds open. What a killed process leaves there is removed by the next run."""
    found: dict[object, str] = {}
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            file = os.readlink(f"/proc/self/fd/{descriptor}")
            if file.startswith("/dev/shm/"):
                found[("memory", file)] = f"shared memory {file}"
    return found
