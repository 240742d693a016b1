"""A component gets other code while its system runs: the same as a run from zero with that code, and quicker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.cli.ctl_parts.way import way_words
from studio.errors import StudioError
from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import find_running
from tests.runtime.replay.played import write_rig
from tests.runtime.test_live_stepping import CODE, PROFILE
from tests.waiting import await_true

ROOT = Path(__file__).parents[2]
SYSTEM = """<system name="robot" version="1">
  <source name="platform" mode="logged">
    <port name="level" direction="out" type="Float64"/>
    <logged log="rig.mcap"><bind port="level" topic="/rig/a"/></logged>
  </source>
  <component name="adder" type="adder"/>
  <component name="filter" type="low_pass"/>
  <component name="last" type="low_pass"/>
  <component name="clock" type="signal_source" mode="periodic" period_s="0.03"/>
  <wire from="platform.level" to="adder.raw"/>
  <wire from="adder.sum" to="filter.raw"/>
  <wire from="filter.smooth" to="last.raw"/>
</system>"""
PLAIN = CODE.replace("FACTOR", "1.0")
LATER = CODE.replace("FACTOR", "(1.0 if self.total < 500 else 2.0)")
"""Publishes the same as the plain one for a while."""
SLOW = PLAIN.replace("import os\n", "import os\nimport time\n").replace(
    "    def on_raw(self, message):\n", "    def on_raw(self, message):\n        time.sleep(0.1)\n"
)
NUMBERED = PLAIN.replace(
    "        self.total = 0.0\n", "        self.total = 0.0\n        self.sum.publish(Float64(7.0))\n"
)
"""Does something else from the very first moment on."""

RARE = PLAIN.replace(
    "        self.sum.publish", "        if self.total > 500:\n            self.rare()\n        self.sum.publish", 1
)
RARE += """
    def rare(self):
        self.total += 1.0

    def never(self):
        return None
"""
"""Calls a function that it did not call at first."""
FULL = "raise OSError('the disk is full')"
ENDS = PLAIN.replace("        self.total +=", "        os._exit(3)\n        self.total +=")
"""With its first input."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "robot"
    own = folder / "components" / "adder"
    own.mkdir(parents=True)
    (own / "component.xml").write_text(PROFILE)
    (folder / "system.xml").write_text(SYSTEM)
    write_rig(folder / "rig.mcap")
    write(folder, PLAIN)
    return folder


def write(project: Path, code: str) -> None:
    (project / "components" / "adder" / "adder.py").write_text(code)


