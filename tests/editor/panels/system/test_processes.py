"""The process panel shows each process with its figures, sorts them as numbers, and offers what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.system.processes import COMPONENTS, CPU, MEMORY, PROCESS, STATE, Processes


def process(condition: str = "running", cpu: float | None = 1.0, rss: float | None = 40.0, **more: Any) -> Any:
    told = {"pid": 17, "condition": condition, "restarts": 0, "last_exit": "", "cpu_percent": cpu, "rss_mb": rss}
    return {**told, **more}


STATE_OF_ALL: dict[str, Any] = {
    "components": {"filter": {"host": "filter"}, "before": {"host": "sinks"}, "after": {"host": "sinks"}},
    "processes": {
        "broker": process(cpu=3.0),
        "filter": process(cpu=20.0, rss=9.0),
        "sinks": process("gave up", cpu=None, rss=None, restarts=5, last_exit="killed by SIGSEGV"),
    },
}


@pytest.fixture
def panel(qapp: QApplication) -> Iterator[Processes]:
    made = Processes(LIGHT)
    made.resize(900, 200)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def column(panel: Processes, number: int) -> list[str]:
    items = (panel.table.topLevelItem(row) for row in range(panel.table.topLevelItemCount()))
    return [item.text(number) for item in items if item is not None]


def test_without_a_system_it_says_what_to_do(panel: Processes) -> None:
    assert panel.empty.isVisible() and "F5" in panel.empty.words.text()
    panel.show_state(STATE_OF_ALL)
    assert panel.table.isVisible()
    panel.show_state({})
    assert panel.empty.isVisible() and panel.table.topLevelItemCount() == 0


def test_figures_states_and_what_runs_inside(panel: Processes) -> None:
    panel.show_state(STATE_OF_ALL)
    assert column(panel, PROCESS) == ["broker", "filter", "sinks"]
    assert column(panel, STATE) == ["Running", "Running", "Gave up"]
    assert column(panel, CPU) == ["3.0 %", "20.0 %", "—"]
    assert column(panel, COMPONENTS) == ["part of Studio", "filter", "before, after"]


def test_numbers_are_sorted_as_numbers_and_stay_so(panel: Processes) -> None:
    panel.show_state(STATE_OF_ALL)
    panel.table.sortByColumn(CPU, Qt.SortOrder.DescendingOrder)
    assert column(panel, PROCESS) == ["filter", "broker", "sinks"]
    changed = {**STATE_OF_ALL, "processes": {**STATE_OF_ALL["processes"], "broker": process(cpu=100.0)}}
    panel.show_state(changed)
    assert column(panel, PROCESS) == ["broker", "filter", "sinks"]
    panel.table.sortByColumn(MEMORY, Qt.SortOrder.AscendingOrder)
    assert column(panel, MEMORY) == ["—", "9 MB", "40 MB"]
    panel.show_theme(DARK, changed)
    assert column(panel, MEMORY) == ["—", "9 MB", "40 MB"]


def test_the_menu_offers_what_can_be_done(panel: Processes) -> None:
    panel.show_state(STATE_OF_ALL)
    restarted: list[str] = []
    panel.restart_wanted.connect(restarted.append)
    menu = panel.menu_of("sinks")
    words = [action.text() for action in menu.actions() if action.text()]
    assert words == [
        "Show before on the canvas", "Show after on the canvas", "What before says", "What after says",
        "Show output…", "Restart sinks", "Copy its pid",
    ]  # fmt: skip
    next(action for action in menu.actions() if action.text().startswith("Restart")).trigger()
    assert restarted == ["sinks"]
    assert not any(action.text().startswith("Restart") for action in panel.menu_of("broker").actions())
