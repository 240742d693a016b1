"""Every failure is told in the console, once."""

from __future__ import annotations

from typing import Any

from studio.editor.live.failures import FailureLines

TRACE = 'Traceback (most recent call last):\n  File "x.py", line 3, in on_raw\nValueError: no\n'


def state(errors: int, **more: Any) -> dict[str, Any]:
    return {"components": {"filter": {"errors": errors, "error": TRACE if errors else "", **more}, "sink": {}}}


def test_each_failure_is_told_once_and_again_after_another_attachment() -> None:
    lines = FailureLines()
    assert lines.new_in({}, 1) == [] and lines.new_in(state(0), 1) == []
    first = lines.new_in(state(1, failed_on={"topic": "/a/b", "sequence": 7}), 5)
    assert [(line["time_ns"], line["component"], line["level"]) for line in first] == [(5, "filter", "error")]
    assert first[0]["text"].splitlines()[0] == "failed while handling /a/b #7"
    assert first[0]["text"].endswith("ValueError: no")
    assert lines.new_in(state(1), 6) == []
    assert lines.new_in(state(2), 7)[0]["text"].startswith("failed\nTraceback")
    lines.forget()
    assert len(lines.new_in(state(2), 8)) == 1


def test_a_process_that_was_begun_anew_counts_from_the_start() -> None:
    lines = FailureLines()
    assert len(lines.new_in(state(3), 1)) == 1
    assert lines.new_in(state(0), 2) == [] and len(lines.new_in(state(1), 3)) == 1


def test_what_was_there_before_the_window_says_so_and_a_traceback_that_comes_later_is_told() -> None:
    lines = FailureLines()
    components: dict[str, dict[str, Any]] = {"filter": {"errors": 1, "error": TRACE}, "slow": {"errors": 1}}
    known = {"components": components}
    told = lines.new_in(known, 5, earlier=True)
    assert [line["text"] for line in told] == [f"earlier: failed\n{TRACE.rstrip()}"]
    components["slow"]["error"] = TRACE
    assert [line["component"] for line in lines.new_in(known, 6)] == ["slow"]
    assert not lines.new_in(known, 7)
