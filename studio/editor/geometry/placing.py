"""Where the parts of the geometry editor are in the layout Geometry: tree left, view, text below, properties right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.editor.layouts import NARROW

if TYPE_CHECKING:
    from studio.editor.main_window import MainWindow

BUILDING = ("palette", "inspector", "problems", "console", "processes")
"""Panels of systems, which give way."""


def lay_out(window: MainWindow, panels: list[str], documents: list[str], front: str) -> None:
    docks, there = window.docks, set(panels)
    _column(window, [name for name in ("geometry_tree", "geometry_library") if name in there], "palette")
    _column(window, [name for name in ("geometry_properties",) if name in there], "inspector")
    _column(window, [name for name in ("geometry_xml", "geometry_changes") if name in there], "problems")
    if {"geometry_checks", "geometry_tree"} <= there:
        docks.move("geometry_checks", "bottom", beside="geometry_tree")
        docks.set_shares("geometry_tree", (72, 28))
    if {"geometry_measure", "geometry_properties"} <= there:
        docks.move("geometry_measure", "bottom", beside="geometry_properties")
        docks.set_shares("geometry_properties", (56, 44))
    for name in BUILDING:
        docks.hide(name)
    for name in documents:
        docks.move(name, "tab", beside="system")
    if not window.has_session:
        docks.hide("system")
    if front:
        docks.show(front)
    is_narrow = window.width() < NARROW
    docks.set_columns(*((224, 264) if is_narrow else (270, 330)))


def _column(window: MainWindow, names: list[str], place: str) -> None:
    """Tabs at the place of a panel of systems, the first one in front."""
    for name in names:
        window.docks.move(name, "tab", beside=place)
    if names:
        window.docks.show(names[0])
