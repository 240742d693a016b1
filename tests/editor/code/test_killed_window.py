"""A window that is killed while its debugger holds the system: nobody waits for it, and others have the system."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from studio.cli import main
from studio.runtime.attach import Attachment
from studio.runtime.running_systems import RunningSystem, running_systems
from tests.editor.code.robot import STOP, write_robot
from tests.waiting import await_true

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATIENCE_S = 120.0


class Killed:
    """A window with a system, and whether both are there."""

    def __init__(self, folder: Path) -> None:
        file = write_robot(folder / "robot")
        words = [sys.executable, str(HERE / "debugging_window.py"), str(folder), str(folder / "robot"), "adder"]
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
        self.folder = folder
        self.window = subprocess.Popen([*words, str(file), str(STOP)], env=env, stderr=subprocess.DEVNULL)

    def system(self) -> RunningSystem | None:
        found = [each for each in running_systems() if Path(each.folder).is_relative_to(self.folder)]
        return found[0] if found else None

    def close(self) -> None:
        self.window.kill()
        self.window.wait()
        system = self.system()
        if system is not None:
            with suppress(ProcessLookupError):
                os.kill(system.pid, signal.SIGTERM)
            await_true(lambda: not system.is_alive(), "the system to end", PATIENCE_S)


@pytest.fixture
def killed(tmp_path: Path) -> Iterator[Killed]:
    made = Killed(tmp_path)
    yield made
    made.close()


@pytest.mark.timeout(400)
def test_a_window_killed_at_a_breakpoint_leaves_a_system_that_goes_on_and_can_be_stopped(
    killed: Killed, capsys: pytest.CaptureFixture[str]
) -> None:
    await_true(lambda: killed.system() is not None or killed.window.poll() is not None, "a system", PATIENCE_S)
    system = killed.system()
    assert system is not None, "the window has ended by itself"
    with Attachment(system.run_folder, "test") as others:
        assert others.wait_for(lambda: (others.state.get("debug") or {}).get("frozen"), PATIENCE_S), "a stop"
        killed.window.send_signal(signal.SIGKILL)
        killed.window.wait()
        assert others.wait_for(lambda: others.state["debug"]["frozen"] is None, PATIENCE_S), "still held"
        assert others.wait_for(lambda: others.state["gate"] == "run" and not others.state["control"], PATIENCE_S)
        handled = int(others.state["components"]["adder"]["handled"])
        assert others.wait_for(lambda: others.state["components"]["adder"]["handled"] > handled, PATIENCE_S)
        for words in (["pause"], ["step", "3"], ["continue"], ["start"]):
            assert main(["ctl", *words, "--run", system.run]) == 0, capsys.readouterr().err
    assert main(["stop", system.run]) == 0
    await_true(lambda: not system.is_alive(), "the end of the system", PATIENCE_S)
