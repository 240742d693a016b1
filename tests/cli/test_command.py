from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studio.cli import ctl
from studio.cli.command import find_verb
from studio.cli.shared.colours import RED, paint
from studio.cli.shared.columns import columns, paragraphs, wrapped
from studio.cli.shared.outcome import UsageError
from studio.cli.verbs import VERBS, Verb, parser_of
from studio.errors import StudioError
from tests.cli.running import STUDIO, Studio


def test_the_overview_names_every_command(studio: Studio) -> None:
    for words in (["--help"], ["-h"], ["help"]):
        result = studio(*words)
        assert result.status == 0
        for verb in VERBS:
            assert f"studio {verb.name} " in result.out
            assert verb.summary in result.out


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_command_explains_itself_with_an_example(studio: Studio, verb: Verb) -> None:
    result = studio(verb.name, "--help")
    assert result.status == 0
    assert "examples:" in result.out
    assert f"  studio {verb.name}" in result.out.partition("examples:")[2]


def test_an_unknown_command_is_wrong_use_and_the_nearest_one_is_named(studio: Studio) -> None:
    result = studio("chekc")
    assert result.status == 2
    assert result.err == "studio: there is no command 'chekc' (did you mean `studio check`?)\n"


def test_wrong_options_are_wrong_use(studio: Studio) -> None:
    assert studio("doctor", "--nonsense").status == 2
    assert studio("check").status == 2


def raising(error: BaseException) -> object:
    class Module:
        EXAMPLE = ""

        def configure(self, parser: object) -> None:
            pass

        def run(self, options: object) -> int:
            raise error

    return Module()


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (StudioError("it broke", file="a.xml", line=3, hint="mend it"), 1, "studio: a.xml:3: it broke (mend it)\n"),
        (UsageError("no such thing"), 2, "studio: no such thing\n"),
        (KeyboardInterrupt(), 130, "\n"),
    ],
)
def test_errors_become_one_line_and_a_status(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, line: str
) -> None:
    monkeypatch.setattr(Verb, "load", lambda self: raising(error))
    result = studio("check")
    assert (result.status, result.err, result.out) == (status, line, "")


def test_a_fault_of_our_own_is_not_hidden(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Verb, "load", lambda self: raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        studio("check")


def test_help_imports_no_library() -> None:
    """So that `studio --help` and shell completion are instantaneous."""
    code = "import sys; from studio.cli import main; main(['--help']); print([m for m in sys.modules if m in HEAVY])"
    heavy = "HEAVY = {'numpy', 'lxml', 'zmq', 'rosbags', 'PyQt6'}; "
    done = subprocess.run([sys.executable, "-c", heavy + code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_the_installed_command_and_the_module_are_the_same() -> None:
    script = Path(sys.executable).with_name("studio")
    outputs = [subprocess.check_output([*each, "--version"]) for each in (STUDIO, [str(script)])]
    assert outputs[0] == outputs[1]


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*STUDIO, "--help"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_has_had_enough_of_an_error_gets_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-m", "studio", "info", "no_such_thing", "--json"]
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == 2 and done.stderr.startswith("studio: there is no project or component no_such_thing")
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


def test_ctrl_c_ends_a_real_process_cleanly(tmp_path: Path) -> None:
    """Interrupted while `studio doctor` waits for a program that it asks for its version."""
    slow, started = tmp_path / "cc", tmp_path / "started"
    slow.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep 60\n")
    slow.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    process = subprocess.Popen([*STUDIO, "doctor"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        while not started.exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, err.strip()) == (130, b"")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["run", "first_steps", "--fro", "1"],
            "run: there is no option --fro (did you mean --for?)",
        ),
        (["run", "first_steps", "--for", "abc"], "studio: run: --for: 'abc' is not a number of seconds ("),
        (["new", "component", "x", "--categry=sensor"], "(did you mean --category?)"),
        (["ctl", "again", "--count", "5"], "studio: ctl: there is no option --count ("),
        (["check"], "studio: check: missing: PROJECT (`studio check --help` explains it)"),
        (["new", "projekt", "x"], "studio: new: project|component cannot be projekt (did you mean project?)"),
        (
            ["new", "component", "x", "--category", "x"],
            "--category cannot be x (known: sensor, processor, actuator, judge)",
        ),
    ],
)
def test_wrong_words_are_told_in_one_line_with_what_was_meant(studio: Studio, words: list[str], told: str) -> None:
    result = studio(*words)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert told in result.err


@pytest.mark.parametrize(("words", "count"), [((), 1), (("5",), 5), (("--count", "5"), 5)])
@pytest.mark.parametrize("verb", ["step", "back"])
def test_the_number_of_steps_may_be_an_option(verb: str, words: tuple[str, ...], count: int) -> None:
    (ctl,) = [each for each in VERBS if each.name == "ctl"]
    assert parser_of(ctl).parse_args([verb, *words]).count == count


def test_an_unknown_option_is_not_what_was_meant(studio: Studio) -> None:
    assert "did you mean --count?" not in studio("ctl", "again", "--count", "5").err


def test_help_takes_the_name_of_a_command(studio: Studio) -> None:
    for words in (["help", "run"], ["--help", "run"]):
        assert studio(*words).out == studio("run", "--help").out


def test_every_verb_of_ctl_shows_how_it_is_used() -> None:
    parser = argparse.ArgumentParser()
    ctl.configure(parser)
    (verbs,) = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    assert len(verbs.choices) > 30
    for name, verb in verbs.choices.items():
        assert re.search(rf"studio ctl {name}\b", str(verb.epilog)), name


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["info", "nothing_here", "--json"], 2, "there is no project or component nothing_here"),
        (["check", "--json"], 2, "check: missing: PROJECT"),
        (["compare", "a.mcap", "--jsn", "--json"], 2, "compare: missing: B"),
        (["ctl", "lst", "--json"], 2, 'ctl: unknown verb "lst"'),
        (["frobnicate", "--json"], 2, "there is no command 'frobnicate'"),
    ],
)
def test_errors_are_json_too_where_json_was_asked_for(
    studio: Studio, words: list[str], status: int, message: str
) -> None:
    told = studio(*words)
    assert (told.status, told.json["status"], told.json["error"]["message"]) == (status, status, message)
    assert f"studio: {message}" in told.err, "and one line for people"


