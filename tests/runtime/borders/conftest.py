"""A system that runs as users run it, and is attacked."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from studio.errors import StudioError
from studio.runtime.client.running_systems import find_running
from studio.runtime.wire.frames import LOG_TOPIC, Kind
from tests.conftest import ROOT
from tests.running_project import RunningProject, running
from tests.runtime.borders.attack import Pusher, text_frame
from tests.waiting import await_true

MACHINERY = ("broker", "recorder")
PATIENCE_S = 60.0
FIRST_STEPS = ROOT / "projects" / "first_steps"


class Victim:
    """A recorded system, and which processes it had before it was attacked."""

    def __init__(self, project: RunningProject, log: Path) -> None:
        self.project = project
        self.log = log
        self.system = find_running(str(project.state["run"]))
        self.folder = self.system.run_folder
        self.pids = self.find_pids()
        self._fences = 0

    def find_pids(self) -> dict[str, int | None]:
        told: dict[str, Any] = self.project.state["processes"]
        return {"runtime": self.system.pid} | {name: told[name]["pid"] for name in MACHINERY}

    def stands(self) -> None:
        """What was sent has been read; the machinery is the same as before, it answers, and events flow."""
        self.still_hears("all of it")
        await_true(lambda: "hung" not in self.project.states(), f"all to report; {self.project.brief()}", PATIENCE_S)
        assert self.find_pids() == self.pids and self.system.is_alive()
        assert "error" not in self.project.states(), self.failures()
        self.project.flows()
        assert self.project.ask("output", name="signal")["ok"]

    def failures(self) -> dict[str, str]:
        return {name: told["error"] for name, told in self.project.state["components"].items() if told["error"]}

    def malformed(self, sender: str) -> int:
        """How many of a sender's messages were refused."""
        return int(self.project.state["malformed"].get(sender, {"count": 0})["count"])

    def listed(self) -> str:
        """What `studio ctl list` prints."""
        words = [sys.executable, "-m", "studio", "ctl", "list", "--run", self.system.run]
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60, cwd=ROOT).stdout

    def still_hears(self, attack: str, behind: Pusher | None = None) -> None:
        """A good log line behind all that was sent comes out at the other end; `behind`: on the same connection, as
        the broker takes from each in turn."""
        self._fences += 1
        text = f"fence {self._fences}"
        line = text_frame(LOG_TOPIC, Kind.LOG, f'{{"component": "signal", "level": "info", "text": "{text}"}}')
        lines = self.project.attachment.lines
        pusher = behind or Pusher(self.folder)

        def came() -> bool:
            return any(each["text"] == text for each in list(lines))

        end = time.monotonic() + PATIENCE_S
        while not came():  # more than once: the runtime hears at the tap, which drops when it is flooded
            assert time.monotonic() < end, f"no log line came through behind {attack}"
            pusher.send(line)
            again = time.monotonic() + 1.0
            while not came() and time.monotonic() < again:
                time.sleep(0.005)
        if behind is None:
            pusher.close()

    def is_well(self) -> bool:
        try:
            return self.system.is_alive() and bool(self.project.attachment.ask("snapshot", timeout_s=5)["ok"])
        except StudioError:
            return False


class Victims:
    """The system that the tests of a module share; another one when a test has destroyed it."""

    def __init__(self, started: ExitStack, logs: Path) -> None:
        self._started, self._logs = started, logs
        self._count = 0
        self.one = self._next()

    def _next(self) -> Victim:
        self._count += 1
        log = self._logs / f"log{self._count}.mcap"
        return Victim(self._started.enter_context(running(FIRST_STEPS, "--record", str(log))), log)

    def replace(self) -> None:
        self._started.close()
        self.one = self._next()


@pytest.fixture(scope="module")
def victims(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victims]:
    with ExitStack() as started:
        yield Victims(started, tmp_path_factory.mktemp("attacked"))


@pytest.fixture
def victim(victims: Victims) -> Iterator[Victim]:
    if not victims.one.is_well():
        victims.replace()
    yield victims.one
