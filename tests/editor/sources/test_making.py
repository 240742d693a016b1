"""Making a source out of a component, in the window: its menu, and the page of the source."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication, QMenu

from studio.editor.live_menu import add_component_entries
from studio.editor.main_window import MainWindow
from studio.editor.panels.source_page import SourcePage
from studio.model.source_edits import SetProvider
from studio.model.sources import LogProvider


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
    entry(menu, "Make a source of this component", "It is a simulation")
    assert session.document.history.labels == ["Make a source of traverse_map"]
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
    entry(menu, "Make a source", "It is the real")
    page_of(window, "traverse_map").adders["logged"].click()
    assert asked == [True]


def test_the_long_name_of_a_log_makes_the_page_no_wider(window: MainWindow) -> None:
    window.canvas.canvas.select(["traverse_map"])
    menu = QMenu()
    add_component_entries(menu, window)
    entry(menu, "Make a source", "It is a simulation")
    before = page_of(window, "traverse_map").minimumSizeHint().width()
    log = LogProvider("logs/raptor_blocks_world_2026-11-17_05-44-43_and_a_note_of_mine.mcap")
    window.session.do(SetProvider("traverse_map", "logged", log))
    assert page_of(window, "traverse_map").minimumSizeHint().width() <= before + 40, "room for the cross beside it"


def test_parameters_behind_a_source_are_edited_on_its_page(window: MainWindow) -> None:
    session = window.session
    window.canvas.commands.add("low_pass")
    name = window.canvas.canvas.selected_nodes()[0]
    menu = QMenu()
    add_component_entries(menu, window)
    entry(menu, "Make a source", "It is a simulation")
    page = page_of(window, name)
    field = page.fields["simulated", f"{name}_simulated", "cutoff_hz"]
    field.changed.emit("cutoff_hz", 7.0, False)
    QApplication.processEvents()
    assert window.inspector.widget() is page, "a slider must not lose its page while it moves"
    provider = session.system.source(name).simulated
    assert provider is not None and provider.components[0].parameters == {"cutoff_hz": "7.0"}
    assert "7" in field.editor.text()  # type: ignore[attr-defined]
