"""`studio record`: real systems, real logs, and a real terminal for the bookmarks."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from studio.cli.shared.recording_options import progress_text
from studio.messages import Float64, encode
from studio.runtime.recording import LogError, LogReader, LogWriter
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC
from tests.cli.running import STUDIO, Studio
from tests.waiting import await_true


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two seconds of a project, one topic of it, into a folder; with two lines on standard input."""
    folder = tmp_path_factory.mktemp("logs")
    words = [*STUDIO, "record", "first_steps", str(folder), "--for", "2", "--json", "--compression", "lz4"]
    done = subprocess.run(
        [*words, "--topics", "/signal/*", "/nobody/*"], input="the dog\n\nthe cat", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "warning: no topic matches /nobody/*" in done.stderr
    return {**json.loads(done.stdout), "folder": folder}


def test_a_folder_gets_a_log_named_after_project_and_time(recorded: dict[str, Any]) -> None:
    told = recorded["recording"]
    (log,) = recorded["folder"].iterdir()
    assert str(log) == told["log"]
    assert re.fullmatch(r"first_steps_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.mcap", log.name)
    assert (told["finished"], told["missing"], told["bookmarks"]) == (True, 0, 2)
    assert told["bytes"] == log.stat().st_size


def test_only_what_was_chosen_is_recorded(recorded: dict[str, Any]) -> None:
    with LogReader(recorded["recording"]["log"]) as log:
        data = {name: topic.count for name, topic in log.topics.items() if not name.startswith("/_studio/")}
    assert data.keys() == {"/signal/value"} and data["/signal/value"] > 20


def test_lines_of_standard_input_are_bookmarks(recorded: dict[str, Any], studio: Studio) -> None:
    told = studio("info", recorded["recording"]["log"], "--json").json["bookmarks"]
    assert [mark["text"] for mark in told] == ["the dog", "the cat"]
    with LogReader(recorded["recording"]["log"]) as log:
        assert all(log.start_ns <= mark["stamp_ns"] <= log.end_ns for mark in told)
    assert "the cat" in studio("info", recorded["recording"]["log"]).out


def test_what_a_new_recorder_wrote_is_told_too(tmp_path: Path) -> None:
    log = tmp_path / "drive.mcap"
    words = [*STUDIO, "record", "first_steps", str(log), "--json"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            await_true(lambda: log.exists() and _holds_events(log), "events in the log", 60.0)
            (recorder,) = (each for each in psutil.Process(process.pid).children() if "recorder" in each.cmdline()[0])
            recorder.kill()
            second = tmp_path / "drive_2.mcap"
            await_true(lambda: second.exists() and _holds_events(second), "events in another log", 60.0)
        finally:
            process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 1, "the first log is not whole"
    told = json.loads(out)["recording"]
    assert (told["log"], told["finished"]) == (str(log), False)
    assert [(each["log"], each["finished"]) for each in told["continued"]] == [(str(second), True)]


def _holds_events(log: Path) -> bool:
    try:
        with LogReader(log) as reader:
            return reader.event_count > 0
    except LogError:  # not even its first bytes are there
        return False


def test_little_room_is_told_in_megabytes() -> None:
    report = {"events": 1, "bytes": 1_000_000, "missing": 0, "full": False}
    assert progress_text(report | {"free_bytes": 4_700_000}, 0.0).endswith(", 5 MB left")
    assert progress_text(report | {"free_bytes": 83_700_000_000}, 0.0).endswith(", 83.7 GB left")


def test_the_key_b_asks_for_a_bookmark_and_the_line_tells_how_far_the_log_is(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    log = tmp_path / "drive.mcap"
    words = [*STUDIO, "record", "first_steps", str(log)]
    terminal = {**os.environ, "COLUMNS": "160", "LINES": "40"}
    process = subprocess.Popen(words, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, env=terminal)
    os.close(theirs)
    try:
        _until(ours, r"\d events, [\d.]+ MB, [\d.]+ MB/s, [\d.]+ GB left")
        os.write(ours, b"bdoh\x7fg\r")
        _until(ours, r"bookmark at [\d.]+ s: dog")
        os.write(ours, b"bnot this")
        _until(ours, r"forgets it\): not this")
        os.write(ours, b"\x1b")
        _until(ours, r"; b: bookmark")
        process.send_signal(signal.SIGINT)
        assert _status(process, ours) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    with LogReader(log) as reader:
        assert reader.is_finished
        assert [mark.text for _, mark in reader.bookmarks()] == ["dog"]


def _status(process: subprocess.Popen[bytes], terminal: int, patience_s: float = 30.0) -> int | None:
    """How it ended; what it still shows is read away, or it would wait for that."""
    end = time.monotonic() + patience_s
    while process.poll() is None and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            with suppress(OSError):  # it has closed its side
                os.read(terminal, 65536)
    return process.poll()


def _until(terminal: int, pattern: str, patience_s: float = 30.0) -> None:
    shown = ""
    end = time.monotonic() + patience_s
    while not re.search(pattern, shown):
        assert time.monotonic() < end, f"{pattern} is not in:\n{shown}"
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("record", "first_steps", "LOG", "--topics", "signal"), "does not start with /"),
        (("record", "first_steps", "LOG", "--topics", "/nobody/*"), "no topic is left to record"),
        (("record", "first_steps", "FOLDER/logs/"), "make it first: mkdir "),
        (("record", "first_steps", "LOG", "--exclude", "/*"), "the topics are /signal/value"),
        (("record", "first_steps", "FOLDER/nowhere/a.mcap"), "there is no folder"),
        (("run", "first_steps", "--topics", "/signal/*"), "name it: --record LOG"),
        (("run", "first_steps", "--for", "1", "--compression", "lz4"), "name it: --record LOG"),
    ],
)
def test_wrong_choices_are_said_before_anything_runs(
    studio: Studio, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    places = {"LOG": str(tmp_path / "a.mcap"), "FOLDER/nowhere/a.mcap": str(tmp_path / "nowhere" / "a.mcap")}
    places["FOLDER/logs/"] = f"{tmp_path / 'logs'}/"
    result = studio(*(places.get(word, word) for word in words))
    assert result.status == 2
    assert told in result.err
    assert not list(tmp_path.iterdir())


def test_a_finished_log_gets_bookmarks_in_a_copy(studio: Studio, tmp_path: Path) -> None:
    log = tmp_path / "a.mcap"
    second_ns = 1_000_000_000
    with LogWriter(log) as writer:
        writer.add_metadata("run", {"id": "7"})
        writer.add_attachment("system.xml", b"<system/>")
        channel = writer.add_topic("/signal/value", Float64)
        for number in range(1, 11):
            payload, at_ns = encode(Float64(number)), number * second_ns
            writer.write(channel, payload, log_time_ns=at_ns, sequence=number, stamp_ns=at_ns, cause_sequence=3)
    before = log.read_bytes()
    first = studio(
        "convert", log, tmp_path / "b.mcap", "--bookmark", "4", "late", "--bookmark", "1.5", "early", "--json"
    )
    assert (first.status, first.json["events"], first.json["bookmarks"]) == (0, 12, 2)
    assert studio("convert", tmp_path / "b.mcap", tmp_path / "c.mcap", "--bookmark", "2", "between").status == 0
    assert log.read_bytes() == before
    with LogReader(log) as a, LogReader(tmp_path / "c.mcap") as c:
        assert [(at_ns / second_ns, mark.text) for at_ns, mark in c.bookmarks()] == [
            (2.5, "early"), (3.0, "between"), (5.0, "late"),
        ]  # fmt: skip
        assert [event.sequence for event in c.events([BOOKMARK_TOPIC])] == [1, 2, 3]
        assert [(*event[:4], bytes(event.payload), *event[5:]) for event in a.events()] == [
            (*event[:4], bytes(event.payload), *event[5:]) for event in c.events(["/signal/value"])
        ]
        assert (c.metadata(), c.attachment("system.xml")) == (a.metadata(), b"<system/>")
    late = studio("convert", log, tmp_path / "d.mcap", "--bookmark", "99", "never")
    assert (late.status, (tmp_path / "d.mcap").exists()) == (2, False)
    assert "it is 9.000 s long" in late.err


def test_a_lockstep_is_recorded_the_same_every_time(studio: Studio, tmp_path: Path) -> None:
    logs = [tmp_path / "a.mcap", tmp_path / "b.mcap"]
    for log in logs:
        told = studio("record", "first_steps", log, "--gate", "lockstep", "--for", "1", "--json").json
        assert told["gate"] == "lockstep"
    assert studio("compare", *logs).status == 0
