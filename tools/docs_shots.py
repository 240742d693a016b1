"""Makes the pictures in docs/ from the running program, so that they never show what is not there.

Several programs use the window as a person would and take pictures on the way, each in light and dark; each has a
screen of its own. What fails is told and the others go on; the status is 1 then.

python tools/docs_shots.py [--jobs 2] [--into FOLDER] [program …]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
NEEDED = ("Xvfb", "import", "xdotool")
LONGEST_S = 1800.0
"""Of one program: whatever hangs is ended, so that nobody has to stand by."""


@dataclass(frozen=True)
class Program:
    name: str
    """What it is called in the messages, and on the command line."""
    file: str
    words: tuple[str, ...] = ()
    scale: float = 1.0


PROGRAMS = (
    Program("viewers", "viewer_shots.py"),
    Program("debugger_walk", "debugger_walk_shots.py"),
    Program("debugger", "debugger_shots.py"),
    Program("logs", "log_shots.py"),
    Program("window", "window_shots.py"),
    Program("geometry", "geometry_shots.py"),
    Program("cart", "geometry_shots.py", ("cart",)),
    Program("gazebo", "gazebo_shots.py"),
    Program("walk", "walk_shots.py", ("1280x800", "")),
    Program("walk_large", "walk_shots.py", ("1920x1080", "_large")),
    Program("walk_scaled", "walk_shots.py", ("1280x720", "_scaled"), scale=1.5),
)
"""The longest first, where several run at a time."""


def main(words: list[str]) -> int:
    names = [program.name for program in PROGRAMS]
    parser = argparse.ArgumentParser(prog="docs_shots.py", description="Makes the pictures in docs/.")
    parser.add_argument("programs", nargs="*", help=f"which, of {', '.join(names)}; all without any")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at a time")
    parser.add_argument("--into", type=Path, default=PICTURES, help="the folder for the pictures")
    wanted = parser.parse_args(words)
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        packages = "apt-get install -y xvfb imagemagick xdotool"
        print(f"docs-shots: {', '.join(missing)} not found: {packages}", file=sys.stderr)
        return 1
    if unknown := set(wanted.programs) - set(names):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    wanted.into.mkdir(parents=True, exist_ok=True)
    chosen = [name for name in names if name in wanted.programs or not wanted.programs]
    began = time.monotonic()
    with ThreadPoolExecutor(max(1, wanted.jobs)) as pool:
        results = list(pool.map(lambda name: _make(name, wanted.into.resolve()), chosen))
    failed = [name for name, fine in zip(chosen, results, strict=True) if not fine]
    print(f"docs-shots: {len(chosen) - len(failed)} of {len(chosen)} done in {(time.monotonic() - began) / 60:.0f} min")
    if failed:
        print(f"docs-shots: FAILED: {', '.join(failed)}; what they say is above", file=sys.stderr)
    return 1 if failed else 0


def _make(name: str, pictures: Path) -> bool:
    """One of them, with a word when it begins and when it ends; False if it failed."""
    print(f"docs-shots: {name} …", flush=True)
    began = time.monotonic()
    try:
        fine = _run(_program(name), pictures)
    except Exception as error:  # of whatever kind: the others are made all the same
        print(f"docs-shots: {name}: {error}", file=sys.stderr, flush=True)
        fine = False
    print(f"docs-shots: {name} {'done' if fine else 'FAILED'} ({time.monotonic() - began:.0f} s)", flush=True)
    return fine


def _program(name: str) -> Program:
    return next(program for program in PROGRAMS if program.name == name)


def _run(program: Program, pictures: Path) -> bool:
    with screen("1920x1080x24") as display, folder() as home, folder() as runs:
        env = {
            **os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": str(program.scale),
            "PYTHONPATH": str(ROOT), "SHOTS_HOME": home,
            "STUDIO_RUNS": runs,  # systems of the developer's own are not in the pictures
        }  # fmt: skip
        words = [sys.executable, str(ROOT / "tools" / program.file), str(pictures), *program.words]
        try:
            return subprocess.run(words, env=env, cwd=ROOT, timeout=LONGEST_S, check=False).returncode == 0
        finally:  # a system outlives the window that started it
            stop = [sys.executable, "-m", "studio", "stop", "--all", "--kill"]
            subprocess.run(stop, env=env, cwd=ROOT, check=False, capture_output=True)


def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="studio_", ignore_cleanup_errors=True)


@contextmanager
def screen(size: str) -> Iterator[str]:
    """One that nobody else has; its name."""
    reader, writer = os.pipe()
    words = ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as stream:
            yield f":{stream.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
