"""What is shown of a running system, without one: states, rates, values; and the window's own stalls."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.editor.base import stalls as live_stalls
from studio.editor.base.stalls import StallLog, waited_s
from studio.editor.live.clock_words import clock_word, kind_tip, kind_words
from studio.editor.live.feed import Changes
from studio.editor.live.quiet_topics import span_words
from studio.editor.live.state import (
    LOOKS,
    error_place,
    error_sentence,
    live_node,
    live_wire,
    look_of,
    rate_words,
    time_words,
    totals,
)
from studio.editor.live.values import first_number, value_lines, value_words
from studio.editor.look.theme import THEMES, contrast
from studio.editor.panels.debug.held import counted
from studio.messages import Float64, Map, PoseTransform, Velocity
from studio.model.parts import Component, Endpoint, Wire
from studio.model.sources import LogProvider, Source
from studio.model.system import System
from studio.runtime.base.clock import monotonic_ns, wall_ns
from studio.runtime.lifecycle import State
from studio.runtime.processes.supervision import Condition

TRACE = """Traceback (most recent call last):
  File "/somewhere/components/low_pass/low_pass.py", line 41, in on_raw
    self.smooth.publish(1 / 0)
ZeroDivisionError: division by zero
"""


def component(state: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "low_pass", "state": state, "rate_hz": 10.0, "error": "", "restarts": 0, "activation": "event",
        "drops": 0, "dropped": {}, **more,
    }  # fmt: skip


def topic(count: int = 5, rate_hz: float = 10.0, quiet_s: int = 0) -> dict[str, Any]:
    late = {"p50": 100.0, "p99": 1500.0}
    return {"count": count, "rate_hz": rate_hz, "quiet_s": quiet_s, "drops": 0, "latency_us": late}


def state(gate: str = "run", **parts: Any) -> dict[str, Any]:
    return {"gate": gate, "components": {}, "topics": {}, "processes": {}, "sources": {}, **parts}


def test_every_state_that_a_runtime_tells_has_a_word_an_icon_and_a_colour_that_can_be_read() -> None:
    conditions = {each.value for each in Condition if each is not Condition.RUNNING}
    for name in conditions | {each.value for each in State} | {"busy"}:
        assert name in LOOKS, name
    for look in LOOKS.values():
        assert look.word and look.icon
        for theme in THEMES.values():
            assert contrast(theme.tone(look.tone), theme.node) >= 4.5
    assert look_of("something new").word == "Something new"


def test_a_source_whose_log_stands_is_held_like_all_others() -> None:
    """Its card stayed green at the end of the log, beside components that were held."""
    rig = Source("rig", mode="logged", logged=LogProvider("drive.mcap"))
    assert live_node(rig, state(sources={"rig": "logged"})).look.word == "Played"
    assert live_node(rig, state("pause", sources={"rig": "logged"})).look.word == "Held"
    assert live_node(rig, state("pause", sources={"rig": "simulated"})).look.word == "Not running"


def test_a_card_says_how_its_component_is() -> None:
    node = Component("filter", "low_pass")
    shown = live_node(node, state(components={"filter": component("active", rate_hz=99.96)}))
    assert (shown.look.word, shown.right) == ("Active", "100.0 Hz")
    timed = component("active", rate_hz=123.4, handler_p50_us=1800.0)
    shown = live_node(node, state(components={"filter": timed}))
    assert (shown.right, shown.brief) == ("123.4 Hz · 1.8 ms", ("123 Hz · 1.8 ms", "123.4 Hz"))
    assert live_node(node, state("pause", components={"filter": component("active")})).look.word == "Held"
    failed = live_node(node, state(components={"filter": component("error", error=TRACE)}))
    assert (failed.look.tone, failed.right) == ("error", "low_pass.py:41")
    assert live_node(node, state()).look.word == "Not running"
    other = component("active") | {"type": "something_else"}
    assert live_node(node, state(components={"filter": other})).look.word == "Not running", "of another type"


def test_a_traceback_is_told_by_its_place_and_its_last_line() -> None:
    assert (error_place(TRACE), error_sentence(TRACE)) == ("low_pass.py:41", "ZeroDivisionError: division by zero")
    assert (error_place(""), error_sentence("")) == ("", "")


def test_a_wire_says_whether_anything_flows_and_what_was_lost() -> None:
    wire = Wire(Endpoint("signal", "value"), Endpoint("filter", "raw"))
    system = System("s")
    assert live_wire(wire, system, state()).flow == "never"
    assert live_wire(wire, system, state(topics={"/signal/value": topic(0, 0.0)})).flow == "never"
    assert live_wire(wire, system, state(topics={"/signal/value": topic(9, 0.0, quiet_s=4)})).flow == "stale"
    assert live_wire(wire, system, state("pause", topics={"/signal/value": topic(9, 0.0, quiet_s=4)})).flow == "flows"
    assert live_wire(wire, system, state(topics={"/signal/value": topic(1, 0.0)})).flow == "flows", (
        "came once, by itself"
    )
    assert live_wire(wire, system, state(topics={"/signal/value": topic()})).rate == "10.0 Hz"


def test_the_system_in_a_line() -> None:
    told = totals(
        state(
            components={"a": component("active"), "b": component("hung")},
            topics={"/a/x": topic(), "/a/y": topic(rate_hz=5.0)},
            processes={"a": {"cpu_percent": 3.0, "rss_mb": 40.0}, "b": {"cpu_percent": None, "rss_mb": None}},
        )
    )
    assert (told.rate_hz, told.p99_us, told.troubled, told.cpu_percent) == (15.0, 1500.0, ("b",), 3.0)


def test_figures_keep_their_width() -> None:
    rates = (0.0, 0.5, 0.025, 9.96, 1234.5, 20_000.0)
    words = ["0.0 Hz", "0.5 Hz", "0.025 Hz", "10.0 Hz", "1234 Hz", "20.0 kHz"]
    assert [rate_words(rate) for rate in rates] == words
    assert [time_words(us) for us in (None, 90.0, 2500.0, 12_345_678.0)] == ["—", "90 µs", "2.5 ms", "12.3 s"]


def test_values_in_a_few_words() -> None:
    assert value_lines(Float64(data=-0.25)) == ["−0.25"]
    velocity = value_lines(Velocity(stamp_ns=7, frame="base"))
    assert velocity[-2:] == ["stamp_ns 7", "frame base"], "what says when and where comes last"
    planes = Map(plane_names=["height"], planes=np.zeros((1, 20, 30), np.float32))
    assert "planes 1 × 20 × 30 float32" in value_lines(planes)
    pose = PoseTransform.from_xyz_rpy(1.5, -2.0, 0.25, frame="map", child_frame="base")
    assert value_lines(pose)[0] == "matrix at (1.5, −2, 0.25)"
    assert first_number(Float64(data=2.0)) == 2.0 and first_number(planes) == 1.0


def test_what_has_changed_is_told_by_name() -> None:
    changes = Changes()
    changes.note(["components", "filter", "rate_hz"])
    assert changes.components == {"filter"} and not changes.shape and not changes.system
    changes.note(["components", "new"])
    changes.note(["clock", "base_ns"])
    assert changes.shape and changes.clock and not changes.system
    changes.note(["gate"])
    assert changes.system


@pytest.mark.parametrize("noise_s", [0.0, 60.0])
def test_a_stall_is_noted_with_its_place_unless_the_machine_made_it(
    qtbot: QtBot, tmp_path: Path, noise_s: float
) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    told = iter([0.0, *[noise_s] * 1000])
    log = StallLog(tmp_path / "stalls.log", owner, noise_s=lambda: next(told))
    threading.Event().wait(0.6)  # nothing comes back to the event loop meanwhile
    qtbot.wait(250)
    log.close()
    if noise_s:
        assert not log.stalls and not (tmp_path / "stalls.log").exists()
    else:
        assert log.stalls[0].own_s > 0.2 and "stood still" in (tmp_path / "stalls.log").read_text()


def test_the_machine_says_how_long_we_waited() -> None:
    before = waited_s()
    assert waited_s() >= before >= 0.0


def test_only_the_thread_that_asks_is_excused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Others that wait for a processor say nothing of what the window's own thread did."""
    monkeypatch.setattr(live_stalls, "TASKS", tmp_path)
    monkeypatch.setattr(live_stalls, "_stolen_s", lambda: 0.0)
    for task, waited_ns in ((threading.get_native_id(), 2_000_000_000), (1, 50_000_000_000)):
        (tmp_path / str(task)).mkdir()
        (tmp_path / str(task) / "schedstat").write_text(f"9000 {waited_ns} 7\n")
    assert waited_s() == 2.0


