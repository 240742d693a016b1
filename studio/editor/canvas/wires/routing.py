"""Where wires run. Plain geometry: a wire leaves to the right, arrives from the left, and keeps clear of cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath

ARM = 26.0
CORNER = 16.0
CLEARANCE = 14.0
BESIDE = 5
"""Lanes that have ways down of their own, before they begin to share them: there is not much room between cards."""
LANE = 10.0
"""Between two nets that run side by side."""
SIDE_BY_SIDE = 3
"""Nets that find room above or below one card."""
_SAMPLES = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in (step / 24 for step in range(25))]
"""Weights of the four points of a cubic along its way."""


@dataclass(frozen=True)
class Lane:
    """A height of the canvas, and from where to where something runs along it."""

    y: float
    left: float
    right: float


IsFree = Callable[[Lane], bool]
"""Whether no other net runs there."""


def way_right(
    start: QPointF, end: QPointF, cards: Sequence[QRectF], is_free: IsFree = lambda _: True
) -> tuple[QPainterPath, Lane | None]:
    """From an out port to an in port on its right, and the lane that it takes if it needs one; `cards` are all those
    that may be in the way.
    """
    inner = within(cards)
    blocking = [card for card in inner if crosses(start, end, card)]
    if not blocking:
        return curve(start, end), None
    enter, leave = _lane_ends(start, end, blocking)
    for y in heights(start, [end], cards):
        lane, into, out = Lane(y, enter, leave), QPointF(enter, y), QPointF(leave, y)
        if not any(crosses(start, into, c) or crosses(out, end, c) or lies_on(c, lane) for c in inner) and is_free(
            lane
        ):
            path = curve(start, into)
            path.lineTo(out)
            path.connectPath(curve(out, end))
            return path, lane
    return curve(start, end), None


def service_path(start: QPointF, end: QPointF) -> QPainterPath:
    """Services go up and down: from the top edge of the caller to the bottom edge of who answers."""
    arm = max(ARM, abs(end.y() - start.y()) / 2)
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x(), start.y() - arm), QPointF(end.x(), end.y() + arm), end)
    return path


def curve(start: QPointF, end: QPointF) -> QPainterPath:
    """What a wire is where nothing is in its way, or where the hand that draws it decides."""
    arm = _arm(end.x() - start.x(), end.y() - start.y())
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x() + arm, start.y()), QPointF(end.x() - arm, end.y()), end)
    return path


def _arm(across: float, down: float) -> float:
    """Half of the way, and more of it where the way is steep: a wire arrives level, as its arrow is drawn."""
    across = abs(across)
    steep = min(1.0, max(0.0, abs(down) / across - 1) / 3) if across else 1.0
    return max(ARM, across * (0.5 + 0.3 * steep))


def heights(start: QPointF, ends: Sequence[QPointF], cards: Sequence[QRectF]) -> list[float]:
    """Of lanes to try above and below the cards on the way, the smallest detour first."""
    farthest = max(end.x() for end in ends)
    between = [card for card in cards if card.right() > start.x() and card.left() < farthest]
    edges = {card.top() - CLEARANCE - LANE * beside for card in between for beside in range(SIDE_BY_SIDE)}
    edges |= {card.bottom() + CLEARANCE + LANE * beside for card in between for beside in range(SIDE_BY_SIDE)}
    return sorted(edges, key=lambda y: detour(y, start, ends))


def detour(y: float, start: QPointF, ends: Sequence[QPointF]) -> float:
    """What it costs to run at a height: from the port, and on average to the ends."""
    return abs(y - start.y()) + sum(abs(y - end.y()) for end in ends) / len(ends)


def within(cards: Sequence[QRectF]) -> list[QRectF]:
    """The own cards touch a way at their edge: a little less than them is what must not be crossed."""
    return [card.adjusted(4, 4, -4, -4) for card in cards]


def _lane_ends(start: QPointF, end: QPointF, blocking: Sequence[QRectF]) -> tuple[float, float]:
    """Into the lane before the first card in the way, out of it behind the last."""
    enter = max(start.x() + ARM, min(card.left() for card in blocking) - 8)
    leave = max(enter, min(end.x() - ARM, max(card.right() for card in blocking) + 8))
    return enter, leave


def crosses(start: QPointF, end: QPointF, card: QRectF) -> bool:
    """Whether the curve between two points runs over a card. Sampled: Qt's own test takes a path for an area."""
    x0, y0, x1, y1 = start.x(), start.y(), end.x(), end.y()
    if (
        card.right() < min(x0, x1)
        or card.left() > max(x0, x1)
        or card.bottom() < min(y0, y1)
        or card.top() > max(y0, y1)
    ):
        return False
    arm = _arm(x1 - x0, y1 - y0)
    left, right, top, bottom = card.left(), card.right(), card.top(), card.bottom()
    for b0, b1, b2, b3 in _SAMPLES:
        x = b0 * x0 + b1 * (x0 + arm) + b2 * (x1 - arm) + b3 * x1
        if left <= x <= right and top <= (b0 + b1) * y0 + (b2 + b3) * y1 <= bottom:
            return True
    return False


def lies_on(card: QRectF, lane: Lane) -> bool:
    return card.top() <= lane.y <= card.bottom() and card.left() <= lane.right and card.right() >= lane.left


def is_feedback(start: QPointF, end: QPointF) -> bool:
    return end.x() < start.x() + 8


def way_down(end: QPointF, bottom: float, cards: Sequence[QRectF], aside: float) -> float:
    """Beside the cards that stand in the way: to their right, or to their left if `aside` is below 0."""
    x = end.x() + aside
    below = [card for card in cards if card.bottom() > end.y() + CORNER and card.top() < bottom]
    for card in sorted(below, key=lambda card: card.center().x(), reverse=aside < 0):
        if card.left() - 4 < x < card.right() + 4:
            x = (card.right() if aside > 0 else card.left()) + aside
    return x
