"""The view on the scene: turns mouse, keys and drops into gestures and commands."""

from __future__ import annotations

import math
from collections.abc import Callable

from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QWheelEvent,
)

from studio.editor.canvas.interaction.card_buttons import press_button
from studio.editor.canvas.interaction.choosing import Choosing
from studio.editor.canvas.interaction.commands import CanvasCommands, fitting_connection
from studio.editor.canvas.interaction.drops import Drops
from studio.editor.canvas.interaction.gestures import (
    ConnectGesture,
    Gesture,
    MoveGesture,
    ResizeGesture,
    RubberBand,
)
from studio.editor.canvas.interaction.group_commands import GroupCommands
from studio.editor.canvas.interaction.hover import Hover
from studio.editor.canvas.interaction.insertion import of_one_port, way_into
from studio.editor.canvas.interaction.keyboard_navigation import Way, along_wires, first_card, to_neighbour
from studio.editor.canvas.interaction.keyboard_wiring import KeyboardWiring
from studio.editor.canvas.interaction.live_card import LiveCard
from studio.editor.canvas.interaction.pan_zoom_view import SightView
from studio.editor.canvas.interaction.quick_add import QuickAdd
from studio.editor.canvas.interaction.reach import Reach
from studio.editor.canvas.items.card import TITLE, Port
from studio.editor.canvas.items.group_items import GroupFrame
from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.canvas.scene.wire_ends import wire_end_at
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.canvas.wires.wire_strokes import distance
from studio.editor.live.feed import Feed
from studio.editor.look.theme import Theme
from studio.model.parts import Wire
from studio.model.spec import ComponentSpec

DRAG_FROM = 4
"""Pixels a hand may tremble in a click."""
_WAYS: dict[int, Way] = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
}  # fmt: skip