def test_a_clock_that_was_paused_is_not_called_wall_time() -> None:
    """It stood while the system was frozen, and goes on from there."""
    now = {"clock": {"kind": "wall", "base_ns": wall_ns(), "at_ns": monotonic_ns(), "rate": 1.0}}
    assert clock_word(now) == "wall time" and kind_words(now) == "wall time · UTC"
    late = {"clock": {**now["clock"], "base_ns": wall_ns() - 86_500_000_000}}
    assert clock_word(late) == "system time" and kind_words(late) == "wall clock − 86 s"
    assert "because the system was paused for 86 s in all" in kind_tip(late) and "timeout" in kind_tip(late)
    assert kind_tip(now) == "System time is the wall clock time (UTC)"
    assert clock_word({**late, "player": {"state": "playing"}}) == "log time"


def test_a_card_with_little_room_still_names_the_device() -> None:
    trouble = "there is no device /tmp/real_bench/urg (plug it in)"
    told = {"components": {"a": component("active", trouble=trouble)}}
    shown = live_node(Component("a", "low_pass"), state(**told))
    assert (shown.right, shown.brief) == (
        "there is no device /tmp/real_bench/urg", ("/tmp/real_bench/urg", "urg"),
    )  # fmt: skip


def test_a_span_is_told_in_as_many_letters_as_the_toolbar_has_room_for() -> None:
    assert [span_words(seconds) for seconds in (1, 119, 840, 7300)] == ["1 s", "119 s", "14 min", "2 h"]


def test_events_that_are_held_are_told_from_those_that_come_next() -> None:
    assert counted(1, 50) == "1 held at the gate. The other rows are ticks, and inputs of a log, that come next"
    assert counted(0, 50).startswith("0 held at the gate. All rows are ticks")
    assert counted(2, 2) == "2 held at the gate"
    assert counted(51, 50) == "51 held at the gate, the first 50 are listed"


def test_objects_of_many_parts_are_cut_short() -> None:
    cells = {f"c{number}": number for number in range(2000)}
    assert value_words(cells) == ", ".join(f"c{i} {i}" for i in range(8)) + ", … 2000 in all"
    assert len(value_lines(cells)) == 100 and value_lines({"a": None, "b": {}}) == ["a null", "b "]
