"""A breakpoint and a pause of the system hold the time of a real gzserver; afterwards nothing is missing."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import psutil
import pytest
from mcap.reader import make_reader

from studio.messages import Range3d, decode
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.connections.finding import is_server, port_of
from studio.runtime.gazebo.debian_tree import NoTree
from tests.runtime.debug.plain_client import PlainClient
from tests.waiting import await_true

pytestmark = [pytest.mark.gazebo, pytest.mark.timeout(240)]
SECONDS, RATE_HZ = 100, 10.0
"""More than is needed: commands take their time on a busy machine, and the run is ended when all is seen."""


def port_below(run: int) -> int:
    """Of the server that a run has started."""
    found = [each for each in psutil.Process(run).children(recursive=True) if is_server(each.cmdline())]
    return port_of(found[0].environ())


def stands(server: ClassicServer) -> int:
    """The time of the world, which is still the same after a second of its statistics."""
    told = server._statistics
    told.wait(lambda _: True, 20.0, after=told.count + 1)  # the last one came before the world stood
    first = server.statistics()
    assert first.is_paused
    for _ in range(5):
        told.wait(lambda _: True, 20.0, after=told.count)
    assert server.statistics().sim_time_ns == first.sim_time_ns
    return first.sim_time_ns


def test_a_breakpoint_and_a_pause_hold_the_server_and_nothing_is_lost(checkout: Path, tmp_path: Path) -> None:
    try:
        local_classic.install()
    except NoTree as none:
        pytest.skip(f"Gazebo classic cannot be had here: {none}")
    code = checkout / "components" / "laser_obstacle_avoid" / "laser_obstacle_avoid.py"
    line = 1 + next(i for i, text in enumerate(code.read_text().splitlines(), 1) if "def on_timer" in text)
    log = tmp_path / "drive.mcap"
    words = ["run", "pioneer_obstacle_avoidance", "--source", "pioneer=gazebo", "--rate", "1", "--debug", "avoid"]
    words += ["--for", str(SECONDS), "--record", str(log), "--json"]
    studio = [sys.executable, "-m", "studio"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*studio, *words], cwd=checkout, text=True, **pipes) as run, ExitStack() as at_end:  # type: ignore[call-overload]
        at_end.callback(run.kill)
        said = ""
        while (found := re.search(r"attach with (\S+)\.py", said)) is None:
            said += run.stderr.readline()
            assert run.poll() is None, said
        client = PlainClient(found[1])
        client.attach({str(code): [{"line": line, "hitCondition": "15"}]})
        client.wait("stopped", 120)
        server = ClassicServer(port=port_below(run.pid))
        at_end.callback(server.close)
        at_ns = stands(server)
        assert SECOND_NS < at_ns < 3 * SECOND_NS
        client.set_breakpoints(str(code), [])
        client.resume()
        client.close()
        await_true(lambda: server.statistics().sim_time_ns > at_ns, "the server to go on")
        for verb in ("pause", "wakeup"):
            own = [*studio, "ctl", verb, "--run", Path(found[1]).parent.name]
            assert subprocess.run(own, cwd=checkout, check=False, capture_output=True).returncode == 0
            if verb == "pause":
                stands(server)
        after_ns = server.statistics().sim_time_ns + SECOND_NS
        await_true(lambda: server.statistics().sim_time_ns > after_ns, "another second", 60)
        run.send_signal(signal.SIGINT)
        told, errors = run.communicate(timeout=120)
    assert all(not each["errors"] and not each["restarts"] for each in json.loads(told)["components"].values()), errors
    with log.open("rb") as file:
        scans = [
            decode(Range3d, each.data) for _, _, each in make_reader(file).iter_messages(topics=["/pioneer/laser"])
        ]
    gaps = np.diff([scan.stamp_ns for scan in scans])
    assert scans[-1].stamp_ns - scans[0].stamp_ns > 2 * SECOND_NS
    assert gaps.max() <= 1e9 / RATE_HZ + 2_000_000, "no scan is missing by its stamp"
