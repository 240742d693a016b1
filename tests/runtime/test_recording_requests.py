"""A system that runs is recorded for a while, and goes on as if nothing had been."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from studio.runtime.base.clock import ClockKind
from studio.runtime.control_plane.of_runtime import Record
from studio.runtime.recording import LogReader
from studio.runtime.server.recording_requests import CannotRecord, begin, bookmark, end, recording_job
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true


def test_a_running_system_is_recorded_and_goes_on(tmp_path: Path) -> None:
    chain = plan(ticker=Part("Ticker", period_s=0.01, outlets=("out",)), sink=Part("Sink", {"raw": "ticker.out"}))
    run = ProcessRun(replace(chain, types={"/ticker/out": "Float64"}), clock=ClockKind.WALL)
    try:
        run.start("run")
        await_true(lambda: run.component("sink").get("handled", 0) > 5, "it runs")
        with pytest.raises(CannotRecord, match="nothing is being recorded"):
            end(run)
        with pytest.raises(CannotRecord, match="no topic is left"):
            begin(run, tmp_path / "none.mcap", ["/laser/*"])
        assert run.mode == "run" and not (tmp_path / "none.mcap").exists()

        for name in ("first.mcap", "second.mcap"):
            file = tmp_path / name
            assert begin(run, file, ["/ticker/*"])["topics"] == ["/ticker/out"]
            assert run.mode == "run"
            moment_ns = int(run.status()["now_ns"]) - 5_000_000
            assert bookmark(run, f"mark of {name}", moment_ns) == {"time_ns": moment_ns}, "words take their time"
            before = run.component("sink")["handled"]
            await_true(lambda before=before: run.component("sink")["handled"] > before + 30, "it goes on")
            told = end(run)
            assert told["log"] == str(file) and told["bytes"] == file.stat().st_size and run.mode == "run"
            with LogReader(file) as log:
                assert log.is_finished
                assert [(mark.text, mark.stamp_ns) for _, mark in log.bookmarks()] == [(f"mark of {name}", moment_ns)]
                numbers = [event.sequence for event in log.events(["/ticker/out"])]
                assert len(numbers) > 20 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        before = run.component("sink")["handled"]
        await_true(lambda: run.component("sink")["handled"] > before + 10, "it goes on without a recorder")
        run.pause()  # otherwise it never settles
        ticks = [event.sequence for event in run.channel() if event.topic == "/ticker/out"]
        assert ticks == list(range(1, len(ticks) + 1)), "nothing was lost meanwhile"
        assert run.restarts == {} and run.exits == {}
    finally:
        run.close()


def test_what_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "there.mcap").touch()
    for file, words in {
        "": "the log needs a full path", "drive.mcap": "the log needs a full path",
        str(tmp_path / "there.mcap"): "exists already",
        str(tmp_path / "nowhere" / "drive.mcap"): "nothing can be written",
    }.items():  # fmt: skip
        with pytest.raises(CannotRecord, match=words):
            recording_job(None, Record(file=file))  # type: ignore[arg-type]
