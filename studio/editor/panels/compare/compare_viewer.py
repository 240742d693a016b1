"""Two maps side by side with one view, and their difference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QComboBox, QDoubleSpinBox, QFileDialog

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.live.quiet_topics import quiet_words
from studio.editor.look.theme import Theme
from studio.editor.panels.compare.compare_colours import CompareColours
from studio.editor.panels.compare.compare_cut import CompareCut
from studio.editor.panels.compare.compare_panes import ComparePanes
from studio.editor.panels.compare.compare_runs import differences_between, facts_of_run, in_full, in_one_line
from studio.editor.panels.compare.compare_side import Side
from studio.editor.panels.compare.compare_time import CompareTimes, RunStart
from studio.editor.panels.parts.linked_views import LinkedViews
from studio.editor.panels.parts.picture_file import save_picture
from studio.editor.panels.parts.viewer import Bar, Empty, Settings, Viewer, column, facts, stacked
from studio.editor.views.maps.compare_view import CompareView, cut_in
from studio.editor.views.maps.map_difference import Difference, difference_of, figures_of
from studio.editor.views.maps.map_layers import Layer, common_range, layer_of
from studio.editor.views.shared.map_colours import SCHEMES, scheme_for
from studio.editor.views.shared.newest_wish import NewestWish
from studio.errors import StudioError
from studio.messages import Map
from studio.runtime.recording.facts.run_facts import RunDifference, RunFacts

BESIDE, SWIPE, BLINK = "Side by side", "Swipe", "Blink"
BLINK_MS = 700
MANY_CELLS = 500_000
"""The difference of larger maps takes longer than a frame, and is made beside the window's work."""
NOTHING = "Choose two maps: of topics, or of recordings. One can be held while the other is updated"


