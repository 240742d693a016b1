from __future__ import annotations

import io
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from studio.cli import convert
from studio.runtime.recording import LogReader
from tests.cli.running import STUDIO, Studio
from tests.runtime.recording.logs import story, write_log

LINE = "ODOM {0} 0 0 0 0 0 {0} robot {0}\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "drive.log"
    path.write_text("".join(LINE.format(number) for number in range(1, 101)) + "NEFF 3\nODOM broken\n")
    return path


def test_a_table_tells_what_came_over_and_what_did_not(studio: Studio, log: Path) -> None:
    out = log.with_name("drive.mcap")
    result = studio("convert", log, out, "--compression", "lz4")
    assert (result.status, result.err) == (0, "")
    assert "100 events over 99.0 s, from CARMEN log" in result.out
    assert "/carmen/odom  Odometry  100  ODOM" in result.out
    assert "NEFF  1  Studio has no type for such lines" in result.out
    assert "line 102: ends early" in result.out
    with LogReader(out) as written:
        assert written.event_count == 100


def test_json_for_scripts(studio: Studio, log: Path) -> None:
    report = studio("convert", log, log.with_name("drive.mcap"), "--json").json
    assert report["events"] == 100
    assert report["topics"][0]["name"] == "/carmen/odom"
    assert report["damages"] == [{"line": 102, "reason": "ends early"}]
    assert report["not_mapped"][0]["name"] == "NEFF"


