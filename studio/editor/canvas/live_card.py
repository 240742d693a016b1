"""The card beside the pointer: what flows through the wire or port that it rests on, while the system runs."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QPointF, QTimer
from PyQt6.QtWidgets import QFrame, QLabel, QVBoxLayout

from studio.editor.canvas.sight import SightView
from studio.editor.feed import Feed
from studio.editor.fonts import text_font
from studio.editor.panels.topic_view import TopicView
from studio.model.parts import Endpoint, Wire
from studio.model.wiring import topic_of

AFTER_MS = 400
WIDTH = 286


class LiveCard(QFrame):
    def __init__(self, view: SightView, feed: Feed) -> None:
        super().__init__(view)
        self.view, self.feed = view, feed
        self.is_pinned = False
        self._subject: tuple[str, str, str, str] | None = None
        self._wanted: tuple[str, str, str, str] | None = None
        self._at = QPoint()
        self._topic: TopicView | None = None
        self.setProperty("role", "card")
        self.setFixedWidth(WIDTH)
        self.title, self.ends, self.hint = QLabel(), QLabel(), QLabel("Space pins this card")
        self.title.setFont(text_font(13, 600))
        self.ends.setWordWrap(True)
        for label in (self.ends, self.hint):
            label.setProperty("role", "muted")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 10, 12, 10)
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
        self._at = at
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
        self.hint.setText("Space lets it go" if self.is_pinned else "Space pins this card")
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
        self.title.setText(f"{topic} · {message_type or 'unknown type'}")
        self.ends.setText(ends)
        self.hint.setText("Space pins this card")
        self._topic = TopicView(self.feed, topic, theme, message_type, losses)
        self._layout.insertWidget(2, self._topic)
        self._topic.show()
        self.setStyleSheet(f"LiveCard {{ background: {theme.tooltip}; }}")
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        """Beside the pointer and within the view, never over what it is about."""
        x = self._at.x() + 18 if self._at.x() + 18 + WIDTH < self.view.width() - 6 else self._at.x() - WIDTH - 18
        height = self.sizeHint().height()
        y = self._at.y() + 18 if self._at.y() + 18 + height < self.view.height() - 6 else self._at.y() - height - 18
        self.move(max(6, x), max(6, y))
