"""Viewers in the window: any number of each kind, remembered per project, and a sensible few where none were chosen."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.icons import icon
from studio.editor.theme import Theme

if TYPE_CHECKING:
    from studio.editor.docks import Docks
    from studio.editor.feed import Feed
    from studio.editor.panels.viewer import Viewer


@dataclass(frozen=True)
class Kind:
    """One sort of viewer; its module is imported when the first one is opened."""

    name: str
    title: str
    icon: str
    make: Callable[[Feed, Theme], Viewer]
    types: frozenset[str] = frozenset()
    """The types of messages for which one opens by itself."""


def _map(feed: Feed, theme: Theme) -> Viewer:
    from studio.editor.panels.map_viewer import MapViewer

    return MapViewer(feed, theme)


def _plot(feed: Feed, theme: Theme) -> Viewer:
    from studio.editor.panels.plot_viewer import PlotViewer

    return PlotViewer(feed, theme)


def _scan(feed: Feed, theme: Theme) -> Viewer:
    from studio.editor.panels.scan_viewer import ScanViewer

    return ScanViewer(feed, theme)


def _topics(feed: Feed, theme: Theme) -> Viewer:
    from studio.editor.panels.topics_viewer import TopicsViewer

    return TopicsViewer(feed, theme)


def _votes(feed: Feed, theme: Theme) -> Viewer:
    from studio.editor.panels.votes_viewer import VotesViewer

    return VotesViewer(feed, theme)


KINDS: tuple[Kind, ...] = (
    Kind("map", "Map", "mdi6.map", _map, frozenset({"Map"})),
    Kind("votes", "Votes", "mdi6.fan", _votes, frozenset({"Vote"})),
    Kind("scan", "Laser scan", "mdi6.radar", _scan, frozenset({"Range3d"})),
    Kind("plot", "Plot", "mdi6.chart-line", _plot),
    Kind("topics", "Topics", "mdi6.access-point", _topics),
)


class Viewers(QObject):
    changed = pyqtSignal()
    """One was opened or closed, or chose something else to show."""

    def __init__(self, docks: Docks, feed: Feed, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.docks, self.feed, self.theme = docks, feed, theme
        self.open: dict[str, Viewer] = {}
        """By the name of their dock: map.1, map.2, plot.1 ..."""

    def add(self, kind_name: str, settings: dict[str, Any] | None = None, name: str = "") -> Viewer:
        """Open one more; its dock has the first free name, unless a saved layout knows it by one."""
        kind = next(kind for kind in KINDS if kind.name == kind_name)
        if not name:
            numbers = (number for number in range(1, len(self.open) + 2) if f"{kind.name}.{number}" not in self.open)
            name = f"{kind.name}.{next(numbers)}"
        viewer = kind.make(self.feed, self.theme)
        self.open[name] = viewer
        beside = next((other for other in reversed(self.open) if other != name), "")
        self.docks.add_viewer(name, kind.title, viewer, beside=beside, closed=lambda: self.close(name))
        self.docks.set_icon(name, icon(kind.icon, self.theme.muted))
        viewer.titled.connect(lambda title: self.docks.set_title(name, title))
        if settings:
            viewer.restore(settings)
        viewer.settled.connect(self.changed)
        self._join(viewer)
        self.changed.emit()
        return viewer

    def close(self, name: str) -> None:
        viewer = self.open.pop(name, None)
        if viewer is not None:
            viewer.close_viewer()
            self.changed.emit()

    def close_all(self) -> None:
        """Another project: its viewers are others."""
        for name in list(self.open):
            self.open.pop(name).close_viewer()
            self.docks.remove(name)

    def _join(self, viewer: Viewer) -> None:
        """All plots have one time; what is dragged out of the topics by a double-click gets a plot."""
        if viewer.KIND == "plot":
            first = next((other for other in self.open.values() if other.KIND == "plot" and other is not viewer), None)
            if first is not None:
                viewer.link_to(first)  # type: ignore[attr-defined]
        if viewer.KIND == "topics":
            viewer.plot_wanted.connect(self._plot_field)  # type: ignore[attr-defined]

    def _plot_field(self, field: object) -> None:
        plots = [viewer for viewer in self.open.values() if viewer.KIND == "plot"]
        plot = plots[-1] if plots else self.add("plot")
        plot.add(field)  # type: ignore[attr-defined]

    # ---- what is kept

    def save(self) -> str:
        return json.dumps([{"name": name, "kind": v.KIND, "settings": v.save()} for name, v in self.open.items()])

    def restore(self, text: str) -> None:
        """What was saved, or of it what can be read."""
        try:
            entries = json.loads(text)
        except json.JSONDecodeError:
            return
        known = {kind.name for kind in KINDS}
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("kind") in known:
                settings = entry.get("settings")
                self.add(entry["kind"], settings if isinstance(settings, dict) else None, str(entry.get("name", "")))

    def choose(self, types: set[str]) -> None:
        """A layout for a system or log that has none: what its message types ask for."""
        for kind in KINDS:
            if kind.types & types and not any(kind.name == viewer.KIND for viewer in self.open.values()):
                self.add(kind.name)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        for name, viewer in self.open.items():
            viewer.show_theme(theme)
            kind = next(kind for kind in KINDS if kind.name == viewer.KIND)
            self.docks.set_icon(name, icon(kind.icon, theme.muted))