def test_info_tells_how_a_log_from_elsewhere_was_read(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "rounded.log"
    path.write_text(LINE.replace("{0}", "1.08911e+09").format("1.08911e+09") * 20)
    for log in (path, tmp_path / "out.mcap"):
        told = studio("info", log, "--json").json
        assert told["import_notes"][-1] == "messages were spaced evenly, 0.1 s apart"
        assert (
            "imported: the sender's stamps are rounded, so they are not used as times: all 20 are 1089110000"
            in studio("info", log).out
        )
        if log == path:
            assert "how it was read" in studio("convert", path, tmp_path / "out.mcap").out


def test_wrong_words_end_with_2(studio: Studio, log: Path) -> None:
    out = log.with_name("out.mcap")
    assert studio("convert", log.with_name("none.log"), out).status == 2
    assert studio("convert", log, log).status == 2
    assert studio("convert", log, out, "--spacing", "0").status == 2
    assert studio("convert", log, out, "--compression", "rar").status == 2
    assert not out.exists()


def test_what_cannot_be_read_ends_with_1_and_one_line(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("nothing of the kind\n")
    result = studio("convert", tmp_path / "a.log", tmp_path / "a.mcap")
    assert result.status == 1
    assert "is not a log that Studio can read" in result.err
    assert len(result.err.splitlines()) == 1
    assert not (tmp_path / "a.mcap").exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_on_a_terminal_and_wiped(studio: Studio, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(convert, "QUIET_NS", 0)
    studio("convert", log, log.with_name("drive.mcap"))
    assert "%" in terminal.getvalue()
    assert terminal.getvalue().endswith(convert.CLEAR_LINE)


def test_what_is_quick_has_no_bar(studio: Studio, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(convert, "QUIET_NS", 3600 * 10**9)
    studio("convert", log, log.with_name("drive.mcap"))
    assert terminal.getvalue() == ""


def test_ctrl_c_ends_it_and_removes_the_file(tmp_path: Path) -> None:
    log, out = tmp_path / "long.log", tmp_path / "long.mcap"
    with log.open("w") as stream:
        for number in range(1, 300_001):
            stream.write(LINE.format(number))
    leader, follower = pty.openpty()
    process = subprocess.Popen([*STUDIO, "convert", log, out], stderr=follower, stdout=subprocess.PIPE)
    os.close(follower)
    try:
        shown = b""
        while b"Ctrl-C" not in shown or not out.exists():  # the bar is there, and the second pass has begun
            shown += os.read(leader, 1000)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=20)
    finally:
        process.kill()
        os.close(leader)
    assert process.returncode == 130
    assert printed == b""
    assert not out.exists()


def test_a_project_becomes_an_rts_profile_and_the_other_way_round(studio: Studio, tmp_path: Path) -> None:
    profile, project = tmp_path / "steps.xml", tmp_path / "steps"
    first_steps = Path(__file__).resolve().parents[2] / "projects" / "first_steps"
    out = studio("convert", first_steps, profile, "--to", "rtsprofile")
    assert out.status == 0 and "recording" in out.out
    assert studio("convert", profile, tmp_path / "again.xml").status == 2, "a project is a folder"
    told = studio("convert", profile, project, "--json")
    assert told.status == 0 and told.json["not_mapped"] == []
    assert studio("check", project).status == 0
    assert studio("convert", profile, project).status == 2, "files are never overwritten"


class TestDamage:
    @pytest.fixture
    def damaged(self, tmp_path: Path) -> Path:
        """One bit in the middle is another."""
        path = tmp_path / "drive of today.mcap"
        write_log(path, story(300))
        content = bytearray(path.read_bytes())
        with LogReader(path) as log:
            middle = list(log.events())[150].payload
        content[content.index(bytes(middle))] ^= 4
        path.write_bytes(content)
        return path

    def test_the_hint_of_a_damaged_log_is_a_command_that_saves_it(self, studio: Studio, damaged: Path) -> None:
        refused = studio("info", damaged)
        assert refused.status == 1 and "is damaged" in refused.err
        command = refused.err[refused.err.index("studio convert") : refused.err.rindex(")")]
        _, *words = shlex.split(command)
        before = damaged.read_bytes()
        saved = studio(*words, "--json")
        assert saved.status == 0, saved.err
        copy = damaged.with_name("drive of today_repaired.mcap")
        with LogReader(copy) as log:
            kept = log.event_count
            assert log.is_finished and 250 < kept < 300 and "repaired" in dict(log.metadata())
            log.check()
        assert saved.json["events"] == kept and sum(saved.json["lost_events"].values()) == 300 - kept
        assert saved.json["exact"] and saved.json["damages"] and damaged.read_bytes() == before
        assert "repaired: this is a copy of a damaged log" in studio("info", copy).out

    def test_it_tells_in_words_what_was_lost(self, studio: Studio, damaged: Path, tmp_path: Path) -> None:
        told = studio("convert", damaged, tmp_path / "saved.mcap", "--repair").out
        assert "lost: " in told and " ms, " in told and "the checksum of a chunk is not that of its content" in told

    def test_a_conversion_takes_what_lies_behind_the_damage(
        self, studio: Studio, damaged: Path, tmp_path: Path
    ) -> None:
        report = studio("convert", damaged, tmp_path / "out.mcap", "--compression", "lz4", "--json").json
        assert 250 < report["events"] < 300 and report["damage_count"] == 1
        assert "events are intact" in report["notes"][0]
        with LogReader(damaged.with_name("out.mcap")) as log:
            assert not log.gaps
            last = next(log.events(["/signal"], reverse=True))
        assert last.sequence == 180, "the damage is in the middle, not the end"
        assert {path.name for path in tmp_path.iterdir()} == {damaged.name, "out.mcap"}

    def test_what_holds_nothing_intact_leaves_no_copy(self, studio: Studio, tmp_path: Path) -> None:
        (tmp_path / "noise.mcap").write_bytes(os.urandom(5000))
        assert studio("convert", tmp_path / "noise.mcap", tmp_path / "out.mcap", "--repair").status == 1
        assert studio("convert", tmp_path, tmp_path / "out.mcap", "--repair").status == 2
        assert "--repair" in studio("info", tmp_path / "noise.mcap").err
        assert not (tmp_path / "out.mcap").exists()

    def test_what_is_no_mcap_file_is_not_taken_for_a_damaged_one(self, studio: Studio, tmp_path: Path) -> None:
        (tmp_path / "a.log").write_text("ODOM 1 2 3 0 0 0 10.0 host 0.1\n")
        for words in (["--repair"], ["--bookmark", "0", "here"]):
            result = studio("convert", tmp_path / "a.log", tmp_path / "out.mcap", *words)
            assert (result.status, "a.log is a CARMEN log; " in result.err) == (2, True)
        assert not (tmp_path / "out.mcap").exists()


def test_a_folder_that_is_not_there_is_told(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("ODOM 1 2 3 0 0 0 10.0 host 0.1\n")
    result = studio("convert", tmp_path / "a.log", tmp_path / "nowhere" / "a.mcap")
    assert (result.status, "nowhere (make it first)" in result.err) == (2, True)
