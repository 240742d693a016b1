"""The canvas: ours against orange-canvas-core and qtpynodeeditor, 1,000 nodes and 2,000 wires; and the start-up.

Every contender is a process of its own with the same window, the same places of nodes, and the same hand on the mouse;
they take turns. Ours has the full look of its cards. Building counts until the first frame; frames count from the
change until they are painted; all in processor time. Peers build once: that takes them minutes.

Start-up to the first page, which can be used at once, is compared with a minimal window of PyQt6: from nothing, with
all that is imported. What comes after the first paint has rows of its own, the libraries that come with it apart.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.harness import OURS, Report, installed, interleave

ORANGE, QTPYNODEEDITOR, MINIMAL = "orange-canvas-core", "qtpynodeeditor", "minimal window"
PEERS = {ORANGE: ("orangecanvas", "orange"), QTPYNODEEDITOR: ("qtpynodeeditor", "qtpynodeeditor_peer")}
ROOT = Path(__file__).resolve().parent.parent
AFTER = {
    "furnished": "until everything in the window is made, libraries apart",
    "project": "until a project is open in it, libraries apart",
}
FRAMES = (("pan", "pan", 1.2), ("drag a node", "drag", 0.35), ("zoom to fit", "fit", 0.3))


def run(rounds: int = 5) -> Report:
    report = Report("canvas", rounds)
    contenders = {OURS: Process("ours")}
    try:
        for name, (module, part) in PEERS.items():
            if installed(module):
                contenders[name] = Process(part)
            else:
                report.missing(name)
        builds = interleave({name: _turns(name, process) for name, process in contenders.items()}, rounds)
        report.add("build, to the first frame", "ms", {**_nobody(), **builds}, against=ORANGE, goal=1 / 30)
        for what, word, goal in FRAMES:
            took = {name: _measure(process, word) for name, process in contenders.items()}
            report.add(what, "ms", {**_nobody(), **interleave(took, rounds)}, against=ORANGE, goal=goal)
    finally:
        for process in contenders.values():
            process.end()
    _start(report, rounds)
    return report


def _nobody() -> dict[str, float | None]:
    """Rows name every peer, also those that are not here."""
    return dict.fromkeys(PEERS)


def _turns(name: str, process: Process) -> Callable[[], float]:
    if name == OURS:
        return _measure(process, "build")
    took: list[float] = []

    def once() -> float:
        if not took:
            took.append(process.measure("build"))
        return took[0]

    return once


def _measure(process: Process, word: str) -> Callable[[], float]:
    return lambda: process.measure(word)


def _start(report: Report, rounds: int) -> None:
    libraries: list[float] = []
    for what in AFTER:
        start(what)  # once for Python, which keeps what it has compiled

    def after(what: str) -> float:
        imports, rest = start(what)
        libraries.append(imports)
        return rest

    took = interleave({OURS: lambda: sum(start("welcome")), MINIMAL: lambda: sum(start("minimal"))}, rounds)
    report.add("start to a usable window, all imports", "ms", took, against=MINIMAL, goal=6)
    rest = interleave({what: partial(after, what) for what in AFTER}, rounds)
    for what, row in AFTER.items():
        report.add(row, "ms", {OURS: rest[what]})
    report.add("importing the libraries for that", "ms", {OURS: sorted(libraries)[len(libraries) // 2]})


def start(what: str) -> tuple[float, float]:
    """Milliseconds that libraries took to be imported, and everything after."""
    words = [sys.executable, "-m", "bench.canvas_parts.start", what]
    done = subprocess.run(words, env=_env(), cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    imports, rest = done.stdout.split()
    return float(imports), float(rest)


class Process:
    """A contender that waits for words."""

    def __init__(self, part: str) -> None:
        self._part = part
        words = [sys.executable, "-m", f"bench.canvas_parts.{part}"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            words, env=_env(), cwd=ROOT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        self._read()

    def measure(self, word: str) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()
        return float(self._read())

    def end(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._part} ended; `python -m bench.canvas_parts.{self._part}` tells why")
        return line


def _env() -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
