"""The real window with six panels in sight on the running Raptor: what its process costs, and whether it stood still.

    python -m bench.viewers_parts.six_panels [seconds] [picture.png]     on a screen of its own; prints JSON

The window is a process of its own, as it is for users, and runs the system as its Run button does; its own processor
time counts, and a stall is what its log calls one, from before the first panel opens until all layouts
were chosen. On a machine with
much else to do it gets less than it wants: `pace`, `batch_hz` and `scene_hz` then fall.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 20.0
WIDTH, HEIGHT = 1920, 1080
SETTLE_MS = 8000
"""Costs count from here on, when what happens once has happened: imports, first pictures. Stalls count before, too."""
LAYOUTS = ("Run", "Debug", "Build", "Log", "Run", "Compare", "Debug", "Run", "Build")
PLOTTED = (
    ("/arc_arbiter/command", "speed_m_s"),
    ("/arc_arbiter/command", "steering_angle_rad"),
    ("/platform/pose", "yaw_rad"),
)


def measured(seconds: float = SECONDS, picture: str = "") -> dict[str, Any]:
    """Of a window that is started for this and is gone afterwards."""
    told: dict[str, Any] = told_by("bench.viewers_parts.six_panels", [str(seconds), picture, "--here"], seconds + 240)
    return told


def told_by(module: str, words: list[str], timeout_s: float) -> Any:
    """The JSON in the last line of a program that is started on a screen of its own, with settings of its own."""
    command = [sys.executable, "-m", module, *words]
    with tempfile.TemporaryDirectory() as home, _screen() as screen:
        env = {**os.environ, **screen, "PYTHONPATH": str(ROOT), "STUDIO_RUNS": home, "XDG_CONFIG_HOME": home}
        done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, timeout=timeout_s, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def _screen() -> Iterator[dict[str, str]]:
    """A screen that nobody sees; without an X server Qt's own, on which the scene has no OpenGL."""
    if shutil.which("Xvfb") is None:
        yield {"QT_QPA_PLATFORM": "offscreen"}
        return
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield {"DISPLAY": f":{told.readline().strip()}", "QT_QPA_PLATFORM": "xcb"}
    finally:
        server.terminate()
        server.wait()


@contextmanager
def running_window() -> Iterator[Any]:
    """The main window with the running Raptor, and no viewer yet."""
    from PyQt6.QtWidgets import QApplication

    from studio.editor.base.settings import Settings
    from studio.editor.window.app import make_window

    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as home:
        project = Path(home) / "raptor_blocks_world"
        shutil.copytree(ROOT / "projects" / project.name, project)
        window = make_window(app, Settings(Path(home) / "editor.ini"))
        window.files.may_leave = lambda: True  # type: ignore[method-assign]
        window.live.may_close = lambda close: True  # type: ignore[method-assign]
        window.resize(WIDTH, HEIGHT)
        window.show()
        window.files.open(project)
        window.live.feed.attached.disconnect(window.viewers.choose_by_types)
        window.live.run()
        _until(lambda: window.live.control.phase == "running")
        try:
            yield window
        finally:
            window.trigger("run.stop")
            _until(lambda: window.live.control.phase == "stopped")
            window.close()


def _run_here(seconds: float, picture: str) -> dict[str, Any]:
    with running_window() as window:
        from studio.editor.base.stalls import StallLog

        stalls = StallLog(None, window)
        open_panels(window)
        wait(SETTLE_MS)
        opening = stalls.longest_s
        scene: Any = window.viewers.open["scene.1"]
        before_ns, painted = simulated_ns(window), scene.view.painted
        batches = _count(window.live.feed.changed)
        told = _costs(seconds)
        told["pace"] = (simulated_ns(window) - before_ns) / 1e9 / told["wall_s"]
        told["batch_hz"] = len(batches) / told["wall_s"]
        told["scene_hz"] = (scene.view.painted - painted) / told["wall_s"]
        told["panels"] = [name for name, viewer in window.viewers.open.items() if viewer.isVisible()]
        if picture:
            window.grab().save(picture)
        told |= _switch_layouts(window)
        told["stalls"] = [str(stall) for stall in stalls.stalls]
        told["longest_stall_ms"] = max(0.0, stalls.longest_s) * 1000
        told["longest_stall_opening_ms"] = max(0.0, opening) * 1000
        stalls.close()
    return told


