"""Curves of logs beside what runs, on one plot: read in a thread, and moved in time by a field or by hand."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, QPointF
from PyQt6.QtWidgets import QToolButton

from studio.editor.base.deferred import Beside
from studio.editor.live.beside import beside_of
from studio.editor.panels.plot.plot_logs import LogMenu, LogStrip
from studio.editor.views.plots.logged_series import LoggedSeries, read_series
from studio.editor.views.plots.plot_curve import SECOND_NS, Curve
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.panels.plot.plot_viewer import PlotViewer


class BesideCurves(QObject):
    def __init__(self, plot: PlotViewer) -> None:
        super().__init__(plot)
        self.viewer = plot
        self.logs = beside_of(plot.feed)
        self.logs.join(self.move)
        words = "Beside: curves of another log, moved in time; Shift and drag moves them"
        self.button = plot.tool("mdi6.database-plus-outline", words, lambda _: None)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(LogMenu(plot, self))
        self.strip = LogStrip(self)
        plot.plot.shift_began.connect(self._take)
        plot.plot.shifted.connect(self._drag)
        self._dragged: tuple[Path, int] | None = None
        """Which log, and where it was."""

    def close(self) -> None:
        self.logs.leave(self.move)

    def _curves(self) -> dict[Path, list[Curve]]:
        found: dict[Path, list[Curve]] = {}
        for curve in self.viewer.curves:
            if curve.log is not None:
                found.setdefault(curve.log, []).append(curve)
        return found

    # ---- which

    def open(self, path: Path) -> None:
        """The fields that are drawn already, of this log."""
        fields = list(dict.fromkeys(curve.what for curve in self.viewer.curves))
        streams = (self.viewer.feed.state.get("player") or {}).get("streams", {})
        names = {played_as: logged for logged, (played_as, _) in streams.items()}
        self.logs.add(path)
        for wanted in fields:
            self.viewer.add(wanted, path, names.get(wanted.topic, ""))
        if not fields:
            self.viewer.facts.setText(f"{path.name} is open: the same button adds its fields")

    def remove(self, path: Path) -> None:
        for curve in self._curves().get(path, []):
            self.viewer.remove(curve.what, path)

    def read(self, curve: Curve, log: Path) -> None:
        folder, wanted, logged_as = self.viewer.feed.folder, curve.what, curve.logged_as
        curve.trouble = "is being read …"
        self.logs.add(log)

        def work() -> LoggedSeries | StudioError:
            try:
                return read_series(log, wanted, folder, logged_as)
            except StudioError as error:
                return error

        Beside(work, partial(self._have_read, curve), self)

    def _have_read(self, curve: Curve, read: LoggedSeries | StudioError) -> None:
        if isinstance(read, StudioError):
            curve.trouble = read.message
        else:
            curve.fill(read)
        self.move()
        if self.viewer.time.range_s() is None:
            self.viewer.show_all()  # nothing runs that would have a place of its own

    # ---- when

    def move(self) -> None:
        """All curves to where their logs are now; those of a log that was taken away elsewhere go with it."""
        gone = next((path for path in self._curves() if self.logs.find(path) is None), None)
        if gone is not None:
            self.remove(gone)  # which comes back here
            return
        curves = self._curves()
        for path, curves_of_log in curves.items():
            log = self.logs.find(path)
            assert log is not None
            for curve in curves_of_log:
                curve.shift_s = log.shift_ns / SECOND_NS
        self.strip.show_logs(list(curves))
        self.viewer.ask_redraw()

    def _take(self, place: QPointF) -> None:
        """The log whose curve is under the pointer, or the only one."""
        curves = self._curves()
        near = self.viewer.pointer.nearest(place, [curve for each in curves.values() for curve in each])
        path = near[0].log if near is not None else next(iter(curves)) if len(curves) == 1 else None
        log = self.logs.find(path) if path is not None else None
        self._dragged = (log.path, log.offset_ns) if log is not None else None
        if log is not None:
            self.viewer.time.follow(False)

    def _drag(self, seconds: float) -> None:
        if self._dragged is not None:
            path, from_ns = self._dragged
            self.logs.shift(path, from_ns + round(seconds * SECOND_NS))

    # ---- what is kept

    def save(self) -> dict[str, int]:
        logs = [self.logs.find(path) for path in self._curves()]
        return {str(log.path): log.offset_ns for log in logs if log is not None}

    def restore(self, offsets_ns: Any) -> None:
        for path, offset_ns in offsets_ns.items() if isinstance(offsets_ns, dict) else ():
            self.logs.add(Path(path), offset_ns if isinstance(offset_ns, int) else 0)
