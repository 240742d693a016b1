"""The event that the system stands at: what led to it, who handles it, what has come of it so far, and its message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from PyQt6.QtCore import QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import (
    QHeaderView,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.editor.code.handler_place import handlers_of
from studio.editor.code.ports import WithDebug
from studio.editor.live.standing import StopReason, receiver_of, shown_event, shown_topic
from studio.editor.look.fonts import code_font, metrics, text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.editor.ports import WithTheme
from studio.editor.project.ports import WithFreeze, WithLive

ROW = 46
MOST_CAUSES = 4
FIELD, MOST_FIELDS = 25, 6


class Explains(Protocol):
    def explain(self, topic: str, number: int) -> None:
        """How an event came about, and what it led to."""


class Needs(WithDebug, WithFreeze, WithLive, WithTheme, Protocol):
    """What is taken from the window."""

    @property
    def viewers(self) -> Explains: ...


@dataclass(frozen=True)
class Step:
    """One row of the chain."""

    icon: str
    tone: str
    """A colour of the theme, or `type:Range3d`."""
    title: str
    about: str
    bold: bool = False
    event: tuple[str, int] | None = None
    """A click asks how it came about."""


class Chain(QWidget):
    """Steps below each other, joined by a line: each came about by the one above."""

    cause_wanted = pyqtSignal(str, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.steps: list[Step] = []
        self.setAccessibleName("How this event came about")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_steps(self, steps: list[Step]) -> None:
        self.steps = steps
        self.setAccessibleDescription(". ".join(f"{step.title}: {step.about}" for step in steps))
        lines = [f"{step.title}  {step.about}" for step in steps]
        self.setToolTip("\n".join([*lines, "Click an event to see it in Causality"]))
        self.setFixedHeight(ROW * len(steps) + 8)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, ROW * len(self.steps) + 8)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        place = int(event.position().y() - 4) // ROW
        step = self.steps[place] if 0 <= place < len(self.steps) else None
        if step is not None and step.event is not None and event.button() == Qt.MouseButton.LeftButton:
            self.cause_wanted.emit(*step.event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        theme, painter = self.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, step in enumerate(self.steps):
            top = 4 + place * ROW
            if place + 1 < len(self.steps):
                painter.setPen(QPen(QColor(theme.border), 2))
                painter.drawLine(20, top + 26, 20, top + ROW + 5)
            kind, _, name = step.tone.partition(":")
            colour = theme.hue(name) if kind == "type" else theme.tone(step.tone)
            icon(step.icon, colour).paint(painter, 12, top + 7, 16, 16)
            room = max(40, self.width() - 48)
            painter.setPen(QColor(theme.text))
            painter.setFont(text_font(13, 600 if step.bold else 400))
            title = metrics(13, 600).elidedText(step.title, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(QRectF(38, top + 4, room, 20), Qt.AlignmentFlag.AlignVCenter, title)
            painter.setPen(QColor(theme.muted))
            painter.setFont(text_font(11.5))
            about = metrics(11.5).elidedText(step.about, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(38, top + 23, room, 17), Qt.AlignmentFlag.AlignVCenter, about)


class ThisEvent(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.window_ = window
        self.theme = window.theme
        self.chain = Chain(window.theme)
        self.chain.cause_wanted.connect(window.viewers.explain)
        self.heading = QLabel("Message")
        self.heading.setProperty("role", "section")
        self.message = QTreeWidget()
        self.message.setAccessibleName("Message of this event")
        self.message.setColumnCount(2)
        self.message.setHeaderHidden(True)
        self.message.setRootIsDecorated(False)
        self.message.setUniformRowHeights(True)
        header = self.message.header()
        assert header is not None
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.empty = EmptyState("mdi6.call-split", "", window.theme)
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.chain)
        layout.addWidget(self.heading)
        layout.addWidget(self.message, 1)
        layout.addWidget(self.empty, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)
        self._told: dict[str, Any] = {}
        window.freeze.stands.connect(lambda _: self.refresh())
        window.debug.stopped.connect(lambda _: self.refresh())
        window.debug.continued.connect(self.refresh)
        window.live.phase_changed.connect(self.refresh)
        window.freeze.held_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        stand, session = self.window_.freeze.stand, self.window_.debug.session
        if session is not None:
            session.ask("studioEvent", self._show_handled, lambda error: self._show_stand(stand))
        else:
            self._show_stand(stand)

    def _show_stand(self, stand: StopReason | None) -> None:
        """Without a debugger: the event breakpoint at which it stands, or the event that was delivered last."""
        state = self.window_.live.feed.state
        hit = state.get("event_stop")
        last = (state.get("stepping") or {}).get("last")
        if hit and hit["topic"]:
            self._show({**hit, "cause": [[*hit["cause"], 0]] if hit.get("cause") else []})
        elif stand is not None and stand.topic and not stand.between:
            self._show({"topic": stand.topic, "sequence": stand.sequence, "component": stand.component})
        elif last and self.window_.live.control.phase == "paused":
            self._show({"topic": last[0], "sequence": last[1], "stamp_ns": last[2], "when": "last"})
        else:
            self._show({})

    def _show_handled(self, body: dict[str, Any]) -> None:
        self._show({**body, "when": "handled"})

    def _show(self, told: dict[str, Any]) -> None:
        self._told = told
        has_event = bool(told.get("topic"))
        self.empty.setVisible(not has_event)
        for widget in (self.chain, self.heading, self.message):
            widget.setVisible(has_event)
        if not has_event:
            up = self.window_.live.control.is_up
            self.empty.say(
                "No event is in flight" if up else "The event at which a system is stopped, and what led to it"
            )
            return
        self.chain.show_steps(self._steps(told))
        self.message.clear()
        fields = told.get("message") or {}
        for name, value in fields.items():
            item = QTreeWidgetItem([str(name), str(value)])
            item.setFont(1, code_font(12))
            item.setForeground(0, QColor(self.theme.muted))
            item.setToolTip(1, str(value))
            self.message.addTopLevelItem(item)
        self.message.setMinimumHeight(min(len(fields), MOST_FIELDS) * FIELD)
        self.heading.setVisible(bool(fields))
        self.message.setVisible(bool(fields))
        self.empty.setVisible(not fields)
        self.empty.say("Its message is shown when code or an event breakpoint stops at it")

    def _steps(self, told: dict[str, Any]) -> list[Step]:
        state = self.window_.live.feed.state
        types = state.get("topics", {})
        steps = []
        causes = [list(cause) for cause in told.get("cause") or []]
        for topic, sequence, stamp_ns, *_ in reversed(causes[:MOST_CAUSES]):
            stamp = f"{stamp_ns / 1e9:.3f} s" if stamp_ns else "what led to it"
            name, cause = shown_event(topic, sequence), (str(topic), int(sequence))
            steps.append(Step("fa6s.circle", _hue(types, topic), name, stamp, event=cause))
        topic = str(told["topic"])
        if not steps:
            origin = self._origin(topic)
            if origin:
                steps.append(origin)
        kind = str(types.get(topic, {}).get("type", ""))
        stamp_ns = int(told.get("stamp_ns") or 0)
        about = " · ".join(filter(None, (kind, f"{stamp_ns / 1e9:.3f} s" if stamp_ns else "")))
        name, own = shown_event(topic, told["sequence"]), (topic, int(told["sequence"]))
        steps.append(Step("fa6s.circle", _hue(types, topic), name, about, bold=True, event=own))
        steps.append(self._handling(told, topic))
        if told.get("when") == "handled":
            steps.append(self._published(told))
        return steps

    def _origin(self, topic: str) -> Step | None:
        """Where an event without a cause comes from: a source and its kind, or a tick."""
        state = self.window_.live.feed.state
        name = topic.split("/")[1] if topic.count("/") > 1 else ""
        mode = str((state.get("sources") or {}).get(name, ""))
        if mode in self.theme.origins:
            origin = self.theme.origins[mode]
            return Step(origin.icon, "muted", name, f"{origin.word.lower()} source")
        return None

    def _handling(self, told: dict[str, Any], topic: str) -> Step:
        receivers = self._receivers(topic)
        stand = self.window_.freeze.stand
        match told.get("when"):
            case "handled":
                line = f"stopped at line {stand.line}" if stand is not None and stand.line else "stopped"
                name = f"{told['component']}.{told['handler']}" if told.get("handler") else str(told["component"])
                return Step("fa6s.snowflake", "frozen", name, line, bold=True)
            case "before" | "after" | "last" | "seen" if not receivers:
                return Step("mdi6.circle-outline", "muted", "No component", "gets this event: its output has no wire")
            case "before":
                return Step("fa6s.hourglass", "frozen", _listed(receivers), "will get it when you continue", bold=True)
            case "after" | "last":
                return Step("fa6s.circle-check", "fine", _listed(receivers), "handled it", bold=True)
            case "seen":
                text = "got it while the system ran; it was stopped as soon as it was seen"
                return Step("fa6s.snowflake", "frozen", _listed(receivers), text, bold=True)
        name = str(told.get("component") or (_listed(receivers) if receivers else "The system"))
        return Step("fa6s.snowflake", "frozen", name, "is stopped", bold=True)

    def _receivers(self, topic: str) -> list[str]:
        """Of the system that runs; it may have other wires and sources than the one on the canvas."""
        if own := receiver_of(topic):
            return [own]
        components = self.window_.live.feed.state.get("components", {})
        return list(dict.fromkeys(name for name, _ in handlers_of(topic, components)))

    def _published(self, told: dict[str, Any]) -> Step:
        made = [f"{shown_topic(str(topic))} #{sequence}" for topic, sequence in told.get("published") or []]
        if made:
            return Step("mdi6.call-made", "fine", "published from it so far", ", ".join(made))
        outputs = self.window_.live.feed.state.get("components", {}).get(told.get("component"), {}).get("outputs", {})
        could = next((f"could be {shown_topic(topic)}" for topic in outputs.values()), "")
        return Step("mdi6.circle-outline", "muted", "published from it so far: nothing", could)

    def show_theme(self, theme: Theme) -> None:
        self.theme = self.chain.theme = theme
        self.empty.show_theme(theme)
        self._show(self._told)


def _hue(types: dict[str, Any], topic: str) -> str:
    return f"type:{types.get(topic, {}).get('type', '')}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
