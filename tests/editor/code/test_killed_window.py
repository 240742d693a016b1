"""A window that is killed while its debugger holds the system: nobody waits for it, and others have the system."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from studio.cli import main
from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import RunningSystem, running_systems
from tests.editor.code.robot import STOP, write_robot
from tests.waiting import await_true

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATIENCE_S = 120.0
MOMENTS = ("attaching", "stepping", "reloading")


class Killed:
    """A window with a system, and whether both are there."""

    def __init__(self, folder: Path) -> None:
        file = write_robot(folder / "robot")
        self.words = [sys.executable, str(HERE / "debugging_window.py"), str(folder), str(folder / "robot"), "adder"]
        self.words += [str(file), str(STOP)]
        self.folder = folder
        self.window = self.open()

    def open(self, *moment: str) -> subprocess.Popen[bytes]:
        """Another window, on the same project; it may kill itself."""
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
        self.window = subprocess.Popen([*self.words, *moment], env=env, stderr=subprocess.DEVNULL)
        return self.window

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


def _goes_on(others: Attachment, what: str) -> None:
    """Nobody is held; one who was being given other code leaves the gate closed, as it does with a window there."""
    free = lambda: others.state["debug"]["frozen"] is None and not others.state["control"]  # noqa: E731
    assert others.wait_for(free, PATIENCE_S), f"{what}: {others.state['debug']}"
    others.ask("gate", mode="run", timeout_s=PATIENCE_S)
    handled = int(others.state["components"]["adder"]["handled"])
    goes = lambda: others.state["components"]["adder"]["handled"] not in (0, handled)  # noqa: E731
    assert others.wait_for(goes, PATIENCE_S), f"{what}: {others.state['gate']}, {others.state['debug']}"


@pytest.mark.timeout(400)
def test_a_window_killed_at_any_moment_leaves_a_system_that_goes_on_and_can_be_stopped(
    killed: Killed, capsys: pytest.CaptureFixture[str], scaled: Callable[[int], int]
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
        choose = random.Random(11)
        for number in range(max(len(MOMENTS), scaled(100))):
            moment, after_ms = MOMENTS[number % len(MOMENTS)], str(choose.randrange(200))
            window = killed.open(moment, after_ms)
            assert window.wait(PATIENCE_S) == -signal.SIGKILL, f"{moment}: the window has ended by itself"
            _goes_on(others, f"{moment}, killed {after_ms} ms later")
    assert main(["stop", system.run]) == 0
    await_true(lambda: not system.is_alive(), "the end of the system", PATIENCE_S)
