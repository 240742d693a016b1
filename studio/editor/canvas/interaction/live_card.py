"""The card beside the pointer: what flows through the wire or port that it rests on, while the system runs."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PyQt6.QtWidgets import QFrame, QLabel, QVBoxLayout

from studio.editor.canvas.interaction.pan_zoom_view import SightView
from studio.editor.canvas.items.beside import place_beside, points_on
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.live.feed import Feed
from studio.editor.look.fonts import metrics, text_font, width_of
from studio.editor.views.data.topic_view import TopicView
from studio.model.parts import Endpoint, Wire
from studio.model.wiring import topic_of

AFTER_MS = 400
WIDTH = 286
MARGIN = 12
PINS, FREES = "Space pins this card", "Space releases it"
FIRST = "Click, then Space pins this card"
"""Somebody else has the keyboard."""


class LiveCard(QFrame):
    def __init__(self, view: SightView, feed: Feed) -> None:
        super().__init__(view)
        self.view, self.feed = view, feed
        self.is_pinned = False
        self._subject: tuple[str, str, str, str] | None = None
        self._wanted: tuple[str, str, str, str] | None = None
        self._at, self._point = QPoint(), QPointF()
        self._lines: list[list[QPoint]] = []
        """Of what it is about, as it is seen: never covered if there is another place."""
        self._topic: TopicView | None = None
        self.setProperty("role", "card")
        self.setFixedWidth(WIDTH)
        self.title, self.ends, self.hint = QLabel(), QLabel(), QLabel(PINS)
        self.title.setFont(text_font(13, 600))
        for label in (self.ends, self.hint):
            label.setProperty("role", "muted")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(MARGIN, 10, MARGIN, 10)
        self._layout.setSpacing(5)
        for widget in (self.title, self.ends, self.hint):
            self._layout.addWidget(widget)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(AFTER_MS)
        self._timer.timeout.connect(self._open)
        feed.ended.connect(self._ended)
        self.hide()

    def point_at(self, point: QPointF, at: QPoint) -> bool:
        """The pointer is at `point` of the scene, `at` of the view; False if there is nothing that flows."""
        if not self.feed.is_attached or self.is_pinned:
            return self.feed.is_attached and self.is_pinned
        wanted = self._subject_at(point)
        self._at, self._point = at, point
        if wanted != self._wanted:
            self._wanted = wanted
            if wanted is None or wanted != self._subject:
                self.close_card()
            if wanted is not None:
                self._timer.start()
        return wanted is not None

    def _subject_at(self, point: QPointF) -> tuple[str, str, str, str] | None:
        """Topic, type, from and to, and the component whose losses matter."""
        canvas = self.view.canvas
        found = canvas.port_near(point)
        if found is not None:
            port = found[1]
            if port.side == "out":
                return topic_of(port.end), port.type, f"from {port.end}", ""
            wires = [wire for wire in canvas.session.system.wires if wire.end == port.end]
            return self._of_wire(wires[0], port.type) if len(wires) == 1 else None
        if canvas.node_at(point) is not None:
            return None
        wire = canvas.wire_at(point)
        if wire is None or not isinstance(wire.connection, Wire):
            return None
        return self._of_wire(wire.connection, wire.message_type)

    def _of_wire(self, wire: Wire, message_type: str) -> tuple[str, str, str, str]:
        start: Endpoint = wire.start
        return topic_of(start), message_type, f"{start} → {wire.end}", wire.end.node

    def pin(self) -> bool:
        """Keep it, or let it go; False if there is none."""
        if not self.isVisible():
            return False
        self.is_pinned = not self.is_pinned
        self.hint.setText(FREES if self.is_pinned else PINS)
        if not self.is_pinned:
            self.close_card()
        return True

    def leave(self) -> None:
        """The pointer has left; what is pinned stays."""
        self._wanted = None
        if not self.is_pinned:
            self.close_card()

    def close_card(self) -> None:
        self._timer.stop()
        self.is_pinned = False
        self._subject = None
        self.hide()
        self.setParent(self.view)
        self.view.removeEventFilter(self)
        if self._topic is not None:
            self._topic.stop()
            self._layout.removeWidget(self._topic)
            self._topic.hide()
            self._topic.deleteLater()
            self._topic = None

    def _ended(self, _: bool) -> None:
        self._wanted = None
        self.close_card()

    def _open(self) -> None:
        if self._wanted is None or not self.feed.is_attached or not self.view.isVisible():
            return
        topic, message_type, ends, losses = self._subject = self._wanted
        theme = self.view.canvas.theme
        self._write(topic, message_type or "unknown type", ends)
        self._lines = self._lines_under()
        self._topic = TopicView(self.feed, topic, theme, message_type, losses)
        self._layout.insertWidget(2, self._topic)
        self._topic.show()
        self.setStyleSheet(f"LiveCard {{ background: {theme.tooltip}; }}")
        self._place()
        self.view.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """While it is shown: it may stand beside its view, and must not stay there without it."""
        if event is not None and event.type() == QEvent.Type.Hide:
            self.close_card()
        return super().eventFilter(watched, event)

    def _write(self, topic: str, kind: str, ends: str) -> None:
        room = WIDTH - 2 * MARGIN - 2
        beside = room - width_of(f" · {kind}", 13, 600)
        name = metrics(13, 600).elidedText(topic, Qt.TextElideMode.ElideMiddle, max(60.0, beside))
        self.title.setText(f"{name} · {kind}")
        self.title.setToolTip(topic)
        lines = [ends] if width_of(ends, 13) <= room else ends.replace(" → ", "\n→ ").split("\n")
        short = [metrics(13).elidedText(line, Qt.TextElideMode.ElideMiddle, room) for line in lines]
        self.ends.setText("\n".join(short))
        self.hint.setText(PINS if self.view.hasFocus() else FIRST)

    def event(self, event: QEvent | None) -> bool:
        """What it shows has become longer."""
        is_done = super().event(event)
        if event is not None and event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self._place()
        return is_done

    def _lines_under(self) -> list[list[QPoint]]:
        """The wire that the pointer is on, then all others of its net."""
        canvas, seen = self.view.canvas, self.view.viewportTransform()
        found = canvas.port_near(self._point)
        if found is None:
            own = canvas.wire_at(self._point)
            wires = [own, *canvas.ways.net_of(own)] if own is not None else []
        else:
            wires = [item for item in canvas.wires.values() if found[1].end in item.connection.key]
        drawn: list[WireItem] = [wire for wire in wires if wire.isVisible()]
        return [points_on(wire.path, seen) for wire in drawn]

    def _place(self) -> None:
        """Beside the pointer, never over what it is about: over a panel beside a small view, if need be."""
        view, window = self.view, self.view.window()
        assert window is not None
        self.adjustSize()
        corner = view.mapTo(window, QPoint(0, 0))
        inside = view.rect()
        place = place_beside(self._at, self.size(), [inside, window.rect().translated(-corner)], self._lines)
        fits = inside.contains(place)
        owner = view if fits else window
        if self.parentWidget() is not owner:
            self.setParent(owner)
        self.move(place.topLeft() if fits else place.topLeft() + corner)
        self.show()
        self.raise_()
