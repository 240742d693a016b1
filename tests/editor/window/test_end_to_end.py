"""As a new user would: a mouse, a keyboard, a window manager, and nothing else."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.model.document import SystemDocument
from studio.model.project import Project
from studio.recordings import recordings_of
from studio.runtime.client.running_systems import running_systems

NEEDED = ("Xvfb", "openbox", "xdotool")
HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATIENCE_S = 60.0

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in NEEDED), reason=f"needs {', '.join(NEEDED)}: make setup installs them"
)


class Screen:
    """A display of its own, with a window manager."""

    def __init__(self) -> None:
        reader, writer = os.pipe()
        words = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
        self.server = subprocess.Popen(words, pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as stream:
            self.name = f":{stream.readline().strip()}"
        self.env = {**os.environ, "DISPLAY": self.name, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
        self.manager = subprocess.Popen(["openbox"], env=self.env, stderr=subprocess.DEVNULL)

    def do(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self.env, check=True, timeout=20, capture_output=True)

    def close(self) -> None:
        for process in (self.manager, self.server):
            process.terminate()
            process.wait(timeout=20)


class Driven:
    def __init__(self, screen: Screen, home: Path, project: Path) -> None:
        words = [sys.executable, str(HERE.parent / "driven_window.py"), str(home), str(project)]
        pipe = subprocess.PIPE
        self.screen = screen
        self.process = subprocess.Popen(words, env=screen.env, stdin=pipe, stdout=pipe, text=True)
        self.wait_until_still()

    def ask(self, question: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer, f"the window died at {question!r}"
        return answer

    def wait_until_still(self) -> None:
        """The window manager moves a window after it was shown: only what has not moved for a while can be clicked."""
        last, since = self.ask("window_at"), time.monotonic()
        while time.monotonic() - since < 0.5:
            time.sleep(0.1)
            now = self.ask("window_at")
            if now != last:
                last, since = now, time.monotonic()

    def wait_for(self, question: str, answer: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while self.ask(question) != answer and time.monotonic() < end:
            time.sleep(0.1)
        assert self.ask(question) == answer

    def wait_until(self, question: str, fits: Callable[[str], bool]) -> str:
        """The first answer that fits."""
        end = time.monotonic() + 3 * PATIENCE_S
        while not fits(answer := self.ask(question)) and time.monotonic() < end:
            time.sleep(0.2)
        assert fits(answer), f"{question}: {answer}"
        return answer

    def go(self, question: str) -> None:
        """Click where the answer says."""
        at = self.wait_until(question, lambda answer: answer != "nowhere").split()
        self.screen.do("mousemove", *at, "sleep", "0.1", "click", "1")

    def drag(self, start: str, end: str) -> None:
        """With steps on the way, as a hand makes them: a drag begins only after some movement."""
        (x, y), (to_x, to_y) = (map(int, place.split()) for place in (start, end))
        self.screen.do("mousemove", str(x), str(y), "sleep", "0.1", "mousedown", "1")
        for step in range(1, 9):
            at = [str(x + (to_x - x) * step // 8), str(y + (to_y - y) * step // 8)]
            self.screen.do("mousemove", *at, "sleep", "0.05")
        self.screen.do("sleep", "0.1", "mouseup", "1")

    def take_from_palette(self, kind: str, to: str) -> None:
        """As one who knows the name: type it, then drag what was found."""
        x, y = self.ask("search").split()
        self.screen.do("mousemove", x, y, "click", "1", "key", "ctrl+a", "type", kind)
        end = time.monotonic() + PATIENCE_S
        while self.ask(f"row {kind}") == "nowhere" and time.monotonic() < end:
            time.sleep(0.1)
        self.drag(self.ask(f"row {kind}"), to)

    def click(self, button: str) -> None:
        """As soon as it is there."""
        end = time.monotonic() + PATIENCE_S
        while (at := self.ask(f"spot {button}")) == "nowhere" and time.monotonic() < end:
            time.sleep(0.1)
        self.screen.do("mousemove", *at.split(), "sleep", "0.1", "click", "1")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=20)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    made = Screen()
    yield made
    made.close()
    for system in running_systems():  # of a test that failed: systems outlive their window
        if Path(system.folder).is_relative_to(tmp_path):
            os.kill(system.pid, signal.SIGTERM)


@pytest.mark.timeout(240)
def test_first_steps_is_built_by_drag_and_drop_run_changed_while_it_runs_saved_and_opened_again(
    screen: Screen, tmp_path: Path
) -> None:
    project = Project.create(tmp_path / "my_robot", "my_robot").folder
    window = Driven(screen, tmp_path, project)
    try:
        for row, (kind, x, y) in enumerate(
            (("signal_source", 130, 120), ("low_pass", 370, 120), ("signal_sink", 620, 120), ("signal_sink", 620, 300))
        ):
            window.take_from_palette(kind, window.ask(f"canvas {x} {y}"))
            window.wait_for("state", f"{row + 1} 0 True")
        window.drag(window.ask("port signal_source value"), window.ask("port low_pass raw"))
        window.drag(window.ask("port low_pass smooth"), window.ask("port signal_sink value"))
        window.drag(window.ask("port signal_sink_2 value"), window.ask("port signal_source value"))
        window.wait_for("state", "4 3 True")
        screen.do("key", "ctrl+z")
        window.wait_for("state", "4 2 True")
        screen.do("key", "ctrl+shift+z")
        window.wait_for("state", "4 3 True")
        screen.do("key", "F5")  # runs what is on the canvas, saved or not
        window.wait_for("running signal_sink_2", "running active True")
        window.wait_for("viewers", "1 open")  # by itself, behind the canvas
        assert window.ask("state") == "4 3 True" and not SystemDocument.load(project).system.nodes, "Run saves nothing"
        window.take_from_palette("low_pass", window.ask("canvas 370 300"))
        window.wait_for("state", "5 3 True")
        window.drag(window.ask("port signal_source value"), window.ask("port low_pass_2 raw"))
        window.wait_for("running low_pass_2", "running active True")
        screen.do("key", "ctrl+s")
        window.wait_for("state", "5 4 False")
        screen.do("key", "shift+F5")
        window.wait_for("running low_pass_2", "stopped none False")
        assert int(window.ask("console")) > 0
    finally:
        window.close()
    system = SystemDocument.load(project).system
    assert {str(wire) for wire in system.wires} == {
        "signal_source.value → low_pass.raw",
        "low_pass.smooth → signal_sink.value",
        "signal_source.value → signal_sink_2.value",
        "signal_source.value → low_pass_2.raw",
    }
    again = Driven(screen, tmp_path, project)
    try:
        assert again.ask("state") == "5 4 False"
    finally:
        again.close()


SIGNALS = """<system name="signals" version="1">
  <source name="bench" mode="simulated">
    <port name="level" direction="out" type="Float64"/>
    <simulated>
      <component name="signal" type="signal_source" mode="periodic" period_s="0.05"/>
      <bind port="level" to="signal.value"/>
    </simulated>
  </source>
  <component name="filter" type="low_pass"/>
  <wire from="bench.level" to="filter.raw"/>
