"""Who runs the code of a file as it was before it was saved."""

from __future__ import annotations

from pathlib import Path

from studio.editor.code.old_code import OldCode

FILE = Path("limiter.py")


def test_a_process_that_was_started_after_the_file_was_saved_runs_the_new_code() -> None:
    """After Restart the window still said that the old code runs."""
    old = OldCode()
    old.saved(FILE, ["limiter", "other", "down"], {"limiter": {"pid": 7}, "other": {"pid": 8}, "down": {"pid": None}})
    assert old.runs(FILE, "limiter") and old.runs(FILE, "other") and not old.runs(FILE, "down")
    assert old.renewed({"limiter": {"pid": 9}, "other": {"pid": 8}}) == []
    assert not old.runs(FILE, "limiter") and old.runs(FILE, "other")
    assert old.renewed({"limiter": {"pid": 9}, "other": {"pid": 10}}) == [FILE]
    assert old.renewed({}) == []


def test_nothing_runs_old_code_when_the_system_has_ended() -> None:
    old = OldCode()
    old.saved(FILE, ["limiter"], {"limiter": {"pid": 7}})
    assert old.clear() == [FILE] and not old.runs(FILE, "limiter")


def test_reload_may_keep_the_process() -> None:
    old = OldCode()
    old.saved(FILE, ["limiter"], {"limiter": {"pid": 7}})
    old.reloaded("limiter")
    assert not old.runs(FILE, "limiter")
