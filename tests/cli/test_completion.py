"""`studio completion`: what is offered for a word, and that the three shells offer it."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.cli.candidates import candidates
from studio.cli.completion import SCRIPTS
from tests.cli.running import Studio
from tests.runtime.recording.logs import story, write_log

PATIENCE_S = 40.0


def words(*line: str) -> list[str]:
    return [each.word for each in candidates(line)]


def test_verbs_and_what_they_do() -> None:
    (run,) = candidates(["ru"])
    assert (run.word, run.about) == ("run", "run a project's system and report what happened")
    assert {"edit", "run", "completion"} <= set(words(""))


def test_options_and_their_values() -> None:
    assert words("run", "first_steps", "--de") == ["--detach", "--debug"]
    assert words("run", "first_steps", "--mode", "") == ["real", "logged", "simulated"]
    assert words("ctl", "switch", "re") == ["real"]
    assert "--detached" not in words("run", "--"), "not for people"
    assert words("completion", "") == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_is_printed(studio: Studio, shell: str) -> None:
    assert studio("completion", shell).out == SCRIPTS[shell]


def test_a_shell_that_is_not_known_is_refused_with_those_that_are(studio: Studio) -> None:
    """`complete`, with which the scripts ask, was among them."""
    outcome = studio("completion", "tcsh")
    assert outcome.status == 2 and 'unknown shell "tcsh" (known: bash, zsh, fish)' in outcome.err


def test_projects_components_and_topics(tmp_path: Path) -> None:
    assert words("run", "first") == ["first_steps"]
    assert "low_pass" in words("profile", "lo")
    assert words("debug", "first_steps", "--component", "f") == ["filter"]
    assert words("record", "first_steps", "x.mcap", "--topics", "/f") == ["/filter/smooth"]
    log = write_log(tmp_path / "drive.mcap", story(10)).path
    assert words("info", str(log), "--latency", "/s") == ["/signal"]
    assert words("info", str(log), "--why", "/s") == ["/signal:"]
    (tmp_path / "notes.txt").touch()
    assert words("info", f"{tmp_path}/") == [str(log)]


def test_nothing_is_offered_where_nothing_is_known() -> None:
    assert words("nothing", "") == words("ctl", "nothing", "") == words("run", "no_project", "--topics", "") == []


def test_what_runs_is_offered(studio: Studio) -> None:
    assert studio("run", "first_steps", "--detach").status == 0
    try:
        assert words("stop", "") == ["first_steps"]
        assert words("ctl", "set", "filter.cut") == ["filter.cutoff_hz"]
        assert words("ctl", "restart", "--run", "first_steps", "s") == ["signal"]
        assert words("ctl", "break", "/sig") == ["/signal/value"]
    finally:
        assert studio("stop", "first_steps").status == 0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the command and the scripts."""
    folder = tmp_path_factory.mktemp("shells")
    command = folder / "studio"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m studio "$@"\n')
    command.chmod(0o755)
    for shell in ("bash", "zsh", "fish"):
        (folder / f"studio.{shell}").write_text(SCRIPTS[shell])
    return folder


def environment(place: Path) -> dict[str, str]:
    return {
        **os.environ, "PATH": f"{place}:{os.environ['PATH']}", "HOME": str(place), "TERM": "dumb", "PS1": "$ ",
        "PYTHONPATH": os.getcwd(),
    }  # fmt: skip


class Terminal:
    """A shell at a terminal, into which keys are typed."""

    def __init__(self, place: Path, *words: str) -> None:
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(place), start_new_session=True
        )
        os.close(theirs)
        self._end = ours
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def await_text(self, text: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} is not in {self.seen!r}"
            if select.select([self._end], [], [], 0.2)[0]:
                self.seen += os.read(self._end, 4096).decode(errors="replace")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._end)


@pytest.fixture(params=["bash", "zsh"])
def terminal(request: pytest.FixtureRequest, place: Path) -> Iterator[Terminal]:
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: its completion was not tried (apt-get install {shell})")
    quiet = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}[shell]
    opened = Terminal(place, shell, *quiet)
    ready = "autoload -U compinit; compinit -u; unsetopt beep;" if shell == "zsh" else ""
    opened.type(f"{ready} . {place}/studio.{shell}; echo rea''dy\n")
    opened.await_text("ready\r\n")
    yield opened
    opened.close()


def test_tab_in_a_real_shell(terminal: Terminal) -> None:
    terminal.type("studio chec\t")
    terminal.await_text("studio check ")
    terminal.type("first_st\t")
    terminal.await_text("first_steps")


def test_complete_in_fish(place: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed: its completion was not tried (apt-get install fish)")

    def offered(line: str) -> list[str]:
        asked = f"source {place}/studio.fish; complete -C '{line}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", asked], capture_output=True, text=True, env=environment(place), timeout=60
        )
        return done.stdout.splitlines()

    assert offered("studio run first_st") == ["first_steps\tproject"]
    assert sorted(line.split("\t")[0] for line in offered("studio run first_steps --de")) == ["--debug", "--detach"]
