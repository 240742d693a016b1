"""The window while the system stands: what it says, what its buttons can do, and event breakpoints set in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import QPoint, QSize, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget
from pytestqt.exceptions import TimeoutError as QtTimeout
from pytestqt.qtbot import QtBot

from studio.editor.canvas.interaction.live_frozen import Flag
from studio.editor.code.breakpoint_book import Breakpoint
from studio.editor.docking.layouts import DEBUG
from studio.editor.freeze.bar import KEPT
from studio.editor.freeze.event_break_dialog import EventBreakDialog
from studio.editor.live.standing import (
    StopReason,
    headline,
    sentence,
    shortest,
    stand_of,
    step_back,
    stopped_components,
)
from studio.editor.live.state import STOPPED, STOPPED_ALONE, shown_look
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.data.causality_viewer import CausalityViewer
from studio.editor.panels.debug.breakpoints import LEAST_ABOUT
from studio.editor.panels.debug.this_event import ROW
from studio.editor.window.main_window import MainWindow
from studio.messages import PoseTransform
from studio.runtime.control_plane.event_breakpoints import EventBreakpoint

PATIENCE_MS = 60_000
SMALL = """<system name="small" version="1">
  <host name="one"/>
  <component name="signal" type="signal_source" mode="periodic" period_s="0.02" host="one"/>
  <component name="sink" type="signal_sink" host="one"/>
  <wire from="signal.value" to="sink.value"/>
