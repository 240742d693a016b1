"""Where wires run. Plain geometry: a wire leaves to the right, arrives from the left, and keeps clear of cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath

ARM = 26.0
CORNER = 16.0
CLEARANCE = 14.0
BESIDE = 5
"""Lanes that have ways down of their own, before they begin to share them: there is not much room between cards."""
LANE = 10.0
"""Between two wires that run back side by side."""
_SAMPLES = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in (step / 24 for step in range(25))]
"""Weights of the four points of a cubic along its way."""


def data_path(start: QPointF, end: QPointF, cards: Sequence[QRectF]) -> QPainterPath:
    """From an out port to an in port on its right; `cards` are all those that may be in the way."""
    # The own cards touch the path at their edge: a little less than them is what must not be crossed.
    inner = [card.adjusted(4, 4, -4, -4) for card in cards]
    blocking = [card for card in inner if _crosses(start, end, card)]
    if not blocking:
        return _curve(start, end)
    enter, leave = _lane_ends(start, end, blocking)
    for lane in _lanes(start, end, cards):
        into, out = QPointF(enter, lane), QPointF(leave, lane)
        if not any(_crosses(start, into, c) or _crosses(out, end, c) or _lies_on(c, into, out) for c in inner):
            path = _curve(start, into)
            path.lineTo(out)
            path.connectPath(_curve(out, end))
            return path
    return _curve(start, end)


def service_path(start: QPointF, end: QPointF) -> QPainterPath:
    """Services go up and down: from the top edge of the caller to the bottom edge of who answers."""
    arm = max(ARM, abs(end.y() - start.y()) / 2)
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x(), start.y() - arm), QPointF(end.x(), end.y() + arm), end)
    return path


def loose_path(start: QPointF, end: QPointF) -> QPainterPath:
    """While somebody drags: the hand decides, nothing is avoided."""
    return _curve(start, end)


def _curve(start: QPointF, end: QPointF) -> QPainterPath:
    arm = max(ARM, abs(end.x() - start.x()) / 2)
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x() + arm, start.y()), QPointF(end.x() - arm, end.y()), end)
    return path


def _lanes(start: QPointF, end: QPointF, cards: Sequence[QRectF]) -> Iterator[float]:
    """Heights to try, the smallest detour first."""
    between = [card for card in cards if card.right() > start.x() and card.left() < end.x()]
    heights = {card.top() - CLEARANCE for card in between} | {card.bottom() + CLEARANCE for card in between}
    yield from sorted(heights, key=lambda y: abs(y - start.y()) + abs(y - end.y()))


def _lane_ends(start: QPointF, end: QPointF, blocking: Sequence[QRectF]) -> tuple[float, float]:
    """Into the lane before the first card in the way, out of it behind the last."""
    enter = max(start.x() + ARM, min(card.left() for card in blocking) - 8)
    leave = max(enter, min(end.x() - ARM, max(card.right() for card in blocking) + 8))
    return enter, leave


def _crosses(start: QPointF, end: QPointF, card: QRectF) -> bool:
    """Whether the curve between two points runs over a card. Sampled: Qt's own test takes a path for an area."""
    x0, y0, x1, y1 = start.x(), start.y(), end.x(), end.y()
    if (
        card.right() < min(x0, x1)
        or card.left() > max(x0, x1)
        or card.bottom() < min(y0, y1)
        or card.top() > max(y0, y1)
    ):
        return False
    arm = max(ARM, abs(x1 - x0) / 2)
    left, right, top, bottom = card.left(), card.right(), card.top(), card.bottom()
    for b0, b1, b2, b3 in _SAMPLES:
        x = b0 * x0 + b1 * (x0 + arm) + b2 * (x1 - arm) + b3 * x1
        if left <= x <= right and top <= (b0 + b1) * y0 + (b2 + b3) * y1 <= bottom:
            return True
    return False


def _lies_on(card: QRectF, start: QPointF, end: QPointF) -> bool:
    return card.top() <= start.y() <= card.bottom() and card.left() <= end.x() and card.right() >= start.x()


def feedback_path(start: QPointF, end: QPointF, below: float, cards: Sequence[QRectF], lane: int = 0) -> QPainterPath:
    """Back to the left: below all cards on the way, with round corners. `below` is where the lowest of them ends,
    `cards` are those that may stand in the way down and up again; each `lane` is a little lower than the one before.
    """
    depth = max(below, start.y(), end.y()) + CLEARANCE + CORNER / 2 + lane * LANE
    aside = CORNER + lane % BESIDE * LANE / 2
    right = _way_down(start, depth, cards, aside)
    left = _way_down(end, depth, cards, -aside)
    path = QPainterPath(start)
    path.lineTo(right - CORNER, start.y())
    path.quadTo(right, start.y(), right, start.y() + CORNER)
    path.lineTo(right, depth - CORNER)
    path.quadTo(right, depth, right - CORNER, depth)
    path.lineTo(left + CORNER, depth)
    path.quadTo(left, depth, left, depth - CORNER)
    path.lineTo(left, end.y() + CORNER)
    path.quadTo(left, end.y(), left + CORNER, end.y())
    path.lineTo(end)
    return path


def is_feedback(start: QPointF, end: QPointF) -> bool:
    return end.x() < start.x() + 8


def _way_down(end: QPointF, bottom: float, cards: Sequence[QRectF], aside: float) -> float:
    """Beside the cards that stand in the way: to their right, or to their left if `aside` is below 0."""
    x = end.x() + aside
    below = [card for card in cards if card.bottom() > end.y() + CORNER and card.top() < bottom]
    for card in sorted(below, key=lambda card: card.center().x(), reverse=aside < 0):
        if card.left() - 4 < x < card.right() + 4:
            x = (card.right() if aside > 0 else card.left()) + aside
    return x
