"""`studio play` with real logs, and at a real pseudo-terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from studio.errors import StudioError
from studio.runtime.client.attach import Attachment
from tests.cli.robot import write_robot
from tests.cli.running import STUDIO, Studio
from tests.runtime.replay.played import SLOW, A, B, write_rig
from tests.waiting import await_true


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of three streams, and a robot that could be fed with one of them."""
    folder = tmp_path_factory.mktemp("play")
    (folder / "logs").mkdir()
    write_rig(folder / "logs" / "rig.mcap")
    write_robot(folder / "robot", log="../logs/rig.mcap", topic="/rig/a", mode="real")
    return folder


@pytest.fixture
def log(rig: Path) -> Path:
    return rig / "logs" / "rig.mcap"


def test_a_log_by_itself(studio: Studio, log: Path) -> None:
    result = studio("play", log, "--rate", "10", "--json")
    assert result.status == 0, result.err
    told = result.json
    assert (told["stopped"], told["events"], told["project"], told["loops"]) == ("end", 155, None, 0)
    assert told["topics"][A] == {"type": "Float64", "count": 100}
    assert told["log_s"] == pytest.approx(0.99)


def test_some_topics_of_a_part_of_it(studio: Studio, log: Path) -> None:
    result = studio("play", log, "--topics", "*/b", "--topics", SLOW, "--start", "0.5", "--end", "0.7", "--flat-out")
    assert result.status == 0, result.err
    # 11 events of one and one of the other lie between; and what a viewer would show at 0.5 s comes first.
    assert "played 14 events" in result.out
    assert re.search(rf"{B} +Float64 +12\b", result.out)
    assert A not in result.out


def test_into_a_system_until_a_condition_holds(studio: Studio, rig: Path, log: Path) -> None:
    words = ("--flat-out", "--until", "/platform/level/data >= 20")
    result = studio("play", log, rig / "robot", *words)
    assert result.status == 0, result.err
    assert "played 21 events" in result.out
    assert "into robot" in result.out
    assert "until the condition held" in result.out


def test_what_cannot_be_played_is_said(studio: Studio, rig: Path, log: Path) -> None:
    complaints = {
        ("--start", "7"): "--start lies behind the end of the log (it is 0.99 s long)",
        ("--start", "0.5", "--end", "0.2"): "--end lies before --start",
        ("--rate", "2000"): "must be from 0.01 to 1000",
        ("--topics", "/none"): "no topic matches /none",
        ("--until", "/rig/a/date > 1"): "there is no field date (did you mean data?)",
        ("--until", "soon"): "'soon' is not a valid condition",
    }
    for words, complaint in complaints.items():
        result = studio("play", log, *words)
        assert result.status in (1, 2), words
        assert complaint in result.err
    assert "nowhere.mcap does not exist" in studio("play", rig / "nowhere.mcap").err


def test_a_project_runs_with_its_own_log(studio: Studio, rig: Path) -> None:
    result = studio("run", rig / "robot", "--mode", "logged", "--json")
    assert result.status == 0, result.err
    told = result.json
    assert told["mode"] == "logged"
    assert "driver" not in told["components"]
    assert told["topics"]["/platform/level"]["count"] == 100
    assert told["topics"]["/filter/smooth"]["count"] == 100


def test_a_project_runs_with_its_own_log_in_lockstep(studio: Studio, rig: Path) -> None:
    result = studio("run", rig / "robot", "--mode", "logged", "--gate", "lockstep", "--for", "0.5", "--json")
    assert result.status == 0, result.err
    assert result.json["topics"]["/filter/smooth"]["count"] == 51


ALONE = """<system name="alone" version="1">
  <source name="rig" mode="logged">
    <port name="a" direction="out" type="Float64"/>
    <port name="b" direction="out" type="Float64"/>
    <logged log="../logs/rig.mcap"><bind port="a" topic="/rig/a"/><bind port="b" topic="/rig/b"/></logged>
  </source>
</system>"""


@pytest.mark.parametrize("gate", [["--gate", "run"], ["--gate", "lockstep", "--rate", "0"]])
def test_what_nobody_receives_is_counted_and_what_only_receivers_know_is_not_known(
    studio: Studio, rig: Path, gate: list[str]
) -> None:
    """A log alone had no events, no rate, and lost none of them."""
    (rig / "alone").mkdir(exist_ok=True)
    (rig / "alone" / "system.xml").write_text(ALONE)
    result = studio("run", rig / "alone", *gate, "--json")
    assert result.status == 0, result.err
    topics = result.json["topics"]
    assert {name: topic["count"] for name, topic in topics.items()} == {"/rig/a": 100, "/rig/b": 50}
    assert topics["/rig/a"]["rate_hz"] > topics["/rig/b"]["rate_hz"] > 0
    assert topics["/rig/a"]["drops"] is topics["/rig/a"]["bytes"] is topics["/rig/a"]["latency_us"]["p50"] is None


