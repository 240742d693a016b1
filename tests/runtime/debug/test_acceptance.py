"""The simulated Raptor with and without a stop at a breakpoint, through `studio run` and a foreign debug client."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runtime.debug.plain_client import PlainClient

SECONDS = 4
STOP_S = 10


@pytest.mark.soak
@pytest.mark.parametrize("rate", ["0", "1"])
def test_the_raptor_does_the_same_with_and_without_a_stop(checkout: Path, tmp_path: Path, rate: str) -> None:
    code = checkout / "components" / "terrain_map" / "terrain_map.py"
    lines = code.read_text().splitlines()
    line = 2 + next(number for number, text in enumerate(lines) if "def on_ranges" in text)
    logs = [tmp_path / "undisturbed.mcap", tmp_path / "stopped.mcap"]
    run = [sys.executable, "-m", "studio", "run", "raptor_blocks_world", "--mode", "simulated", "--seed", "7"]
    run += ["--for", str(SECONDS), "--rate", rate, "--json", "--record"]
    subprocess.run([*run, str(logs[0])], cwd=checkout, check=True, capture_output=True, timeout=600)

    command = [*run, str(logs[1]), "--debug", "terrain_map"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=checkout, text=True, **pipes) as process:  # type: ignore[call-overload]
        said = ""
        while (found := re.search(r"attach with (\S+)\.py", said)) is None:
            said += process.stderr.readline()
            assert process.poll() is None, said
        client = PlainClient(found[1])
        client.attach({str(code): [{"line": line, "hitCondition": "20"}]})
        client.wait("stopped", 300)
        event = client.ask("studioEvent")
        assert (event["component"], event["handler"]) == ("terrain_map", "on_ranges")
        time.sleep(STOP_S)
        assert process.poll() is None
        client.set_breakpoints(str(code), [])
        client.resume()
        client.close()
        told, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    result = json.loads(told)
    assert result["seconds"] == SECONDS
    assert all(not component["restarts"] for component in result["components"].values()), result
    same = [sys.executable, "-m", "studio", "compare", *map(str, logs), "--json"]
    compared = subprocess.run(same, cwd=checkout, check=False, capture_output=True, text=True, timeout=600)
    assert compared.returncode == 0, compared.stdout[-3000:]
