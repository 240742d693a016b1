"""Where the parts of the geometry editor are in the layout Geometry: tree left, view, text below, properties right."""

from __future__ import annotations

from typing import Protocol

from studio.editor.docking.layouts import NARROW
from studio.editor.ports import WithDocks, WithWidget
from studio.editor.project.ports import WithProject

HIGH = 900
"""Height of a window from which properties and measure have room below each other."""
BUILDING = ("palette", "inspector", "problems", "console", "processes")
"""Panels of systems, which give way."""


class Needs(WithDocks, WithProject, WithWidget, Protocol):
    """What is taken from the window."""


def lay_out(window: Needs, panels: list[str], documents: list[str], front: str) -> None:
    docks, there = window.docks, set(panels)
    _column(window, [name for name in ("geometry_tree", "geometry_library") if name in there], "palette")
    _column(window, [name for name in ("geometry_properties",) if name in there], "inspector")
    _column(
        window, [name for name in ("geometry_xml", "geometry_changes", "geometry_checks") if name in there], "problems"
    )
    if {"geometry_measure", "geometry_properties"} <= there:
        is_high = window.widget.height() >= HIGH
        docks.move("geometry_measure", "bottom" if is_high else "tab", beside="geometry_properties")
        if is_high:
            docks.set_shares("geometry_properties", (50, 50))
        docks.show("geometry_properties")
    for name in BUILDING:
        docks.hide(name)
    for name in documents:
        docks.move(name, "tab", beside="system")
    if not window.has_session:
        docks.hide("system")
    if front:
        docks.show(front)
        settle(window, front)


def settle(window: Needs, document: str) -> None:
    """The view in front has its place: it gets most of the room."""
    is_narrow = window.widget.width() < NARROW
    window.docks.set_columns(*((224, 264) if is_narrow else (270, 360)))
    window.docks.set_shares(document, (72, 28))


def _column(window: Needs, names: list[str], place: str) -> None:
    """Tabs at the place of a panel of systems, the first one in front."""
    for name in names:
        window.docks.move(name, "tab", beside=place)
    if names:
        window.docks.show(names[0])