</system>"""


def frozen(**about: Any) -> dict[str, Any]:
    told = {"why": "breakpoint", "host": "sink", "component": "sink", "file": "/p/sink.py", "line": 12,
            "topic": "/signal/value", "sequence": 7, "text": "", **about}  # fmt: skip
    stopped = {"component": "sink", "reason": "breakpoint", "text": "", "file": "/p/sink.py", "line": 12}
    components = {name: {"state": "active"} for name in ("signal", "sink", "filter")}
    debug = {"freezing": True, "hosts": {"sink": {"socket": "/no/such", "stopped": stopped}}, "frozen": told}
    return {"gate": "pause", "components": components, "debug": debug, "event_stop": None, "sources": {}}


# In words.


def test_a_stop_says_what_stands_where_and_who_waits() -> None:
    state = frozen()
    stand = stand_of(state)
    assert stand is not None and headline(stand) == "The whole system is frozen on one event"
    words = "sink is stopped at line 12, handling <b>/signal/value #7</b> · clock and 2 components wait"
    assert sentence(stand, state) == words
    assert stopped_components(state) == {"sink"}
    assert shown_look({"state": "active"}, state, "sink") == STOPPED
    assert shown_look({"state": "active"}, state, "filter").word == "Held"
    state = {**frozen(why="exception", text="ValueError: a < b"), "player": {}, "sources": {"laser": "simulated"}}
    assert "ValueError: a &lt; b · clock, simulator and 2" in sentence(stand_of(state) or StopReason(""), state)


def test_where_it_stands_gets_as_short_as_there_is_room(window: MainWindow) -> None:
    """It was cut in the middle of the name of a topic."""
    state = frozen(topic="/a_component_with_a_long_name/and_a_long_topic")
    stand = stand_of(state)
    assert stand is not None and shortest(stand) == "sink:12"
    window.resize(1280, 800)
    bar = window.freeze.bar
    bar.show_stand(stand, state)
    assert bar.words.text() == "sink:12"
    bar.show_stand(None, {})


def test_with_freezing_off_only_one_component_stands() -> None:
    state = frozen()
    state["debug"].update(freezing=False, frozen=None)
    state["gate"] = "run"
    stand = stand_of(state)
    assert stand is not None and stand.runs_on and headline(stand) == "sink is stopped, the system runs on"
    assert shown_look({"state": "active"}, state, "sink") == STOPPED_ALONE
    assert shown_look({"state": "active"}, state, "filter").word == "Active"


def test_an_event_breakpoint_says_whether_the_event_was_delivered() -> None:
    hit = {
        "id": "1",
        "text": "before /pose if x > 3",
        "topic": "/pose",
        "sequence": 5,
        "when": "before",
        "component": "",
    }
    state = {"components": {"a": {}}, "event_stop": hit, "debug": {"hosts": {}, "frozen": {"why": "event breakpoint"}}}
    stand = stand_of(state)
    assert stand is not None
    assert sentence(stand, state) == "the next event is <b>/pose #5</b>: x &gt; 3 · clock and 1 component wait"
    assert stand_of({"components": {}, "event_stop": None, "debug": None}) is None


def test_a_step_back_that_cannot_be_says_why() -> None:
    assert step_back({"stepping": {"can_go_back": True}}).can
    assert step_back({"stepping": {"can_go_back": False, "why_not": "it ran freely"}}).why_not == "it ran freely"
    assert step_back({}).why_not and step_back({"gate": "run"}).why_not


# In the window.


def test_without_a_system_nothing_can_be_stepped(window: MainWindow) -> None:
    for name in ("debug.line", "debug.into", "debug.out", "run.back", "run.step", "debug.handler"):
        assert not window.actions_by_id[name].isEnabled(), name
    assert "does not run" in window.actions_by_id["run.back"].toolTip()
    assert not window.freeze.bar.isVisible() and not window.freeze.frame.isVisible()


def test_who_hears_the_window_is_told_where_it_stands_now(window: MainWindow) -> None:
    bar = window.freeze.bar
    state = frozen(why="exception", text="ValueError: a < b")
    bar.show_stand(stand_of(state), state)
    assert bar.accessibleName() == "The whole system is frozen on one event"
    assert "handling /signal/value #7: ValueError: a < b · clock" in bar.accessibleDescription()
    later = frozen(line=13)
    bar.show_stand(stand_of(later), later)
    assert "is stopped at line 13" in bar.accessibleDescription()
    bar.show_stand(None, {})


@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_moves_and_nothing_is_covered_when_the_system_freezes(
    window: MainWindow, qtbot: QtBot, width: int
) -> None:
    window.resize(width, 800)
    window.show()
    bar, row = window.freeze.bar, window.menuBar()
    assert row is not None

    def places() -> list[tuple[QPoint, QSize]]:
        parts: list[QWidget] = [row, window.toolbar, window.workspace, window.canvas, window.status]
        return [(part.mapToGlobal(QPoint(0, 0)), part.size()) for part in parts]

    qtbot.waitUntil(lambda: window.width() == width)
    before: list[tuple[QPoint, QSize]] = []

    def is_settled() -> bool:
        """The rail and the docks find their places a moment later."""
        before[:], last = places(), [*before]
        return before == last

    qtbot.waitUntil(is_settled)
    state = frozen()
    bar.show_stand(stand_of(state), state)
    qtbot.wait(50)
    assert bar.isVisible() and places() == before
    last = row.actionGeometry(row.actions()[-1])
    assert bar.x() > last.right() and bar.geometry().bottom() <= row.rect().bottom()
    for name in KEPT:
        assert bar.rect().contains(bar.buttons[name].geometry()), name
    assert bar.words.width() >= 150, "there is room for where it stands"
    bar.show_stand(None, {})
    assert not bar.isVisible() and places() == before


def test_what_waits_at_the_gate_is_of_where_the_system_stands_now(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to an older question may come later: the gate may have been busy just then."""
    asked: list[Callable[[dict[str, Any]], None]] = []
    controller = window.freeze
    monkeypatch.setattr(window.live.feed, "ask", lambda do, done, failed: asked.append(done))
    monkeypatch.setattr(window.live.control, "_phase", "paused")
    for line in (1, 2):
        monkeypatch.setattr(controller, "stand", StopReason("breakpoint", line=line))
        controller._look_at_gate()
    older, newer = asked
    newer({"events": [{"topic": "/a", "sequence": 1, "stamp_ns": 0}], "busy": True})
    older({"events": [], "busy": False})
    assert controller.busy and [event["topic"] for event in controller.held or ()] == ["/a"]


