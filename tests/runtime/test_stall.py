"""A system that claims to run while no event flows says so, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.base.stall import StallWatch, patience_s, why_stalled
from tests.running_project import running
from tests.waiting import await_true


def told(state: str, host: str = "a", activation: str = "event", period_s: float = 0.0) -> dict[str, Any]:
    return {"state": state, "host": host, "activation": activation, "period_s": period_s}


def test_silence_is_told_after_a_while_and_only_while_it_runs() -> None:
    watch = StallWatch()
    assert watch.quiet_s(7, 0, runs=True) == 0
    assert watch.quiet_s(7, 2 * SECOND_NS, runs=True) == 0
    assert watch.quiet_s(7, 4 * SECOND_NS, runs=True) == 4
    assert watch.quiet_s(8, 5 * SECOND_NS, runs=True) == 0, "an event"
    assert watch.quiet_s(8, 9 * SECOND_NS, runs=False) == 0, "paused"
    assert watch.quiet_s(8, 10 * SECOND_NS, runs=True) == 0, "it has only begun to run"
    assert watch.quiet_s(8, 13 * SECOND_NS, runs=True) == 4


def test_a_slow_timer_is_waited_for() -> None:
    slow = {"minute": told("active", activation="periodic", period_s=60.0)}
    assert patience_s(slow, 1.0) == 180.0
    assert patience_s(slow, 10.0) == 18.0
    assert patience_s({**slow, "fast": told("active", activation="periodic", period_s=0.1)}, 1.0) == 3.0
    assert patience_s({"minute": told("inactive", activation="periodic", period_s=60.0)}, 1.0) == 3.0


@pytest.mark.parametrize(
    ("components", "player", "waits_for", "why"),
    [
        ({"simulator": told("inactive"), "avoid": told("active")}, None, (), "simulator is inactive"),
        ({"map": told("active", host="h")}, None, ("h",), "map is busy with an event"),
        ({"left": told("error"), "right": told("error")}, None, (), "left, right are in error"),
        ({"avoid": told("active")}, {"stopped": "end", "playing": True}, (), "the log has ended"),
        ({"gps": {**told("active"), "trouble": "no device"}}, None, (), "gps: no device"),
        ({"avoid": told("active")}, None, (), "no component sends anything"),
        ({}, None, (), "there are no components"),
    ],
)
def test_the_reason_that_is_nearest_to_the_cause_is_told(
    components: dict[str, Any], player: dict[str, Any] | None, waits_for: tuple[str, ...], why: str
) -> None:
    assert why_stalled(components, player, waits_for) == why


SYSTEM = """<system name="quiet" version="1">
  <component name="signal" type="signal_source"/>
  <component name="sink" type="signal_sink"/>
  <wire from="signal.value" to="sink.value"/>
</system>"""


def test_a_running_system_without_its_only_source_says_so_by_itself(tmp_path: Path) -> None:
    folder = tmp_path / "quiet"
    folder.mkdir()
    (folder / "system.xml").write_text(SYSTEM)
    with running(folder) as system:
        system.flows()
        assert system.state["stalled"] is None
        system.ask("command", component="signal", command={"do": "deactivate"})
        await_true(lambda: system.state["stalled"], "it to say so")
        assert system.state["gate"] == "run"
        assert system.state["stalled"]["why"] == "signal is inactive"
        system.ask("command", component="signal", command={"do": "activate"})
        await_true(lambda: system.state["stalled"] is None, "it to go on")
        lines = [line["text"] for line in system.attachment.lines]
        assert sum("running, but no event for" in line for line in lines) == 1
