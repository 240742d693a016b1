"""As a new user would: a mouse, a keyboard, a window manager, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.model.document import SystemDocument
from studio.model.parts import Wire
from studio.model.project import Project

NEEDED = ("Xvfb", "openbox", "xdotool")
HERE = Path(__file__).parent
ROOT = HERE.parent.parent

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
        words = [sys.executable, str(HERE / "driven_window.py"), str(home), str(project)]
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

    def wait_for(self, state: str) -> None:
        for _ in range(100):
            if self.ask("state") == state:
                return
            time.sleep(0.1)
        assert self.ask("state") == state

    def drag(self, start: str, end: str) -> None:
        """With steps on the way, as a hand makes them: a drag begins only after some movement."""
        (x, y), (to_x, to_y) = (map(int, place.split()) for place in (start, end))
        self.screen.do("mousemove", str(x), str(y), "sleep", "0.1", "mousedown", "1")
        for step in range(1, 9):
            at = [str(x + (to_x - x) * step // 8), str(y + (to_y - y) * step // 8)]
            self.screen.do("mousemove", *at, "sleep", "0.05")
        self.screen.do("sleep", "0.1", "mouseup", "1")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=20)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@pytest.fixture
def screen() -> Iterator[Screen]:
    made = Screen()
    yield made
    made.close()


@pytest.mark.timeout(120)
def test_a_system_is_built_by_drag_and_drop_saved_and_opened_again(screen: Screen, tmp_path: Path) -> None:
    project = Project.create(tmp_path / "my_robot", "my_robot").folder
    window = Driven(screen, tmp_path, project)
    try:
        window.drag(window.ask("row signal_source"), window.ask("canvas 150 200"))
        window.wait_for("1 0 True")
        window.drag(window.ask("row signal_sink"), window.ask("canvas 450 200"))
        window.wait_for("2 0 True")
        window.drag(window.ask("port signal_source value"), window.ask("port signal_sink value"))
        window.wait_for("2 1 True")
        screen.do("key", "ctrl+z")
        window.wait_for("2 0 True")
        screen.do("key", "ctrl+shift+z")
        window.wait_for("2 1 True")
        screen.do("key", "ctrl+s")
        window.wait_for("2 1 False")
    finally:
        window.close()
    system = SystemDocument.load(project).system
    assert Wire.between("signal_source.value", "signal_sink.value").key in system.wires
    again = Driven(screen, tmp_path, project)
    try:
        assert again.ask("state") == "2 1 False"
    finally:
        again.close()
