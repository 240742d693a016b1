"""The menu of the canvas has what can be done with what is selected, and nothing else."""

from __future__ import annotations

from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QMenu

from studio.editor.window.context_menu import open_context_menu
from studio.editor.window.main_window import MainWindow


def entries(window: MainWindow) -> list[str]:
    before = set(window.findChildren(QMenu))
    open_context_menu(window, QPoint(10, 10))
    menu = next(each for each in window.findChildren(QMenu) if each not in before)
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    menu.close()
    menu.deleteLater()
    return texts


def test_a_wire_is_not_renamed_aligned_or_grouped(window: MainWindow) -> None:
    window.canvas.canvas.clearSelection()
    next(iter(window.canvas.canvas.wires.values())).setSelected(True)
    found = entries(window)
    assert found[0] == "Component into the wire…" and found[-1] == "Delete"
    assert not {"Rename", "Duplicate", "Align left edges", "Ungroup"} & set(found)


def test_the_ground_offers_what_can_be_put_there(window: MainWindow) -> None:
    window.canvas.canvas.clearSelection()
    found = entries(window)
    assert found[:4] == ["Component…", "New component…", "Note", "Frame"] and "Paste" in found and "Delete" not in found


def test_a_card_has_all_of_it(window: MainWindow) -> None:
    window.canvas.canvas.select(["terrain_map"])
    assert {"Rename", "Duplicate", "Delete", "Align left edges"} <= set(entries(window))
