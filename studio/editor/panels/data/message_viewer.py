"""The raw message: any topic's last one as a tree, field by field."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QLineEdit

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.last_message import ask_last, who_knows
from studio.editor.live.state import count_words
from studio.editor.live.trace_keeper import keeper_of
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import Bar, Empty, Settings, TopicChoice, Viewer, column, facts, mark, stacked
from studio.editor.views.data.message_tree import MessageTree
from studio.editor.views.timeline.state_lanes import moment_words
from studio.messages import Message
from studio.messages.named_content import NamedContent

EVERY_MS = 250
"""Figures that change faster cannot be read."""
NOTHING = "No message yet. Choose a topic"


class AnyTopic(TopicChoice):
    def __init__(self) -> None:
        super().__init__(frozenset(), "Choose a topic")

    def fits(self, topic: str, type_name: str) -> bool:
        return True


class MessageViewer(Viewer):
    KIND, TITLE, ICON = "message", "Message", "mdi6.code-json"
    KEEPS_PICTURE = True
    SHOWS_LAST = True
    plot_wanted = pyqtSignal(object)
    """A Field that the user wants to see as a curve."""
    cause_wanted = pyqtSignal(str, int)
    """Topic and sequence of an event whose causes the user wants to see."""

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.tree = MessageTree(theme)
        self.tree.plot_wanted.connect(self.plot_wanted)
        self.tree.itemExpanded.connect(lambda _: self.settled.emit())
        self.tree.itemCollapsed.connect(lambda _: self.settled.emit())
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.tree)
        self.topic = AnyTopic()
        self.topic.chosen.connect(self._watch)
        self.hold = self.tool("fa6s.pause", "Hold: this message stays while others come (Space)", self._hold, on=False)
        self.why = self.tool("mdi6.call-split", "Why: how this very event came about", lambda _: self._explain())
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a field")
        self.search.setAccessibleName("Find a field")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(160)
        self.search.textChanged.connect(self._find)
        self.facts = facts()
        column(self, Bar(self.topic, self.hold, self.why, self.search, self.facts), self.place)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._show)
        self._next: Event | None = None
        self.shown: Event | None = None
        hold_key = QShortcut(QKeySequence("Space"), self.tree)
        hold_key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        hold_key.activated.connect(self.hold.click)
        self.setFocusProxy(self.tree)
        self.keeper = keeper_of(feed)  # so that one can ask why of what is shown
        self.keeper.begin()
        self.topics_changed()

    # ---- what is kept

    def save(self) -> Settings:
        return {"topic": self.topic.topic, "open": self.tree.opened}

    def restore(self, settings: Settings) -> None:
        paths = settings.get("open")
        self.topic.choose(str(settings.get("topic", "")))
        self.tree.open_paths([str(path) for path in paths] if isinstance(paths, list) else [])
        self.topics_changed()

    # ---- the feed

    def attached(self) -> None:
        self.hold.setChecked(False)
        self._next = None

    def topics_changed(self) -> None:
        self.topic.refresh(self.feed.state.get("topics", {}))

    def changed(self, changes: Changes) -> None:
        told = self.feed.state.get("topics", {}).get(self.topic.topic)
        watch = self._watches.get("message")
        if self.shown is None and told and watch is not None and watch.came:
            self.empty.say(f"Events come, but nothing here can read their type {told.get('type')}")
        elif self.shown is None and self.empty.button.text() != self._asking_words():
            self._show_offer()

    def _show_offer(self) -> None:
        """Where events have come before it was opened, and none since, the last one can be had."""
        words = self._asking_words()
        if words and self.shown is None:
            self.empty.offer((words, ""), lambda _: self._ask_last())
        else:
            super()._show_offer()

    def _asking_words(self) -> str:
        known = who_knows(self.feed, self.topic.topic)
        return f"Ask {known[0]} for its last one" if known is not None else ""

    def _ask_last(self) -> None:
        topic = self.topic.topic

        def show(events: list[Event]) -> None:
            if topic == self.topic.topic and self.shown is None and self.watched("message"):
                self._take(events)

        ask_last(self.feed, topic, show, lambda error: self.empty.say(str(error)))

    def _watch(self, topic: str) -> None:
        self._next = self.shown = None
        self._timer.stop()
        self.tree.forget()
        self.facts.clear()
        self.hold.setChecked(False)
        self.empty.say(f"Waiting for an event on {topic}" if topic else NOTHING)
        self._stack.setCurrentWidget(self.empty)
        self._show_offer()
        self.look_at("message", topic, self._take)
        self.retitle(topic or self.TITLE)
        self.settled.emit()

    def _take(self, events: list[Event]) -> None:
        if self.hold.isChecked():
            return
        self._next = events[-1]
        if self.shown is None:
            self._show()
        elif not self._timer.isActive():
            self._timer.start()

    def _show(self) -> None:
        if self._next is None:
            return
        event, self._next = self._next, None
        self.shown = event
        self._stack.setCurrentWidget(self.tree)
        self.tree.show_message(event.topic, event.message)
        if self.search.text():
            self._find(self.search.text())
        self._tell()

    def _tell(self) -> None:
        if self.shown is not None:
            held = " · held" if self.hold.isChecked() else ""
            message, number = self.shown.message, count_words(self.shown.sequence)
            kind = _kind_words(message)
            # Of a message that was asked for, and has no stamp of its own, nobody knows when it was sent.
            when = f" · {moment_words(self.shown.stamp_ns)}" if self.shown.stamp_ns else ""
            self.facts.setText(f"{kind} · event {number}{when}{held}")
            self.facts.setToolTip(self.facts.text())

    # ---- hands

    def choose(self, topic: str) -> None:
        self.topic.choose(topic)
        self.topics_changed()

    def begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _find(self, words: str) -> None:
        mark(self.search, "wrong", not self.tree.filter(words) and self.shown is not None)

    def _hold(self, on: bool) -> None:
        self._next = None
        self._timer.stop()
        self._tell()

    def _explain(self) -> None:
        if self.shown is not None:
            self.cause_wanted.emit(self.shown.topic, self.shown.sequence)

    def close_viewer(self) -> None:
        self._timer.stop()
        self.keeper.end()
        super().close_viewer()

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.tree.show_theme(theme)
        self.empty.show_theme(theme)


def _kind_words(message: Message | dict[str, Any]) -> str:
    if isinstance(message, NamedContent):
        return message.kind
    return "JSON" if isinstance(message, dict) else type(message).__name__
