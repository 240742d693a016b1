"""The ways of wires between the cards of a scene: what stands between their ends, and which lane they have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF

from studio.editor.canvas.items.card_index import CardIndex
from studio.editor.canvas.items.remark_items import FrameItem
from studio.editor.canvas.wires.lane_book import LaneBook
from studio.editor.canvas.wires.nets import Course, bare_lengths, courses_back, courses_right
from studio.editor.canvas.wires.routing import CORNER, is_feedback, service_path
from studio.editor.canvas.wires.wire_item import WireItem
from studio.model.parts import Connection, Endpoint, ServiceWire, Wire

if TYPE_CHECKING:
    from studio.editor.canvas.scene.scene import CanvasScene

MANY = 40
"""Cards between the ends of a wire, above which it goes straight."""
SLOTS = 5
"""Nets that part at places of their own, before they begin to share them."""

Net = tuple[type[Connection], Endpoint]
"""Its kind, and where it begins."""


@dataclass
class _Spread:
    """Of a net: its wires, and where they begin and end."""

    net: Net
    start: QPointF = field(default_factory=QPointF)
    right: list[tuple[WireItem, QPointF]] = field(default_factory=list)
    back: list[tuple[WireItem, QPointF]] = field(default_factory=list)


class Ways:
    def __init__(self, scene: CanvasScene) -> None:
        self.scene = scene
        self._index: CardIndex | None = None
        self._lanes: dict[Net, int] | None = None
        """Which lane the wires have that run back from a port."""
        self._nets: dict[Net, list[WireItem]] | None = None
        self._slots: dict[Net, int] = {}
        self._book = LaneBook()

    def forget(self) -> None:
        """Cards may stand anywhere now, and wires may have come or gone."""
        self._index = self._lanes = self._nets = None

    def card_moved(self, name: str, outline: QRectF) -> None:
        if self._index is not None:
            self._index.put(name, outline)

    def net_of(self, item: WireItem) -> Sequence[WireItem]:
        """All wires of its out port, or all links of its parameter, in the order of the system; a service is alone."""
        return [item] if isinstance(item.connection, ServiceWire) else self._all_nets()[_net(item)]

    def lay_all(self) -> None:
        self.forget()
        self._book.clear()
        self.lay(self.scene.wires.values())

    def lay(self, items: Iterable[WireItem]) -> None:
        """These, and with each of them the others of its net."""
        nets: dict[Net, None] = {}
        for item in items:
            if isinstance(item.connection, ServiceWire):
                self._lay_service(item)
            else:
                nets[_net(item)] = None
        for spread in sorted(map(self._spread, nets), key=_inner_first):
            self._lay_net(spread)

    def lay_near(self, wires: Iterable[WireItem], areas: list[QRectF]) -> None:
        """Those whose way cards in these areas now stand in or have left, and those that run below everything."""
        self.lay([item for item in wires if item.runs_back or any(a.intersects(item.boundingRect()) for a in areas)])

    def _lay_service(self, item: WireItem) -> None:
        ends = self._ends(item)
        item.setVisible(ends is not None)
        if ends is not None:
            item.lay(Course(service_path(*ends)))

    def _spread(self, net: Net) -> _Spread:
        spread = _Spread(net)
        for item in self._all_nets().get(net, ()):
            ends = self._ends(item)
            item.setVisible(ends is not None)
            if ends is not None:
                spread.start, end = ends
                (spread.back if is_feedback(*ends) else spread.right).append((item, end))
        return spread

    def _lay_net(self, spread: _Spread) -> None:
        self._book.release(spread.net)
        courses: list[Course] = []
        for items, courses_of in ((spread.right, self._courses_right), (spread.back, self._courses_back)):
            found = courses_of(spread.net, spread.start, [end for _, end in items]) if items else []
            for lane in (course.lane for course in found if course.lane is not None and course.is_lead):
                self._book.take(spread.net, lane)
            courses += found
        bares = bare_lengths(courses) if len(courses) > 1 else [(0.0, 0.0)] * len(courses)
        for (item, _), course, bare in zip([*spread.right, *spread.back], courses, bares, strict=True):
            item.lay(course, bare)

    def _courses_right(self, net: Net, start: QPointF, ends: list[QPointF]) -> list[Course]:
        is_free = partial(self._book.is_free, net)
        return courses_right(start, ends, self._between(start, ends), self._slots.get(net, 0), is_free)

    def _courses_back(self, net: Net, start: QPointF, ends: list[QPointF]) -> list[Course]:
        cards = self._cards()
        below = cards.lowest(min(end.x() for end in ends) - 2 * CORNER, start.x() + 2 * CORNER)
        beside: list[QRectF] = []
        for point in (start, *ends):
            area = QRectF(point.x() - 60, point.y(), 120, max(below - point.y(), 1.0))
            beside += cards.within(area, MANY) or []
        return courses_back(start, ends, below, beside, self._lane(net))

    def _ends(self, item: WireItem) -> tuple[QPointF, QPointF] | None:
        """Where it begins and ends on the canvas; None if it is not to be seen."""
        connection, kind, groups = item.connection, type(item.connection), self.scene.groups
        group = groups.card_for(connection.start.node)
        if item.in_hand or (group is not None and group is groups.card_for(connection.end.node)):
            return None
        start = self.scene.anchor(connection.start, kind, is_start=True)
        end = self.scene.anchor(connection.end, kind, is_start=False)
        return (start, end) if start is not None and end is not None else None

    def _between(self, start: QPointF, ends: list[QPointF]) -> list[QRectF]:
        """None of them if there are very many: a wire across a whole city of cards cannot avoid them all."""
        area = QRectF(start, ends[0]).normalized()
        for end in ends[1:]:
            area = area.united(QRectF(start, end).normalized())
        area.adjust(-60, -160, 60, 160)
        frames = (remark for remark in self.scene.remarks.values() if isinstance(remark, FrameItem))
        titles = [title for frame in frames if (title := frame.title_area()).intersects(area)]
        return [*(self._cards().within(area, MANY) or []), *titles]

    def _lane(self, net: Net) -> int:
        """Wires of one net share a lane; those of another have the next, in the order of the system."""
        if self._lanes is None:
            self._lanes = {}
            for wire in self.scene.session.system.wires:
                first, last = self.scene.card_for(wire.start.node), self.scene.card_for(wire.end.node)
                if first is not None and last is not None and last.x() < first.x() + first.card.width + 8:
                    self._lanes.setdefault((Wire, wire.start), len(self._lanes))
        return self._lanes.setdefault(net, len(self._lanes))

    def _all_nets(self) -> dict[Net, list[WireItem]]:
        if self._nets is None:
            self._nets = {}
            for item in self.scene.wires.values():
                if not isinstance(item.connection, ServiceWire):
                    self._nets.setdefault(_net(item), []).append(item)
            several = [net for net, items in self._nets.items() if len(items) > 1]
            self._slots = {net: place % SLOTS for place, net in enumerate(several)}
            self._book.keep_only(self._nets)
        return self._nets

    def _cards(self) -> CardIndex:
        if self._index is None:
            self._index = CardIndex((item.name, item.outline()) for item in self.scene.cards())
        return self._index


def _net(item: WireItem) -> Net:
    return type(item.connection), item.connection.start


def _inner_first(spread: _Spread) -> tuple[bool, float]:
    """Who comes first has the lane that is nearest: of those that turn up the lowest port, of those that turn down the
    highest. The other way round they would cross.
    """
    ends = [end.y() for _, end in spread.right]
    turns_down = not ends or sum(ends) / len(ends) >= spread.start.y()
    return turns_down, spread.start.y() if turns_down else -spread.start.y()
