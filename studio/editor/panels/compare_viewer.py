"""Two maps side by side with one view, and their difference."""

from __future__ import annotations

import math
from dataclasses import replace

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLabel, QWidget

from studio.editor.feed import Feed
from studio.editor.live_batch import Event
from studio.editor.panels.viewer import Bar, Empty, Settings, TopicChoice, Viewer, column, facts, stacked
from studio.editor.theme import Theme
from studio.editor.views.map_colours import SCHEMES, scheme_for
from studio.editor.views.map_difference import Difference, difference_of
from studio.editor.views.map_layers import Layer, layer_of
from studio.editor.views.map_view import MapView
from studio.messages import Map

NOTHING = "Choose two maps. One can be held while the other goes on, to compare two runs"


class Side:
    """One of the two maps: where it comes from, and whether it is held as it is."""

    def __init__(self, viewer: CompareViewer, letter: str) -> None:
        self.letter = letter
        self.map: Map | None = None
        self.topic = TopicChoice(frozenset({"Map"}), f"Map {letter}")
        self.topic.chosen.connect(lambda topic: viewer.watch(self, topic))
        self.hold = viewer.tool(
            "mdi6.pause-octagon-outline",
            f"Hold {letter}: keep this map while the system goes on",
            viewer.held,
            on=False,
        )
        self.view = MapView(viewer.theme)
        self.view.follows = False
        self.view.setAccessibleName(f"Map {letter}")