class CanvasView(SightView):
    inspect = pyqtSignal()
    """Enter: the user wants to see the selection in the inspector."""
    menu_wanted = pyqtSignal(QPoint)
    """Of what is selected, at a point of the screen."""
    new_wanted = pyqtSignal(str, object, object, tuple)
    """A component that does not exist yet: its name, the middle of its card, the port or the wires it is for."""
    tool_dropped = pyqtSignal(str, QPointF)
    """A tool of the palette, and where on the canvas it was let go."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene)
        self.commands = CanvasCommands(self)
        self.groups = GroupCommands(self)
        self.reach = Reach(self)
        self.choosing = Choosing(scene)
        self.gesture: Gesture | None = None
        self.wiring: KeyboardWiring | None = None
        self._pressed: QPoint | None = None
        self._begins: Callable[[], Gesture] | None = None
        """What the button that is down begins as soon as the hand has really moved."""
        self._pan_from: QPoint | None = None
        self.hover = Hover(self)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Canvas")
        self.quick_add = QuickAdd(scene.session.registry, scene.theme, self)
        self.quick_add.chosen.connect(self._quick_added)
        self.quick_add.new_wanted.connect(self._quick_new)
        self._quick_at: QPointF | None = None
        """None: where there is room."""
        self._quick_port: Port | None = None
        self._quick_into: tuple[Wire, ...] = ()
        self.drops = Drops(self)
        scene.rebuilding.connect(self._let_go)
        scene.session.changed.connect(self._let_go)

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
        self._quick_at, self._quick_port, self._quick_into = at, port, ()
        session = self.canvas.session
        name = session.system.free_name("new")
        self._offer((lambda spec: fitting_connection(session, port, name, spec) is not None) if port else None)

    def open_quick_insert(self) -> None:
        """For the wires that are selected: only what can be put into them."""
        items = [item for item in self.canvas.selectedItems() if isinstance(item, WireItem)]
        wires = of_one_port(item.connection for item in items)
        if not wires:
            self.canvas.session.refused.emit("select a wire first, or several of one port")
            return
        self._quick_at, self._quick_port, self._quick_into = items[0].middle - QPointF(88, 40), None, wires
        self._offer(lambda spec: way_into(self.canvas.session, wires, spec) is not None)

    def _offer(self, fits: Callable[[ComponentSpec], bool] | None) -> None:
        viewport = self.viewport()
        assert viewport is not None
        at = self._quick_at if self._quick_at is not None else self.middle()
        self.quick_add.open_at(viewport.mapToGlobal(self.mapFromScene(at)), fits)

    def show_live(self, feed: Feed) -> None:
        """Cards of what flows, while this feed has a system."""
        self.hover.card = LiveCard(self, feed)
        self.overlays = (*self.overlays, self.hover.card)

    # ---- mouse

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self.setFocus()
        self.glide.finish()
        at, point = event.position().toPoint(), self.mapToScene(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan_from = at
            self.hover.leave()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton and self.gesture is None:
            self._press(at, point, event.modifiers())
        elif event.button() == Qt.MouseButton.RightButton:
            self.cancel_gesture()

    def _press(self, at: QPoint, point: QPointF, keys: Qt.KeyboardModifier) -> None:
        self.choosing.forget()
        extend = bool(keys & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier))
        wire = wire_end_at(self.canvas, point)
        port = self.canvas.port_near(point)
        if wire is not None and (port is None or wire[0].isSelected()):
            self.choosing.press([wire[0]], extend=extend)
            self._wait(at, lambda: ConnectGesture(self.canvas, wire[1], wire[0]))
        elif port is not None:
            self.canvas.set_focus_node(port[1].end.node, ring=False)
            self._wait(at, lambda: ConnectGesture(self.canvas, port[1]))
        elif (card := self.canvas.card_at(point)) is not None and press_button(self, card, point):
            self._pressed = self._begins = None
        elif (node := self.canvas.node_at(point)) is not None:
            self._press_node(node, at, point, extend)
        elif (group := self.canvas.card_at(point)) is not None:
            self.choosing.press([group], extend=extend)
            self._wait(at, lambda: MoveGesture(self.canvas, group, point))
        elif lines := self.canvas.wires_at(point):
            self.choosing.press(lines, extend=extend)
        elif isinstance(border := self.canvas.group_at(point), GroupFrame):
            self.choosing.press([border], extend=extend)
            self._wait(at, lambda: MoveGesture(self.canvas, border, point))
        elif (remark := self.canvas.remark_at(point)) is not None:
            on_grip = remark.isSelected() and remark.is_grip(point)  # only then it is painted
            self.choosing.press([remark], extend=extend)
            self._wait(at, lambda: ResizeGesture(remark) if on_grip else MoveGesture(self.canvas, remark, point))
        else:
            if not extend:
                self.canvas.clearSelection()
            self.begin(RubberBand(self.canvas, point, extend=extend))

    def _press_node(self, node: NodeItem, at: QPoint, point: QPointF, extend: bool) -> None:
        self.choosing.press([node], extend=extend)
        self.canvas.set_focus_node(node.name, ring=False)
        self._wait(at, lambda: MoveGesture(self.canvas, node, point))

    def _wait(self, at: QPoint, begins: Callable[[], Gesture]) -> None:
        """A click only selects: what would change something begins when the hand has moved."""
        self._pressed, self._begins = at, begins

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        at = event.position().toPoint()
        point = self.mapToScene(at)
        if self._pan_from is not None:
            self._scroll(self._pan_from.x() - at.x(), self._pan_from.y() - at.y())
            self._pan_from = at
            return
        begins, pressed = self._begins, self._pressed
        has_moved = pressed is not None and (at - pressed).manhattanLength() >= DRAG_FROM
        if self.gesture is None and begins is not None and has_moved:
            self.begin(begins())
        if self.gesture is not None:
            self.gesture.move(point, free=bool(event.modifiers() & Qt.KeyboardModifier.AltModifier))
            good = isinstance(self.gesture, ConnectGesture) and self.gesture.target is not None
            self.pointer_note.say(self.gesture.message, at, self.canvas.theme, good=good)
        else:
            self.hover.move(point, at)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan_from = None
            self.unsetCursor()
            return
        self._pressed = self._begins = None
        gesture = self.gesture
        if event.button() == Qt.MouseButton.LeftButton:
            self.choosing.release(moved=gesture is not None)
        if gesture is None or event.button() != Qt.MouseButton.LeftButton:
            return
        on_ground = isinstance(gesture, ConnectGesture) and gesture.old is None and gesture.is_on_ground
        self.finish_gesture()
        at = event.position().toPoint()
        if self.rect().contains(at):
            self.hover.move(self.mapToScene(at), at)
        else:  # Qt has told nobody that the pointer left while a button was down
            self.hover.leave()
        if on_ground and isinstance(gesture, ConnectGesture) and self._is_far_from(gesture):
            self.open_quick_add(gesture.at, gesture.fixed)

    def _is_far_from(self, gesture: ConnectGesture) -> bool:
        """A click on a port is no wish for a new component."""
        card = self.canvas.card_for(gesture.fixed.end.node)
        return card is not None and distance(card.anchor(gesture.fixed), gesture.at) > 24

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
        elif (group := self.canvas.group_at(point)) is not None:
            self.groups.fold_one(group)
        elif self.canvas.wire_at(point) is not None:
            self.inspect.emit()
        elif remark is not None:
            self.commands.edit_remark(remark)
        else:
            self.open_quick_add(point)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        assert event is not None
        event.accept()
        viewport, canvas = self.viewport(), self.canvas
        assert viewport is not None
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_wanted.emit(viewport.mapToGlobal(self.reach.menu_at()))
            return
        point = self.mapToScene(event.pos())
        under = canvas.card_at(point) or canvas.wire_at(point) or canvas.remark_at(point) or canvas.group_at(point)
        if under is not None and not under.isSelected():
            self.choosing.press([under], extend=False)
        self.menu_wanted.emit(event.globalPos())

    def leaveEvent(self, event: QEvent | None) -> None:
        self.hover.leave()
        super().leaveEvent(event)

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

    @property
    def is_busy(self) -> bool:
        return self.gesture is not None

    def begin(self, gesture: Gesture) -> None:
        self.cancel_gesture()
        self.hover.leave()
        self.gesture = gesture
        self.hover.clear()

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
        self._pressed = self._begins = None
        self.choosing.forget()
        self.pointer_note.hide()
        if gesture is not None:
            gesture.cancel()

    def _let_go(self, *_: object) -> None:
        """What is in the hand may be gone: by an undo, a key or another panel. A gesture that ends has none by then."""
        if self.wiring is not None:
            self.wiring.give_up()
        self.cancel_gesture()
        self.hover.leave()
        self.drops.leave()

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
            self.commands.nudge(*step, grow=bool(keys & Qt.KeyboardModifier.ShiftModifier))
        elif way is not None:
            self.walk(way, neighbours=bool(keys & Qt.KeyboardModifier.ControlModifier))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.inspect.emit()
        elif event.key() == Qt.Key.Key_Space and self.hover.card is not None and self.hover.card.pin():
            return
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
            self.setFocus()  # the key may have been pressed in the zoom bar, and the arrows would stay there
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

    # ---- drops

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        if event is not None:
            self.drops.move(event)

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:
        if event is not None:
            self.drops.move(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent | None) -> None:
        self.drops.leave()

    def dropEvent(self, event: QDropEvent | None) -> None:
        assert event is not None
        self.drops.drop(event)

    def _quick_new(self, name: str) -> None:
        self.new_wanted.emit(name, self._quick_middle(), self._quick_port, self._quick_into)

    def _quick_added(self, type_name: str) -> None:
        self.commands.add(type_name, self._quick_middle(), self._quick_port, self._quick_into)
        self.setFocus()

    def _quick_middle(self) -> QPointF | None:
        """Of the card that is to be there."""
        return self._quick_at + QPointF(88, 40) if self._quick_at is not None else None
