"""The wires of one out port are one net: they share a trunk and part where their ways part. Plain geometry."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath

from studio.editor.canvas.wires.routing import (
    ARM,
    BESIDE,
    CLEARANCE,
    CORNER,
    LANE,
    IsFree,
    Lane,
    crosses,
    curve,
    detour,
    heights,
    lies_on,
    way_down,
    way_right,
    within,
)

FAR = 160.0
"""Nearer than this to the port, wires part at the port: a trunk would have no room."""
FAN = 64.0
"""Before the ends in a column, where a trunk parts."""
ASIDE = 8.0
"""Between the places where two nets part before the same column."""
COLUMN = 80.0
"""Ends that differ less than this from side to side are parted at the same place."""
KEPT_CLEAR = 10.0
"""Between a trunk and the cards that it passes: on their edge it would look like their border."""
APART = 4.5
"""Pixels between the middles of two wires that do not touch."""
LONGEST_BARE = 160.0
STRAIGHT = 24.0
"""A detour of this much is taken for a trunk that has no bend where it begins or ends."""


@dataclass(frozen=True)
class Course:
    """The way of one wire."""

    branch: QPainterPath
    """What it has for itself."""
    trunk: QPainterPath = field(default_factory=QPainterPath)
    """What it shares with others, from the port on; empty where it parts from them at the port."""
    lane: Lane | None = None
    """The straight part of it, where there is room for words."""
    junctions: tuple[QPointF, ...] = ()
    """On its trunk: where others part from it, or it from them."""
    is_lead: bool = True
    """Who shows the trunk, which is the same for all of them."""
    runs_back: bool = False

    def path(self) -> QPainterPath:
        """From port to port."""
        if self.trunk.isEmpty():
            return self.branch
        whole = QPainterPath(self.trunk)
        whole.connectPath(self.branch)
        return whole


def courses_right(
    start: QPointF, ends: Sequence[QPointF], cards: Sequence[QRectF], slot: int, is_free: IsFree
) -> list[Course]:
    """For each end of a net that lies right of its port. Two nets of another `slot` do not part at the same place."""
    found: dict[int, Course] = {}
    columns = _columns(start, ends)
    while sum(map(len, columns)) > 1:
        found = _with_trunk(start, ends, columns, cards, slot, is_free)
        if found:
            break
        columns = columns[1:]  # those that are nearest go alone
    for place, end in enumerate(ends):
        if place not in found:
            path, lane = way_right(start, end, cards, is_free)
            found[place] = Course(path, lane=lane)
    return [found[place] for place in range(len(ends))]


def _columns(start: QPointF, ends: Sequence[QPointF]) -> list[list[int]]:
    """The ends that are far enough, by columns from left to right."""
    far = sorted((end.x(), place) for place, end in enumerate(ends) if end.x() - start.x() >= FAR)
    columns: list[list[int]] = []
    for x, place in far:
        if columns and x - ends[columns[-1][0]].x() < COLUMN:
            columns[-1].append(place)
        else:
            columns.append([place])
    return columns


def _with_trunk(
    start: QPointF,
    ends: Sequence[QPointF],
    columns: list[list[int]],
    cards: Sequence[QRectF],
    slot: int,
    is_free: IsFree,
) -> dict[int, Course]:
    """All columns at one trunk, at the height with the smallest detour; nothing if there is none for all of them."""
    inner, around = within(cards), [card.adjusted(4, -KEPT_CLEAR, -4, KEPT_CLEAR) for card in cards]
    parts = [max(start.x() + 2 * ARM, ends[column[0]].x() - FAN - slot * ASIDE) for column in columns]
    enter = _enter(start, parts[0], inner)
    chosen = [ends[place] for column in columns for place in column]
    for y in _trunk_heights(start, chosen, cards):
        lane = Lane(y, start.x() if y == start.y() else enter, parts[-1])
        into = QPointF(lane.left, y)
        if any(crosses(start, into, card) for card in inner) or any(lies_on(card, lane) for card in around):
            continue
        ways = [(QPointF(x, y), ends[place]) for x, column in zip(parts, columns, strict=True) for place in column]
        if not any(crosses(*way, card) for card in inner for way in ways) and is_free(lane):
            return _parted(start, ends, columns, parts, lane)
    return {}


def _enter(start: QPointF, before: float, cards: Sequence[QRectF]) -> float:
    """Where a trunk has reached its lane: before the first card on its way, and in a curve that is no step."""
    first = min((card.left() for card in cards if start.x() + ARM < card.left()), default=before) - 8
    return min(max(start.x() + 2 * ARM, min(first, start.x() + 120)), before)


def _trunk_heights(start: QPointF, ends: Sequence[QPointF], cards: Sequence[QRectF]) -> list[float]:
    straight = {start.y(), *(end.y() for end in ends)}

    def cost(y: float) -> float:
        return detour(y, start, ends) - (STRAIGHT if y in straight else 0)

    return sorted({*straight, *heights(start, ends, cards)}, key=cost)


def _parted(
    start: QPointF, ends: Sequence[QPointF], columns: list[list[int]], parts: Sequence[float], lane: Lane
) -> dict[int, Course]:
    lead, dots = columns[-1][0], list(_junctions(columns, parts, lane.y))
    found: dict[int, Course] = {}
    for x, column in zip(parts, columns, strict=True):
        trunk = QPainterPath(start) if lane.left == start.x() else curve(start, QPointF(lane.left, lane.y))
        trunk.lineTo(x, lane.y)
        for place in column:
            on_it = tuple(dot for dot in dots if dot.x() <= x)
            own = Lane(lane.y, lane.left, x)
            found[place] = Course(curve(QPointF(x, lane.y), ends[place]), trunk, own, on_it, place == lead)
    return found


def _junctions(columns: list[list[int]], parts: Sequence[float], y: float) -> Iterator[QPointF]:
    """Where a column parts that is not the last, or several do; the last one alone only goes on."""
    for x, column in zip(parts, columns, strict=True):
        if len(column) > 1 or column is not columns[-1]:
            yield QPointF(x, y)


def courses_back(
    start: QPointF, ends: Sequence[QPointF], below: float, cards: Sequence[QRectF], lane: int = 0
) -> list[Course]:
    """Back to the left: below all cards on the way, with round corners. `below` is where the lowest of them ends,
    `cards` are those that may stand in the way down and up again; each `lane` is a little lower than the one before.
    """
    depth = max(below, start.y(), *(end.y() for end in ends)) + CLEARANCE + CORNER / 2 + lane * LANE
    aside = CORNER + lane % BESIDE * LANE / 2
    right = way_down(start, depth, cards, aside)
    lefts = [way_down(end, depth, cards, -aside) for end in ends]
    lead = min(range(len(ends)), key=lambda place: (lefts[place], ends[place].y()))
    dots = [QPointF(left + CORNER, depth) for left in sorted(set(lefts)) if left > lefts[lead]]
    made: list[Course] = []
    for left, end in zip(lefts, ends, strict=True):
        trunk = _down_and_along(start, right, depth, left + CORNER)
        rises = [other.y() for beside, other in zip(lefts, ends, strict=True) if beside == left and other.y() < end.y()]
        here = (QPointF(left, end.y() + CORNER),) if rises else ()  # another one goes on upwards
        on_it = tuple(dot for dot in dots if dot.x() >= left)
        own = Lane(depth, left + CORNER, right - CORNER)
        made.append(Course(_up_to(end, left, depth), trunk, own, (*on_it, *here), len(made) == lead, True))
    return made if len(made) > 1 else [Course(made[0].path(), lane=made[0].lane, runs_back=True)]


def _down_and_along(start: QPointF, right: float, depth: float, left: float) -> QPainterPath:
    path = QPainterPath(start)
    path.lineTo(right - CORNER, start.y())
    path.quadTo(right, start.y(), right, start.y() + CORNER)
    path.lineTo(right, depth - CORNER)
    path.quadTo(right, depth, right - CORNER, depth)
    path.lineTo(left, depth)
    return path


def _up_to(end: QPointF, left: float, depth: float) -> QPainterPath:
    path = QPainterPath(QPointF(left + CORNER, depth))
    path.quadTo(left, depth, left, depth - CORNER)
    path.lineTo(left, end.y() + CORNER)
    path.quadTo(left, end.y(), left + CORNER, end.y())
    path.lineTo(end)
    return path


def bare_lengths(courses: Sequence[Course]) -> list[tuple[float, float]]:
    """For trunk and branch of each wire of a net: how long they run so near to another that begins at the same place
    that a stroke of the ground below one of them would cut the other.
    """
    ways = [path for course in courses for path in (course.trunk, course.branch) if not path.isEmpty()]
    bends = [(_beginning(path), _bend(path)) for path in ways]
    bends += [((dot.x(), dot.y()), 0.0) for course in courses if course.is_lead for dot in course.junctions]

    def bare(path: QPainterPath) -> float:
        if path.isEmpty():
            return 0.0
        own = _bend(path)
        apart = [abs(own - bend) for start, bend in bends if start == _beginning(path)]
        return max((min(LONGEST_BARE, math.sqrt(APART / each)) for each in apart if each > 1e-9), default=0.0)

    return [(bare(course.trunk), bare(course.branch)) for course in courses]


def _beginning(path: QPainterPath) -> tuple[float, float]:
    first = path.elementAt(0)
    return first.x, first.y


def _bend(path: QPainterPath) -> float:
    """How it leaves the level, as the factor of a parabola; 0 for a straight line."""
    if path.elementCount() < 4 or path.elementAt(1).type != QPainterPath.ElementType.CurveToElement:
        return 0.0
    start, arm, end = path.elementAt(0), path.elementAt(1), path.elementAt(3)
    return (end.y - start.y) / (3 * max(1.0, abs(arm.x - start.x)) ** 2)
