"""One topic, live: its figures, the last value, a curve of the last minute. On the hover card and in the inspector."""

from __future__ import annotations

from collections import deque

from PyQt6.QtCore import QPointF, QRectF, QTimer
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QFormLayout, QLabel, QVBoxLayout, QWidget

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed, Watch
from studio.editor.live.state import count_words, rate_words, time_words
from studio.editor.live.values import first_number, value_lines
from studio.editor.look.fonts import text_font
from studio.editor.look.style import dress
from studio.editor.look.theme import Theme
from studio.editor.views.data.value_rows import ValueRows

POINT_EVERY_MS = 100
POINTS = 60_000 // POINT_EVERY_MS
FEWEST_POINTS = POINTS // 6
"""So many fill the curve at first; it gets denser until it shows a minute."""
WORDS_EVERY = 3
"""Points between two looks at the figures: what changes faster cannot be read."""


class Curve(QWidget):
    def __init__(self, theme: Theme, colour: str) -> None:
        super().__init__()
        self.theme, self.colour = theme, colour
        self.values: deque[float] = deque(maxlen=POINTS)
        self.setMinimumHeight(44)
        self.setAccessibleName("The last minute")

    def add(self, value: float) -> None:
        self.values.append(value)
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self.theme.border))
        painter.setBrush(QColor(self.theme.canvas))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if len(self.values) < 2:
            return
        low, high = min(self.values), max(self.values)
        room = QRectF(self.rect()).adjusted(4, 6, -4, -6)
        span = high - low or 1.0
        step = room.width() / (max(FEWEST_POINTS, len(self.values)) - 1)
        start = room.right() - step * (len(self.values) - 1)
        points = [
            QPointF(start + step * place, room.bottom() - room.height() * ((value - low) / span if high > low else 0.5))
            for place, value in enumerate(self.values)
        ]
        painter.setPen(QPen(QColor(self.colour), 1))
        painter.drawPolyline(QPolygonF(points))
        painter.setFont(text_font(10.5))
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(QPointF(6, 13), f"{high:.4g}".replace("-", "−"))
        painter.drawText(QPointF(6, self.height() - 5), f"{low:.4g}".replace("-", "−"))


class TopicView(QWidget):
    def __init__(self, feed: Feed, topic: str, theme: Theme, message_type: str, losses: str = "") -> None:
        """`losses`: the component that is told what it has lost; without one, what all have lost."""
        super().__init__()
        self.feed, self.topic, self.theme, self._losses = feed, topic, theme, losses
        self.rate, self.late, self.lost = QLabel("—"), QLabel("—"), QLabel("—")
        self.value, self.number = ValueRows("no event yet"), QLabel("")
        self.number.setProperty("role", "muted")
        self.curve = Curve(theme, theme.hue(message_type))
        self.curve_words = QLabel("events a second, last minute")
        self.curve_words.setProperty("role", "muted")
        self._last: Event | None = None
        self._is_value = False
        self._ticks = 0
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(2)
        for title, label in (("Rate", self.rate), ("Latency p50, p99", self.late), ("Dropped", self.lost)):
            form.addRow(title, label)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        layout.addLayout(form)
        for widget in (self.curve, self.curve_words, self.value, self.number):
            layout.addWidget(widget)
        self._watch: Watch | None = feed.watch(topic, self._show)
        feed.changed.connect(self._changed)
        self._timer = QTimer(self)
        self._timer.setInterval(POINT_EVERY_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self._show_figures()

    def stop(self) -> None:
        """Before it is thrown away."""
        self._timer.stop()
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _show(self, events: list[Event]) -> None:
        self._last = events[-1]
        if first_number(self._last.message) is not None and not self._is_value:
            self._is_value = True
            self.curve.values.clear()
            self.curve_words.setText("value, last minute")

    def _tick(self) -> None:
        self._ticks += 1
        number = first_number(self._last.message) if self._last is not None else None
        self.curve.add(number if number is not None else self._told().get("rate_hz", 0.0))
        if self._last is not None and self._ticks % WORDS_EVERY == 0:
            lines = value_lines(self._last.message)
            self.value.show_lines(lines[:2])
            self.value.setToolTip("\n".join(lines))
            self.number.setText(f"event {count_words(self._last.sequence)}")

    def _told(self) -> dict[str, float]:
        found: dict[str, float] = self.feed.state.get("topics", {}).get(self.topic, {})
        return found

    def _changed(self, changes: Changes) -> None:
        if self.topic in changes.topics:
            self._show_figures()

    def _show_figures(self) -> None:
        state = self.feed.state
        told = state.get("topics", {}).get(self.topic)
        if told is None:
            return
        if self._last is None:
            self.value.setText(_before(told.get("count"), is_paused=state.get("gate") == "pause"))
        late = told["latency_us"]
        drops = told["drops"]
        if self._losses:
            drops = state["components"].get(self._losses, {}).get("dropped", {}).get(self.topic, 0)
        self.rate.setText(rate_words(told["rate_hz"]))
        self.late.setText(f"{time_words(late['p50'])}, {time_words(late['p99'])}")
        self.lost.setText(f"↓ {count_words(drops)}" if drops else "—" if drops is None else "none")
        dress(self.lost, f"color: {self.theme.warning};" if drops else "")


def _before(count: int | None, *, is_paused: bool) -> str:
    """Instead of a value: only events that come while somebody looks are sent to the window."""
    if not count:
        return "no event yet"
    how = "step or continue\nto see the next one" if is_paused else "waiting for the next one"
    return f"{count_words(count)} event{'' if count == 1 else 's'} so far; {how}"
