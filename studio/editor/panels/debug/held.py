"""What waits at the gate: the next events in the order of their delivery, while the system stands."""

from __future__ import annotations

from typing import Any, Protocol

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QColor, QResizeEvent
from PyQt6.QtWidgets import (
    QHeaderView,
    QLabel,
    QMenu,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.editor.live.standing import shown_topic
from studio.editor.look.fonts import code_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.editor.ports import WithSidePanels, WithTheme
from studio.editor.project.ports import WithFreeze, WithLive

TOPIC, NUMBER, IN_MS = range(3)
NOW, NEXT = "now", "next"
ROOM_FOR_WORDS = 230
WORDS = "Delivered in this order when you continue. No event is lost; watchdogs and time-outs are suspended."
MEANWHILE = "One event is being handled: its results come before the others. No event is lost meanwhile."


class EventBreaks(Protocol):
    def ask_new(self, topic: str) -> object: ...


class Needs(WithFreeze, WithLive, WithSidePanels, WithTheme, Protocol):
    """What is taken from the window."""

    @property
    def event_breaks(self) -> EventBreaks: ...


class HeldEvents(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.window_ = window
        self.theme = window.theme
        self.table = QTreeWidget()
        self.table.setAccessibleName("Held at the gate")
        self.table.setColumnCount(3)
        self.table.setHeaderLabels(["Next events", "#", "in ms"])
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setIconSize(QSize(10, 10))
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # laser_left and laser_right differ at their ends
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._menu)
        header = self.table.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TOPIC, QHeaderView.ResizeMode.Stretch)
        for column in (NUMBER, IN_MS):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.words = QLabel(WORDS)
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        self.words.setContentsMargins(10, 6, 10, 8)
        listed = QWidget()
        layout = QVBoxLayout(listed)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.words)
        self.empty = EmptyState("fa6s.hourglass", "", window.theme)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(listed)
        self._listed = listed
        window.freeze.held_changed.connect(self.refresh)
        window.live.phase_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        held, busy = self.window_.freeze.held, self.window_.freeze.busy
        is_paused = self.window_.live.control.phase == "paused"
        count = self.window_.freeze.held_count if is_paused else 0
        self.window_.side_panels.set_title("held", f"{count} held at the gate" if count else "Held at the gate")
        if not is_paused or not held:
            self.empty.say(self._why_empty(is_paused, busy))
            self._pages.setCurrentWidget(self.empty)
            return
        self.words.setText(f"{counted(count, len(held))}. {MEANWHILE if busy else WORDS}")
        self.table.clear()
        first_ns = int(held[0]["stamp_ns"])
        for place, event in enumerate([*self._handled(busy), *held]):
            after_ms = (int(event.get("stamp_ns", first_ns)) - first_ns) / 1e6
            self.table.addTopLevelItem(self._item(event, f"+{after_ms:.1f}" if place else self._first(event)))
        self._pages.setCurrentWidget(self._listed)

    def _handled(self, busy: bool) -> list[dict[str, Any]]:
        """The event in which code stands: it has left the gate, and the others wait for it."""
        stand = self.window_.freeze.stand
        if not busy or stand is None or not stand.topic or not stand.host:
            return []
        return [{"topic": stand.topic, "sequence": stand.sequence}]

    def _why_empty(self, is_paused: bool, busy: bool) -> str:
        if not self.window_.live.control.is_up:
            return "Pending events of a paused system"
        if not is_paused:
            return "Nothing waits: the system runs. Pause it, or stop it at a breakpoint"
        if self.window_.freeze.held is None:
            return "Loading pending events"
        if busy:
            return "No pending events yet: one event is being handled, and its results come next"
        return "Nothing waits at the gate"

    def _item(self, event: dict[str, Any], when: str) -> QTreeWidgetItem:
        topic = str(event["topic"])
        types = self.window_.live.feed.state.get("topics", {})
        item = QTreeWidgetItem([shown_topic(topic), f"{event['sequence']}", when])
        item.setData(TOPIC, Qt.ItemDataRole.UserRole, topic)
        item.setToolTip(TOPIC, topic)
        item.setIcon(TOPIC, icon("fa6s.circle", self.theme.hue(str(types.get(topic, {}).get("type", "")))))
        for column in (NUMBER, IN_MS):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setFont(column, code_font(12))
        if when in (NOW, NEXT):
            item.setForeground(IN_MS, QColor(self.theme.frozen))
        return item

    def _first(self, event: dict[str, Any]) -> str:
        """The one that is just being handled is there `now`."""
        stand = self.window_.freeze.stand
        if stand is None or not stand.host:
            return NEXT
        return NOW if (stand.topic, stand.sequence) == (event["topic"], event["sequence"]) else NEXT

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """In little room the rows matter more than the words below them."""
        super().resizeEvent(event)
        self.words.setVisible(self.height() >= ROOM_FOR_WORDS)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.empty.show_theme(theme)
        self.refresh()

    def _menu(self, at: Any) -> None:
        item, viewport = self.table.itemAt(at), self.table.viewport()
        topic = str(item.data(TOPIC, Qt.ItemDataRole.UserRole)) if item is not None else ""
        if viewport is None or not topic or topic.startswith("/_studio"):
            return
        menu = QMenu(self)
        entry = menu.addAction(f"Break on events of {topic}…")
        assert entry is not None
        entry.triggered.connect(lambda: self.window_.event_breaks.ask_new(topic))
        menu.popup(viewport.mapToGlobal(at))


def counted(held: int, rows: int) -> str:
    """How many of the rows are held; the others have not come yet."""
    if held > rows:
        return f"{held} held at the gate, the first {rows} are listed"
    if held == rows:
        return f"{held} held at the gate"
    others = "The other rows are" if held else "All rows are"
    return f"{held} held at the gate. {others} ticks, and inputs of a log, that come next"
