"""Making a source out of a component, in the window: its menu, and the page of the source."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QMenu

from studio.editor.code.source_view import open_component
from studio.editor.panels.inspector.source_page import SourcePage
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.window.live_menu import add_component_entries
from studio.editor.window.main_window import MainWindow
from studio.model.source_edits import ChooseModes, SetProvider
from studio.model.sources import LogProvider
from studio.model.system_edits import RemoveNodes


def entry(menu: QMenu, *texts: str) -> None:
    """Choose an entry, in menus within menus."""
    for place, text in enumerate(texts):
        action = next(action for action in menu.actions() if action.text().startswith(text))
        if place == len(texts) - 1:
            action.trigger()
        else:
            inner = action.menu()
            assert inner is not None
            menu = inner


def page_of(window: MainWindow, name: str) -> SourcePage:
    window.canvas.canvas.select([name])
    QApplication.processEvents()
    page = window.inspector.widget()
    assert isinstance(page, SourcePage)
    return page


def test_a_component_is_made_a_source_by_its_menu_and_gets_another_provider(window: MainWindow) -> None:
    session = window.session
    before = session.document.texts()
    window.canvas.canvas.select(["traverse_map"])
    menu = QMenu()
    add_component_entries(menu, window)
    entry(menu, "Turn into a data source", "Simulated")
    assert session.document.history.labels == ["Turn traverse_map into a data source"]
    assert window.canvas.canvas.nodes["traverse_map"].card.is_source
    assert len(session.system.wires_of("traverse_map")) == 2
    page = page_of(window, "traverse_map")
    assert set(page.adders) == {"real", "logged"} and not page.removers
    offered = [action.text() for action in page.offer("real").actions()]
    assert offered[0] == "traverse_map"
    entry(page.offer("real"), "traverse_map")
    page = page_of(window, "traverse_map")
    assert set(page.adders) == {"logged"} and set(page.removers) == {"real"}
    page.removers["real"].click()
    assert session.system.source("traverse_map").modes == ("simulated",)
    while session.document.undo():
        pass
    assert session.document.texts() == before


def test_a_log_is_asked_for(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(window.logs, "ask_provider", lambda: asked.append(True))
    window.canvas.canvas.select(["traverse_map"])
    menu = QMenu()
    add_component_entries(menu, window)
    entry(menu, "Turn into a data source", "Real")
    page_of(window, "traverse_map").adders["logged"].click()
    assert asked == [True]


def test_the_long_name_of_a_log_makes_the_page_no_wider(window: MainWindow) -> None:
    window.canvas.canvas.select(["traverse_map"])
    menu = QMenu()
    add_component_entries(menu, window)
    entry(menu, "Turn into a data source", "Simulated")
    before = page_of(window, "traverse_map").minimumSizeHint().width()
    log = LogProvider("logs/raptor_blocks_world_2026-11-17_05-44-43_and_a_note_of_mine.mcap")
    window.session.do(SetProvider("traverse_map", "logged", log))
    assert page_of(window, "traverse_map").minimumSizeHint().width() <= before + 40, "room for the cross beside it"
    window.session.do(SetProvider("traverse_map", "logged", LogProvider("/recordings/drive.mcap")))
    page = page_of(window, "traverse_map")
    shown = {label.text(): label.toolTip() for label in page.findChildren(BreakingLabel)}
    assert shown["drive.mcap"] == "/recordings/drive.mcap"


def test_the_code_of_a_source_is_that_of_the_component_behind_it(window: MainWindow) -> None:
    window.canvas.canvas.select(["traverse_map"])
    menu = QMenu()
    add_component_entries(menu, window)
    entry(menu, "Turn into a data source", "Simulated")
    open_component(window, "traverse_map")
    assert [Path(key).name for key in window.code.pages] == ["traverse_map.py"]
    window.session.do(SetProvider("traverse_map", "logged", LogProvider("drive.mcap")))
    window.session.do(ChooseModes({"traverse_map": "logged"}))
    open_component(window, "traverse_map")
    assert window.status.words.text().endswith("traverse_map has no code: no component provides its data")


def test_parameters_behind_a_source_are_edited_on_its_page(window: MainWindow) -> None:
    session = window.session
    window.canvas.commands.add("low_pass")
    name = window.canvas.canvas.selected_nodes()[0]
    menu = QMenu()
    add_component_entries(menu, window)
    entry(menu, "Turn into a data source", "Simulated")
    page = page_of(window, name)
    field = page.fields["simulated", f"{name}_simulated", "cutoff_hz"]
    field.changed.emit("cutoff_hz", 7.0, False)
    QApplication.processEvents()
    assert window.inspector.widget() is page, "a slider must not lose its page while it moves"
    provider = session.system.source(name).simulated
    assert provider is not None and provider.components[0].parameters == {"cutoff_hz": "7.0"}
    assert "7" in field.editor.text()  # type: ignore[attr-defined]


def empty_with(window: MainWindow, *types: str) -> None:
    """A system that was built from the palette: it has no source."""
    for source in list(window.session.system.sources):
        assert window.session.do(RemoveNodes((source.name,)))
    for each in types:
        window.canvas.commands.add(each)


def test_the_grey_buttons_of_the_toolbar_offer_to_turn_a_component_into_a_source(window: MainWindow) -> None:
    empty_with(window, "hokuyo_urg", "pioneer_2dx_simulator")
    button = window.toolbar.switch.buttons["logged"]
    assert "no data source yet" in button.toolTip() and "Click" in button.toolTip()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    card = window.sources.offer
    assert card is not None and card.isVisible()
    assert [each.text() for each in card.buttons] == [
        "Turn pioneer_2dx_simulator into a simulated data source", "Turn hokuyo_urg into a real data source",
    ]  # fmt: skip
    QTest.mouseClick(card.buttons[0], Qt.MouseButton.LeftButton)
    assert window.session.system.source("pioneer_2dx_simulator").modes == ("simulated",)
    assert "Click to choose one" in button.toolTip()


def test_without_a_sensor_the_card_says_what_to_do(window: MainWindow) -> None:
    empty_with(window)
    window.toolbar.switch.buttons["real"].click()
    card = window.sources.offer
    assert card is not None and card.isVisible() and not card.buttons
    assert any("from the palette" in label.text() for label in card.findChildren(QLabel))
    card.close()


def test_a_mode_that_a_source_lacks_leads_to_where_it_is_added(window: MainWindow) -> None:
    button = window.toolbar.switch.buttons["real"]
    assert button.toolTip() == "No source has a real provider. Click to add one"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    page = window.inspector.widget()
    assert isinstance(page, SourcePage) and "real" in page.adders
    assert window.session.system.source("platform").mode == "simulated"