def test_whoever_looks_at_a_log_alone_sees_its_topics_counted(studio: Studio, log: Path) -> None:
    words = [*STUDIO, "play", str(log), "--paused", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        await_true(lambda: "rig" in studio("ctl", "list").out, "the player in the list", 30.0)
        assert studio("ctl", "player", "burst", "6").status == 0
        (told,) = studio("ctl", "list", "--json").json["systems"]
        assert sum(topic["count"] for topic in told["topics"].values()) == 6
        assert told["topics"][SLOW]["type"] == "Float64" and told["topics"][A]["drops"] is None
        assert studio("stop", "rig").status == 0
        process.communicate(timeout=30)


def test_a_run_that_never_got_going_ends_well(studio: Studio, rig: Path) -> None:
    """It divided by the time that had not passed."""
    words = [*STUDIO, "run", str(rig / "robot"), "--mode", "logged", "--gate", "lockstep", "--rate", "1", "--paused"]
    with subprocess.Popen(
        [*words, "--stay", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        await_true(lambda: "robot" in studio("ctl", "list").out, "it in the list", 30.0)
        assert studio("stop", "robot").status == 0
        out, err = run.communicate(timeout=30)
    assert run.returncode == 0, err
    assert json.loads(out)["topics"]["/filter/smooth"]["rate_hz"] == 0


def test_it_is_found_and_stopped_as_every_running_system(studio: Studio, log: Path) -> None:
    words = [*STUDIO, "play", str(log), "--loop", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        await_true(lambda: "rig" in studio("ctl", "list").out, "the player in the list", 30.0)
        assert studio("stop", "rig").status == 0
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert json.loads(out)["stopped"] == "stopped"


def test_it_is_steered_from_another_terminal(studio: Studio, log: Path) -> None:
    words = [*STUDIO, "play", str(log), "--paused", "--json"]

    def player(*words: object) -> dict[str, Any]:
        told = studio("ctl", "player", *words, "--json")
        assert told.status == 0, told.err
        state: dict[str, Any] = told.json["player"]
        return state

    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        await_true(lambda: "rig" in studio("ctl", "list").out, "the player in the list", 30.0)
        assert (player()["number"], player()["playing"]) == (0, False)
        assert player("next")["number"] == 1
        player("until", f"{A}/data >= 40")
        player("play")
        await_true(lambda: player()["stopped"] == "condition", "the condition to hold")
        assert player("until")["playing"] is False, "it is still there"
        player("rate", "max")
        player("play")
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert json.loads(out)["stopped"] == "end"


class Terminal:
    """A person at a terminal: presses keys when the screen shows what was expected."""

    def __init__(self, *words: object) -> None:
        self._ours, theirs = pty.openpty()
        self.screen = ""
        self.process = subprocess.Popen(
            [*STUDIO, *map(str, words)], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True
        )
        os.close(theirs)

    def await_line(self, pattern: str, seconds: float = 30.0) -> str:
        """Until something new on the screen fits."""
        end = time.monotonic() + seconds
        while (found := re.search(pattern, self.screen)) is None:
            assert time.monotonic() < end, f"no {pattern!r} in {self.screen[-400:]!r}"
            if select.select([self._ours], [], [], 0.1)[0]:
                self.screen += os.read(self._ours, 4096).decode(errors="replace")
        self.screen = self.screen[found.end() :]
        return found[0]

    def press(self, key: str) -> None:
        self.screen = ""
        os.write(self._ours, key.encode())

    def close(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=30)
        os.close(self._ours)
        return self.process.returncode, out


def test_keys_at_a_terminal(rig: Path, log: Path) -> None:
    terminal = Terminal("play", log, rig / "robot", "--paused")
    terminal.await_line(r"Space pause/play")
    terminal.await_line(r"paused +0\.00 of 0\.99 s.*event 0 of 100")
    terminal.press("\x1b[C")
    terminal.await_line(r"event 1 of 100")
    terminal.press("5")
    terminal.await_line(r"paused +0\.4\d of 0\.99 s")
    terminal.press("a")
    terminal.await_line(r"range 0\.4\d to 0\.99 s")
    for key, rate in (("-", "0.5×"), ("-", "0.2×"), ("+", "0.5×"), ("\x1b[A", "1×")):
        terminal.press(key)
        terminal.await_line(re.escape(rate))
    terminal.press("l")
    terminal.await_line(r"loop \d")
    terminal.press(" ")
    terminal.await_line(r"playing")
    terminal.await_line(r"loop 3")
    terminal.press(" ")
    terminal.await_line(r"paused")
    terminal.press("q")
    status, out = terminal.close()
    assert status == 0
    assert re.search(r"played \d+ events of .* into robot", out)


def test_at_a_terminal_it_ends_with_the_log(log: Path) -> None:
    terminal = Terminal("play", log, "--rate", "5")
    terminal.await_line(r"playing")
    status, out = terminal.close()
    assert (status, "to the end" in out) == (0, True)


def test_whoever_attaches_has_the_player_in_hand(studio: Studio, rig: Path) -> None:
    result = studio("run", rig / "robot", "--mode", "logged", "--stay", "--detach", "--json")
    assert result.status == 0, result.err
    attachment = Attachment(Path(result.json["folder"]), "test")
    try:
        attachment.ask("take")

        def player(action: str, **fields: object) -> dict[str, Any]:
            told: dict[str, Any] = attachment.ask("player", timeout_s=60, action=action, **fields)
            return told

        assert attachment.wait_for(lambda: attachment.state["player"]["stopped"] == "end", 30), "it stays at the end"
        state = attachment.state["player"]
        assert state["streams"] == {A: ["/platform/level", True]}
        assert (state["number"], state["playing"]) == (100, False)
        player("seek", time_ns=state["start_ns"])
        assert player("single")["told"] == "/platform/level"
        assert player("burst", count=9)["player"]["number"] == 10
        assert player("stop_when", condition="/platform/level/data >= 40")["player"]["number"] == 10
        player("rate", rate=None)
        player("play")
        assert attachment.wait_for(lambda: attachment.state["player"]["stopped"] == "condition", 30)
        assert attachment.state["player"]["number"] == 41
        first = state["start_ns"]
        told = player("range", start_ns=first + 200_000_000, end_ns=first + 300_000_000)["player"]
        assert told["range_ns"] == [first + 200_000_000, first + 300_000_000]
        for action, fields, complaint in (
            ("rewind", {}, "unknown action 'rewind'"),
            ("seek", {}, "time_ns is missing"),
            ("rate", {"rate": 0.0}, "cannot be played 0 times as fast"),
            ("next_of", {"topic": "/none"}, "/none is not played"),
        ):
            with pytest.raises(StudioError, match=complaint):
                player(action, **fields)
    finally:
        attachment.close()
        assert studio("stop", rig / "robot").status == 0


def test_ctl_has_the_player_in_hand_too(studio: Studio, rig: Path) -> None:
    assert studio("run", rig / "robot", "--mode", "logged", "--gate", "lockstep", "--stay", "--detach").status == 0

    def player(*words: object, status: int = 0) -> dict[str, Any]:
        told = studio("ctl", "player", *words, "--json")
        assert told.status == status, told.err
        return told.json["player"] if status == 0 else {"err": told.err}

    try:
        await_true(lambda: player()["stopped"] == "end", "the end of the log")
        assert player("jump", "-0.2")["number"] == 79
        assert player("jump", "+0.1")["number"] == 89
        assert player("seek", 0)["number"] == 0
        assert player("next")["number"] == 1
        assert player("next", "/rig/a")["number"] == player("next", "/platform/level")["number"] - 1 == 2
        assert player("burst", 10)["number"] == 13
        assert player("back", 3)["number"] == 10
        assert player("previous", "/rig/a")["number"] == 9
        assert player("off", "/rig/*")["streams"] == {A: ["/platform/level", False]}
        assert "/rig/a  → /platform/level  off" in studio("ctl", "player").out
        assert player("on", "/platform/level")["streams"] == {A: ["/platform/level", True]}
        player("until", "/platform/level/data >= 40")
        assert player("rate", "max")["rate"] is None
        player("play")
        await_true(lambda: player()["stopped"] == "condition", "the condition to hold")
        assert player()["number"] == 41
        text = studio("ctl", "player").out
        assert "rig.mcap: paused at 0.40 of 0.99 s, event 41 of 100, flat out, lockstep, the condition held" in text
        assert player("seek", "-0.2")["number"] <= 21
        first = player("range", 0.2, 0.3)["start_ns"]
        assert player()["range_ns"] == [first + 200_000_000, first + 300_000_000]
        assert player("range")["range_ns"] is None
        assert player("loop", "on")["loop"] and not player("loop", "off")["loop"]
        for words, complaint in {
            ("seek", "7"): "7 s is not in this log (it is 0.99 s long)",
            ("seek", ""): "is not a number",
            ("burst", "-3"): "-3 is not a number of events",
            ("rate", "fast"): "fast is not a number",
            ("off",): "which streams?",
            ("loop",): "1 word must follow",
        }.items():
            assert complaint in player(*words, status=2)["err"]
        assert "/none is not played" in player("next", "/none", status=1)["err"]
        assert "previous [TOPIC]" in studio("ctl", "player", "--help").out
    finally:
        assert studio("stop", rig / "robot").status == 0


def test_ctl_tells_that_no_log_is_played(studio: Studio, rig: Path) -> None:
    assert studio("run", rig / "robot", "--mode", "real", "--detach").status == 0
    try:
        told = studio("ctl", "player", "pause")
        assert told.status == 1 and "no log is played in this system (studio ctl switch logged" in told.err
    finally:
        assert studio("stop", rig / "robot").status == 0
