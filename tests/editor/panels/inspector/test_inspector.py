"""The inspector: two drags are two changes, services are told as ports are, and frames are picked from the geometry."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Changes
from studio.editor.look.theme import LIGHT
from studio.editor.panels.inspector.component_page import ComponentPage
from studio.editor.panels.inspector.error_card import ErrorCard
from studio.editor.panels.inspector.live_header import LiveHeader
from studio.editor.panels.inspector.service_page import ServicePage
from studio.editor.panels.inspector.source_page import SourcePage
from studio.editor.panels.inspector.system_page import SystemPage
from studio.editor.panels.inspector.wire_page import WirePage
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.panels.parts.parameter_fields import ParameterField, field_for
from studio.editor.window.main_window import MainWindow
from studio.model.parts import Component, GeometryUse
from studio.model.source_making import MakeSource
from studio.model.spec import ParameterSpec
from studio.model.system_edits import AddNode, DescribeSystem, RenameNode

TRACE = """Traceback (most recent call last):
  File "/robot/thing.py", line 12, in on_value
    1 / 0
ZeroDivisionError: no"""


def attached(sources: dict[str, str]) -> dict[str, object]:
    """The state of a system that runs."""
    clock = {"kind": "simulation", "base_ns": 0, "at_ns": 0, "rate": 0.0}
    return {"topics": {}, "components": {}, "processes": {}, "gate": "run", "clock": clock, "sources": sources}


def select(window: MainWindow, *names: str) -> QWidget:
    window.canvas.canvas.select(list(names))
    window.inspector.show_selection(names, [])
    window.inspector.refresh()
    page = window.inspector.widget()
    assert page is not None
    return page


def test_two_drags_of_one_slider_are_two_steps_of_undo(window: MainWindow) -> None:
    select(window, "terrain_map")
    slider = window.inspector.fields["window"].slider
    assert slider is not None
    for places in ((200, 300), (500, 600)):
        slider.setSliderDown(True)
        for place in places:
            slider.setValue(place)
        slider.setSliderDown(False)
    assert window.session.document.history.labels == ["Set window of terrain_map"] * 2
    after_first = window.session.system.component("terrain_map").parameters["window"]
    window.session.undo()
    assert window.session.system.component("terrain_map").parameters["window"] != after_first


def test_two_drags_on_the_page_of_a_source_are_two_steps_and_so_are_those_on_two_pages(window: MainWindow) -> None:
    window.canvas.commands.add("terrain_map")
    (name,) = window.canvas.canvas.selected_nodes()
    spec = window.session.registry.get("terrain_map")
    assert spec is not None and window.session.do(MakeSource(name, "simulated", spec.ports))
    before = len(window.session.document.history.labels)
    for _ in range(2):
        page = select(window, name)
        assert isinstance(page, SourcePage)
        slider = page.fields["simulated", f"{name}_simulated", "window"].slider
        assert slider is not None
        for places in ((200, 300), (500, 600)):
            slider.setSliderDown(True)
            for place in places:
                slider.setValue(place)
            slider.setSliderDown(False)
        select(window, "traverse_map")
    assert window.session.document.history.labels[before:] == [f"Set window of {name}_simulated"] * 4


def test_debug_here_on_the_page_of_a_source_reaches_the_debugger(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = attached({})
    monkeypatch.setattr(window.live.feed, "state", state)
    file = window.session.folder / "thing.py"
    file.write_text("a = 1\nb = 2\n")
    card = select(window, next(iter(window.session.system.sources)).name).findChild(ErrorCard)
    assert card is not None
    card.show_error(TRACE.replace("/robot/thing.py", str(file)).replace("line 12", "line 2"), "sim")
    card.debug.click()
    assert [point.line for point in window.debug.book.of_file(str(file.resolve()))] == [2]
    window.debug.book.clear()
    window.code.close_all()


def test_services_are_among_the_ports_with_a_link_to_who_answers(window: MainWindow) -> None:
    page = select(window, "terrain_map")
    words = [label.text() for label in page.findChildren(QLabel)]
    assert "model" in words and "asks · String -> String" in words
    links = {button.text().strip(): button for button in page.findChildren(QToolButton)}
    assert "→ modelserver.model" in links


def test_the_page_of_a_wire_fits_a_narrow_panel(window: MainWindow) -> None:
    wire = next(each for each in window.session.system.wires if each.end.node == "hazard_detection")
    window.inspector.show_selection([], [wire])
    window.inspector.refresh()
    page = window.inspector.widget()
    assert isinstance(page, WirePage)
    assert page.minimumSizeHint().width() <= 240
    assert any("Map" in label.text() for label in page.findChildren(QLabel))


def test_a_service_wire_has_a_page_of_its_own(window: MainWindow) -> None:
    wire = next(iter(window.session.system.services))
    window.inspector.show_selection([], [wire])
    window.inspector.refresh()
    page = window.inspector.widget()
    assert isinstance(page, ServicePage)
    went: list[str] = []
    window.inspector.go_to.connect(went.append)
    answers = next(each for each in page.findChildren(QWidget) if each.accessibleName() == "Go to modelserver")
    QTest.mouseClick(answers, Qt.MouseButton.LeftButton)
    assert went == ["modelserver"]


def test_a_frame_is_picked_from_those_of_the_geometry_or_typed() -> None:
    field = ParameterField(ParameterSpec("frame", "frame", "map"), LIGHT, lambda: ["Laser", "Laser:ScanOrigin"])
    told: list[object] = []
    field.changed.connect(lambda _, value, __: told.append(value))
    line = field.editor
    assert isinstance(line, QLineEdit)
    completer = line.completer()
    assert completer is not None
    completer.setCompletionPrefix("scan")
    assert completer.currentCompletion() == "Laser:ScanOrigin"
    completer.activated[str].emit("Laser:ScanOrigin")
    line.selectAll()
    QTest.keyClicks(line, "odom\r")
    assert told == ["Laser:ScanOrigin", "odom"]
    assert [action.text() for action in line.actions()] == ["Pick a frame for frame"]


def test_a_parameter_that_names_nothing_offers_no_list(window: MainWindow) -> None:
    field = field_for(window.session, ParameterSpec("label", "string", "map"), LIGHT)
    assert isinstance(field.editor, QLineEdit) and field.editor.completer() is None


def test_who_wants_to_see_it_fail_is_led_to_the_line(window: MainWindow) -> None:
    card = ErrorCard(LIGHT)
    card.show_error(TRACE, "thing")
    wanted: list[tuple[str, int]] = []
    card.debug_wanted.connect(lambda file, line: wanted.append((file, line)))
    card.debug.click()
    assert wanted == [("/robot/thing.py", 12)]
    card.show_error("it does not answer", "thing")
    assert card.debug.isHidden()


def test_debug_here_sets_one_breakpoint_at_the_line(window: MainWindow) -> None:
    file = window.session.folder / "thing.py"
    file.write_text("a = 1\nb = 2\n")
    select(window, "terrain_map")
    for _ in range(2):
        window.inspector.debug_wanted.emit(str(file), 2)
    assert [point.line for point in window.debug.book.of_file(str(file.resolve()))] == [2]
    window.debug.book.clear()
    window.code.close_all()


def test_the_error_card_tells_on_which_event_and_leads_there(qapp: QApplication) -> None:
    card = ErrorCard(LIGHT)
    wanted: list[tuple[str, int]] = []
    card.event_wanted.connect(lambda topic, number: wanted.append((topic, number)))
    fields = dict.fromkeys(("x", "y", "z", "frame"), "1.0")
    event = {"topic": "/ins/pose", "sequence": 206, "stamp_ns": 4_120_000_000, "message": fields}
    card.show_error(TRACE, "thing", event)
    assert card.handling.accessibleName() == "while handling /ins/pose #206 at 00:00:04.120"
    assert card.fields.text().splitlines() == ["x = 1.0", "y = 1.0", "z = 1.0", "and 1 more"]
    assert "frame = 1.0" in card.fields.toolTip()
    card.handling.linkActivated.emit("event")
    assert wanted == [("/ins/pose", 206)]
    assert card.minimumSizeHint().width() <= 236, "the narrowest panel has room for it"
    card.show_error(TRACE, "thing", {**event, "stamp_ns": 1_268_406_000_250_000_000})
    assert card.handling.accessibleName().endswith(" at 15:00:00.250"), "of what is real, the time of day"
    card.show_error(TRACE, "thing")
    assert card.handling.isHidden() and card.fields.isHidden()


def test_a_long_name_of_a_parameter_is_shortened_in_its_middle_and_keeps_its_unit(qapp: QApplication) -> None:
    field = ParameterField(ParameterSpec("deceleration_of_the_wheels_m_s2", "float", 1.5, unit="m/s²"), LIGHT)
    field.resize(250, 60)
    field.show()
    (only,) = field.label.lines()
    assert "…" in only and only.endswith("_s2"), "not even two lines have room for it"
    assert field.label.text() == "deceleration_of_the_wheels_m_s2"
    short = ParameterField(ParameterSpec("reach_m", "float", 1.5, unit="m"), LIGHT)
    assert short.label.lines() == ["reach_m"]


def test_a_choice_with_its_unit_fits_a_panel_of_240_pixels(qapp: QApplication) -> None:
    """The baud rate of a laser pushed the page of its source beyond the edge of the panel."""
    rates = (9600, 38400, 500000)
    field = ParameterField(ParameterSpec("baud", "int", 38400, unit="baud", choices=rates), LIGHT)
    assert field.minimumSizeHint().width() <= 240 - 12 - 20, "beside the bar that scrolls it, and its margins"


def test_a_name_without_room_on_one_line_is_read_whole_on_two(qapp: QApplication) -> None:
    """`max_speed_m_s` was shown as `max_s…d_m_s` at 1280 × 800."""
    field = ParameterField(ParameterSpec("max_turn_rate_rad_s", "float", 1.5, unit="rad/s"), LIGHT)
    field.resize(230, 60)
    field.show()
    qapp.processEvents()
    assert field.label.lines() == ["max_turn_", "rate_rad_s"]
    assert field.label.height() >= 2 * field.label.fontMetrics().height()


def test_a_world_is_chosen_from_a_list_and_one_made_from_a_seed_can_be_typed(window: MainWindow) -> None:
    window.canvas.commands.add("pioneer_2dx_simulator")
    (name,) = window.canvas.canvas.selected_nodes()
    select(window, name)
    line = window.inspector.fields["world"].editor
    assert isinstance(line, QLineEdit)
    completer = line.completer()
    assert completer is not None
    completer.setCompletionPrefix("maz")
    assert completer.currentCompletion() == "maze"
    completer.activated[str].emit("maze")
    assert window.session.system.component(name).parameters["world"] == "maze"
    line.selectAll()
    QTest.keyClicks(line, "maze:7\r")
    assert window.session.system.component(name).parameters["world"] == "maze:7"


def test_the_geometry_is_chosen_on_the_page_of_the_system(window: MainWindow) -> None:
    page = select(window)
    assert isinstance(page, SystemPage)
    box = page.geometry_form.box
    index = box.findText("pioneer_3at")
    assert index > 0
    box.setCurrentIndex(index)
    box.activated.emit(index)
    assert window.session.system.geometry == GeometryUse("pioneer_3at")
    window.session.undo()
    assert window.session.system.geometry is None


def test_it_is_never_narrower_than_what_every_page_needs(window: MainWindow, qapp: QApplication) -> None:
    """Its splitter could be dragged until values and buttons were cut off at the right."""
    for name in ("palette", "inspector"):
        window.docks.show(name)
    window.docks.set_columns(200, 90)
    qapp.processEvents()
    assert window.inspector.width() >= 240 - 4, "but for the frame"
    window.layouts.reset()


LONG = "a_component_with_a_name_that_nobody_would_like_to_read_twice"


@pytest.mark.parametrize("which", ["component", "source", "system", "several", "service"])
def test_every_page_fits_a_panel_of_240_pixels(window: MainWindow, which: str) -> None:
    session = window.session
    nodes: list[str] = []
    if which == "component":
        assert session.do(RenameNode("terrain_map", LONG))
        nodes = [LONG]
    elif which == "source":
        assert session.do(AddNode(Component(LONG, "pioneer_2dx_simulator")))
        spec = session.registry.require("pioneer_2dx_simulator")
        assert session.do(MakeSource(LONG, "simulated", spec.ports))
        nodes = [LONG]
    elif which == "system":
        assert session.do(DescribeSystem(LONG, "/".join([LONG] * 3)))
    elif which == "several":
        nodes = ["terrain_map", "traverse_map"]
    page = select(window, *nodes)
    if which == "service":
        window.inspector.show_selection((), [next(iter(session.system.services))])
        window.inspector.refresh()
        found = window.inspector.widget()
        assert isinstance(found, ServicePage)
        page = found
    assert page.minimumSizeHint().width() <= 240 - 12, "beside the bar that scrolls it"


def test_the_page_of_a_source_that_runs_fits_too(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the component behind it stood beside its buttons, which were cut off at the right."""
    session = window.session
    assert session.do(AddNode(Component(LONG, "pioneer_2dx_simulator")))
    spec = session.registry.require("pioneer_2dx_simulator")
    assert session.do(MakeSource(LONG, "simulated", spec.ports))
    monkeypatch.setattr(window.live.feed, "state", attached({LONG: "simulated"}))
    page = select(window, LONG)
    assert isinstance(page, SourcePage) and page.findChild(LiveHeader) is not None
    assert page.minimumSizeHint().width() <= 240 - 12


