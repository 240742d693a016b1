"""Programs that Studio starts and that are not its own: what they find around them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import await_true

PROFILE = """<component type="probe" category="sensor">
  <entry command="./probe"/>
  <port name="value" direction="out" type="Float64"/>
</component>
"""
SYSTEM = """<system name="probing" version="1">
  <component name="probe" type="probe"/>
</system>
"""
PROGRAM = """#!/bin/sh
env > environment.txt
cat /proc/self/status > status.new
mv status.new status.txt
"""
IGNORING = "trap '' INT QUIT HUP; exec \"$@\""


def project_in(folder: Path) -> Path:
    """One component, a program that writes down what it finds and ends."""
    probe = folder / "probing/components/probe"
    probe.mkdir(parents=True)
    (probe / "component.xml").write_text(PROFILE)
    (probe / "probe").write_text(PROGRAM)
    (probe / "probe").chmod(0o755)
    (folder / "probing/system.xml").write_text(SYSTEM)
    return folder / "probing"


def found_by_program(folder: Path, environment: dict[str, str]) -> tuple[dict[str, str], int]:
    """Its environment and the mask of the signals that it ignores, when a shell that ignores some starts Studio."""
    project = project_in(folder)
    command = [sys.executable, "-P", "-m", "studio", "run", str(project)]
    process = subprocess.Popen(
        ["/bin/sh", "-c", IGNORING, "sh", *command],
        env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    probe = project / "components/probe"
    try:
        await_true((probe / "status.txt").exists, "the program has run")
    finally:
        process.terminate()
        process.wait(20)
    lines = (probe / "environment.txt").read_text().splitlines()
    found = dict(line.split("=", 1) for line in lines if "=" in line)
    status = dict(line.split(":", 1) for line in (probe / "status.txt").read_text().splitlines())
    return found, int(status["SigIgn"], 16)


@pytest.mark.parametrize("callers", ["", "/somewhere/modules"])
def test_a_program_finds_signals_at_their_default_and_no_path_of_our_interpreter(tmp_path: Path, callers: str) -> None:
    environment, ignored = found_by_program(tmp_path, {"PYTHONPATH": callers} if callers else {})
    names = [each.name for each in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP) if ignored & 1 << (each - 1)]
    assert names == []
    assert environment.get("PYTHONPATH", "") == callers
    assert not [name for name in environment if name.startswith("STUDIO_CALLERS")]
    assert environment["STUDIO_COMPONENT"] == "probe"


PRINTS_IGNORED = "['grep', 'SigIgn', '/proc/self/status']"
COMMAND = f"""
import subprocess
from studio.cli import main
main(["--version"])
subprocess.run({PRINTS_IGNORED})
"""
SPAWNED = f"""
from studio.runtime.channel.run_folder import RunFolders
from studio.runtime.processes.captured_output import Outputs
from studio.runtime.processes.spawning import spawn
folders, outputs = RunFolders(), Outputs()
spawn("grep", {PRINTS_IGNORED}, folders, outputs).wait(20)
print(*(line.text for line in outputs.lines("grep")))
folders.close()
"""
TERMINAL = f"""
from PyQt6.QtCore import QCoreApplication
from studio.editor.terminal.pseudo_terminal import PseudoTerminal
app = QCoreApplication([])
terminal = PseudoTerminal({PRINTS_IGNORED}, 80, 24)
terminal.said.connect(lambda data: print(data.decode()))
terminal.ended.connect(app.quit)
app.exec()
"""


@pytest.mark.parametrize("code", [COMMAND, SPAWNED, TERMINAL], ids=["command", "library", "terminal"])
def test_each_way_to_start_programs_gives_them_signals_at_their_default(code: str) -> None:
    words = [sys.executable, "-P", "-c", code]
    said = subprocess.check_output(["/bin/sh", "-c", IGNORING, "sh", *words], text=True, timeout=60)
    ignored = int(said.partition("SigIgn:")[2].split()[0], 16)
    assert [each.name for each in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP) if ignored & 1 << (each - 1)] == []
