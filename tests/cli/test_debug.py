"""`studio debug`: what it refuses, and a component at an event of a log."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from studio.cli.command import main
from tests.runtime.debug.plain_client import PlainClient


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--at", "/signal/value:3"], "--at needs a --log"),
        (["--log", "x.mcap", "--at", "/signal/value"], "names no event"),
        (["--component", "filtre"], "there is no component filtre"),
        (["--break", "low_pass.py"], "has no line number"),
        (["--break", "nowhere.py:3"], "there is no file nowhere.py"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], said: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = str(checkout / "projects" / "first_steps")
    assert main(["debug", project, "--component", "filter", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.soak
def test_a_component_is_debugged_at_an_event_of_a_log(checkout: Path, tmp_path: Path) -> None:
    studio = [sys.executable, "-m", "studio"]
    log = tmp_path / "drive.mcap"
    record = ["run", "first_steps", "--gate", "lockstep", "--for", "2", "--record", str(log)]
    subprocess.run([*studio, *record], cwd=checkout, check=True, capture_output=True, timeout=120)
    words = ["debug", "first_steps", "--component", "filter", "--log", str(log), "--at", "/signal/value:100", "--json"]
    with subprocess.Popen([*studio, *words], cwd=checkout, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        text = ""
        while not text.rstrip().endswith("}"):
            text += process.stdout.readline()
            assert process.poll() is None, text
        told = json.loads(text)
        assert told["at"] == ["/signal/value", 100]
        client = PlainClient(told["socket"])
        client.attach()
        client.wait("stopped")
        event = client.ask("studioEvent")
        assert (event["topic"], event["sequence"], event["handler"]) == ("/signal/value", 100, "on_raw")
        client.resume()
        assert process.wait(120) == 0
        client.close()
