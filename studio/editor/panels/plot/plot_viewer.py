"""Plots: fields of messages over time or over each other; all plots of a window share one time axis."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyqtgraph as pg
from PyQt6.QtCore import QSize, QTimer, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PyQt6.QtWidgets import QFileDialog, QMenu, QToolButton

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.quiet_topics import quiet_words
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import Bar, Empty, Settings, Viewer, column, facts, stacked
from studio.editor.panels.plot.plot_beside import BesideCurves
from studio.editor.panels.plot.plot_pointer import PlotPointer
from studio.editor.panels.plot.plot_time import PlotTime
from studio.editor.views.plots.curve_names import CurveNames
from studio.editor.views.plots.plot_against import draw_against
from studio.editor.views.plots.plot_curve import SECOND_NS, Curve
from studio.editor.views.plots.plot_paper import PlotPaper
from studio.editor.views.plots.plot_table import rows_against, rows_over_time, write_table
from studio.editor.views.plots.series import Statistics
from studio.editor.views.plots.series import compiled_thinning as warm  # noqa: F401  # asked for by its module's users
from studio.editor.views.shared.field_drag import Field, fields_in
from studio.errors import StudioError

FRAME_MS, SLOWEST_MS = 33, 100
"""A picture is made anew when its curves have moved by a pixel, within these limits."""
FIGURES_MS = 250
"""Numbers that change more often cannot be read."""


class PlotViewer(Viewer):
    KIND, TITLE, ICON = "plot", "Plot", "mdi6.chart-line"
    KEEPS_PICTURE = True
    cause_wanted = pyqtSignal(str, int)
    """How an event came about: topic and number."""

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.curves: list[Curve] = []
        self.time = PlotTime(self)
        self.plot = PlotPaper(theme)
        self.plot.setAccessibleName("Plot")
        self.names = CurveNames(self.plot)
        self.log_cursor = pg.InfiniteLine(movable=True)
        self.log_cursor.setToolTip("Where the log is; drag it to go there")
        self.log_cursor.sigPositionChangeFinished.connect(self._seek)
        self.log_cursor.setVisible(False)
        self.plot.addItem(self.log_cursor, ignoreBounds=True)
        self.pointer = PlotPointer(self)
        self.plot.getPlotItem().vb.sigRangeChangedManually.connect(lambda *_: self._let_go())
        self.plot.sigXRangeChanged.connect(self._moved)
        self.empty = Empty(
            self.ICON, "Drag a field here from the topics, or choose one there with a double-click", theme
        )
        self.place, self._stack = stacked(self.empty, self.plot)
        self.follow = self.tool(
            "mdi6.arrow-collapse-right", "Follow: the newest is at the right", self._follow, on=True
        )
        self.fit = self.tool("mdi6.fit-to-page-outline", "Show everything", lambda _: self.show_all())
        self.against = self.tool(
            "mdi6.chart-scatter-plot", "XY: the second field over the first instead of over time", self._cross, on=False
        )
        self.less = self.tool("mdi6.close-circle-outline", "Remove a curve, or all of them", lambda _: None)
        self.less.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.less)
        menu.aboutToShow.connect(lambda: self._list_curves(menu))
        self.less.setMenu(menu)
        self.export = self.tool(
            "mdi6.file-delimited-outline", "Save the visible range as CSV", lambda _: self.ask_export()
        )
        self.beside = BesideCurves(self)
        self.facts = facts()
        bar = Bar(self.follow, self.fit, self.against, self.less, self.beside.button, self.export, self.facts)
        column(self, bar, self.place).insertWidget(1, self.beside.strip)
        self.setAcceptDrops(True)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.redraw)
        self._figures = QTimer(self)
        self._figures.setSingleShot(True)
        self._figures.setInterval(FIGURES_MS)
        self._figures.timeout.connect(self._tell)
        self._figures_are_old = False
        self.show_theme(theme)

    # ---- curves

    def add(self, wanted: Field, log: Path | None = None, logged_as: str = "") -> None:
        """A curve for a field of what runs, or of a log beside; one that is there already is not added again."""
        if any((curve.what, curve.log) == (wanted, log) for curve in self.curves):
            return
        curve = Curve(wanted, log, logged_as)
        curve.item = self.plot.plot()
        self.curves.append(curve)
        if log is None:
            self.look_at(str(wanted), wanted.topic, lambda events: self._take(curve, events), every=True)
        else:
            self.beside.read(curve, log)
        self._stack.setCurrentWidget(self.plot)
        self._show_names()
        self._retitle()

    def remove(self, wanted: Field, log: Path | None = None) -> None:
        for curve in [each for each in self.curves if (each.what, each.log) == (wanted, log)]:
            if log is None:
                self.look_at(str(curve.what), "", lambda _: None)
            self.plot.removeItem(curve.item)
            self.curves.remove(curve)
        if not self.curves:
            self._stack.setCurrentWidget(self.empty)
            self.facts.clear()
        self._show_names()  # the others move up in the order of colours
        self.beside.move()
        self._retitle()

    def _list_curves(self, menu: QMenu) -> None:
        menu.clear()
        for curve in self.curves:
            menu.addAction(curve.name, partial(self.remove, curve.what, curve.log))
        if len(self.curves) > 1:
            menu.addSeparator()
            menu.addAction("All curves", self.remove_all)

    def remove_all(self) -> None:
        for curve in list(self.curves):
            self.remove(curve.what, curve.log)

    def _retitle(self) -> None:
        names = [curve.label.removesuffix(curve.rest) for curve in self.curves]
        self.retitle(", ".join(dict.fromkeys(names)) or self.TITLE)
        self.settled.emit()

    def _take(self, curve: Curve, events: list[Event]) -> None:
        curve.take(events)
        self.ask_redraw()

    # ---- showing

    def ask_redraw(self) -> None:
        """At most 30 times a second, however many topics speak, and only for what can be seen."""
        if not self._timer.isActive():
            self._timer.start()

    def redraw(self) -> None:
        if not self.curves:
            return
        if self.against.isChecked():
            self.facts.setText(draw_against(self.curves))
            self._name_axes()
            return
        following = self.time.range_s() if self.follow.isChecked() else None
        if following is not None:
            self.plot.setXRange(*following, padding=0)
        first, last = self.plot.getPlotItem().vb.viewRange()[0]
        pixels = max(int(self.plot.width() * self.devicePixelRatioF()), 10)
        self._timer.setInterval(round(min(max(1000 * (last - first) / pixels, FRAME_MS), SLOWEST_MS)))
        for curve in self.curves:
            curve.item.setData(*curve.drawn(first, last, pixels), connect="finite")
        # Otherwise pyqtgraph does it while it paints, sees that all have to move, and paints once more.
        self.plot.getPlotItem().vb.updateAutoRange()
        self._figures_are_old = True
        if not self._figures.isActive():
            self._tell()

    def newest_s(self) -> float | None:
        """Of what runs."""
        running = [curve.ends() for curve in self.curves if curve.log is None]
        return max((ends[1] for ends in running if ends is not None), default=None)

    def oldest_s(self) -> float | None:
        running = [curve.ends() for curve in self.curves if curve.log is None]
        return min((ends[0] for ends in running if ends is not None), default=None)

    def _tell(self) -> None:
        """Of the visible range."""
        if self.against.isChecked() or not self._figures_are_old:
            return
        self._figures_are_old = False
        self._figures.start()
        first, last = self.plot.getPlotItem().vb.viewRange()[0]
        words = []
        for curve in self.curves:
            if curve.trouble:
                words.append(f"{curve.shown_as}: {curve.trouble}")
                continue
            told = Statistics.of(curve.within(first, last)[1])
            if told.count:
                figures = f"{told.least:.4g} … {told.most:.4g}, mean {told.mean:.4g}, σ {told.deviation:.2g}"
                words.append(f"{curve.shown_as}: {figures}".replace("-", "−"))
        self.facts.setText(" · ".join(words))
        about = "Least, greatest, mean and standard deviation of the visible range:"
        self.facts.setToolTip("\n".join([about, *words]))

    def quiet_words(self) -> str:
        """Of all at once: a curve that ends before the others tells so by itself."""
        return quiet_words(self.feed.state, self.seen_topics(), all_of=True)

    # ---- where the log is

    def changed(self, changes: Changes) -> None:
        """The cursor of the LogPlayer, while one plays and time runs along the axis."""
        player = self.feed.state.get("player") or {}
        time_ns = player.get("time_ns")
        self.log_cursor.setVisible(isinstance(time_ns, int) and not self.against.isChecked())
        if isinstance(time_ns, int) and not self.log_cursor.moving and self.log_cursor.value() != time_ns / SECOND_NS:
            self.log_cursor.setValue(time_ns / SECOND_NS)

    def _seek(self) -> None:
        self.seek(self.log_cursor.value())

    def seek(self, time_s: float) -> None:
        self.feed.ask("player", None, self._not_there, action="seek", time_ns=int(time_s * SECOND_NS))

    def _not_there(self, error: StudioError) -> None:
        self.facts.setText(str(error))

    # ---- choices

    def ended(self) -> None:
        self.log_cursor.setVisible(False)  # there is no log to go to

    def _let_go(self) -> None:
        self.time.follow(False)

    def _follow(self, on: bool) -> None:
        """From here on, as much as is shown just now."""
        first, last = self.plot.getPlotItem().vb.viewRange()[0]
        has_been_chosen = on and self.newest_s() is not None and not self.against.isChecked()
        self.time.follow(on, last - first if has_been_chosen else None)
        if on:
            self.plot.enableAutoRange(axis="y")
        self.settled.emit()

    def _moved(self, _: object, ends: tuple[float, float]) -> None:
        if not self.against.isChecked():
            self.time.moved(self, *ends)
        self.ask_redraw()

    def show_range(self, first_s: float, last_s: float) -> None:
        self.plot.setXRange(first_s, last_s, padding=0)

    def show_following(self, on: bool) -> None:
        self.follow.setChecked(on)
        self.ask_redraw()

    def show_all(self) -> None:
        ends = [ends for ends in (curve.ends() for curve in self.curves) if ends is not None]
        self.time.follow(False)
        self.plot.enableAutoRange(axis="y")
        if self.against.isChecked():
            self.plot.enableAutoRange()
        elif ends:
            self.plot.setXRange(min(first for first, _ in ends), max(last for _, last in ends), padding=0.01)

    def _cross(self, on: bool) -> None:
        self._name_axes()
        self.show_theme(self.theme)  # the axes tell what else the names of curves would
        self.plot.enableAutoRange()
        self.follow.setEnabled(not on)
        self.redraw()
        self.settled.emit()

    def _name_axes(self) -> None:
        if self.against.isChecked():
            across, up = ([curve.shown_as for curve in self.curves] + ["first field", "second field"])[:2]
            self.plot.name_axes(across, up)
        else:
            self.plot.name_axes()

    def link_to(self, other: PlotViewer | None) -> None:
        """Share the time axis of another, or have one that others may share."""
        is_first = self.time.plots[0] is self
        wanted = other.time if other is not None else self.time if is_first else self.time.parted(self)
        if wanted is not self.time:
            self.time.leave(self)
            self.time = wanted
            if self not in wanted.plots:
                wanted.join(self)

    def ask_export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save visible range", "plot.csv", "Tables (*.csv)")
        if name:
            self.export_to(Path(name))

    def export_to(self, path: Path) -> None:
        first, last = self.plot.getPlotItem().vb.viewRange()[0]
        rows = rows_against if self.against.isChecked() and len(self.curves) > 1 else rows_over_time
        try:
            write_table(path, rows(self.curves, first, last))
        except OSError as error:
            self.facts.setText(f"{path} cannot be written: {error.strerror}")

    # ---- what is kept

    def save(self) -> Settings:
        return {
            "fields": [
                [curve.what.topic, curve.what.path, *([str(curve.log), curve.logged_as] if curve.log else [])]
                for curve in self.curves
            ],
            "xy": self.against.isChecked(),
            "offsets_ns": self.beside.save(),
            "follow": self.time.follows,
            "span_s": self.time.span_s,
        }

    def restore(self, settings: Settings) -> None:
        self.beside.restore(settings.get("offsets_ns"))
        fields = settings.get("fields")
        for entry in fields if isinstance(fields, list) else ():
            if isinstance(entry, list) and len(entry) in (2, 4):
                topic, path, *beside = (str(part) for part in entry)
                self.add(Field(topic, path), *(Path(beside[0]), beside[1]) if beside else ())
        if settings.get("xy"):
            self.against.setChecked(True)
            self._cross(True)
        span_s = settings.get("span_s")
        self.time.follow(bool(settings.get("follow", True)), span_s if isinstance(span_s, float) else None)

    def attached(self) -> None:
        for curve in self.curves:
            if curve.log is None:
                curve.series.clear()
        self.time.follow(True)

    def close_viewer(self) -> None:
        self.beside.close()
        self.time.leave(self)
        super().close_viewer()

    # ---- Qt

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        if event is not None and fields_in(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        if event is not None:
            for wanted in fields_in(event.mimeData()):
                self.add(wanted)
            event.acceptProposedAction()

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.empty.show_theme(theme)
        self.plot.show_theme(theme)
        self.log_cursor.setPen(theme.accent, width=2)
        self.log_cursor.setHoverPen(theme.focus, width=3)
        self.pointer.mark.show_theme(theme)
        self.beside.strip.show_theme(theme)
        self._show_names()

    def _show_names(self) -> None:
        self.names.show(self.curves, self.theme, room=self._room(), are_crossed=self.against.isChecked())

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.names.fit_into(self._room(), self.theme)

    def _room(self) -> QSize:
        return QSize(self.width(), self.height() - self.picture_top())

    def over_at(self) -> tuple[int, float]:
        return self.picture_top() + 8, 1.0  # the names of the curves are at the left
