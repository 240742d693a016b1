"""`studio step` with a real log: as a script, and by the keys of a real terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import time
from pathlib import Path

import pytest

from studio.model.loaded_project import open_project
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.planning import plan_of
from studio.runtime.replay.event_log import EventLog
from tests.cli.running import STUDIO, Studio

FIRST_STEPS = Path(__file__).resolve().parents[2] / "projects" / "first_steps"
START_NS = 10**18


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of first_steps."""
    path = tmp_path_factory.mktemp("recorded") / "run.mcap"
    opened = open_project(FIRST_STEPS)
    plan = plan_of(opened.system, opened.registry, project=opened.folder, seed=5)
    with EventLog(path, plan, opened.types) as log:
        twin = InProcess(plan, create, start_ns=START_NS, tap=log.take)
        twin.start()
        twin.lockstep(until_ns=START_NS + 10**9)
        twin.stop()
    return path


def test_it_prints_what_was_delivered_to_whom_and_what_came_of_it(studio: Studio, recorded: Path) -> None:
    result = studio("step", FIRST_STEPS, "--log", recorded, "--in-process", "--forward", 2, "--next", "/filter/smooth")
    assert result.status == 0, result.err
    assert result.out.splitlines() == [
        "1  +0.010000 s  /_studio/timer/signal:1 → signal: published /signal/value:1",
        "2  +0.010000 s  /signal/value:1 → filter, before: published /filter/smooth:1",
        "3  +0.010000 s  /filter/smooth:1 → after",
        "at event 3: +0.010000 s  /filter/smooth:1 → after",
    ]


def test_200_forwards_and_200_back_over_processes_have_the_digests_of_the_start(studio: Studio, recorded: Path) -> None:
    words = ("--forward", 200, "--back", 200, "--digest", "--json")
    there_and_back = studio("step", FIRST_STEPS, "--log", recorded, *words).json
    start = studio("step", FIRST_STEPS, "--log", recorded, "--in-process", "--digest", "--json").json
    assert there_and_back["digest"] == start["digest"]
    assert [move["position"] for move in there_and_back["moves"]] == [200, 0]
    assert len(there_and_back["moves"][0]["delivered"]) == 200
    assert there_and_back["moves"][0]["delivered"][1] == {
        "topic": "/signal/value", "sequence": 1, "stamp_ns": START_NS + 10_000_000, "to": ["filter", "before"],
        "published": ["/filter/smooth:1"],
    }  # fmt: skip
    assert (there_and_back["position"], there_and_back["event"]) == (0, None)


def test_moves_are_made_in_their_order(studio: Studio, recorded: Path) -> None:
    words = ("--to", 100, "--previous", "/filter/smooth", "--back", 9, "--forward", 1, "--to", 300)
    told = studio("step", FIRST_STEPS, "--log", recorded, "--in-process", *words, "--json").json
    assert [move["position"] for move in told["moves"]] == [100, 98, 89, 90, 300]
    assert told["failures"] == {}


def test_an_event_after_the_end_is_an_error(studio: Studio, recorded: Path) -> None:
    beyond = studio("step", FIRST_STEPS, "--log", recorded, "--in-process", "--to", 99999, "--json")
    assert beyond.status == beyond.json["status"] == 1
    assert beyond.json["error"]["message"] == "there is no event 99999: the last one is 300"


def test_wrong_use_is_told(studio: Studio, recorded: Path) -> None:
    words = ("step", FIRST_STEPS, "--log", recorded, "--in-process")
    unknown = studio(*words, "--next", "/filter/smoth")
    assert unknown.status == 2 and "no topic /filter/smoth" in unknown.err and "/filter/smooth" in unknown.err
    strange = studio("step", FIRST_STEPS, "--log", recorded, "--in-process", "--next", "/nowhere")
    assert "known: /filter/smooth, /signal/value, " in strange.err
    few = studio("step", FIRST_STEPS, "--log", recorded, "--forward", "few")
    assert few.status == 2 and "--forward: 'few' is not a number of events" in few.err
    assert studio(*words, "--forward", "-1").status == 2
    none = subprocess.run([*STUDIO, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert none.returncode == 2 and "not a terminal" in none.stderr


def test_keys_of_a_terminal(recorded: Path) -> None:
    ours, theirs = pty.openpty()
    words = [*STUDIO, "step", str(FIRST_STEPS), "--log", str(recorded), "--in-process"]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    terminal = Terminal(ours)
    try:
        terminal.await_text("at the start")
        terminal.press("\x1b[C", "1  +0.010000 s  /_studio/timer/signal:1 → signal")
        terminal.press("5n", "6  +0.020000 s  /filter/smooth:2 → after")
        terminal.press("\x1b[D", "back at event 5: +0.020000 s  /signal/value:2")
        terminal.press("tsmooth\r", "6  +0.020000 s  /filter/smooth:2 → after")
        terminal.press("g200\r", "at event 200: ")
        terminal.press("198b", "back at event 2: +0.010000 s  /signal/value:1")
        terminal.press("tfilter\r", "which one?")
        terminal.press("x", "x does nothing")
        terminal.press("q", "")
        assert process.wait(20) == 0, "q leaves"
    finally:
        process.kill()
        process.wait()
        os.close(ours)


class Terminal:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._text = ""

    def press(self, keys: str, expected: str) -> None:
        self._text = ""
        os.write(self._descriptor, keys.encode())
        self.await_text(expected)

    def await_text(self, expected: str) -> None:
        end = time.monotonic() + 40
        while expected not in re.sub(r"\x1b\[K|\r", "", self._text):
            assert time.monotonic() < end, f"waited for {expected!r}, got {self._text!r}"
            self._text += os.read(self._descriptor, 4096).decode(errors="replace")
