"""A system that stands before its first event: nothing has passed, and the first step delivers the first event."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import find_running

ROOT = Path(__file__).resolve().parents[2]
STUDIO = [sys.executable, "-m", "studio"]


def studio(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*STUDIO, *words], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)


@pytest.mark.parametrize("gate", [["--gate", "run"], ["--gate", "lockstep", "--rate", "1"], ["--gate", "auto"]])
def test_nothing_has_passed_until_somebody_steps(
    gate: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_RUNS", str(tmp_path))
    started = studio("run", "first_steps", *gate, "--paused", "--stay", "--detach", "--json")
    assert started.returncode == 0, started.stderr
    run = json.loads(started.stdout)["run"]
    try:
        with Attachment(find_running(run).run_folder, "test") as attachment:
            state = attachment.ask("snapshot")["snapshot"]
            assert state["gate"] == "pause"
            assert {topic: each["count"] for topic, each in state["topics"].items() if each["count"]} == {}
            delivered = attachment.ask("step", count=1, timeout_s=30)["delivered"]
            assert [sequence for _, sequence, *_ in delivered] == [1]
    finally:
        assert studio("stop", run).returncode == 0, os.listdir(tmp_path)


@pytest.mark.parametrize("gate", ["lockstep", "run"])
def test_what_goes_by_itself_or_by_the_clock_cannot_wait(gate: str) -> None:
    refused = studio("run", "first_steps", "--gate", gate, "--for", "1", "--paused")
    assert refused.returncode == 2 and "--paused" in refused.stderr and "--rate 1" in refused.stderr