def test_status_bar_panel_and_canvas_tell_the_same_number_of_held_events(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ticks to come made it "1 held" beside "50 pending events"."""
    asked: list[Callable[[dict[str, Any]], None]] = []
    controller, state = window.freeze, {**frozen(), "topics": {}, "processes": {}, "sources": {}, "gate": "pause"}
    panel = window.side_panels.show("held")
    monkeypatch.setattr(window.live.feed, "ask", lambda do, done, failed: asked.append(done))
    monkeypatch.setattr(window.live.feed, "state", state)
    monkeypatch.setattr(window.live.control, "_phase", "paused")
    controller._look()
    rows = [{"topic": topic, "sequence": 1, "stamp_ns": 0} for topic in ("/a", *["/_studio/timer/b"] * 49)]
    asked[-1]({"events": rows, "busy": False, "held": 1})
    assert "· 1 held" in window.status.figures.text()
    assert window.docks._docks["held"].windowTitle() == "1 held at the gate"
    assert panel.words.text().startswith("1 held at the gate. The other rows are ticks")
    layer = controller._layer
    assert layer is not None and layer.pill.words == "1 event held at the gate"
    controller._show(None)


def test_what_waits_is_asked_again_until_the_event_has_ended(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """Code that was let go may not have ended its event when the window learns of it, and no news tell of that end."""
    asked: list[Callable[[dict[str, Any]], None]] = []
    controller = window.freeze
    monkeypatch.setattr(window.live.feed, "ask", lambda do, done, failed: asked.append(done))
    monkeypatch.setattr(window.live.control, "_phase", "paused")
    monkeypatch.setattr(controller, "stand", StopReason("stepping", topic="/a", sequence=1, between=True))
    controller._look_at_gate()
    asked[0]({"events": [], "busy": True})
    qtbot.waitUntil(lambda: len(asked) == 2)
    asked[1]({"events": [{"topic": "/a", "sequence": 2, "stamp_ns": 0}], "busy": False})
    assert not controller.busy and [event["sequence"] for event in controller.held or ()] == [2]
    assert not controller._held_again.isActive()
    monkeypatch.setattr(controller, "stand", StopReason("breakpoint", line=2))
    controller._look_at_gate()
    asked[2]({"events": [{"topic": "/a", "sequence": 3, "stamp_ns": 0}], "busy": True})
    assert not controller._held_again.isActive(), "it lasts as long as the code stands"


def test_what_waits_is_asked_again_while_code_stands_and_nothing_is_known(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """The next input of a log was on its way when the window asked, or the request failed; the panel stayed empty."""
    asked: list[tuple[Callable[[dict[str, Any]], None], Callable[[object], None]]] = []
    controller = window.freeze
    monkeypatch.setattr(window.live.feed, "ask", lambda do, done, failed: asked.append((done, failed)))
    monkeypatch.setattr(window.live.control, "_phase", "paused")
    monkeypatch.setattr(controller, "stand", StopReason("breakpoint", host="adder", line=2))
    controller._look_at_gate()
    asked[0][0]({"events": [], "busy": True})
    qtbot.waitUntil(lambda: len(asked) == 2)
    asked[1][1](None)
    qtbot.waitUntil(lambda: len(asked) == 3)
    asked[2][0]({"events": [{"topic": "/a", "sequence": 3, "stamp_ns": 0}], "busy": True})
    assert [event["sequence"] for event in controller.held or ()] == [3]
    assert not controller._held_again.isActive()


def test_an_event_that_no_python_takes_is_not_delivered_without_a_word(window: MainWindow) -> None:
    window.freeze._went_into({"delivered": [["/signal/value", 7]], "stops": []})
    assert "/signal/value #7 was delivered" in window.status.words.text()
    window.freeze._went_into({"delivered": [], "stops": []})
    assert window.status.words.text() == "Nothing waits at the gate"


def test_the_debug_layout_shows_its_panels(window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    assert window.layouts.current == DEBUG
    for panel in ("call_stack", "breakpoints", "held", "this_event", "variables"):
        assert window.docks._docks[panel].isVisible(), panel
    assert not window.docks._docks["palette"].isVisible()
    window.layouts.choose("Build")
    assert window.docks._docks["inspector"].isVisible() and not window.docks._docks["held"].isVisible()


def test_an_event_breakpoint_is_written_checked_and_kept_with_the_project(window: MainWindow, rover: Path) -> None:
    topics, components = window.event_breaks.topics(), window.event_breaks.components()
    example = window.event_breaks.example
    topic = "/platform/ins.pose"
    assert isinstance(example(topic), PoseTransform)
    dialog = EventBreakDialog(window, EventBreakpoint("1", topic=topic), topics, components, example)
    dialog.condition.setText("position.x is 3")
    said = "'position.x is 3' is not a valid condition (e.g. ranges_m.min < 0.5)"
    assert not dialog.fine.isEnabled() and dialog.wrong.text() == said, "as it was typed, without a topic"
    dialog.condition.setText("foo > 3")
    assert not dialog.fine.isEnabled() and dialog.wrong.text().startswith("foo > 3: there is no field foo"), "at once"
    dialog.condition.setText("position.x > 3")
    dialog.count.setValue(2)
    assert dialog.fine.isEnabled() and not dialog.wrong.text()
    window.event_breaks.put(dialog.point())
    dialog.on.setCurrentIndex(list(range(dialog.on.count()))[2])
    assert dialog.point().on == "error" and not dialog.point().topic
    window.event_breaks.break_on(topic)
    assert window.event_breaks.rows()[0].text == f"{topic[1:]}: position.x > 3"
    assert [row.about for row in window.event_breaks.rows()] == ["before, 2nd", "before"]
    panel = window.side_panels.show("breakpoints")
    shown = [panel.table.topLevelItem(place).text(0) for place in range(panel.table.topLevelItemCount())]
    assert topic[1:] in shown
    window.event_breaks.set_enabled("2", False)
    window.show_session(None)
    assert window.files.open(rover)
    assert [(point.id, point.enabled) for point in window.event_breaks.points] == [("1", True), ("2", False)]
    for key in ("1", "2"):
        window.event_breaks.remove(key)
    assert window.event_breaks.rows() == []


@pytest.mark.parametrize("beside", [-100, 0, 20, LEAST_ABOUT - 1, LEAST_ABOUT, 300])
def test_a_narrow_panel_of_breakpoints_shows_no_stumps_of_conditions(window: MainWindow, beside: int) -> None:
    """Beside a name was `w…`."""
    window.debug.book.put(Breakpoint("/x/terrain_map.py", 113, condition="len(scan.points) > 10"))
    panel = window.side_panels.show("breakpoints")
    header, viewport = panel.table.header(), panel.table.viewport()
    assert header is not None and viewport is not None

    def room_at(width: int) -> int:
        panel.table.resize(width, 300)
        panel.refresh()
        return viewport.width() - header.sectionSize(0)

    needed = 2000 - room_at(2000)
    assert room_at(needed + beside) == (beside if beside >= LEAST_ABOUT else 0)
    window.debug.book.clear()


@pytest.fixture
def small(one_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "system.xml").write_text(SMALL)
    one_window.show()
    assert one_window.files.open(tmp_path / "small")
    yield one_window
    one_window.hide()
    if one_window.live.control.phase != "stopped":
        one_window.live.stop()
        qtbot.waitUntil(lambda: one_window.live.control.phase == "stopped", timeout=PATIENCE_MS)
    one_window.show_session(None)


@pytest.mark.timeout(240)
def test_a_running_system_freezes_on_an_event_and_goes_on(small: MainWindow, qtbot: QtBot) -> None:
    window = small

    def until(condition: Callable[[], bool]) -> None:
        try:
            qtbot.waitUntil(condition, timeout=PATIENCE_MS)
        except QtTimeout:
            pytest.fail(
                f"it stands at {window.freeze.stand}, {window.live.control.phase}: {window.status.words.text()}"
            )

    window.event_breaks.put(EventBreakpoint("1", topic="/signal/value", count=20))
    window.trigger("run.start")
    until(lambda: window.freeze.is_frozen)
    stand = window.freeze.stand
    assert stand is not None and (stand.why, stand.topic) == ("event breakpoint", "/signal/value")
    assert window.freeze.bar.isVisible() and window.freeze.frame.isVisible() and window.status.frozen.isVisible()
    assert "frozen" in window.windowTitle() and window.live.control.phase == "paused"
    item = next(iter(window.canvas.canvas.wires.values()))
    assert item.opacity() == 1.0 and all(node.opacity() < 0.5 for node in window.canvas.canvas.nodes.values())
    for theme in (DARK, LIGHT):  # every item of the canvas is another one after this
        window.show_theme(theme)
        assert len([each for each in window.canvas.canvas.items() if isinstance(each, Flag)]) == 1
    until(lambda: window.event_breaks.hits.get("1") == 1)
    chain = window.side_panels.show("this_event").chain
    until(lambda: any(f"#{stand.sequence}" in step.title for step in chain.steps))
    causality = window.viewers.add("causality")  # the first: it tells of what was before it was opened
    assert isinstance(causality, CausalityViewer)
    until(lambda: causality.story is not None and causality.story.event == (stand.topic, stand.sequence))
    place = next(i for i, step in enumerate(chain.steps) if step.event == causality.story.event)
    causality.explain("/signal/value", 0)
    QTest.mouseClick(chain, Qt.MouseButton.LeftButton, pos=QPoint(60, place * ROW + 20))
    assert causality.number == stand.sequence
    window.viewers.close("causality.1")
    window.event_breaks.remove("1")
    window.freeze.bar.buttons["run.step"].click()
    until(lambda: window.freeze.stand is not None and window.freeze.stand.between)
    assert window.freeze.bar.isVisible() and not window.freeze.frame.isVisible(), "it stays where it is"
    assert "between two events" in window.freeze.bar.title.text()
    window.freeze.bar.buttons["run.start"].click()
    until(lambda: window.live.control.phase == "running")
    until(lambda: not window.freeze.bar.isVisible())
    assert all(node.opacity() == 1.0 for node in window.canvas.canvas.nodes.values())

    # Another client, such as `studio ctl break`, adds one, and then removes all: the window follows.
    window.event_breaks.put(EventBreakpoint("1", topic="/signal/value", enabled=False))
    until(lambda: len(window.live.feed.state["event_breakpoints"]) == 1)
    mine = window.live.feed.state["event_breakpoints"]
    other = {"id": "7", "topic": "/signal/value", "condition": "data > 1000"}
    window.live.feed.ask("event_breakpoints", None, None, list=[*mine, other])
    until(lambda: [point.id for point in window.event_breaks.points] == ["1", "7"])
    window.live.feed.ask("event_breakpoints", None, None, list=[])
    until(lambda: window.event_breaks.points == [] and window.event_breaks.rows() == [])
    window.event_breaks.put(EventBreakpoint("1", topic="/signal/value", enabled=False))
    until(lambda: len(window.live.feed.state["event_breakpoints"]) == 1)
    assert [point.id for point in window.event_breaks.points] == ["1"]
    window.event_breaks.remove("1")
