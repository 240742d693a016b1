"""Two Pioneers on one real gzserver: the system drives the leader, a plain Gazebo program the follower."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from studio.messages import PoseTransform, decode
from studio.runtime.gazebo.debian_tree import NoTree
from studio.runtime.gazebo.local_classic import LocalClassic, install
from tests.conftest import ROOT

pytestmark = [pytest.mark.gazebo, pytest.mark.timeout(240)]
PROJECT = ROOT / "projects" / "leader_follower"
SECONDS = 10


def places(log: Path, name: str) -> np.ndarray:
    with log.open("rb") as file:
        topic = f"/pioneers/{name}_true_pose"
        told = [decode(PoseTransform, each.data) for _, _, each in make_reader(file).iter_messages(topics=[topic])]
    return np.array([each.matrix[:2, 3] for each in told])


def test_the_follower_uses_nothing_of_studio() -> None:
    assert "studio" not in [
        word for line in (PROJECT / "follower.py").read_text().splitlines() if line.startswith(("import", "from"))
        for word in line.replace(".", " ").split()
    ]  # fmt: skip


def test_a_plain_client_keeps_the_second_robot_behind_the_first(tmp_path: Path) -> None:
    try:
        tree = install()
    except NoTree as none:
        pytest.skip(f"Gazebo classic cannot be had here: {none}")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    local = LocalClassic.start(tree, ROOT / "models/worlds/maze.sdf", tmp_path / "server", port=port)
    follower = None
    try:
        # Nothing of Studio can be imported there: -I and another folder.
        command = [sys.executable, "-I", str(PROJECT / "follower.py"), f"127.0.0.1:{port}"]
        said = ""
        while not said:  # until the server listens
            if follower is not None:
                follower.communicate()
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            follower = subprocess.Popen(command, cwd=tmp_path, text=True, **pipes)  # type: ignore[call-overload]
            said = follower.stdout.readline()
        log = tmp_path / "drive.mcap"
        words = ["run", str(PROJECT), "--source", f"pioneers=gazebo@127.0.0.1:{port}", "--rate", "1"]
        made = subprocess.run(
            [sys.executable, "-m", "studio", *words, "--for", str(SECONDS), "--record", str(log), "--json"],
            capture_output=True, text=True, timeout=180, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        assert json.loads(made.stdout)["seconds"] == SECONDS
        assert follower is not None and follower.poll() is None
    finally:
        if follower is not None:
            follower.kill()
            follower.communicate()
        local.stop()
    leader, second = places(log, "leader"), places(log, "follower")
    count = min(len(leader), len(second))
    ways = [float(np.linalg.norm(np.diff(each, axis=0), axis=1).sum()) for each in (leader, second)]
    apart = np.linalg.norm(leader[:count] - second[:count], axis=1)
    assert ways[0] > 0.15 * SECONDS and ways[1] > 0.4 * ways[0], ways
    assert apart.min() > 0.45 and apart.max() < 2.5, (apart.min(), apart.max())
    # It was where the leader had been, and not beside it.
    beside = [np.linalg.norm(leader - at, axis=1).min() for at in second[second[:, 0] > leader[0, 0]]]
    assert max(beside, default=0.0) < 0.45