class CompareViewer(Viewer):
    KIND, TITLE, ICON = "compare", "Compare maps", "mdi6.set-split"
    KEEPS_PICTURE = True

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.times = CompareTimes(theme)
        self.sides = (Side(self, "A"), Side(self, "B"))
        self.times.between(*self.sides)
        self.times.settled.connect(self.settled)
        self._run = RunStart()
        self.change = CompareView(theme)
        self.change.setAccessibleName("Difference")
        self.plane = QComboBox()
        self.plane.setToolTip("The plane that both maps have")
        self.plane.setAccessibleName("Plane")
        self.plane.setPlaceholderText("Plane")
        self.plane.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.plane.activated.connect(lambda _: self._choose_plane())
        self.tolerance = QDoubleSpinBox()
        self.tolerance.setRange(0.001, 100.0)
        self.tolerance.setValue(0.05)
        self.tolerance.setDecimals(3)
        self.tolerance.setPrefix("within ± ")
        self.tolerance.setToolTip("Tolerance: smaller differences count as equal, in the unit of the plane")
        self.tolerance.setAccessibleName("Tolerance")
        self.tolerance.valueChanged.connect(lambda _: self.refresh())
        self.way = QComboBox()
        self.way.addItems([BESIDE, SWIPE, BLINK])
        self.way.setToolTip("How A and B are shown: beside each other, or one over the other")
        self.way.setAccessibleName("How to compare")
        self.way.currentTextChanged.connect(lambda _: self._choose_way())
        self._blink = QTimer(self)
        self._blink.setInterval(BLINK_MS)
        self._blink.timeout.connect(self._turn_over)
        self._shows_b = False
        self._will_fit = QTimer(self)
        self._will_fit.setSingleShot(True)
        self._will_fit.setInterval(0)
        self._will_fit.timeout.connect(lambda: self.linked.fit_again())
        self.cut = self.tool(
            "mdi6.vector-line", "Cut line: both along it; drag its ends", lambda on: self.cutting.turn(on), on=False
        )
        self.fit = self.tool("mdi6.fit-to-page-outline", "Show everything", lambda _: self.linked.fit_by_hand())
        self.export = self.tool("mdi6.image-outline", "Save the picture as PNG", lambda _: self.ask_export())
        self.panes = ComparePanes(self.sides, self.change, self.times, theme)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.panes)
        self.facts = facts()
        (a, b) = self.sides
        bar = Bar(
            self.way, a.topic, a.hold, a.from_log, b.topic, b.hold, b.from_log, self.plane, self.tolerance, self.cut,
            self.fit, self.export, self.facts,
        )  # fmt: skip
        column(self, bar, self.place)
        self.found: Difference | None = None
        self._difference: NewestWish[Difference] = NewestWish(self, self._have_found)
        self._wanted_plane = ""
        self._guessed = False
        """Whether the maps were taken as they came, and not chosen by anybody."""
        self._told_runs: tuple[tuple[RunFacts, RunFacts] | None, list[RunDifference]] = (None, [])
        """Two runs, and in what they differ."""
        self.colours = CompareColours()
        self._link()
        self.cutting = CompareCut(self)
        self.setFocusProxy(self.sides[0].view)  # which is there in every way of comparing
        self._choose_way()
        self.topics_changed()

    def views(self) -> tuple[CompareView, ...]:
        return (*(side.view for side in self.sides), self.change)

    def _link(self) -> None:
        self.linked = LinkedViews(self, self.views(), [side.view for side in self.sides])
        self.linked.changed.connect(self.settled)
        for view in self.views():
            view.border_moved.connect(self.settled)
            view.legend_clicked.connect(lambda number, view=view: self._turn_colours(view, number))
            view.range_dragged.connect(lambda number, low, high, view=view: self._limit(view, number, (low, high)))
            view.range_reset.connect(lambda number, view=view: self._limit(view, number, None))

    def _limit(self, view: CompareView, number: int, limits: tuple[float, float] | None) -> None:
        self.colours.limit(view.layers[number].plane, limits)
        self.refresh()
        self.settled.emit()

    def _turn_colours(self, view: CompareView, number: int) -> None:
        """A click on a legend: colours that everybody can tell apart for both maps, and back."""
        layer = view.layers[number]
        if view is not self.change and self.colours.turn(layer.plane, layer.scheme.name):
            self.refresh()
            self.settled.emit()

    # ---- one over the other

    def _choose_way(self) -> None:
        way = self.way.currentText()
        self.panes.put_beside(way == BESIDE)
        self._shows_b = False
        if way == BLINK:
            self._blink.start()
        else:
            self._blink.stop()
        self.refresh()
        self.settled.emit()

    def _turn_over(self) -> None:
        self._shows_b = not self._shows_b
        self._show_sides()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._show_sides()
        self.fit_soon()

    def fit_soon(self) -> None:
        """When everything has its size."""
        self._will_fit.start()

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, lambda: self.linked.fit_first(seen=True))  # when everything has its size

    # ---- what is kept

    def save(self) -> Settings:
        a, b = self.sides
        remembered = {side.letter: side.remembered for side in self.sides}
        return {
            "a": a.topic.topic,
            "b": b.topic.topic,
            "plane": self._wanted_plane,
            "tolerance": self.tolerance.value(),
            "way": self.way.currentText(),
            "cut": [list(end) for end in self.change.cut] if self.change.cut is not None else None,
            "logs": {letter: str(each[0]) for letter, each in remembered.items() if each is not None},
            "times_ns": {letter: each[1] for letter, each in remembered.items() if each is not None},
            "offset_ns": self.times.offset_ns,
            "colours": self.colours.save(),
            "border": a.view.share,
            "view": self.linked.save(),
        }

    def restore(self, settings: Settings) -> None:
        self._wanted_plane = str(settings.get("plane", ""))
        tolerance = settings.get("tolerance", 0.05)
        self.tolerance.setValue(float(tolerance) if isinstance(tolerance, int | float) else 0.05)
        self.colours.restore(settings.get("colours"))
        self.linked.restore(settings.get("view"))
        border = settings.get("border")
        self.sides[0].view.share = min(max(float(border), 0.0), 1.0) if isinstance(border, int | float) else 0.5
        way = settings.get("way")
        self.way.setCurrentText(way if way in (BESIDE, SWIPE, BLINK) else BESIDE)
        for side, name in zip(self.sides, ("a", "b"), strict=True):
            side.topic.choose(str(settings.get(name, "")))
        cut = cut_in(settings.get("cut"))
        if cut is not None:
            self.cut.setChecked(True)
            self.cutting.show(cut)
        offset_ns = settings.get("offset_ns", 0)
        self.times.offset_ns = offset_ns if isinstance(offset_ns, int) else None
        logs, times_ns = settings.get("logs"), settings.get("times_ns")
        for side in self.sides:
            log = logs.get(side.letter) if isinstance(logs, dict) else None
            after_ns = times_ns.get(side.letter) if isinstance(times_ns, dict) else None
            if isinstance(log, str):
                side.read(Path(log), after_ns if isinstance(after_ns, int) else None)
        self.topics_changed()

    def hold_a(self, topic: str, map_: Map, origin: str) -> None:
        """This map as A, held; what the same topic brings from now on as B."""
        a, b = self.sides
        b.let_go()
        b.topic.choose(topic)
        b.begin_with(map_)
        a.keep(topic, map_, origin)

    # ---- the feed

    def attached(self) -> None:
        self._run = RunStart()
        for side in self.sides:
            side.forget()

    def topics_changed(self) -> None:
        topics = self.feed.state.get("topics", {})
        for side in self.sides:
            side.topic.refresh(topics)
        maps = sorted(name for name, topic in topics.items() if topic.get("type") == "Map")
        for side, name in zip(self.sides, maps * 2 if len(maps) == 1 else maps, strict=False):
            if not side.topic.topic:
                side.topic.choose(name)
                self._guessed = True

    def watch(self, side: Side, topic: str) -> None:
        self._guessed = False
        side.forget()
        self.look_at(side.letter, topic, lambda events: self._take(side, events))
        self.refresh()
        self.settled.emit()

    def _take(self, side: Side, events: list[Event]) -> None:
        message, time_ns = events[-1].message, events[-1].stamp_ns
        if not isinstance(message, Map):
            side.lose(f"{events[-1].topic} carries {type(message).__name__} now, not Map")
        elif side.take(message, time_ns, self._run.start_ns(self.feed.state, time_ns)):
            if not self.times.went_on(side):
                self.refresh()
        else:
            self.times.show_times()

    # ---- showing

    def _choose_plane(self) -> None:
        self._wanted_plane = self.plane.currentText()
        self.refresh()
        self.settled.emit()

    def refresh(self) -> None:
        a, b = (side.map for side in self.sides)
        troubles = [side.trouble for side in self.sides if side.trouble]
        runs = self._run_differences()
        self.facts.setText(" · ".join([*troubles, *filter(None, [in_one_line(runs)])]))
        self.facts.setToolTip("\n".join([*troubles, *filter(None, [in_full(runs)])]))
        self.times.show_times()
        if a is None or b is None or not (a.rows and a.columns and b.rows and b.columns):
            self._say(self._why_not())
            return
        common = [name for name in a.plane_names if name in b.plane_names]
        guessed, self._guessed = self._guessed, False
        if not common and guessed:  # nobody has chosen them: the same map twice, and one of them can be held
            self.sides[1].topic.choose(self.sides[0].topic.topic)
            return
        if not common:
            self._say(f"No plane is in both: A has {', '.join(a.plane_names)}, B has {', '.join(b.plane_names)}")
            return
        plane = self._wanted_plane if self._wanted_plane in common else common[0]
        if common != [self.plane.itemText(i) for i in range(self.plane.count())]:
            self.plane.clear()
            self.plane.addItems(common)
        self.plane.setCurrentText(plane)
        self._stack.setCurrentIndex(1)
        self._show(a, b, plane)

    def _run_differences(self) -> list[RunDifference]:
        """Of two recordings, or of one and the running system."""
        recordings = [side.recording for side in self.sides]
        if not any(recordings) or any(side.is_held and side.recording is None for side in self.sides):
            return []
        now = facts_of_run(self.feed.state)
        a, b = (each.run if each is not None else now for each in recordings)
        if (a, b) != self._told_runs[0]:
            self._told_runs = (a, b), differences_between(a, b)
        return self._told_runs[1]

    def _why_not(self) -> str:
        trouble = next((side.trouble for side in self.sides if side.trouble), "")
        if trouble:
            return trouble
        if not all(side.topic.topic for side in self.sides):
            return NOTHING
        waits = " and ".join(side.letter for side in self.sides if side.map is None)
        if waits:
            return f"Waiting for map {waits}"
        empty = " and ".join(side.letter for side in self.sides if side.map is not None and not side.map.planes.size)
        return f"Map {empty} is empty: it has no cells yet"

    def _say(self, sentence: str) -> None:
        self.empty.say(sentence)
        self._stack.setCurrentWidget(self.empty)

    def _show(self, a: Map, b: Map, plane: str) -> None:
        self._show_sides()
        self.cutting.show_profile()
        tolerance = self.tolerance.value()
        if a.rows * a.columns < MANY_CELLS:
            self._have_found(difference_of(a, b, plane, plane, tolerance))
        else:
            self._difference.ask(lambda: difference_of(a, b, plane, plane, tolerance))

    def _have_found(self, found: Difference | StudioError) -> None:
        assert isinstance(found, Difference), "nothing in it can be refused"
        self.found = found
        tolerance, unit = found.tolerance, scheme_for(found.plane).unit
        self.tolerance.setSuffix(f" {unit}" if unit else "")
        scheme = SCHEMES["difference"]
        reach = max(tolerance * 4, 1e-3)
        limits = self.colours.ranges.get("difference", (-reach, reach))
        self.change.show_layers([Layer(found.map, "difference", replace(scheme.over(*limits), unit=unit))])
        self.linked.fit_first(seen=self.isVisible())
        self.panes.figures.show_figures(figures_of(found, unit))
        self.panes.histogram.show_differences(found, unit)

    def _show_sides(self) -> None:
        a, b = self.sides
        plane = self.plane.currentText()
        if a.map is None or b.map is None or plane not in a.map.plane_names or plane not in b.map.plane_names:
            return
        limits = self.colours.ranges.get(plane) or common_range(a.map, b.map, plane)
        scheme = self.colours.scheme(plane)
        layers = {
            "A": [layer_of(a.map, plane, scheme, limits=limits)],
            "B": [layer_of(b.map, plane, scheme, limits=limits)],
        }
        way = self.way.currentText()
        shown = "B" if way == BLINK and self._shows_b else "A"
        a.view.over = layers["B"] if way == SWIPE else []
        a.view.show_layers(layers[shown])
        b.view.show_layers(layers["B"])
        self.panes.show_titles(self.width(), self.theme, "AB" if way == SWIPE else shown)

    def quiet_words(self) -> str:
        """Of what comes now: a map that is held, of a recording, or looked back at, is not expected to change."""
        seen = self.seen_topics()
        running = {side.topic.topic for side in self.sides if side.follows and not side.is_held}
        return quiet_words(self.feed.state, [topic for topic in seen if topic in running])

    def over_at(self) -> tuple[int, float]:
        return self.picture_top() + self.panes.titles[0].height() + 8, 0.5  # the titles tell what A and B are

    # ---- pictures

    def ask_export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the picture", "compare.png", "Pictures (*.png)")
        if name:
            self.export_to(Path(name))

    def export_to(self, path: Path) -> bool:
        return self.has_saved(save_picture(self.place.grab(), path))

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.empty.show_theme(theme)
        for view in self.views():
            view.show_theme(theme)
        for side in self.sides:
            side.show_theme(theme)
        self.panes.show_theme(theme)
        self.times.show_theme(theme)
        self.refresh()
