"""The time line of a log: a lane per stream, the cursor, a range, bookmarks; drag to scrub, wheel to zoom."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QPoint, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import QToolTip, QWidget

from studio.editor.live.log_outline import Outline
from studio.editor.look.theme import Theme
from studio.editor.views.timeline.log_bookmarks import Mark
from studio.editor.views.timeline.timeline_paint import LANE, OVERVIEW, RULER, clock_words, paint
from studio.editor.views.timeline.timeline_rows import Group, Row, extent_ns, rows_of

LIST, NARROW_LIST = 456, 220
SECOND_NS = 1_000_000_000
NEAR_PX = 6
LEAST_LANES = 4

__all__ = ["SECOND_NS", "Timeline", "clock_words"]


class Timeline(QWidget):
    sought = pyqtSignal(object)
    """A time of the log in ns that the user wants to be at."""
    toggled = pyqtSignal(str, bool)
    """A stream of the system, on or off."""
    picked = pyqtSignal(str)
    """The stream that is chosen now."""
    looked = pyqtSignal()
    """At another part of the log, by hand."""
    spanned = pyqtSignal()
    """Another part of the log is seen."""
    ranged = pyqtSignal(object, object)
    """A and B, dragged elsewhere."""
    mark_menu = pyqtSignal(object, QPoint)
    """Somebody wants to do something with a bookmark; where on the screen."""
    place_menu = pyqtSignal(object, QPoint)
    """Somebody wants to do something with a time of the log; where on the screen."""
    mark_renamed = pyqtSignal(object)
    """A bookmark was double-clicked."""
    shifted = pyqtSignal(object, object)
    """A log beside was dragged: its path, and its offset in ns."""
    group_menu = pyqtSignal(object, QPoint)
    """Somebody wants to do something with a log beside: its path; where on the screen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.outline: Outline | None = None
        self.groups: list[Group] = []
        """Logs beside it."""
        self.headings: dict[Path, QWidget] = {}
        """Of each of them, over the row of its heading in the list."""
        self.marks: list[Mark] = []
        self.now_ns = 0
        self.range_ns: tuple[int, int] | None = None
        self.chosen = ""
        self.frozen = False
        """The cursor has the colour of ice."""
        self.words = ""
        """Below the list."""
        self.span_ns = (0, 1)
        self.top = 0
        """The first lane that is seen."""
        self._drags = ""
        self._from: tuple[float, int] = (0.0, 0)
        self._group: Group | None = None
        """That is dragged."""
        self._range_before: tuple[int, int] | None = None
        self._other_end = 0
        """Of the range, while a flag of it is dragged."""
        self.setMinimumSize(360, RULER + LEAST_LANES * LANE + OVERVIEW)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Time line")

    # ---- what is shown

    def show_outline(self, outline: Outline | None) -> None:
        self.outline = outline
        self.marks = []
        if outline is not None:
            self.span_ns = (outline.start_ns, outline.start_ns + outline.length_ns)
            self.now_ns = outline.start_ns
        self._place_headings()
        self.update()

    def show_groups(self, groups: list[Group]) -> None:
        were_all = self.outline is not None and self.span_ns == self.extent_ns
        known = {group.path for group in self.groups if group.outline is not None}
        self.groups = groups
        rows = self.rows
        new = [number for number, (_, group) in enumerate(rows) if group is not None and group.path not in known]
        if new:  # with as much of it as has room
            self.top = max(self.top, min(new[0], new[-1] - self._room + 1, len(rows) - self._room))
        self.top = min(self.top, max(len(rows) - self._room, 0))
        if were_all and not self._drags:
            self.show_all()
        self._place_headings()
        self.update()

    def show_marks(self, marks: list[Mark]) -> None:
        self.marks = marks
        self.update()

    def show_now(self, now_ns: int, range_ns: tuple[int, int] | None) -> None:
        if (now_ns, range_ns) == (self.now_ns, self.range_ns):
            return
        self.now_ns, self.range_ns = now_ns, range_ns
        first, last = self.span_ns
        if not first <= now_ns <= last and not self._drags:  # it has left a zoomed view: turn the page
            self.span_ns = (now_ns, now_ns + last - first)
            self.spanned.emit()
        self.update()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def show_all(self) -> None:
        if self.outline is not None:
            self.show_span(*self.extent_ns)

    # ---- places

    @property
    def rows(self) -> list[Row]:
        return rows_of(self.outline, self.groups)

    @property
    def extent_ns(self) -> tuple[int, int]:
        """Of all logs; nothing while there is none."""
        return extent_ns(self.outline, self.groups) if self.outline is not None else (0, 1)

    def _place_headings(self) -> None:
        rows = self.rows
        for number, (lane, group) in enumerate(rows):
            heading = self.headings.get(group.path) if group is not None and lane is None else None
            if heading is not None:
                heading.setGeometry(0, RULER + (number - self.top) * LANE, self.list_width - 8, LANE)
                heading.setVisible(self.top <= number < self.top + self._room)

    @property
    def list_width(self) -> int:
        return LIST if self.width() >= 960 else NARROW_LIST

    @property
    def has_columns(self) -> bool:
        """Whether there is room for types, counts and rates."""
        return self.list_width == LIST

    @property
    def _room(self) -> int:
        """How many rows have it."""
        return max((self.height() - RULER - OVERVIEW) // LANE, 1)

    def _x_of(self, time_ns: float) -> float:
        first, last = self.span_ns
        return self.list_width + (time_ns - first) / max(last - first, 1) * (self.width() - self.list_width - 12)

    def _moment_at(self, x: float) -> int:
        first, last = self.span_ns
        share = (x - self.list_width) / max(self.width() - self.list_width - 12, 1)
        return int(first + min(max(share, 0.0), 1.0) * (last - first))

    def _time_at(self, x: float) -> int:
        return self._within(self._moment_at(x))

    def _within(self, time_ns: int) -> int:
        outline = self.outline
        return time_ns if outline is None else min(max(time_ns, outline.start_ns), outline.end_ns)

    def _row_at(self, y: float) -> Row | None:
        number, rows = int((y - RULER) // LANE) + self.top, self.rows
        return rows[number] if y >= RULER and 0 <= number < len(rows) and y < self.height() - OVERVIEW else None

    def _mark_at(self, at: QPointF) -> Mark | None:
        """In the second row of the ruler, a bookmark reaches as far to the right as its words."""
        if not 20 <= at.y() < RULER:
            return None
        left = [mark for mark in self.marks if self._x_of(mark.time_ns) - NEAR_PX <= at.x()]
        found = left[-1] if left else None
        width = 20 + 7 * min(len(found.text), 24) if found is not None else 0
        return found if found is not None and at.x() <= self._x_of(found.time_ns) + width else None

    def _end_at(self, at: QPointF) -> str:
        """`A` or `B`, if a flag of the range is there."""
        if self.range_ns is None or at.y() > RULER:
            return ""
        for letter, time_ns, side in (("A", self.range_ns[0], 1), ("B", self.range_ns[1], -1)):
            x = self._x_of(time_ns)
            if -NEAR_PX <= (at.x() - x) * side <= 16 and at.y() < 18:
                return letter
        return ""

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        self._place_headings()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        paint(painter, self)
        painter.end()

    # ---- hands

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self.outline is None:
            return
        at = event.position()
        mark, row = self._mark_at(at), self._row_at(at.y())
        if event.button() == Qt.MouseButton.RightButton and mark is not None:
            self.mark_menu.emit(mark, event.globalPosition().toPoint())
            return
        if event.button() == Qt.MouseButton.RightButton and row is not None and row.group is not None:
            self.group_menu.emit(row.group.path, event.globalPosition().toPoint())
            return
        if event.button() == Qt.MouseButton.RightButton and at.x() >= self.list_width:
            self.place_menu.emit(self._time_at(at.x()), event.globalPosition().toPoint())
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        lane, group = row or (None, None)
        if group is not None:
            if at.x() >= self.list_width:
                self._drags, self._group, self._from = "group", group, (at.x(), group.offset_ns)
        elif at.x() < self.list_width:
            if lane is not None and at.x() < 30 and lane.played_as:
                self.toggled.emit(lane.played_as, not lane.enabled)
            elif lane is not None:
                self.choose(lane.topic)
        elif at.y() >= self.height() - OVERVIEW:
            self._drags = "overview"
            self._look_around(at.x())
        elif mark is not None:
            self._seek(mark.time_ns)
        elif letter := self._end_at(at):
            self._drags = letter
            assert self.range_ns is not None
            self._range_before, self._other_end = self.range_ns, self.range_ns[1 if letter == "A" else 0]
        else:
            self._drags = "cursor"
            self._from = (at.x(), self.now_ns)
            if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._seek(self._time_at(at.x()))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        at = event.position()
        if self._drags == "cursor":
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._seek(self._fine(at.x()))
            else:
                self._from = (at.x(), self._time_at(at.x()))
                self._seek(self._from[1])
        elif self._drags == "overview":
            self._look_around(at.x())
        elif self._drags == "group" and self._group is not None:
            (x, offset_ns), (first, last) = self._from, self.span_ns
            per_px = (last - first) / max(self.width() - self.list_width - 12, 1)
            self.shifted.emit(self._group.path, offset_ns + round((at.x() - x) * per_px))
        elif self._drags and self.range_ns is not None:
            here = self._time_at(at.x())  # dragged over the other one, A becomes B
            self.range_ns = min(here, self._other_end), max(here, self._other_end)
            self.update()
        else:
            self.setCursor(self._shape_at(at))

    def _shape_at(self, at: QPointF) -> Qt.CursorShape:
        row = self._row_at(at.y())
        if row is not None and row.group is not None and at.x() >= self.list_width:
            return Qt.CursorShape.SizeHorCursor
        hot = bool(self._end_at(at)) or self._mark_at(at) is not None
        return Qt.CursorShape.PointingHandCursor if hot else Qt.CursorShape.ArrowCursor

    def _fine(self, x: float) -> int:
        """One event for each pixel, about: in events of their mean distance."""
        assert self.outline is not None
        played = sum(lane.count for lane in self.outline.lanes if lane.enabled) or self.outline.events
        start_x, start_ns = self._from
        return self._within(start_ns + int((x - start_x) * self.outline.length_ns / max(played, 1)))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        drags, self._drags = self._drags, ""
        if drags not in ("A", "B") or self.range_ns is None:
            return
        if self.range_ns[0] < self.range_ns[1]:
            self.ranged.emit(*self.range_ns)
        else:  # nothing would be between them
            self.range_ns = self._range_before
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        mark = self._mark_at(event.position())
        if mark is not None:
            self.mark_renamed.emit(mark)
        else:
            self.mousePressEvent(event)

    def event(self, event: object) -> bool:
        """What does not fit into the list is told where the pointer rests."""
        if isinstance(event, QHelpEvent) and self.outline is not None:
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)  # type: ignore[arg-type]

    def _tip(self, at: QPointF) -> str:
        mark, row, outline = self._mark_at(at), self._row_at(at.y()), self.outline
        lane, group = row or (None, None)
        assert outline is not None
        if mark is not None:
            return f"{mark.text}\n{clock_words(mark.time_ns - outline.start_ns, True)}; double-click renames it"
        if group is not None:
            return f"{lane.topic if lane is not None else group.path}\nDrag it sideways to move the log in time"
        if lane is None:
            return ""
        if at.x() >= self.list_width:
            here = self._time_at(at.x())
            gap = next((gap for gap in lane.gaps if gap.start_ns <= here <= gap.end_ns), None)
            return f"{lane.topic}: {gap.words}" if gap is not None else clock_words(here - outline.start_ns, True)
        lines = [f"{lane.topic}, {lane.type}", f"{lane.count} events, {lane.rate_hz:.1f} Hz"]
        if lane.played_as:
            lines.append(f"plays as {lane.played_as}" if lane.enabled else f"would play as {lane.played_as}; it is off")
        else:
            lines.append("is not played: no source is fed by it")
        if lane.gaps:
            lines.append(f"{len(lane.gaps)} gaps")
        return "\n".join(lines)

    def _seek(self, time_ns: int) -> None:
        self.now_ns = time_ns
        self.sought.emit(self.now_ns)
        self.update()

    def choose(self, topic: str) -> None:
        self.chosen = topic
        lanes = [lane.topic for lane in self.outline.lanes] if self.outline is not None else []
        if topic in lanes:
            self.top = min(max(self.top, lanes.index(topic) - self._room + 1), lanes.index(topic))
            self._place_headings()
        self.picked.emit(topic)
        self.update()

    def toggle_chosen(self) -> None:
        """Whether the chosen stream plays; one that feeds nothing has nothing to switch."""
        lanes = self.outline.lanes if self.outline is not None else []
        lane = next((lane for lane in lanes if lane.topic == self.chosen), None)
        if lane is not None and lane.played_as:
            self.toggled.emit(lane.played_as, not lane.enabled)

    def _look_around(self, x: float) -> None:
        outline = self.outline
        assert outline is not None
        share = (x - self.list_width) / max(self.width() - self.list_width - 12, 1)
        half = (self.span_ns[1] - self.span_ns[0]) // 2
        first, last = self.extent_ns
        middle = int(first + share * (last - first))
        self.show_span(middle - half, middle + half)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        event.accept()
        turn = event.angleDelta().y()
        if event.position().x() < self.list_width:
            self.top = min(max(self.top - (1 if turn > 0 else -1), 0), max(len(self.rows) - self._room, 0))
            self._place_headings()
            self.update()
            return
        at, (first, last) = self._moment_at(event.position().x()), self.span_ns
        factor = 0.8 ** (turn / 120)
        self.show_span(int(at - (at - first) * factor), int(at + (last - at) * factor))

    def show_span(self, first: int, last: int) -> None:
        if self.outline is None:
            return
        begin, end = self.extent_ns
        length = min(max(last - first, 1_000_000), end - begin)
        first = min(max(first, begin), end - length)
        self.span_ns = (first, first + length)
        self.spanned.emit()
        self.looked.emit()
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        lanes = [lane.topic for lane in self.outline.lanes] if self.outline is not None else []
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and control and lanes:
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            here = lanes.index(self.chosen) if self.chosen in lanes else -step % len(lanes)
            self.choose(lanes[min(max(here + step, 0), len(lanes) - 1)])
            return
        super().keyPressEvent(event)