def open_panels(window: Any) -> None:
    """Two rows of three beside the canvas, all of them in sight."""
    places = (
        ("scene", "right", "system"), ("map", "right", "scene.1"), ("votes", "right", "map.1"),
        ("scan", "bottom", "scene.1"), ("plot", "bottom", "map.1"), ("topics", "bottom", "votes.1"),
    )  # fmt: skip
    for kind, side, beside in places:
        settings = {"fields": [list(field) for field in PLOTTED]} if kind == "plot" else None
        name = f"{kind}.1"
        window.viewers.open_soon(kind, settings, name)
        _until(partial(window.docks.has, name))
        window.docks.move(name, side, beside=beside)
        wait(200)


def _switch_layouts(window: Any) -> dict[str, float]:
    """The longest time from choosing a layout until it is painted, and how many other windows came up meanwhile."""
    from PyQt6.QtCore import QEvent, QObject
    from PyQt6.QtWidgets import QApplication, QWidget

    class Windows(QObject):
        count = 0

        def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
            is_shown = event is not None and event.type() == QEvent.Type.Show
            self.count += is_shown and isinstance(watched, QWidget) and watched.isWindow()
            return False

    app, windows, longest = QApplication.instance(), Windows(), 0.0
    assert app is not None
    app.installEventFilter(windows)
    for name in LAYOUTS:
        began = perf_counter()
        window.layouts.choose(name)
        window.repaint()
        longest = max(longest, perf_counter() - began)
        wait(1000)
    app.removeEventFilter(windows)
    return {"layout_ms": longest * 1000, "stray_windows": windows.count}


def _count(signal: Any) -> list[None]:
    """Grows by one whenever it is emitted."""
    times: list[None] = []
    signal.connect(lambda *_: times.append(None))
    return times


def _costs(seconds: float) -> dict[str, Any]:
    began, cpu, threads = perf_counter(), process_time(), _threads()
    wait(int(seconds * 1000))
    wall_s, cpu_s = perf_counter() - began, process_time() - cpu
    each = {name: round((after - threads.get(name, 0.0)) / wall_s, 3) for name, after in _threads().items()}
    busy = dict(sorted(((name, share) for name, share in each.items() if share >= 0.005), key=lambda item: -item[1]))
    return {"wall_s": wall_s, "cpu_s": cpu_s, "cores": cpu_s / wall_s, "threads": busy}


def simulated_ns(window: Any) -> int:
    """Of the simulation."""
    from studio.runtime.base.clock import Clock, ClockKind, monotonic_ns

    told = window.live.feed.state["clock"]
    clock = Clock(ClockKind[told["kind"].upper()], told["base_ns"], told["at_ns"], told["rate"])
    return clock.at_moment(monotonic_ns())


def _threads() -> dict[str, float]:
    """Processor seconds by the name of the thread; several of one name together."""
    seconds: dict[str, float] = {}
    ours = {str(thread.native_id): thread.name for thread in threading.enumerate()}
    for task in Path("/proc/self/task").glob("*"):
        name, _, figures = (task / "stat").read_text().partition(" (")[2].rpartition(") ")
        name = ours.get(task.name, name)
        fields = figures.split()
        seconds[name] = seconds.get(name, 0.0) + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def wait(ms: int) -> None:
    from PyQt6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def _until(condition: Callable[[], bool], seconds: int = 120) -> None:
    for _ in range(10 * seconds):
        if condition():
            return
        wait(100)
    raise SystemExit("six_panels: the Raptor does not run")


if __name__ == "__main__":
    seconds, picture, *more = [*sys.argv[1:], *(str(SECONDS), "")[len(sys.argv) - 1 :]]
    is_here = more == ["--here"]
    print(json.dumps((_run_here if is_here else measured)(float(seconds), picture)), flush=True)
    if is_here:
        os._exit(0)  # what was measured is told; threads that still import something have no say in how it ends
