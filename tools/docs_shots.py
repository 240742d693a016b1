"""Makes the pictures in docs/ from the running program, so that they never show what is not there.

Studio has no window yet: the picture is a terminal in which the example system runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
NEEDED = ("Xvfb", "xterm", "import")
SCREEN = ":97"
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
        print(f"docs-shots: {', '.join(missing)} not found: apt-get install -y xvfb xterm imagemagick", file=sys.stderr)
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    screen = subprocess.Popen(["Xvfb", SCREEN, "-screen", "0", "1000x620x24"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.0)
        take(PICTURES / "first_steps_run.png")
    finally:
        screen.terminate()
        screen.wait()
    return 0


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