class CompareViewer(Viewer):
    KIND, TITLE, ICON = "compare", "Compare maps", "mdi6.set-split"

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.sides = (Side(self, "A"), Side(self, "B"))
        self.change = MapView(theme)
        self.change.follows = False
        self.change.setAccessibleName("Difference")
        self.plane = QComboBox()
        self.plane.setToolTip("The plane that both maps have")
        self.plane.setAccessibleName("Plane")
        self.plane.activated.connect(lambda _: self._choose_plane())
        self.tolerance = QDoubleSpinBox()
        self.tolerance.setRange(0.001, 100.0)
        self.tolerance.setValue(0.05)
        self.tolerance.setDecimals(3)
        self.tolerance.setPrefix("± ")
        self.tolerance.setToolTip("What counts as equal, in the unit of the plane")
        self.tolerance.setAccessibleName("Tolerance")
        self.tolerance.valueChanged.connect(lambda _: self.refresh())
        self.fit = self.tool("mdi6.fit-to-page-outline", "Show everything", lambda _: self._fit())
        self.facts = facts()
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self._panes())
        (a, b) = self.sides
        bar = Bar(a.topic, a.hold, b.topic, b.hold, self.plane, self.tolerance, self.fit, facts())
        column(self, bar, self.place, Bar(self.facts))
        self.found: Difference | None = None
        self._wanted_plane = ""
        self._fitted = False
        self._link()
        self.topics_changed()

    def _panes(self) -> QWidget:
        panes = QWidget()
        grid = QGridLayout(panes)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(2)
        names = [f"{side.letter}" for side in self.sides] + ["B − A"]
        self._titles: list[QLabel] = []
        for number, (view, name) in enumerate(zip(self._views(), names, strict=True)):
            title = QLabel(name)
            title.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._titles.append(title)
            grid.addWidget(title, 0, number)
            grid.addWidget(view, 1, number)
            grid.setColumnStretch(number, 1)
        grid.setRowStretch(1, 1)
        return panes

    def _views(self) -> tuple[MapView, ...]:
        return (*(side.view for side in self.sides), self.change)

    def _link(self) -> None:
        """Whichever is moved, all move; the pointer is at the same place in all."""
        for view in self._views():
            view.moved_by_hand.connect(lambda view=view: self._follow(view))

    def _follow(self, moved: MapView) -> None:
        for view in self._views():
            if view is not moved:
                view.follows = False
                view.look_at(*moved.centre_m, moved.metres_per_pixel)

    def _fit(self) -> None:
        first = self.sides[0].view
        first.fit()
        self._follow(first)

    # ---- what is kept

    def save(self) -> Settings:
        a, b = self.sides
        return {
            "a": a.topic.topic,
            "b": b.topic.topic,
            "plane": self._wanted_plane,
            "tolerance": self.tolerance.value(),
        }

    def restore(self, settings: Settings) -> None:
        self._wanted_plane = str(settings.get("plane", ""))
        tolerance = settings.get("tolerance", 0.05)
        self.tolerance.setValue(float(tolerance) if isinstance(tolerance, int | float) else 0.05)
        for side, name in zip(self.sides, ("a", "b"), strict=True):
            side.topic.choose(str(settings.get(name, "")))
        self.topics_changed()

    # ---- the feed

    def attached(self) -> None:
        for side in self.sides:
            if not side.hold.isChecked():
                side.map = None

    def topics_changed(self) -> None:
        topics = self.feed.state.get("topics", {})
        for side in self.sides:
            side.topic.refresh(topics)
        maps = sorted(name for name, topic in topics.items() if topic.get("type") == "Map")
        for side, name in zip(self.sides, maps, strict=False):
            if not side.topic.topic:
                side.topic.choose(name)

    def watch(self, side: Side, topic: str) -> None:
        if not side.hold.isChecked():
            side.map = None
        self.look_at(side.letter, topic, lambda events: self._take(side, events))
        self.refresh()
        self.settled.emit()

    def held(self, on: bool) -> None:
        self.refresh()

    def _take(self, side: Side, events: list[Event]) -> None:
        message = events[-1].message
        if isinstance(message, Map) and not side.hold.isChecked():
            side.map = message
            self.refresh()

    # ---- showing

    def _choose_plane(self) -> None:
        self._wanted_plane = self.plane.currentText()
        self.refresh()
        self.settled.emit()

    def refresh(self) -> None:
        a, b = (side.map for side in self.sides)
        if a is None or b is None or not (a.rows and a.columns and b.rows and b.columns):
            waits = " and ".join(side.letter for side in self.sides if side.map is None)
            self.empty.say(f"Waiting for map {waits}" if all(side.topic.topic for side in self.sides) else NOTHING)
            self._stack.setCurrentWidget(self.empty)
            return
        common = [name for name in a.plane_names if name in b.plane_names]
        if not common:
            self.empty.say(f"No plane is in both: A has {', '.join(a.plane_names)}, B has {', '.join(b.plane_names)}")
            self._stack.setCurrentWidget(self.empty)
            return
        plane = self._wanted_plane if self._wanted_plane in common else common[0]
        if common != [self.plane.itemText(i) for i in range(self.plane.count())]:
            self.plane.clear()
            self.plane.addItems(common)
        self.plane.setCurrentText(plane)
        self._stack.setCurrentIndex(1)
        self._show(a, b, plane)

    def _show(self, a: Map, b: Map, plane: str) -> None:
        for side, shown in zip(self.sides, (a, b), strict=True):
            side.view.show_layers([layer_of(shown, plane)])
        found = self.found = difference_of(a, b, plane, plane, self.tolerance.value())
        scheme = SCHEMES["difference_dark" if self.theme.name == "dark" else "difference"]
        unit = scheme_for(plane).unit
        reach = max(self.tolerance.value() * 4, 1e-3)
        self.change.show_layers([Layer(found.map, "difference", replace(scheme.over(-reach, reach), unit=unit))])
        if not self._fitted:
            self._fitted = True
            self._fit()
        self.facts.setText(in_words(found, self.tolerance.value(), unit))
        self.facts.setToolTip(self.facts.text())

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.empty.show_theme(theme)
        for view in self._views():
            view.show_theme(theme)
        for title in self._titles:
            palette = title.palette()
            palette.setColor(title.foregroundRole(), QColor(theme.muted))
            title.setPalette(palette)
        self.refresh()


def in_words(found: Difference, tolerance: float, unit: str) -> str:
    if not found.both:
        return f"no cell is known in both · {found.only_a} only in A · {found.only_b} only in B"
    size = f" {unit}" if unit else ""
    mean = f"{found.mean:+.3f}".replace("-", "−") if math.isfinite(found.mean) else "?"
    return (
        f"RMS {found.rms:.3f}{size} · mean {mean}{size} · {found.within * 100:.1f} % within {tolerance:g}{size} · "
        f"{found.both} cells · {found.only_a} only in A · {found.only_b} only in B"
    )
