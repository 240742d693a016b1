"""What Ctrl-C does to a long move: it ends between two events, and stepping goes on from there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from studio.cli.run_parts.step_keys import StepKeys
from studio.cli.shared.keys import Keys
from studio.runtime.recording import LogReader
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.replay.stepping import step_inputs
from tests.runtime.replay.small_systems import plan, record_lockstep
from tests.runtime.systems import Part


def test_ctrl_c_stops_a_move_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The component itself interrupts at its 100th event, as a person would in the middle of a long move."""
    system = plan(
        fast=Part("Ticker", period_s=0.001, outlets=("out",)),
        adder=Part("Adder", {"raw": "fast.out"}, outlets=("out",)),
    )
    record_lockstep(tmp_path / "run.mcap", system, 2.0)
    read, write = os.pipe()
    with LogReader(tmp_path / "run.mcap") as log, step_inputs(inputs_of(system, log, {}), in_process=True) as opened:
        keys = StepKeys(opened, Keys(read))
        adder = opened.stepper._run.runners["adder"].component  # type: ignore[attr-defined]
        handle, count = adder.on_raw, 0

        def interrupting(message: object) -> None:
            nonlocal count
            count += 1
            if count == 100:
                os.kill(os.getpid(), signal.SIGINT)
            handle(message)

        opened.stepper._run.runners["adder"]._routes["/fast/out"][0] = (adder.raw, interrupting)  # type: ignore[attr-defined]
        os.write(write, b"5000nq")
        keys.main()
        out = capsys.readouterr().out
        stopped = opened.stepper.position
        assert f"stopped at event {stopped}" in out
        assert 300 <= stopped < 5000
        opened.stepper.forward(10)
        assert opened.stepper.position == stopped + 10
    os.close(read)
    os.close(write)