@contextmanager
def running(project: Path, gate: str = "lockstep") -> Iterator[Attachment]:
    words = [sys.executable, "-m", "studio", "run", str(project), "--gate", gate, "--stay", "--paused", "--trust"]
    done = subprocess.run([*words, "--detach", "--json"], capture_output=True, text=True, timeout=50, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    system = find_running(json.loads(done.stdout)["run"])
    try:
        with Attachment(system.run_folder, "test") as attachment:
            attachment.ask("take", force=True)
            yield attachment
    finally:
        os.kill(system.pid, signal.SIGTERM)
        await_true(lambda: not system.is_alive(), "the runtime to end", 20)


def drive(system: Attachment) -> None:
    """A parameter is changed on the way: it is part of what has happened, and not of how it began."""
    system.ask("step", count=60, timeout_s=60)
    system.ask("set", component="adder", name="offset", value=3.0)
    system.ask("step", count=150, timeout_s=60)


def digest(system: Attachment) -> dict[str, Any]:
    told: dict[str, Any] = system.ask("digest", timeout_s=60)["digest"]
    return told


@pytest.mark.must_not_flake
def test_a_reload_is_a_run_from_zero_with_the_new_code(project: Path) -> None:
    with running(project) as system:
        drive(system)
        before, position = digest(system), system.ask("snapshot")["snapshot"]["stepping"]["position"]

        # Nothing changes: nobody else computes, and the way back is as it was.
        write(project, PLAIN + "# the same\n")
        system.ask("step", count=1)
        system.ask("back", count=1)
        assert system.ask("again", component="adder", timeout_s=60)["same"] is True
        assert digest(system) == before
        system.ask("back", count=100, timeout_s=60)
        system.ask("step", count=100, timeout_s=60)
        assert digest(system) == before

        # Also over a place that was kept before a way back and forth: the new process does not know it.
        system.ask("back", count=100, timeout_s=60)
        assert system.ask("again", component="adder", timeout_s=60)["same"] is True
        system.ask("step", count=100, timeout_s=60)
        system.ask("back", count=190, timeout_s=60)
        system.ask("step", count=190, timeout_s=60)
        assert system.ask("again", component="adder", timeout_s=60)["same"] is True
        for place in (position - 100, position):
            assert system.ask("go_to", position=place, timeout_s=60)["position"] == place
        assert digest(system) == before

        found = {}
        for name, code in {"later": LATER, "numbered": NUMBERED, "plain": PLAIN}.items():
            write(project, code)
            reply = system.ask("again", component="adder", timeout_s=60)
            found[name] = (digest(system), reply["position"])
        assert found["plain"] == (before, position)
    write(project, LATER)
    with running(project) as fresh:
        drive(fresh)
        assert digest(fresh) == found["later"][0] != before


@pytest.mark.must_not_flake
def test_bodies_of_functions_are_exchanged_where_they_were_not_called_yet(project: Path) -> None:
    """The process stays, and goes no further back than to the first call; everything else takes a new one."""
    write(project, RARE)
    rare = RARE.replace("+= 1.0", "+= 2.0")
    with running(project) as system:
        drive(system)
        before, pid = digest(system), pid_of(system)
        for code in (f"# lines move\n{RARE}", RARE.replace("return None", "return 5")):
            assert again(system, project, code)["same"] is True
            assert (digest(system), pid_of(system)) == (before, pid)
        system.ask("back", count=100, timeout_s=60)
        system.ask("step", count=100, timeout_s=60)
        assert digest(system) == before

        exchanged = again(system, project, rare), digest(system)
        assert pid_of(system) == pid and exchanged[1] != before
        # A step back over the first call, and another way from there: it comes at an event of its own.
        system.ask("back", count=200, timeout_s=60)
        system.ask("step", count=200, timeout_s=60)
        assert digest(system) == exchanged[1]
        again(system, project, RARE)
        assert (digest(system), pid_of(system)) == (before, pid)

        restarted = again(system, project, f"{rare}\nLIMIT = 3\n"), digest(system)
        assert pid_of(system) != pid, "what is computed on import takes a new process"
        assert restarted[1] == exchanged[1]
        assert "more than the bodies of functions has changed" in restarted[0].pop("restarted")
        assert exchanged[0].pop("restarted") == ""
        assert {**restarted[0], "id": 0} == {**exchanged[0], "id": 0}
    write(project, rare)
    with running(project) as fresh:
        drive(fresh)
        assert digest(fresh) == exchanged[1]


@pytest.mark.must_not_flake
def test_only_other_content_of_a_file_that_it_uses_takes_a_new_process(project: Path) -> None:
    """Not one that got a second name: whoever makes another environment from the same packages gives one to each."""
    table = project / "components" / "adder" / "table.txt"
    table.write_text("1 2 3")
    with running(project) as system:
        drive(system)
        pid = pid_of(system)
        (project / "second_name").hardlink_to(table)
        assert again(system, project, f"# lines move\n{PLAIN}")["restarted"] == "" and pid_of(system) == pid
        table.write_text("1 2 4")
        assert again(system, project, PLAIN)["restarted"] == f"{table} has changed, too" and pid_of(system) != pid


def again(system: Attachment, project: Path, code: str) -> dict[str, Any]:
    write(project, code)
    told: dict[str, Any] = system.ask("again", component="adder", timeout_s=60)
    return told


def pid_of(system: Attachment) -> int:
    return int(system.ask("snapshot")["snapshot"]["processes"]["adder"]["pid"])


def test_a_long_way_tells_how_far_it_is_and_can_be_cancelled(project: Path) -> None:
    with running(project) as system, ThreadPoolExecutor(1) as pool:
        system.ask("step", count=150, timeout_s=60)
        before = digest(system)
        write(project, SLOW)
        asked = pool.submit(system.ask, "again", component="adder", timeout_s=60)
        assert system.wait_for(lambda: way_of(system.state) and (way_of(system.state) or {}).get("part"), 30)
        assert "Reloading adder" in way_words(system.state) and "%" in way_words(system.state)
        with Attachment(run_of(system), "somebody else") as other:
            other.ask("cancel")  # whoever sees it may, as with a stop
        reply = asked.result()
        assert reply["cancelled"] and not reply["same"] and reply["position"] < 150
        # Where it has come to it is a system like any other, with the new code.
        write(project, PLAIN)
        assert system.ask("again", component="adder", timeout_s=60)["same"]
        system.ask("go_to", position=150, timeout_s=60)
        assert digest(system) == before and way_words(system.state) == ""


def run_of(system: Attachment) -> Path:
    return find_running(system.state["run"]).run_folder


def way_of(state: dict[str, Any]) -> dict[str, Any] | None:
    way: dict[str, Any] | None = state["stepping"]["way"]
    return way


def test_in_free_run_the_component_begins_anew_and_the_system_goes_on(project: Path) -> None:
    with running(project, "run") as system:
        before = {name: told["pid"] for name, told in system.state["processes"].items()}
        write(project, LATER)
        reply = system.ask("again", component="adder", timeout_s=60)
        assert reply["same"] is None and "without lockstep" in reply["why"]
        assert system.wait_for(lambda: system.state["processes"]["adder"]["pid"] != before["adder"], 20)
        assert system.state["processes"]["filter"]["pid"] == before["filter"]
        system.ask("gate", mode="run")
        await_true(lambda: system.state["components"]["adder"]["state"] == "active", "the new code to be active", 20)


@pytest.mark.must_not_flake
@pytest.mark.parametrize("broken", [FULL, ENDS], ids=["at its start", "with its inputs"])
def test_code_that_ends_stays_down_until_other_code_is_asked_for(project: Path, broken: str) -> None:
    """Started again by itself, it could find the next code, and begin with that where nobody told it to."""
    with running(project) as system:
        drive(system)
        before = digest(system)
        for _ in range(2):
            with pytest.raises(StudioError, match="with this code"):
                again(system, project, broken)
            told = system.ask("snapshot")["snapshot"]["processes"]["adder"]
            assert told["condition"] == "dead" and "its process ended with exit status" in told["last_exit"]
        assert again(system, project, PLAIN)["same"] is True
        assert digest(system) == before
        system.ask("back", count=30, timeout_s=60)
        system.ask("step", count=30, timeout_s=60)
        assert digest(system) == before


@pytest.mark.must_not_flake
def test_a_restart_by_hand_after_code_that_ends_begins_anew(project: Path) -> None:
    with running(project) as system:
        drive(system)
        with pytest.raises(StudioError, match="with this code"):
            again(system, project, FULL)
        write(project, PLAIN)
        system.ask("restart", name="adder", timeout_s=60)
        assert again(system, project, LATER)["same"] is True, "from where it has begun anew"
        assert "was restarted since then" in system.ask("snapshot")["snapshot"]["stepping"]["why_not"]