</system>"""


@pytest.mark.timeout(240)
def test_a_run_is_recorded_flipped_to_logged_and_stepped_through_with_the_mouse(screen: Screen, tmp_path: Path) -> None:
    project = tmp_path / "signals"
    project.mkdir()
    (project / "system.xml").write_text(SIGNALS)
    window = Driven(screen, tmp_path, project)
    try:
        window.click("run")
        window.wait_for("running filter", "running active True")
        window.click("record")
        window.wait_for("recorded", "True")
        window.click("record")
        window.click("notice_play")  # in the bar that tells that the log is closed
        window.click("switch")  # on the card that tells what stops and what starts
        window.wait_for("left", "0")  # it plays on, as the system did
        window.click("back")
        window.wait_for("left", "1")
        screen.do("key", "Home")  # to the panel whose button was used
        window.wait_for("playing", "False 0")
        window.click("single")
        window.wait_for("playing", "False 1")
        window.click("single")
        window.wait_for("playing", "False 2")
        window.click("back")
        window.wait_for("playing", "False 1")
        window.click("play")
        window.wait_for("left", "0")
        screen.do("key", "shift+F5")
        window.wait_for("running filter", "stopped none False")
    finally:
        window.close()
    assert list(recordings_of(project).glob("signals_*.mcap")) and not (project / "logs").exists()


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_raptor_drives_is_recorded_and_its_two_maps_are_compared(screen: Screen, tmp_path: Path) -> None:
    """What a new user would do with the example, from the first click on Run to the difference of two maps."""
    project = tmp_path / "raptor_blocks_world"
    shutil.copytree(ROOT / "projects" / "raptor_blocks_world", project, ignore=shutil.ignore_patterns("logs"))
    window = Driven(screen, tmp_path, project)
    try:
        window.click("run")
        window.wait_until("running terrain_map", lambda told: told == "running active True")
        window.go("tab votes")
        window.wait_until("voted", lambda count: int(count) >= 2)
        window.go("tab map")
        small = int(window.wait_until("known", lambda count: int(count) > 0))
        window.click("record")
        window.wait_for("recorded", "True")
        window.wait_until("known", lambda count: int(count) > 1.2 * small)
        window.click("record")
        window.wait_until("spot notice_play", lambda at: at != "nowhere")
        window.click("stop")
        window.wait_for("running terrain_map", "stopped none False")
        driven = int(window.ask("known"))
        window.click("compare")  # what it has seen while it drove is A from now on
        window.click("notice_play")
        window.wait_for("left", "0")
        window.wait_until("compared", lambda count: int(count) > driven // 4)
        count = int(window.ask("playing").split()[1])
        window.go("on_timeline 0.5")
        half = window.wait_until("playing", lambda told: 0.2 < int(told.split()[1]) / count < 0.8)
        number = int(half.split()[1])
        window.click("single")
        window.wait_for("playing", f"False {number + 1}")
        window.click("back")
        window.wait_for("playing", f"False {number}")
        screen.do("key", "shift+F5")
        window.wait_for("running terrain_map", "stopped none False")
    finally:
        window.close()
    assert list((project / "logs").glob("raptor_blocks_world_*.mcap"))
