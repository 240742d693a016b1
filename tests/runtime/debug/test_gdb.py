"""A program in C under a real gdb: the system stands with it, at a line that gdb tells, and goes on with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.runtime.base.clock import ClockKind
from studio.runtime.base.turns import Turns
from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.debug import native
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.freeze import Freeze
from studio.runtime.debug.host_line import DebugError
from studio.runtime.debug.native import gdb_obstacle
from studio.runtime.debug.requests import DebugRequests
from studio.runtime.session.session import Session
from tests.components.c_filter_program import FOLDER, build
from tests.components.test_c_filter_system import plan
from tests.waiting import await_true

SOURCE = str(FOLDER / "c_filter.c")


class World:
    """A signal, the filter in C and a sink, running freely; gdb gets its commands through a pipe."""

    def __init__(self) -> None:
        build()
        self.session = Session(plan(), clock=ClockKind.SIMULATION, start_ns=0)
        self.freeze = Freeze(self.session)
        self.debugger = Debugger(self.session, self.freeze)
        self.requests = DebugRequests(self.session, self.debugger, Turns())
        self.session.launch()
        self.session.start("run")
        told = self.requests.job(asked.Debug(component="filter"))()
        self.pid = int(told["pid"])
        self.gdb = subprocess.Popen(told["command"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)

    def say(self, words: str) -> None:
        assert self.gdb.stdin is not None
        self.gdb.stdin.write(f"{words}\n")
        self.gdb.stdin.flush()

    @property
    def stop(self) -> dict[str, Any]:
        return self.debugger.facts()["hosts"]["filter"]["stopped"] or {}

    def goes_on(self) -> None:
        await_true(lambda: self.freeze.frozen is None and self.session.mode == "run", "the system to go on")

    def close(self) -> None:
        self.gdb.kill()
        self.gdb.communicate()
        self.debugger.close()
        self.session.close()


@pytest.fixture
def world() -> Iterator[World]:
    if obstacle := str(gdb_obstacle()):
        pytest.skip(obstacle)
    made = World()
    yield made
    made.close()


def test_the_system_stands_where_gdb_stops_the_program_and_goes_on_with_it(world: World) -> None:
    await_true(lambda: world.stop.get("function"), "gdb to have attached and told where it stands")
    await_true(lambda: world.session.mode == "pause", "the gate to close")
    assert world.stop["reason"] == "pause"
    with pytest.raises(DebugError, match="a debugger in a terminal has stopped filter"):
        world.requests.job(asked.Continue())()
    world.say("break take")
    world.say("continue")
    await_true(lambda: world.stop.get("function") == "take", "the breakpoint")
    frozen, line = world.freeze.frozen, world.stop["line"]
    assert frozen is not None and frozen["why"] == "breakpoint" and (frozen["file"], frozen["line"]) == (SOURCE, line)
    with pytest.raises(DebugError), world.freeze.muted():  # what goes back would have to let it go
        pass
    world.say("next")
    await_true(lambda: world.stop.get("line", 0) > line, "the next line")
    assert world.stop["reason"] == "step" and world.freeze.frozen is not None
    world.say("delete")
    world.say("continue")
    world.goes_on()
    world.gdb.send_signal(signal.SIGINT)
    await_true(lambda: world.stop.get("reason") == "pause", "gdb to interrupt it")
    world.say("continue")
    world.goes_on()
    os.kill(world.pid, signal.SIGSEGV)
    await_true(lambda: world.stop.get("text") == "SIGSEGV", "gdb to catch the signal")
    assert world.freeze.frozen is not None and world.freeze.frozen["why"] == "exception"
    world.say("signal 0")
    world.goes_on()
    world.gdb.send_signal(signal.SIGHUP)  # what a terminal sends that is closed
    world.gdb.wait(30)
    world.goes_on()
    assert world.session.processes()["filter"].pid == world.pid and not world.session.restarts


@pytest.mark.skipif(bool(str(gdb_obstacle())), reason=str(gdb_obstacle()))
def test_gdb_lets_go_of_a_program_that_is_killed_while_it_stands(tmp_path: Path) -> None:
    environment = {**os.environ, "STUDIO_RUN": str(tmp_path), "STUDIO_HOST": "sleeper"}
    program = subprocess.Popen(["sleep", "1000"], env=environment)
    command = native.gdb_command(program.pid)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as gdb:
        await_true((tmp_path / "gdb.sleeper.json").exists, "gdb to have attached")
        program.kill()
        assert program.wait(30) == -signal.SIGKILL  # a zombie that gdb still had could not be waited for
        gdb.kill()


def test_what_keeps_gdb_away_is_told_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = tmp_path / "ptrace_scope"
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/gdb")
    assert str(gdb_obstacle(scope)) == ""
    monkeypatch.setattr(native, "_may_trace_all", lambda: False)
    for level, remedy in (("0\n", ""), ("1\n", "sudo sysctl kernel.yama.ptrace_scope=0")):
        scope.write_text(level)
        assert gdb_obstacle(scope).remedy == remedy
    monkeypatch.setattr(native, "_may_trace_all", lambda: True)
    assert str(gdb_obstacle(scope)) == ""
    scope.write_text("3\n")
    assert "until it is restarted" in str(gdb_obstacle(scope))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert str(gdb_obstacle(scope)) == "gdb is not installed: sudo apt install gdb"
