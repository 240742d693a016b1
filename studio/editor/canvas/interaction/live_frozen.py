"""The canvas while the system is frozen: all fades but the event that is in flight, and that one carries a flag."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.live.standing import StopReason, stopped_components
from studio.editor.live.state import parts_of
from studio.editor.look.fonts import text_font, width_of
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme, mixed
from studio.model.parts import Wire
from studio.model.wiring import topic_of
from studio.runtime.base.deltas import Snapshot

NODE_OPACITY = 0.42
WIRE_OPACITY = 0.32
PILL = 26


class Flag(QGraphicsItem):
    """`#2986` on the wire of the event, as large at any zoom."""

    def __init__(self, text: str, colour: str, ground: str) -> None:
        super().__init__()
        self.text, self.colour, self.ground = text, colour, ground
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setZValue(6)

    def boundingRect(self) -> QRectF:
        width = width_of(self.text, 12, 600) + 22
        return QRectF(-width / 2 - 1, -32, width + 2, 33)

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = width_of(self.text, 12, 600) + 20
        plate = QRectF(-width / 2, -30, width, 20)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.colour))
        painter.drawPolygon(QPolygonF([QPointF(-6, -11), QPointF(6, -11), QPointF(0, -3)]))
        painter.drawRoundedRect(plate, 10, 10)
        painter.setPen(QColor(self.ground))
        painter.setFont(QFont(text_font(12, 600)))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, self.text)


class HeldPill(QWidget):
    """`3 events held at the gate`, over the lower left corner of the canvas; a click shows which."""

    clicked = pyqtSignal()

    def __init__(self, view: CanvasView, theme: Theme) -> None:
        super().__init__(view)
        self.view, self.theme, self.words = view, theme, ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Show pending events")
        view.installEventFilter(self)
        self.hide()

    def say(self, words: str) -> None:
        self.words = words
        self.setAccessibleName(words)
        self.setFixedSize(round(width_of(words, 12, 500)) + 46, PILL)
        self._place()
        self.setVisible(bool(words))
        self.raise_()
        self.update()

    def _place(self) -> None:
        self.move(14, self.view.height() - PILL - 14)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        self.clicked.emit()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        theme, painter = self.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.frozen), 1))
        painter.setBrush(QColor(mixed(theme.frozen, theme.canvas, 0.16)))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), PILL / 2 - 0.5, PILL / 2 - 0.5)
        icon("fa6s.snowflake", theme.frozen).paint(painter, 12, (PILL - 13) // 2, 13, 13)
        painter.setPen(QColor(theme.frozen))
        painter.setFont(text_font(12, 500))
        painter.drawText(self.rect().adjusted(32, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.words)


class FrozenLayer(QObject):
    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self.view, self.scene = view, view.canvas
        self.pill = HeldPill(view, self.scene.theme)
        self._flags: list[Flag] = []
        self._faded = False
        self._shown: tuple[StopReason | None, Snapshot] = (None, {})
        self.scene.rebuilding.connect(self._flags.clear)  # the scene throws all of its items away
        self.scene.rebuilt.connect(self._show_again)
        self.scene.session.changed.connect(self._show_again)  # what has come is faded as well

    def show_stand(self, stand: StopReason | None, state: Snapshot) -> None:
        """Fade and flag what there is; nothing of it while the system goes on."""
        self._shown = (stand, state)
        is_frozen = stand is not None and not stand.runs_on and not stand.between
        if not is_frozen and not self._faded:
            return
        self._faded = is_frozen
        stopped = stopped_components(state) if is_frozen else frozenset()
        here = {name for name in self.scene.nodes if name in stopped or stopped & set(self._parts(name))}
        bright = {self.scene.card_for(name) for name in here}
        for card in [*self.scene.nodes.values(), *self.scene.groups.cards()]:
            card.setOpacity(1.0 if not is_frozen or card in bright else NODE_OPACITY)
        in_flight = self._in_flight(stand, stopped) if is_frozen and stand is not None else []
        for item in self.scene.wires.values():
            chosen = item in in_flight
            item.setOpacity(1.0 if not is_frozen or chosen else WIRE_OPACITY)
            item.in_flight = chosen
            item.settle()
        self._show_flags(stand, in_flight)
        if not is_frozen:
            self.pill.say("")

    def _show_again(self, *_: object) -> None:
        self.show_stand(*self._shown)

    def show_held(self, count: int) -> None:
        frozen = self._faded and count > 0
        self.pill.theme = self.scene.theme
        self.pill.say(f"{count} event{'' if count == 1 else 's'} held at the gate" if frozen else "")

    def _parts(self, name: str) -> tuple[str, ...]:
        """The running components behind a card, if it is still in the system."""
        system = self.scene.session.system
        return parts_of(system.node(name), self._shown[1]) if name in system.nodes else ()

    def _in_flight(self, stand: StopReason, stopped: frozenset[str]) -> list[WireItem]:
        """The wires that carry the event: to who stands, or to all of its receivers."""
        carrying = [
            item
            for item in self.scene.wires.values()
            if isinstance(item.connection, Wire) and stand.topic and topic_of(item.connection.start) == stand.topic
        ]
        to_stopped = [item for item in carrying if item.connection.key[1].node in stopped]
        return to_stopped or carrying

    def _show_flags(self, stand: StopReason | None, in_flight: list[WireItem]) -> None:
        for flag in self._flags:
            self.scene.removeItem(flag)
        self._flags.clear()
        if stand is None or not self._faded:
            return
        theme = self.scene.theme
        for item in in_flight[:1]:  # one event, one flag
            flag = Flag(f"#{stand.sequence}", theme.hue(item.message_type), theme.canvas)
            flag.setPos(item.words_at())
            self.scene.addItem(flag)
            self._flags.append(flag)
