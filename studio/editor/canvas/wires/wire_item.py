"""A wire, service wire or parameter link on the canvas."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.editor.canvas.items.live_paint import drops_rect, paint_pills
from studio.editor.canvas.items.port_code import CODE_REACH
from studio.editor.canvas.wires.nets import Course
from studio.editor.canvas.wires.wire_arrow import arrow_on
from studio.editor.canvas.wires.wire_strokes import HANDLE, Stroke
from studio.editor.live.state import LiveWire
from studio.editor.look.fonts import text_font, width_of
from studio.editor.look.theme import Theme
from studio.model.parts import Connection, Link, ServiceWire

BLOCKS = 0.4
"""Below this zoom cards are blocks and wires thin."""
FIGURES = 0.7
"""From this zoom on figures can be read."""
PIECES_UP_TO = 1.5
"""Beyond this zoom the short lines that a curve is made of would show."""
DOT = 3.5
CHOSEN = 2.5
"""Above cards, or its handles would lie under the ports."""
WIDTH_TO_TAKE = 12.0
LANE_FOR_WORDS = 96.0
"""So much straight wire, and words stand on it; otherwise in the middle of the whole."""
_MARGIN = 10.0
_NOWHERE = Course(QPainterPath())
_NOTHING, _NO_ARROW, _ORIGIN, _NO_BOUNDS = Stroke(_NOWHERE.branch), QPolygonF(), QPointF(), QRectF()
"""Of a wire that has not been laid, one for all: thousands are made when a large system is opened."""
_FLAGS = (
    QGraphicsItem.GraphicsItemFlag.ItemIsSelectable
    | QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption  # tells what has to be painted
)


class WireItem(QGraphicsItem):
    def __init__(self, connection: Connection, message_type: str, theme: Theme) -> None:
        super().__init__()
        self.connection = connection
        self.message_type = message_type
        self.theme = theme
        self.course = _NOWHERE
        self.path = _NOWHERE.branch
        self.start = self.end = _ORIGIN
        self._trunk = self._branch = _NOTHING
        self._arrow = _NO_ARROW
        self.in_hand = False
        """Somebody takes it elsewhere: it is not to be seen."""
        self.in_flight = False
        """The event that everything waits for is on it."""
        self.hovered = False
        """The pointer is on this wire, or on another of the same out port."""
        self.wrong = False
        self.faded = False
        self.live: LiveWire | None = None
        """While the system runs."""
        self._detail = 1.0
        self._bounds = _NO_BOUNDS
        self.setFlags(_FLAGS)
        self.setZValue(1)

    def lay(self, course: Course, bare: tuple[float, float] = (0.0, 0.0)) -> None:
        """Where it runs; `bare` is how much of its trunk and of its branch is too near to others to be a bridge."""
        self.prepareGeometryChange()
        self.course = course
        self.path = path = course.path()
        first = path.elementAt(0)
        self.start, self.end = QPointF(first.x, first.y), path.currentPosition()
        self._arrow = arrow_on(path, CODE_REACH if self.theme.shows_code(self.message_type) else 6.5)
        self._trunk = Stroke(course.trunk, bare[0])
        self._branch = Stroke(course.branch, bare[1], self._arrow.boundingRect())
        self._bounds = self._reach()
        self.settle()
        self.update()

    def settle(self) -> None:
        """What is chosen lies over the others; who shows the trunk of a net, below those that part from it. A rate is
        to be read: no wire without one goes over it."""
        is_below = self.course.is_lead and not self.course.trunk.isEmpty()
        has_words = self.live is not None and bool(self.live.drops or (self.live.rate and self.live.flow == "flows"))
        among = 0.99 if is_below else 1.1 if has_words else 1.0
        self.setZValue(CHOSEN if self.isSelected() else 1.5 if self.in_flight else among)

    @property
    def is_lifted(self) -> bool:
        return self.in_flight or self.isSelected()

    @property
    def runs_back(self) -> bool:
        return self.course.runs_back

    @property
    def middle(self) -> QPointF:
        return self.path.pointAtPercent(0.5)

    @property
    def has_handles(self) -> bool:
        """Whether its ends are painted large enough to be taken."""
        return self._detail >= BLOCKS

    def is_shared_at(self, point: QPointF) -> bool:
        """Whether others of its net run there too."""
        return _is_on(self.course.trunk, point) and not _is_on(self.course.branch, point)

    def show_live(self, live: LiveWire | None) -> None:
        before, self.live = self.live, live
        if live == before:
            return
        if (live.drops if live else 0) != (before.drops if before else 0):
            self.prepareGeometryChange()
            self._bounds = self._reach()
        self.settle()
        if self._detail >= FIGURES or live is None or before is None or live.flow != before.flow:
            self.update()

    def room(self) -> float:
        """For words on it: along its straight part, or from side to side without what lies under the ports."""
        lane = self.course.lane
        if lane is not None and lane.right - lane.left >= LANE_FOR_WORDS:
            return lane.right - lane.left
        return abs(self.end.x() - self.start.x()) if not self.path.isEmpty() else 0.0

    def words_at(self) -> QPointF:
        lane = self.course.lane
        if lane is not None and lane.right - lane.left >= LANE_FOR_WORDS:
            return QPointF((lane.left + lane.right) / 2, lane.y)
        return self.middle

    def accessible_name(self) -> str:
        what = {ServiceWire: "service", Link: "link"}.get(type(self.connection), self.message_type or "wire")
        start, end = self.connection.key
        told = ", wrong" if self.wrong else ""
        if self.live is not None:
            rate = self.live.rate.replace("Hz", "hertz")
            told += {"flows": f", {rate}", "stale": ", nothing for a while", "never": ", nothing yet"}[self.live.flow]
            told += f", {self.live.drops} dropped" if self.live.drops else ", no drops"
        return f"{what} {start.port}, from {start.node} to {end.node}, {end.port}{told}"

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        return _taken(self.path)

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None and option is not None
        theme = self.theme
        self._detail = detail = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        shows_trunk = not self.course.trunk.isEmpty() and (self.course.is_lead or self.is_lifted)
        strokes = [self._trunk, self._branch] if shows_trunk else [self._branch]
        in_pieces = BLOCKS <= detail <= PIECES_UP_TO
        is_exposed = self._exposure(painter, option.exposedRect)
        pieces = [stroke.exposed(is_exposed) for stroke in strokes] if in_pieces else []
        is_quiet = self.live is None and not isinstance(self.connection, ServiceWire)
        if in_pieces and is_quiet and not any(lines for _, lines in pieces):
            return  # of a long wire mostly nothing is to be painted anew
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.faded:
            painter.setOpacity(0.35)
        if detail < BLOCKS:
            self._paint_far(painter, strokes)
            return
        if self.isSelected() or self.hovered:
            halo = QColor(theme.accent) if self.isSelected() else self._colour()
            halo.setAlphaF(0.32)
            painter.strokePath(self.path if shows_trunk else self._branch.path, QPen(halo, 9))
        # A stroke of the ground below makes crossings read as bridges.
        ground = QPen(QColor(theme.canvas), 5)
        for place, stroke in enumerate(strokes):
            pen = self._pen(wrong=self.wrong and stroke is self._branch)  # the trunk is that of others too
            if pen.style() == Qt.PenStyle.SolidLine and in_pieces:
                for each, lines in zip((ground, pen), pieces[place], strict=True):
                    painter.setPen(each)
                    for piece in lines:
                        painter.drawPolyline(piece)
            else:
                painter.strokePath(stroke.ground(), ground)
                painter.strokePath(stroke.path, pen)
        if isinstance(self.connection, ServiceWire | Link):
            self._paint_name(painter)
        else:
            self._paint_marks(painter)
            self._paint_words_and_handles(painter)

    def _paint_far(self, painter: QPainter, strokes: list[Stroke]) -> None:
        for stroke in strokes:
            colour = self._colour(wrong=self.wrong and stroke is self._branch)
            pen = QPen(QColor(self.theme.accent) if self.isSelected() else colour, 2 if self.isSelected() else 1)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawPath(stroke.path)

    def _paint_name(self, painter: QPainter) -> None:
        if isinstance(self.connection, ServiceWire) and self._detail >= FIGURES:
            painter.setFont(text_font(11))
            painter.setPen(QColor(self.theme.error if self.wrong else self.theme.muted))
            painter.drawText(self._label_rect(), Qt.AlignmentFlag.AlignVCenter, self.connection.start.port)

    def _paint_words_and_handles(self, painter: QPainter) -> None:
        theme = self.theme
        if self.live is not None and self._detail >= FIGURES:
            paint_pills(painter, self.live, self.words_at(), self.room(), self.end, theme)
        if self.isSelected():
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.setBrush(QColor(theme.canvas))
            for point in (self.start, self.end):
                painter.drawEllipse(point, HANDLE, HANDLE)

    def _paint_marks(self, painter: QPainter) -> None:
        """The arrow; where wires part; and on a long way back, which way it goes."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour(wrong=self.wrong))
        painter.drawPolygon(self._arrow)
        if not self.course.is_lead and not self.is_lifted:
            return
        painter.setBrush(self._colour())
        for dot in self.course.junctions:
            painter.drawEllipse(dot, DOT, DOT)
        lane = self.course.lane
        if self.course.runs_back and lane is not None and lane.right - lane.left >= 2 * LANE_FOR_WORDS:
            tip = QPointF((lane.left + lane.right) / 2 - 56, lane.y)  # beside the words in the middle
            painter.drawPolygon(QPolygonF([tip, tip + QPointF(9, -4.5), tip + QPointF(9, 4.5)]))

    def _exposure(self, painter: QPainter, exposed: QRectF) -> Callable[[QRectF], bool]:
        region, there = getattr(self.scene(), "exposed", None), painter.worldTransform()

        def is_exposed(bounds: QRectF) -> bool:
            """Of two strips at the edges, Qt tells items only the rectangle around both: all of the view."""
            return bounds.intersects(exposed) and (
                region is None or region.intersects(there.mapRect(bounds).toAlignedRect())
            )

        return is_exposed

    def _colour(self, *, wrong: bool = False) -> QColor:
        return QColor(self.theme.error if wrong else self.theme.hue(self.message_type))

    def _pen(self, *, wrong: bool) -> QPen:
        theme = self.theme
        if isinstance(self.connection, ServiceWire):
            return QPen(QColor(theme.error if wrong else theme.other_type), 1.6, Qt.PenStyle.DashLine)
        if isinstance(self.connection, Link):
            return QPen(QColor(theme.error if wrong else theme.muted), 1.4, Qt.PenStyle.DotLine)
        pen = QPen(self._colour(wrong=wrong), 3 if self.hovered else 2)
        if wrong:
            pen.setStyle(Qt.PenStyle.DashLine)
        elif self.live is not None and self.live.flow != "flows":
            faint = self._colour() if self.live.flow == "stale" else QColor(theme.muted)
            faint.setAlphaF(0.75)
            pen = QPen(faint, 2, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([1, 2.5])
        return pen

    def _reach(self) -> QRectF:
        """All that is painted of it."""
        reach = self.path.controlPointRect().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        if isinstance(self.connection, ServiceWire):
            reach = reach.united(self._label_rect())
        if self.live is not None and self.live.drops:
            reach = reach.united(drops_rect(self.live, self.end).adjusted(-1, -1, 1, 1))
        return reach

    def _label_rect(self) -> QRectF:
        """Right of the middle: the name of the service that is asked for."""
        middle = self.middle
        return QRectF(middle.x() + 8, middle.y() - 8, width_of(self.connection.start.port, 11) + 2, 16)


def _taken(path: QPainterPath) -> QPainterPath:
    """Where a pointer means it."""
    stroker = QPainterPathStroker()
    stroker.setWidth(WIDTH_TO_TAKE)
    return stroker.createStroke(path)


def _is_on(path: QPainterPath, point: QPointF) -> bool:
    near = path.controlPointRect().adjusted(-WIDTH_TO_TAKE, -WIDTH_TO_TAKE, WIDTH_TO_TAKE, WIDTH_TO_TAKE)
    return not path.isEmpty() and near.contains(point) and _taken(path).contains(point)
