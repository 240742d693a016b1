"""The ports of a node, what they are wired to, and, while it runs, how fast and what flows."""

from __future__ import annotations

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed, Watch
from studio.editor.live.state import count_words, rate_words
from studio.editor.live.values import value_lines
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.project.session import Session
from studio.model.parts import Endpoint
from studio.model.spec import ServicePortSpec
from studio.model.wiring import ports_of, spec_of, topic_of

SHOW_EVERY_MS = 250
INDENT_PX = 18
"""Of what is said about a port, below its name."""


class PortsList(QWidget):
    go_to = pyqtSignal(str)

    def __init__(self, session: Session, name: str, theme: Theme, feed: Feed) -> None:
        super().__init__()
        self.feed, self.theme = feed, theme
        self._rates: dict[str, list[QLabel]] = {}
        self._values: dict[str, list[QLabel]] = {}
        self._last: dict[str, Event] = {}
        self._watches: list[Watch] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.setSpacing(3)
        system = session.system
        for port in ports_of(system, session.registry, name):
            row = QHBoxLayout()
            hue = theme.hue(port.type)
            row.addWidget(_mark("●", hue))
            row.addWidget(_name(port.name, port.doc), 1)
            layout.addLayout(row)
            layout.addWidget(_below(f"{port.direction} · {port.type}"))
            mine = Endpoint(name, port.name)
            wires = [wire for wire in system.wires_of(name) if mine in wire.key]
            starts = [mine] if port.direction == "out" else [wire.start for wire in wires]
            if feed.is_attached:
                self._add_live(row, layout, [topic_of(start) for start in dict.fromkeys(starts)])
            for wire in wires:
                other = wire.end if port.direction == "out" else wire.start
                layout.addWidget(self._link("→" if port.direction == "out" else "←", other))
        spec = spec_of(system, session.registry, name)
        for service in spec.services if spec is not None else ():
            self._add_service(session, layout, service, Endpoint(name, service.name))
        layout.addStretch(1)
        self._timer = QTimer(self)
        self._timer.setInterval(SHOW_EVERY_MS)
        self._timer.timeout.connect(self._show)
        if feed.is_attached:
            self._timer.start()
            self._show()

    def _add_service(self, session: Session, layout: QVBoxLayout, service: ServicePortSpec, mine: Endpoint) -> None:
        """Apart from data: a square as on the canvas, hollow where it asks."""
        provides = service.role == "provided"
        mark, word = ("■", "answers") if provides else ("□", "asks")
        hue = self.theme.hue("")
        row = QHBoxLayout()
        row.addWidget(_mark(mark, hue))
        row.addWidget(_name(service.name, service.doc), 1)
        layout.addLayout(row)
        layout.addWidget(_below(f"{word} · {service.type}"))
        for wire in session.system.services:
            if mine in wire.key:
                layout.addWidget(self._link("←" if provides else "→", wire.start if provides else wire.end))

    def _add_live(self, row: QHBoxLayout, layout: QVBoxLayout, topics: list[str]) -> None:
        for topic in topics:
            rate, value = QLabel(), BreakingLabel()
            rate.setProperty("role", "muted")
            value.setFont(code_font(11.5))
            value.setContentsMargins(18, 0, 0, 2)
            value.setAccessibleName(f"Last value of {topic}")
            row.addWidget(rate)
            layout.addWidget(value)
            self._rates.setdefault(topic, []).append(rate)
            self._values.setdefault(topic, []).append(value)
            self._watches.append(self.feed.watch(topic, self._take))

    def _link(self, arrow: str, other: Endpoint) -> QToolButton:
        link = QToolButton()
        link.setText(f"     {arrow} {other}")
        link.setToolTip(f"Go to {other}")
        link.setMinimumWidth(40)
        link.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        link.setAccessibleName(f"Go to {other.node}")
        link.setStyleSheet(f"color: {self.theme.accent}; min-height: 20px; padding: 0;")
        link.clicked.connect(lambda: self.go_to.emit(other.node))
        return link

    def stop(self) -> None:
        self._timer.stop()
        for watch in self._watches:
            watch.close()
        self._watches = []

    def _take(self, events: list[Event]) -> None:
        self._last[events[-1].topic] = events[-1]

    def _show(self) -> None:
        topics = self.feed.state.get("topics", {})
        for topic, labels in self._rates.items():
            told = topics.get(topic)
            for label in labels:
                label.setText(rate_words(told["rate_hz"]) if told else "not in this run")
        for topic, labels in self._values.items():
            event = self._last.get(topic)
            words = "\n".join(value_lines(event.message)[:2]) if event else ""
            for label in labels:
                label.setText(words)
                label.setVisible(bool(words))
                label.setToolTip(f"event {count_words(event.sequence)}" if event else "")


def _mark(letter: str, hue: str) -> QLabel:
    mark = QLabel(letter)
    mark.setStyleSheet(f"color: {hue};")
    mark.setFixedWidth(INDENT_PX - 4)
    return mark


def _name(name: str, doc: str) -> BreakingLabel:
    label = BreakingLabel(name)
    label.setStyleSheet("font-weight: 600;")
    label.setToolTip(doc)
    return label


def _below(words: str) -> BreakingLabel:
    label = BreakingLabel(words)
    label.setProperty("role", "muted")
    label.setContentsMargins(INDENT_PX, 0, 0, 0)
    return label
