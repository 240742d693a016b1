"""The view on the scene: turns mouse, keys and drops into gestures and commands, zooms and pans."""

from __future__ import annotations

import math
from functools import cache
from typing import Final

from PyQt6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmapCache,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QGraphicsItem, QGraphicsView, QWidget

from studio.editor.canvas.card import TITLE, Port
from studio.editor.canvas.commands import CanvasCommands, fitting_connection
from studio.editor.canvas.gestures import (
    ConnectGesture,
    Gesture,
    MoveGesture,
    ResizeGesture,
    RubberBand,
    end_nearer_to,
    fixed_port,
)
from studio.editor.canvas.keyboard_wiring import KeyboardWiring
from studio.editor.canvas.node_item import NodeItem
from studio.editor.canvas.overlays import EmptyNote, MiniMap, PointerNote, ZoomBar, free_of
from studio.editor.canvas.quick_add import QuickAdd
from studio.editor.canvas.remark_items import RemarkItem
from studio.editor.canvas.scene import CanvasScene
from studio.editor.canvas.walk import Way, along_wires, first_card, to_neighbour
from studio.editor.canvas.wire_item import HANDLE_REACH, WireItem, distance
from studio.editor.summary import summary
from studio.editor.theme import Theme
from studio.model.parts import Component, View, Wire
from studio.model.sources import Source
from studio.model.wiring import effective_delivery, topic_of

MIME: Final = "application/x-studio-component"
LEAST_ZOOM, MOST_ZOOM = 0.08, 3.0
END_REACH = 26.0
"""So near to its end, a wire is taken by the end."""
TILE = 32
CARD_PICTURES_KB = 131072
"""Room for the pictures of cards that are in sight: 150 KB each at 100 %."""
DRAG_FROM = 4
"""Pixels a hand may tremble in a click."""
_WAYS: dict[int, Way] = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
}  # fmt: skip