def test_a_sensor_or_simulator_offers_to_become_a_data_source(window: MainWindow) -> None:
    window.canvas.commands.add("pioneer_2dx_simulator")
    (name,) = window.canvas.canvas.selected_nodes()
    page = select(window, name)
    assert isinstance(page, ComponentPage) and page.to_source is not None
    assert page.minimumSizeHint().width() <= 240 - 12
    page.to_source.click()
    assert window.session.system.source(name).modes == ("simulated",)
    processor = select(window, "terrain_map")
    assert isinstance(processor, ComponentPage) and processor.to_source is None


def test_a_long_word_is_broken_and_never_painted_beyond_its_label() -> None:
    label = BreakingLabel(LONG * 2)
    assert label.minimumSizeHint().width() < 60
    one_line = label.heightForWidth(5000)
    assert label.heightForWidth(120) > 3 * one_line
    label.setText("short")
    assert label.heightForWidth(120) == one_line
    font = label.font()
    font.setPixelSize(40)
    label.setFont(font)
    assert label.heightForWidth(120) > one_line


def test_a_width_is_laid_out_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts ask a dozen times for the same one."""
    label = BreakingLabel(LONG)
    qtbot.addWidget(label)
    laid_out: list[float] = []
    real = label._laid_out
    monkeypatch.setattr(label, "_laid_out", lambda width: laid_out.append(width) or real(width))
    assert label.heightForWidth(120) == label.heightForWidth(120) > label.heightForWidth(5000)
    assert len(laid_out) == 2


def test_the_page_of_a_source_marks_where_data_comes_from_now(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It showed the source of before the last switch."""
    state = attached({})
    monkeypatch.setattr(window.live.feed, "state", state)
    source = next(iter(window.session.system.sources))
    select(window, source.name)
    for mode in ("logged", "simulated", "logged"):
        state["sources"] = {source.name: mode}
        window.inspector._live_changed(Changes(system=True))
        QTest.qWait(1)
        page = window.inspector.widget()
        assert isinstance(page, SourcePage)
        assert [each for each, button in page.buttons.items() if button.toolTip() == f"The data is {each}"] == [mode]


def test_the_values_of_all_parameters_begin_at_one_place(window: MainWindow) -> None:
    window.canvas.commands.add("laser_obstacle_avoid")
    (name,) = window.canvas.canvas.selected_nodes()
    page = select(window, name)
    page.resize(252, 900)
    for _ in range(4):
        QApplication.processEvents()
    fields = [field for field in window.inspector.fields.values() if isinstance(field.editor, QLineEdit)]
    assert len({field.editor.x() for field in fields}) == 1, "also where a unit takes room"
