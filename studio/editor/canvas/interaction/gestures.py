"""What a hand does on the canvas between press and release. One class per gesture; each ends in one edit or none.

A gesture previews on the items alone. The model changes only when the view does the edit that `finish` returned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainterPath, QPen
from PyQt6.QtWidgets import QGraphicsPathItem, QGraphicsRectItem

from studio.editor.canvas.items.card import Port
from studio.editor.canvas.items.group_items import GroupFrame
from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.items.remark_items import FrameItem, RemarkItem
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.canvas.wires.routing import curve, service_path
from studio.editor.canvas.wires.wire_item import WireItem
from studio.model.layout_edits import MoveNodes, PutFrame, PutNote
from studio.model.parts import Connection, Frame, Note, ServiceWire, Wire
from studio.model.system_edits import Compound, Connect, Disconnect, Rewire, SystemEdit
from studio.model.wiring import can_connect, why_no_service, why_no_wire

SNAP = 16.0
DROP_REACH = 20.0
"""While wiring, a port may be missed by this much."""
LEAST_SIZE = (96.0, 48.0)


class Gesture(ABC):
    message = ""
    """To be shown at the pointer."""

    @abstractmethod
    def move(self, point: QPointF, *, free: bool = False) -> None:
        """The pointer is at `point` of the canvas; `free` switches snapping off."""

    @abstractmethod
    def finish(self) -> SystemEdit | None: ...

    @abstractmethod
    def cancel(self) -> None:
        """Everything looks as the model has it: as before the gesture, or as an edit in the midst of it has left it."""


class MoveGesture(Gesture):
    """Cards, notes and frames that are selected; a frame takes along what lies inside."""

    def __init__(self, scene: CanvasScene, grabbed: NodeItem | RemarkItem | GroupFrame, point: QPointF) -> None:
        self.scene = scene
        self.origin = point
        self.grabbed_at = grabbed.pos()
        self.nodes = {name: scene.nodes[name].pos() for name in moving_cards(scene)}
        self.remarks = {remark.value.id: remark.pos() for remark in scene.selected_remarks()}
        self.by = QPointF()

    def move(self, point: QPointF, *, free: bool = False) -> None:
        wanted = self.grabbed_at + point - self.origin
        self.by = (wanted if free else snapped(wanted)) - self.grabbed_at
        for name, place in self.nodes.items():
            self.scene.nodes[name].setPos(place + self.by)
        for key, place in self.remarks.items():
            self.scene.remarks[key].setPos(place + self.by)
        self.scene.lay_wires_of(self.nodes)

    def finish(self) -> SystemEdit | None:
        if self.by.isNull():
            return None
        edits: list[SystemEdit] = []
        if self.nodes:
            edits.append(MoveNodes({name: _xy(place + self.by) for name, place in self.nodes.items()}))
        for key, place in self.remarks.items():
            edits.append(
                put(replace(self.scene.remarks[key].value, x=_xy(place + self.by)[0], y=_xy(place + self.by)[1]))
            )
        return edits[0] if len(edits) == 1 and self.nodes else Compound(self._title(), tuple(edits))

    def _title(self) -> str:
        if self.nodes:
            return MoveNodes(dict.fromkeys(self.nodes, (0.0, 0.0))).label
        values = [self.scene.remarks[key].value for key in self.remarks]
        return "Move a frame" if any(isinstance(value, Frame) for value in values) else "Move a note"

    def cancel(self) -> None:
        for item in (self.scene.remarks[key] for key in self.remarks if key in self.scene.remarks):
            item.setPos(item.value.x, item.value.y)
        self.scene.place_as_modelled(self.nodes)


class ResizeGesture(Gesture):
    """A note or frame, at its lower right corner."""

    def __init__(self, remark: RemarkItem) -> None:
        self.remark = remark
        self.before = remark.size

    def move(self, point: QPointF, *, free: bool = False) -> None:
        corner = point if free else snapped(point)
        size = corner - self.remark.pos()
        self.remark.resize(max(LEAST_SIZE[0], size.x()), max(LEAST_SIZE[1], size.y()))

    def finish(self) -> SystemEdit | None:
        width, height = self.remark.size
        if (width, height) == self.before:
            return None
        return put(replace(self.remark.value, width=width, height=height))

    def cancel(self) -> None:
        self.remark.resize(self.remark.value.width, self.remark.value.height)


class ConnectGesture(Gesture):
    """A new wire, from either end, or the end of one that is there. `fixed` is the end that stays."""

    def __init__(self, scene: CanvasScene, fixed: Port, old: WireItem | None = None) -> None:
        self.scene = scene
        self.fixed = fixed
        self.old = old
        self.target: Port | None = None
        self.at = self._anchor(fixed)
        self._line = QGraphicsPathItem()
        self._line.setZValue(5)
        pen = QPen(QColor(scene.theme.hue(fixed.type)), 2)
        if fixed.is_service:
            pen.setStyle(Qt.PenStyle.DashLine)
        self._line.setPen(pen)
        scene.addItem(self._line)
        self._take(True)
        self._dim()

    @property
    def is_on_ground(self) -> bool:
        """Nothing is under the pointer that a wire could mean."""
        return self.target is None and self.scene.card_at(self.at) is None

    def connection_to(self, port: Port) -> Connection:
        ends = (self.fixed.end, port.end) if self.fixed.starts else (port.end, self.fixed.end)
        return ServiceWire(*ends) if self.fixed.is_service else Wire(*ends)

    def why_not(self, port: Port) -> str | None:
        """Why the wire cannot end at `port`; None if it can."""
        system, specs = self.scene.session.system, self.scene.session.registry
        if port.is_service != self.fixed.is_service:
            return "a service port takes no data" if port.is_service else "a data port answers no calls"
        if port.starts == self.fixed.starts:
            words = {"out": "both are outputs", "in": "both are inputs"}
            return words.get(port.side, "a service wire goes from a required to a provided port")
        connection = self.connection_to(port)
        if self.old is not None and connection.key == self.old.connection.key:
            return None
        if isinstance(connection, Wire):
            if self.old is not None and connection.key in system.wires:
                return f"{connection.start} is already wired to {connection.end}"
            start, end = connection.key
            return why_no_wire(system, specs, connection) if self.old else can_connect(system, specs, start, end)
        assert isinstance(connection, ServiceWire)
        if connection.key in system.services:
            return f"{connection.start} is already answered by {connection.end}"
        return why_no_service(system, specs, connection) or self._answered_elsewhere(connection)

    def _answered_elsewhere(self, wanted: ServiceWire) -> str | None:
        for other in self.scene.session.system.services:
            if other.start == wanted.start and (self.old is None or other.key != self.old.connection.key):
                return f"{other.start} is already answered by {other.end}"
        return None

    def move(self, point: QPointF, *, free: bool = False) -> None:
        del free
        self.at = point
        found = self.scene.port_near(point, DROP_REACH)
        self.target, self.message = None, ""
        if found is not None and found[1].end != self.fixed.end:
            why = self.why_not(found[1])
            if why is None:
                self.target = found[1]
                self.message = f"{self.connection_to(found[1])}"
            else:
                self.message = why
        self._draw(found[0].anchor(found[1]) if found is not None and self.target is not None else point)

    def aim(self, port: Port) -> None:
        """By keyboard: straight to a port."""
        self.at = self._anchor(port)
        self.target, self.message = port, f"{self.connection_to(port)}"
        self._draw(self.at)

    def fitting_ports(self) -> list[Port]:
        return [port for node in self.scene.cards() for port in node.card.ports if self.why_not(port) is None]

    def finish(self) -> SystemEdit | None:
        target, old = self.target, self.old
        self._tidy()
        if target is None:
            if old is not None and self.is_on_ground:
                return Disconnect((old.connection,))
            return None
        connection = self.connection_to(target)
        if old is None:
            return Connect(connection)
        return Rewire(old.connection, connection) if connection.key != old.connection.key else None

    def cancel(self) -> None:
        self._tidy()

    def _anchor(self, port: Port) -> QPointF:
        card = self.scene.card_for(port.end.node)
        return card.anchor(port) if card is not None else self.at

    def _draw(self, to: QPointF) -> None:
        fixed = self._anchor(self.fixed)
        first, last = (fixed, to) if self.fixed.starts else (to, fixed)
        self._line.setPath(service_path(first, last) if self.fixed.is_service else curve(first, last))

    def _take(self, in_hand: bool) -> None:
        """The others of its net run as if it were not there."""
        if self.old is not None:
            self.old.in_hand = in_hand
            self.scene.ways.lay([self.old])

    def _dim(self) -> None:
        fitting = frozenset([*self.fitting_ports(), self.fixed])
        for node in self.scene.cards():
            node.fitting = fitting
            node.update()
        for wire in self.scene.wires.values():
            wire.faded = True
            wire.update()

    def _tidy(self) -> None:
        self.scene.removeItem(self._line)
        self._take(False)
        for node in self.scene.cards():
            node.fitting = None
            node.update()
        for wire in self.scene.wires.values():
            wire.faded = False
            wire.update()


class RubberBand(Gesture):
    """Selects what it touches; with `extend` what was selected stays so. Changes nothing."""

    def __init__(self, scene: CanvasScene, point: QPointF, *, extend: bool) -> None:
        self.scene = scene
        self.origin = point
        self.before = [*scene.selectedItems()] if extend else []
        self._box = QGraphicsRectItem()
        self._box.setZValue(6)
        fill = QColor(scene.theme.accent)
        fill.setAlphaF(0.10)
        pen = QPen(QColor(scene.theme.accent), 1)
        pen.setCosmetic(True)
        self._box.setPen(pen)
        self._box.setBrush(fill)
        scene.addItem(self._box)

    def move(self, point: QPointF, *, free: bool = False) -> None:
        del free
        area = QRectF(self.origin, point).normalized()
        self._box.setRect(area)
        path = QPainterPath()
        path.addRect(area)
        self.scene.setSelectionArea(path)
        for item in self.before:
            item.setSelected(True)

    def finish(self) -> SystemEdit | None:
        self.scene.removeItem(self._box)
        return None

    def cancel(self) -> None:
        self.scene.removeItem(self._box)
        self.scene.clearSelection()
        for item in self.before:
            if item.scene() is self.scene:
                item.setSelected(True)


def put(value: Note | Frame, gesture: Hashable | None = None) -> PutNote | PutFrame:
    return PutNote(value, gesture) if isinstance(value, Note) else PutFrame(value, gesture)


def moving_cards(scene: CanvasScene) -> list[str]:
    """What is selected, and what lies inside a frame that is."""
    frames = [remark for remark in scene.selected_remarks() if isinstance(remark, FrameItem)]
    inside = [name for name, node in scene.nodes.items() if any(f.outline().contains(node.outline()) for f in frames)]
    return list(dict.fromkeys([*scene.selected_nodes(), *inside]))


def snapped(point: QPointF) -> QPointF:
    return QPointF(round(point.x() / SNAP) * SNAP, round(point.y() / SNAP) * SNAP)


def _xy(point: QPointF) -> tuple[float, float]:
    return point.x(), point.y()
