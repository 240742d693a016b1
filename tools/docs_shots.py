"""Makes the pictures in docs/ from the running program, so that they never show what is not there.

A terminal in which the example system runs, and the window in the states that the guide explains.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
NEEDED = ("Xvfb", "xterm", "import", "xdotool")
SCREEN = ":97"
PROGRAMS: tuple[tuple[str, dict[str, str]], ...] = (
    ("window", {}), ("debugger", {}), ("debugger_walk", {}), ("viewer", {}), ("walk", {}),
    ("walk", {"QT_SCALE_FACTOR": "1.5"}),
)  # fmt: skip
"""Each takes some of the pictures of the window; what it needs of the environment."""
SCRIPT = """
export PATH="$1/.venv/bin:$PATH"; clear
say() { printf '\\033[1;34m$\\033[0m \\033[1m%s\\033[0m\\n' "$*"; "$@" 2>/dev/null; echo; }
say studio run first_steps --for 60 --gate lockstep --record drive.mcap
say studio replay first_steps --log drive.mcap --lockstep --in-process --record again.mcap
say studio compare drive.mcap again.mcap
say studio info drive.mcap --why /filter/smooth:300
touch done; sleep 60
"""


def main() -> int:
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        packages = "apt-get install -y xvfb xterm imagemagick xdotool"
        print(f"docs-shots: {', '.join(missing)} not found: {packages}", file=sys.stderr)
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    with screen("1000x620x24"):
        take(PICTURES / "first_steps_run.png")
    with screen("1920x1080x24"):
        take_window()
    return 0


@contextmanager
def screen(size: str) -> Iterator[None]:
    server = subprocess.Popen(["Xvfb", SCREEN, "-screen", "0", size], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.0)
        yield
    finally:
        server.terminate()
        server.wait()


def take_window() -> None:
    with tempfile.TemporaryDirectory() as runs:  # systems of the developer's own are not in the pictures
        env = {**os.environ, "DISPLAY": SCREEN, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT), "STUDIO_RUNS": runs}
        for program, more in PROGRAMS:
            words = [sys.executable, str(ROOT / "tools" / f"{program}_shots.py"), str(PICTURES)]
            subprocess.run(words, env={**env, **more}, check=True)


def take(picture: Path) -> None:
    folder = Path(tempfile.mkdtemp())
    words = ["xterm", "-fa", "DejaVu Sans Mono", "-fs", "11", "-geometry", "110x34+0+0", "-b", "14", "-bw", "0"]
    words += ["-bg", "#16181C", "-fg", "#E6E9ED", "-e", "sh", "-c", SCRIPT, "sh", str(ROOT)]
    terminal = subprocess.Popen(words, cwd=folder, env={**os.environ, "DISPLAY": SCREEN})
    try:
        end = time.monotonic() + 60
        while not (folder / "done").exists() and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(0.5)
        subprocess.run(["import", "-display", SCREEN, "-window", "root", str(picture)], check=True)
        print(f"docs-shots: {picture.relative_to(ROOT)}")
    finally:
        terminal.terminate()
        terminal.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