class CanvasView(QGraphicsView):
    zoomed = pyqtSignal(float)
    inspect = pyqtSignal()
    """Enter: the user wants to see the selection in the inspector."""
    overlays: tuple[QWidget, ...] = ()
    """Everything that lies over the canvas."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__()
        self.canvas = scene
        self.commands = CanvasCommands(self)
        self.gesture: Gesture | None = None
        self.wiring: KeyboardWiring | None = None
        self._pressed: QPoint | None = None
        self._press_target: NodeItem | RemarkItem | None = None
        self._pan_from: QPoint | None = None
        self._hovered: list[QGraphicsItem] = []
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Canvas")
        self.quick_add = QuickAdd(scene.session.registry, scene.theme, self)
        self.quick_add.chosen.connect(self._quick_added)
        self._quick_at = QPointF()
        self._quick_port: Port | None = None
        self.pointer_note = PointerNote(self)
        self.empty_note = EmptyNote(self, "mdi6.graph-outline", "Drag a component here, or press Shift+A")
        self._wants_minimap = True
        self.minimap = MiniMap(self)
        self.zoom_bar = ZoomBar(self, scene.theme)
        self.overlays = (self.pointer_note, self.empty_note, self.minimap, self.zoom_bar)
        QPixmapCache.setCacheLimit(CARD_PICTURES_KB)
        self.setScene(scene)
        viewport = self.viewport()
        assert viewport is not None
        viewport.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # scrolling may then move what is painted
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            if bar is not None:
                bar.valueChanged.connect(self._show_minimap)
        scene.focus_moved.connect(self._announce)
        scene.changed.connect(self._show_minimap)
        scene.session.changed.connect(lambda _: self._show_emptiness())
        self._show_emptiness()

    # ---- looking

    @property
    def zoom(self) -> float:
        return self.transform().m11()

    def visible_rect(self) -> QRectF:
        viewport = self.viewport()
        assert viewport is not None
        return self.mapToScene(viewport.rect()).boundingRect()

    def middle(self) -> QPointF:
        return self.visible_rect().center()

    def free_spot(self) -> QPointF:
        """The middle, or beside what already stands there."""
        spot = self.middle()
        while any(item.outline().adjusted(-90, -50, 90, 50).contains(spot) for item in self.canvas.nodes.values()):
            spot += QPointF(32, 32)
        return spot

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        self.zoom_to(self.zoom * factor, at)

    def zoom_to(self, zoom: float, at: QPointF | None = None) -> None:
        """The point `at` of the viewport stays where it is; the middle if there is none."""
        viewport = self.viewport()
        assert viewport is not None
        anchor = at or QPointF(viewport.rect().center())
        zoom = min(MOST_ZOOM, max(LEAST_ZOOM, zoom))
        fixed = self.mapToScene(anchor.toPoint())
        self.setTransform(self.transform().fromScale(zoom, zoom))
        moved = self.mapFromScene(fixed) - anchor.toPoint()
        self._scroll(moved.x(), moved.y())
        self._zoom_changed()

    def fit(self) -> None:
        area = self.canvas.content_rect()
        viewport = self.viewport()
        assert viewport is not None
        if area.isEmpty():
            self.zoom_to(1.0)
            self.centerOn(0, 0)
            return
        area = area.adjusted(-24, -24, 24, 24)
        zoom = min(viewport.width() / area.width(), viewport.height() / area.height(), 1.0)
        zoom = max(LEAST_ZOOM, zoom)
        self.setTransform(self.transform().fromScale(zoom, zoom))
        self.centerOn(area.center())
        self._zoom_changed()

    def restore_view(self) -> None:
        """As it was when the project was saved, or everything."""
        view = self.canvas.session.system.layout.view
        if view is None:
            self.fit()
            return
        self.setTransform(self.transform().fromScale(view.zoom, view.zoom))
        self.centerOn(view.x, view.y)
        self._zoom_changed()
        if not self.visible_rect().intersects(self.canvas.content_rect()):
            self.fit()

    def remember_view(self) -> None:
        at = self.middle()
        self.canvas.session.document.look_at(View(round(at.x(), 1), round(at.y(), 1), round(self.zoom, 3)))

    def show_item(self, name: str) -> None:
        """Scroll only if it is not to be seen."""
        item = self.canvas.nodes.get(name)
        if item is not None and not self.visible_rect().contains(item.outline()):
            self.ensureVisible(item.outline(), 60, 60)

    def go_to(self, name: str) -> None:
        """Somebody asked for it: select, show, and take the focus."""
        if name in self.canvas.nodes:
            self.canvas.select([name])
            self.canvas.set_focus_node(name)
            self.centerOn(self.canvas.nodes[name].outline().center())
            self.setFocus()

    def toggle_minimap(self) -> None:
        self._wants_minimap = not self._wants_minimap
        self._show_minimap()

    def _show_minimap(self, *_: object) -> None:
        """Where everything is in sight there is nothing to map."""
        seen = self.visible_rect().adjusted(-8, -8, 8, 8).contains(self.canvas.content_rect())
        self.minimap.setVisible(self._wants_minimap and not seen)
        self.minimap.update()

    def show_theme(self, theme: Theme) -> None:
        self.canvas.show_theme(theme)
        self.zoom_bar.show_theme(theme)
        self.quick_add.theme = theme
        self.empty_note.theme = theme
        viewport = self.viewport()
        assert viewport is not None
        viewport.update()

    def open_quick_add(self, at: QPointF | None = None, port: Port | None = None) -> None:
        """At a point of the canvas; from a port, only what could be wired to it."""
        self._quick_at = at or self.free_spot()
        self._quick_port = port
        viewport = self.viewport()
        assert viewport is not None
        where = viewport.mapToGlobal(self.mapFromScene(self._quick_at))
        fits = (lambda spec: fitting_connection(port, "new", spec) is not None) if port else None
        self.quick_add.open_at(where, fits)

    # ---- mouse

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self.setFocus()
        at, point = event.position().toPoint(), self.mapToScene(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan_from = at
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton and self.gesture is None:
            self._press(at, point, event.modifiers())
        elif event.button() == Qt.MouseButton.RightButton:
            self.cancel_gesture()

    def _press(self, at: QPoint, point: QPointF, keys: Qt.KeyboardModifier) -> None:
        extend = bool(keys & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier))
        wire = self._wire_end_at(point)
        port = self.canvas.port_near(point)
        if wire is not None and (port is None or wire[0].isSelected()):
            self.begin(ConnectGesture(self.canvas, wire[1], wire[0]))
        elif port is not None:
            self.canvas.set_focus_node(port[0].name, ring=False)
            self.begin(ConnectGesture(self.canvas, port[1]))
        elif (node := self.canvas.node_at(point)) is not None:
            self._press_node(node, at, point, extend)
        elif (line := self.canvas.wire_at(point)) is not None:
            self._choose(line, extend)
        elif (remark := self.canvas.remark_at(point)) is not None:
            self._choose(remark, extend)
            self._pressed, self._press_target = at, remark
            if remark.is_grip(point):
                self.begin(ResizeGesture(remark))
        else:
            if not extend:
                self.canvas.clearSelection()
            self.begin(RubberBand(self.canvas, point, extend=extend))

    def _press_node(self, node: NodeItem, at: QPoint, point: QPointF, extend: bool) -> None:
        mode = node.segment_at(point)
        if mode is not None and mode in node.card.modes:
            self.commands.switch_source(node.name, mode)
            return
        self._choose(node, extend)
        self.canvas.set_focus_node(node.name, ring=False)
        self._pressed, self._press_target = at, node

    def _choose(self, item: QGraphicsItem, extend: bool) -> None:
        if extend:
            item.setSelected(not item.isSelected())
        elif not item.isSelected():
            self.canvas.clearSelection()
            item.setSelected(True)

    def _wire_end_at(self, point: QPointF) -> tuple[WireItem, Port] | None:
        """A wire whose end is under the pointer, with the port at its other end. A selected one has handles."""
        selected = [item for item in self.canvas.selectedItems() if isinstance(item, WireItem)]
        for item in selected:
            if min(distance(item.start, point), distance(item.end, point)) <= HANDLE_REACH:
                other = fixed_port(self.canvas, item, end_nearer_to(item, point))
                return (item, other) if other else None
        under = self.canvas.wire_at(point)
        if under is None or self.canvas.node_at(point) is not None:
            return None
        near = min(distance(under.start, point), distance(under.end, point))
        other = fixed_port(self.canvas, under, end_nearer_to(under, point)) if near <= END_REACH else None
        return (under, other) if other else None

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        at = event.position().toPoint()
        point = self.mapToScene(at)
        if self._pan_from is not None:
            self._scroll(self._pan_from.x() - at.x(), self._pan_from.y() - at.y())
            self._pan_from = at
            return
        target, pressed = self._press_target, self._pressed
        has_moved = pressed is not None and (at - pressed).manhattanLength() >= DRAG_FROM
        if self.gesture is None and pressed is not None and target is not None and has_moved:
            self.begin(MoveGesture(self.canvas, target, self.mapToScene(pressed)))
        if self.gesture is not None:
            self.gesture.move(point, free=bool(event.modifiers() & Qt.KeyboardModifier.AltModifier))
            good = isinstance(self.gesture, ConnectGesture) and self.gesture.target is not None
            self.pointer_note.say(self.gesture.message, at, self.canvas.theme, good=good)
        else:
            self._hover(point)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan_from = None
            self.unsetCursor()
            return
        self._pressed = self._press_target = None
        gesture = self.gesture
        if gesture is None or event.button() != Qt.MouseButton.LeftButton:
            return
        on_ground = isinstance(gesture, ConnectGesture) and gesture.old is None and gesture.is_on_ground
        self.finish_gesture()
        if on_ground and isinstance(gesture, ConnectGesture) and self._is_far_from(gesture):
            self.open_quick_add(gesture.at, gesture.fixed)

    def _is_far_from(self, gesture: ConnectGesture) -> bool:
        """A click on a port is no wish for a new component."""
        home = self.canvas.nodes[gesture.fixed.end.node].anchor(gesture.fixed)
        return not gesture.at.isNull() and distance(home, gesture.at) > 24

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self.cancel_gesture()
        point = self.mapToScene(event.position().toPoint())
        node, remark = self.canvas.node_at(point), self.canvas.remark_at(point)
        if node is not None:
            self.canvas.select([node.name])
            if point.y() - node.y() <= TITLE:
                self.commands.rename_node(node.name)
            else:
                self.inspect.emit()
        elif self.canvas.wire_at(point) is not None:
            self.inspect.emit()
        elif remark is not None:
            self.commands.edit_remark(remark)
        else:
            self.open_quick_add(point)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        assert event is not None
        point = self.mapToScene(event.pos())
        under = self.canvas.node_at(point) or self.canvas.wire_at(point) or self.canvas.remark_at(point)
        if under is not None and not under.isSelected():
            self._choose(under, extend=False)
        super().contextMenuEvent(event)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        pixels, steps = event.pixelDelta(), event.angleDelta()
        keys = event.modifiers()
        if keys & Qt.KeyboardModifier.ShiftModifier:
            self._scroll(-(steps.y() or steps.x()), 0)
        elif not pixels.isNull() and not keys & Qt.KeyboardModifier.ControlModifier:
            self._scroll(-pixels.x(), -pixels.y())  # two fingers on a pad
        else:
            self.zoom_by(math.pow(1.0015, steps.y()), event.position())
        event.accept()

    # ---- gestures

    def begin(self, gesture: Gesture) -> None:
        self.cancel_gesture()
        self.gesture = gesture
        self._clear_hover()

    def finish_gesture(self) -> None:
        gesture, self.gesture = self.gesture, None
        self.pointer_note.hide()
        if gesture is None:
            return
        edit = gesture.finish()
        if edit is not None and not self.canvas.session.do(edit):
            gesture.cancel()

    def cancel_gesture(self) -> None:
        gesture, self.gesture = self.gesture, None
        self._pressed = self._press_target = None
        self.pointer_note.hide()
        if gesture is not None:
            gesture.cancel()

    # ---- hovering

    def _hover(self, point: QPointF) -> None:
        found = self.canvas.port_near(point)
        wire = self.canvas.wire_at(point) if found is None and self.canvas.node_at(point) is None else None
        self._clear_hover()
        if found is not None:
            found[0].hovered = found[1]
            self._hovered.append(found[0])
            self.setCursor(Qt.CursorShape.CrossCursor)
        elif wire is not None:
            for other in self.canvas.wires.values():  # the whole net of that out port
                if other.connection.start == wire.connection.start:
                    other.hovered = True
                    self._hovered.append(other)
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.unsetCursor()
        for item in self._hovered:
            item.update()
        self.setToolTip(self.words_about(point))

    def _clear_hover(self) -> None:
        for item in self._hovered:
            if isinstance(item, NodeItem):
                item.hovered = None
            elif isinstance(item, WireItem):
                item.hovered = False
            item.update()
        self._hovered = []

    def words_about(self, point: QPointF) -> str:
        """What is under the pointer, for the tool tip."""
        session = self.canvas.session
        found = self.canvas.port_near(point)
        if found is not None:
            port = found[1]
            kind = {"in": "in port", "out": "out port"}.get(port.side, f"{port.side} service")
            doc = f"<br>{port.doc}" if port.doc else ""
            optional = ", needs no wire" if port.optional else ""
            return f"<b>{port.end}</b><br>{kind} · {port.type or 'unknown'}{optional}{doc}"
        node = self.canvas.node_at(point)
        if node is not None:
            mode = node.segment_at(point)
            if mode is not None:
                there = mode in node.card.modes
                return f"Switch {node.name} to {mode}" if there else f"{node.name} has no {mode} provider"
            value = session.system.node(node.name)
            problems = [p.message for p in session.problems if p.subject.partition(".")[0] == node.name]
            lines = "".join(f"<br>{problem}" for problem in problems[:3])
            if isinstance(value, Component):
                spec = session.registry.get(value.type)
                doc = summary(spec.doc) if spec else "There is no component of this type."
                return f"<b>{node.name}</b> · {value.type}<br>{doc}{lines}"
            assert isinstance(value, Source)
            return f"<b>{node.name}</b> · source, {value.mode}{lines}"
        wire = self.canvas.wire_at(point)
        if wire is None:
            return ""
        start, end = wire.connection.key
        if isinstance(wire.connection, Wire):
            delivery = effective_delivery(session.system, session.registry, wire.connection)
            return (
                f"<b>{topic_of(start)}</b> · {wire.message_type or 'unknown'}<br>{start} → {end}<br>delivery {delivery}"
            )
        return f"{start} → {end}"

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if self.wiring is not None and self.wiring.key(event):
            return
        keys, way = event.modifiers(), _WAYS.get(event.key())
        if event.key() == Qt.Key.Key_Escape:
            if self.gesture is not None:
                self.cancel_gesture()
            else:
                self.canvas.clearSelection()
        elif way is not None and keys & Qt.KeyboardModifier.AltModifier:
            step = {"left": (-16, 0), "right": (16, 0), "up": (0, -16), "down": (0, 16)}[way]
            self.commands.nudge(*step)
        elif way is not None:
            self.walk(way, neighbours=bool(keys & Qt.KeyboardModifier.ControlModifier))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.inspect.emit()
        elif event.key() == Qt.Key.Key_Space and self.canvas.focus_node:
            item = self.canvas.nodes[self.canvas.focus_node]
            item.setSelected(not item.isSelected())
        else:
            super().keyPressEvent(event)

    def walk(self, way: Way, *, neighbours: bool = False) -> None:
        name = self.canvas.focus_node or next(iter(self.canvas.selected_nodes()), None)
        if name is None:
            target = first_card(self.canvas)
        else:
            target = (to_neighbour if neighbours else along_wires)(self.canvas, name, way)
        if target is not None:
            self.canvas.select([target])
            self.canvas.set_focus_node(target)
            self.show_item(target)

    def start_keyboard_wiring(self) -> None:
        name = self.canvas.focus_node or next(iter(self.canvas.selected_nodes()), None)
        if name is None:
            self.canvas.session.refused.emit("choose a card first: the arrows walk from one to the next")
            return
        wiring = KeyboardWiring(self, name)
        if wiring.is_possible:
            self.wiring = wiring
        else:
            self.canvas.session.refused.emit(f"nothing fits the ports of {name}")

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        super().focusInEvent(event)
        if self.canvas.focus_node is None and event is not None and event.reason() == Qt.FocusReason.TabFocusReason:
            self.canvas.set_focus_node(first_card(self.canvas))

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        super().focusOutEvent(event)
        if self.wiring is not None:
            self.wiring.give_up()

    def _announce(self) -> None:
        name = self.canvas.focus_node
        item = self.canvas.nodes.get(name) if name else None
        self.setAccessibleDescription(item.accessible_name() if item else "")

    # ---- drops

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        if event is not None and _component_in(event.mimeData()):
            event.acceptProposedAction()
        elif event is not None:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:
        if event is not None and _component_in(event.mimeData()):
            event.acceptProposedAction()
        elif event is not None:
            event.ignore()

    def dropEvent(self, event: QDropEvent | None) -> None:
        assert event is not None
        type_name = _component_in(event.mimeData())
        if type_name:
            self.commands.add(type_name, self.mapToScene(event.position().toPoint()))
            event.acceptProposedAction()
            self.setFocus()

    # ---- drawing around the scene

    def drawBackground(self, painter: QPainter | None, rect: QRectF) -> None:
        assert painter is not None
        painter.fillRect(rect, QColor(self.canvas.theme.canvas))
        if self.zoom < 0.25:
            return
        step = 16 if self.zoom >= 0.5 else 80
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        pen = QPen(QColor(self.canvas.theme.grid), 2 if self.zoom >= 1 else 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        tile, size = _dots(step), step * TILE
        for x in range(math.floor(rect.left() / size), math.ceil(rect.right() / size)):
            for y in range(math.floor(rect.top() / size), math.ceil(rect.bottom() / size)):
                painter.drawPoints(tile.translated(x * size, y * size))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._place_overlays()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Qt paints everything anew if anything lies over what is scrolled: what is beside the overlays is moved."""
        viewport = self.viewport()
        assert viewport is not None
        covered = [widget.geometry() for widget in self.overlays if widget.isVisible()]
        if not covered or self.gesture is not None:
            super().scrollContentsBy(dx, dy)
            return
        mode = self.viewportUpdateMode()
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.NoViewportUpdate)
        super().scrollContentsBy(dx, dy)
        self.setViewportUpdateMode(mode)
        for area in free_of(viewport.rect(), covered):
            viewport.scroll(dx, dy, area)
        for area in covered:
            viewport.update(area)

    def _place_overlays(self) -> None:
        self.zoom_bar.adjustSize()
        self.zoom_bar.move(self.width() - self.zoom_bar.width() - 12, self.height() - self.zoom_bar.height() - 12)
        self.minimap.move(self.width() - self.minimap.width() - 12, 12)
        self.empty_note.move((self.width() - self.empty_note.width()) // 2, self.height() // 2 - 60)

    def _show_emptiness(self) -> None:
        self.empty_note.theme = self.canvas.theme
        self.empty_note.setVisible(not self.canvas.nodes and not self.canvas.remarks)

    def _zoom_changed(self) -> None:
        self.zoom_bar.show_zoom(self.zoom)
        self._place_overlays()
        self.zoomed.emit(self.zoom)
        self._show_minimap()

    def _scroll(self, x: int, y: int) -> None:
        for bar, by in ((self.horizontalScrollBar(), x), (self.verticalScrollBar(), y)):
            if bar is not None:
                bar.setValue(bar.value() + by)

    def _quick_added(self, type_name: str) -> None:
        self.commands.add(type_name, self._quick_at + QPointF(88, 40), self._quick_port)
        self.setFocus()


@cache
def _dots(step: int) -> QPolygonF:
    """A tile of the grid, drawn as one: dot by dot the ground would take longer than all that stands on it."""
    return QPolygonF([QPointF(x * step, y * step) for x in range(TILE) for y in range(TILE)])


def _component_in(data: QMimeData | None) -> str:
    return bytes(data.data(MIME).data()).decode() if data is not None and data.hasFormat(MIME) else ""