def test_a_project_with_errors_is_json_too(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "system.xml").write_text('<system name="x" version="1"><component name="a" type="nothing"/></system>')
    told = studio("run", tmp_path, "--json")
    assert (told.status, told.json["status"]) == (1, 1)
    assert "does not run: 1 error" in told.json["error"]["message"]
    assert any("nothing" in problem["message"] for problem in told.json["problems"])


def test_colours_only_where_a_person_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return True

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert paint("x", RED, stream=Stream()) == "\x1b[31mx\x1b[0m"
    assert paint("x", RED, stream=io.StringIO()) == "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("x", RED, stream=Stream()) == "x"


def test_long_lists_are_wrapped_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert list(wrapped("fed", [f"/topic/{number}" for number in range(5)])) == [
        "fed: /topic/0, /topic/1,", "  /topic/2, /topic/3, /topic/4",
    ]  # fmt: skip


ROWS = [("cell_m", "0.25", "side of a cell; a new one starts a new map"), ("vehicle", "", "the body")]


def test_the_last_column_is_broken_where_the_terminal_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    whole = ["  cell_m   0.25  side of a cell; a new one starts a new map", "  vehicle        the body"]
    assert list(columns(ROWS)) == whole, "nothing is broken in a pipe"
    monkeypatch.setenv("COLUMNS", "52")
    beside = ["  cell_m   0.25  side of a cell; a new one starts", "                 a new map", whole[1]]
    assert list(columns(ROWS)) == beside
    monkeypatch.setenv("COLUMNS", "40")
    below = ["  cell_m   0.25", "      side of a cell; a new one starts", "      a new map", whole[1]]
    assert list(columns(ROWS)) == below


def test_paragraphs_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert list(paragraphs("One two three\nfour.\n\nFive.")) == ["  One two three", "  four.", "", "  Five."]
    assert list(paragraphs("")) == []


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_help_fits_a_terminal_of_eighty_columns(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, parser_of(find_verb(verb)).format_help().splitlines())) <= 80


def test_the_actions_of_the_player_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    """They were one paragraph."""
    with pytest.raises(SystemExit):
        parser_of(find_verb("ctl")).parse_args(["player", "-h"])
    lines = capsys.readouterr().out.splitlines()
    for action in ("play ", "seek S", "until [CONDITION]"):
        assert any(line.startswith(f"  {action}") for line in lines), action


def test_a_long_example_can_still_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = parser_of(find_verb("new")).format_help()
    command = re.search(r"studio new component terrain(?:.*\\\n)*.*", text)
    assert command is not None and shlex.split(command[0])[-2:] == ["--out", "terrain:Map"]
