"""The end of a run takes ten seconds at most; only a recorder that is writing is waited for longer."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.runtime.plan.plan import Plan, RecordingPlan
from studio.runtime.processes.run_processes import ENDS_WITHIN_S
from studio.runtime.processes.stop_deadline import STOP_WITHIN_S, await_writer
from studio.runtime.processes.supervision import RestartPolicy
from studio.runtime.recording import LogReader
from studio.runtime.session.session import Session
from tests.runtime.systems import Part, plan
from tests.waiting import await_true

WRITES_FOR_A_WHILE = """
import pathlib, sys, time
with pathlib.Path(sys.argv[1]).open("ab", buffering=0) as log:
    for _ in range(40):
        log.write(b"event")
        time.sleep(0.05)
"""
STANDS_STILL = "import time; time.sleep(600)"


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Session]:
    """A system that is being recorded."""
    made = plan(ticker=Part("Ticker", period_s=0.005), sink=Part("Sink", {"raw": "ticker.out"}))
    types = {"/ticker/out": "Float64"}
    recording = RecordingPlan(str(tmp_path / "trial.mcap"), tuple(types))
    session = Session(Plan(made.components, made.seed, "", types, recording), policy=RestartPolicy())
    session.launch()
    session.start("run")
    await_true(lambda: session.observer.component("sink").get("handled", 0) > 50, "events")
    yield session
    session.close()


def closed_in_s(session: Session) -> float:
    start = time.monotonic()
    session.close()
    return time.monotonic() - start


def test_a_recorder_that_stands_still_does_not_hold_up_the_end(recorded: Session, tmp_path: Path) -> None:
    recorder = recorded.recorder
    assert recorder is not None
    recorder.send_signal(signal.SIGSTOP)
    assert closed_in_s(recorded) < STOP_WITHIN_S
    assert recorder.returncode == -signal.SIGKILL
    assert not recorded.folders.run.exists()
    with LogReader(tmp_path / "trial.mcap") as reader:
        assert not reader.is_finished, "it was not closed, but what had been written can be read"
        assert sum(1 for _ in reader.events(topics=["/ticker/out"])) > 10


def test_a_broker_that_stands_still_costs_a_recorder_neither_its_log_nor_the_system_its_end(
    recorded: Session, tmp_path: Path
) -> None:
    recorded.broker.send_signal(signal.SIGSTOP)
    assert closed_in_s(recorded) < STOP_WITHIN_S
    assert recorded.recorder is not None and recorded.recorder.returncode == 0
    with LogReader(tmp_path / "trial.mcap") as reader:
        assert reader.is_finished


def test_a_component_that_is_far_behind_is_deactivated_and_ends_at_once(tmp_path: Path) -> None:
    """The word to stop comes behind all that waits for it: here more than a minute of work."""
    words = tmp_path / "words"
    behind = Part("FarBehind", {"raw": "ticker.out"}, {"file": str(words)})
    with Session(plan(ticker=Part("Ticker", period_s=0.001), behind=behind)) as session:
        session.launch()
        session.start("run")
        await_true(lambda: session.observer.component("ticker").get("handled", 0) > 1500, "a queue")
        assert closed_in_s(session) < ENDS_WITHIN_S
        assert words.read_text() == "deactivated" and session.hosts["behind"].returncode == 0


@pytest.mark.parametrize(("does", "is_awaited"), [(WRITES_FOR_A_WHILE, True), (STANDS_STILL, False)])
def test_one_that_writes_is_waited_for_and_one_that_does_not_is_not(
    tmp_path: Path, does: str, is_awaited: bool
) -> None:
    log = tmp_path / "log"
    with subprocess.Popen([sys.executable, "-c", does, str(log)]) as process:
        try:
            await_true(lambda: log.exists() or not is_awaited, "the first words")
            await_writer(process, log, 0.1)
            assert (process.poll() == 0) is is_awaited
        finally:
            process.kill()
