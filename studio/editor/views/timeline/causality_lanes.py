"""An event's story on a time axis: a lane for each component, bars for handlings, lines for events on their way."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PyQt6.QtWidgets import QToolTip, QWidget

from studio.editor.live.state import time_words
from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.shared.plates import with_alpha
from studio.editor.views.timeline.latency_histogram import tick_words
from studio.editor.views.timeline.state_lanes import round_seconds
from studio.messages import Handled
from studio.messages.handled_trace import Identity
from studio.runtime.causality.paths import Hop
from studio.runtime.causality.story import Story, began, rows_of

RULER, NAMES, FIGURES = 28, 150, 250
LANE, LOWEST_LANE = 30, 20
"""Lanes are lower where otherwise not all would be seen."""
NAMES_SHARE, LEAST_WIDTH = 0.38, 200
BAR = 12
LEAST_PX = 3.0
"""A handling that is over within less than a pixel is seen all the same."""
CLOSEST_NS = 1_000
COLUMNS = (("on the way", 72), ("kept", 64), ("in it", 64), ("share", 42))
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Figures:
    """What one component costs on the critical path, in ns."""

    way: int
    kept: int
    handling: int
    whole: int

    def words(self) -> tuple[str, str, str, str]:
        share = 100.0 * (self.way + self.kept + self.handling) / self.whole if self.whole else 0.0
        times = (span_words(each) if each else "—" for each in (self.way, self.kept, self.handling))
        way, kept, handling = times
        return way, kept, handling, f"{share:.0f} %"


class CausalityLanes(QWidget):
    chosen = pyqtSignal(str, int)
    """Topic and sequence of another event whose story the user wants."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.story: Story | None = None
        self.lanes: list[str] = []
        self.figures: dict[str, Figures] = {}
        self.span_ns = (0.0, 1.0)
        self._rows: list[Handled] = []
        self._critical: set[int] = set()
        self._is_fitted = True
        self._top = 0
        """The first lane that is seen, where there is no room for all."""
        self._grabbed: QPointF | None = None
        self.setMinimumSize(LEAST_WIDTH, RULER + 3 * LANE)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Causes and effects")

    # ---- what is shown

    def show_story(self, story: Story | None) -> None:
        self.story = story
        self.lanes = story.components if story is not None else []
        self._rows = rows_of(story.hops) if story is not None else []
        if story is not None and story.own is not None and story.own not in self._rows:
            self._rows.append(story.own)
        self._critical = {id(row) for row in rows_of(story.critical)} if story is not None else set()
        self.figures = {hop.target.component: self._figures(hop) for hop in story.critical} if story is not None else {}
        if self._is_fitted:
            self.fit()
        self.scroll_lanes(0)

    def _figures(self, hop: Hop) -> Figures:
        assert self.story is not None
        return Figures(hop.way_ns or 0, hop.kept_ns, hop.handling_ns, self.story.latency_ns)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def fit(self) -> None:
        """All of the critical path; without one, of everything."""
        self._is_fitted = True
        story = self.story
        if story is None:
            return
        critical = story.critical
        first = began(critical[0]) if critical else story.start_ns
        last = critical[-1].target.end_ns if critical else story.end_ns
        if critical and critical[0].source is not None:
            first = min(first, critical[0].source.start_ns)
        room = max((last - first) * 0.04, CLOSEST_NS)
        self.span_ns = (first - room, last + room)
        self.update()

    # ---- places

    @property
    def _names(self) -> int:
        """The width for names: in a narrow panel the time has the larger share."""
        return min(NAMES, int(self.width() * NAMES_SHARE))

    @property
    def _figures_width(self) -> int:
        return FIGURES if self.width() >= 700 else (110 if self.width() >= 460 else 0)

    def _room(self) -> float:
        return max(self.width() - self._names - self._figures_width - 12, 40)

    def x_of(self, time_ns: float) -> float:
        first, last = self.span_ns
        return self._names + (time_ns - first) / (last - first) * self._room()

    def time_at(self, x: float) -> float:
        first, last = self.span_ns
        return first + (x - self._names) / self._room() * (last - first)

    def _lane(self) -> float:
        return min(max((self.height() - RULER - 4) / max(len(self.lanes), 1), LOWEST_LANE), LANE)

    def y_of(self, component: str) -> float:
        return RULER + (self.lanes.index(component) - self._top + 0.5) * self._lane()

    def scroll_lanes(self, by: int) -> None:
        """So many lanes down."""
        seen = int((self.height() - RULER) // self._lane())
        self._top = min(max(self._top + by, 0), max(len(self.lanes) - seen, 0))
        self.update()

    def bar_of(self, row: Handled) -> QRectF:
        left, right = self.x_of(row.start_ns), self.x_of(row.end_ns)
        return QRectF(left, self.y_of(row.component) - BAR / 2, max(right - left, LEAST_PX), BAR)

    def row_at(self, x: float, y: float) -> Handled | None:
        """The one on the critical path, if several lie there."""
        under = [row for row in self._rows if self.bar_of(row).adjusted(-3, -4, 3, 4).contains(x, y)]
        return next((row for row in under if id(row) in self._critical), under[0] if under else None)

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        if self.story is None:
            return
        self._paint_ruler(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.setClipRect(QRectF(self._names, RULER - 4, self._room() + 6, self.height()))
        critical = self.story.critical
        for hop in self.story.hops:
            if hop not in critical:
                self._paint_hop(painter, hop, is_critical=False)
        for row in self._rows:
            self._paint_bar(painter, row)
        for hop in critical:
            self._paint_hop(painter, hop, is_critical=True)
        for row in (row for row in self._rows if id(row) in self._critical):
            self._paint_bar(painter, row)
        self._paint_event(painter)
        painter.restore()
        for name in self.lanes[self._top :]:
            self._paint_lane(painter, name, self.y_of(name) - self._lane() / 2, self._lane())
        painter.end()

    def _paint_ruler(self, painter: QPainter) -> None:
        """The time since the beginning of the critical path."""
        assert self.story is not None
        zero = began(self.story.critical[0]) if self.story.critical else self.story.start_ns
        first, last = self.span_ns
        step = round_seconds((last - first) / 1e9 * 90 / self._room()) * 1e9
        painter.setFont(text_font(11))
        for number in range(math.ceil((first - zero) / step), math.floor((last - zero) / step) + 1):
            x = self.x_of(zero + number * step)
            painter.setPen(QPen(QColor(self.theme.border), 0))
            painter.drawLine(QPointF(x, RULER - 8), QPointF(x, self.height()))
            painter.setPen(QColor(self.theme.muted))
            words = tick_words(number * step / 1e6)
            if x + 4 + painter.fontMetrics().horizontalAdvance(words) < self._names + self._room():
                painter.drawText(QPointF(x + 4, RULER - 11), words)
        if self._figures_width == FIGURES:
            left = float(self.width() - FIGURES)
            for title, width in COLUMNS:
                painter.drawText(QRectF(left, 0, width, RULER - 6), _RIGHT, title)
                left += width

    def _paint_lane(self, painter: QPainter, name: str, top: float, height: float) -> None:
        figures = self.figures.get(name)
        is_critical = figures is not None or any(
            row.component == name for row in self._rows if id(row) in self._critical
        )
        painter.setPen(QPen(QColor(self.theme.border), 0))
        painter.drawLine(QPointF(0, top + height), QPointF(self.width(), top + height))
        painter.setFont(text_font(12, 600 if is_critical else 400))
        painter.setPen(QColor(self.theme.text if is_critical else self.theme.muted))
        where = QRectF(10, top, self._names - 20, height)
        elided = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(where.width()))
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter, elided)
        if figures is None or not self._figures_width:
            return
        painter.setFont(text_font(12))
        words = figures.words()
        if self._figures_width == FIGURES:
            left = float(self.width() - FIGURES)
            for (_, width), text in zip(COLUMNS, words, strict=True):
                painter.drawText(QRectF(left, top, width, height), _RIGHT, text)
                left += width
        else:
            whole = span_words(figures.way + figures.kept + figures.handling)
            painter.drawText(QRectF(self.width() - 116, top, 108, height), _RIGHT, f"{whole}  {words[3]}")

    def _paint_hop(self, painter: QPainter, hop: Hop, *, is_critical: bool) -> None:
        colour = QColor(self.theme.accent) if is_critical else with_alpha(self.theme.muted, 110)
        width = 3.0 if is_critical else 1.0
        there = QPointF(self.x_of(hop.arrival.start_ns), self.y_of(hop.target.component))
        if hop.source is not None:
            here = QPointF(min(self.x_of(hop.source.end_ns), there.x()), self.y_of(hop.source.component))
            painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(here, there)
        if hop.input.stored is not None:
            painter.setPen(QPen(colour, width, Qt.PenStyle.DotLine))
            at = QPointF(self.x_of(hop.target.start_ns), there.y())
            painter.drawLine(QPointF(self.x_of(hop.arrival.end_ns), there.y()), at)

    def _paint_bar(self, painter: QPainter, row: Handled) -> None:
        bar, is_critical = self.bar_of(row), id(row) in self._critical
        colour = QColor(self.theme.accent if is_critical else self.theme.muted)
        painter.setPen(QPen(colour, 1))
        fill = QColor(colour)
        fill.setAlpha(235 if is_critical else 90)
        painter.setBrush(fill)
        painter.drawRoundedRect(bar, 2, 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_event(self, painter: QPainter) -> None:
        """Where the event that was asked for was published: a flag with its number."""
        assert self.story is not None
        own = self.story.own
        if own is None:
            return
        at = QPointF(self.bar_of(own).right(), self.y_of(own.component))
        painter.setPen(QPen(QColor(self.theme.text), 1.5))
        painter.setBrush(QColor(self.theme.panel))
        painter.drawEllipse(at, 4.5, 4.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(text_font(11, 600))
        words = f"#{self.story.event[1]}"
        width = painter.fontMetrics().horizontalAdvance(words)
        x = at.x() + 8 if at.x() + 8 + width < self._names + self._room() else at.x() - 10 - width
        painter.fillRect(QRectF(x - 2, at.y() - 15, width + 4, 13), with_alpha(self.theme.panel, 220))
        painter.drawText(QPointF(x, at.y() - 5), words)

    # ---- words

    def words_at(self, x: float, y: float) -> str:
        row = self.row_at(x, y)
        if row is None or self.story is None:
            return ""
        lines = [f"{row.component} handled {name_of((row.topic, row.sequence))}"]
        lines.append(f"in {span_words(row.end_ns - row.start_ns)}")
        hop = next((hop for hop in self.story.hops if hop.target is row), None)
        if hop is not None and hop.way_ns is not None:
            lines.append(f"{name_of(hop.event)} was {span_words(hop.way_ns)} on the way")
        if hop is not None and hop.input.stored is not None:
            word = {"read": "read", "kept": "kept"}.get(hop.input.how, "kept")
            lines.append(f"and was {word} {span_words(hop.kept_ns)} after it came")
        lines += [f"published {name_of(event)}" for event in row.published[:6]]
        if len(row.published) > 6:
            lines.append(f"and {len(row.published) - 6} more")
        return "\n".join(lines)

    def event(self, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.ToolTip:
            at: QPoint = event.pos()  # type: ignore[attr-defined]
            QToolTip.showText(event.globalPos(), self.words_at(at.x(), at.y()), self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    # ---- hands

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._grabbed is None or not event.buttons():
            return
        by = self.time_at(self._grabbed.x()) - self.time_at(event.position().x())
        self._grabbed = event.position()
        self._look(self.span_ns[0] + by, self.span_ns[1] + by)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._grabbed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """On a handling: the story of what it published, or else of what it handled; elsewhere: everything."""
        assert event is not None
        row = self.row_at(event.position().x(), event.position().y())
        if row is None:
            self.fit()
            return
        self.chosen.emit(*(row.published[0] if row.published else (row.topic, row.sequence)))

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        event.accept()
        if event.position().x() < self._names:
            self.scroll_lanes(-1 if event.angleDelta().y() > 0 else 1)
            return
        self._zoom(self.time_at(event.position().x()), 0.8 ** (event.angleDelta().y() / 120))

    def _zoom(self, at_ns: float, factor: float) -> None:
        first, last = self.span_ns
        if (last - first) * factor > CLOSEST_NS:
            self._look(at_ns - (at_ns - first) * factor, at_ns + (last - at_ns) * factor)

    def _look(self, first: float, last: float) -> None:
        self.span_ns, self._is_fitted = (first, last), False
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        first, last = self.span_ns
        step = (last - first) / 8
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = step if key == Qt.Key.Key_Right else -step
            self._look(first + by, last + by)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom((first + last) / 2, 1.25 if key == Qt.Key.Key_Minus else 0.8)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.scroll_lanes(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_F:
            self.fit()
        else:
            super().keyPressEvent(event)


def span_words(time_ns: int) -> str:
    """Of microseconds up to minutes, never wider than a column."""
    return f"{time_ns / 1e9:.2f} s" if time_ns >= 1_000_000_000 else time_words(time_ns / 1000)


def name_of(event: Identity) -> str:
    """`/laser/scan #17`; what the machinery sends has no name that anybody gave."""
    topic, number = event
    if topic.startswith("/_studio/timer/"):
        return f"tick {number} of its timer"
    if topic.startswith("/_studio/"):
        return f"{topic.removeprefix('/_studio/').partition('/')[0]} {number}"
    return f"{topic} #{number}"
