"""A laser scan as it comes."""

from __future__ import annotations

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.live.state import count_words
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import Bar, Empty, Settings, TopicChoice, Viewer, column, facts, stacked
from studio.editor.panels.parts.waiting_words import waiting_words
from studio.editor.views.maps.scan_view import ScanView
from studio.messages import Range3d

NO_POINTS, NO_ECHO = "The scan has no points", "No beam of the scan has an echo"
NOTHING = "No scan yet. Choose a topic of type Range3d"


class ScanViewer(Viewer):
    KIND, TITLE, ICON = "scan", "Laser scan", "mdi6.radar"
    KEEPS_PICTURE = True
    SHOWS_LAST = True

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.view = ScanView(theme)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.view)
        self.topic = TopicChoice(frozenset({"Range3d"}), "Choose a scan")
        self.topic.chosen.connect(self._watch)
        self.fit = self.tool("mdi6.fit-to-page-outline", "Show the whole scan: F", lambda _: self.view.fit_by_hand())
        self.facts = facts()
        column(self, Bar(self.topic, self.fit, self.facts), self.place)
        self.setFocusProxy(self.view)
        self.topics_changed()

    def save(self) -> Settings:
        return {"topic": self.topic.topic}

    def restore(self, settings: Settings) -> None:
        self.topic.choose(str(settings.get("topic", "")))
        self.topics_changed()

    def attached(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.view.forget()
        self.facts.clear()
        self.empty.say(waiting_words("scan", self.topic.topic, self.feed.state) if self.topic.topic else NOTHING)
        self._stack.setCurrentWidget(self.empty)

    def topics_changed(self) -> None:
        self.topic.refresh(self.feed.state.get("topics", {}), first=True)

    def _watch(self, topic: str) -> None:
        self._forget()
        self.look_at("scan", topic, self._take)
        self.retitle(topic or self.TITLE)
        self.settled.emit()

    def _take(self, events: list[Event]) -> None:
        scan = events[-1].message
        if not isinstance(scan, Range3d):
            self.empty.say(f"{events[-1].topic} carries {type(scan).__name__} now, not Range3d")
            self._stack.setCurrentWidget(self.empty)
            return
        self._stack.setCurrentWidget(self.view)
        self.view.show_scan(scan)
        self.view.notes = () if len(self.view.points) else (NO_ECHO if self.view.left_out else NO_POINTS,)
        without = f" · {self.view.left_out} without an echo" if self.view.left_out else ""
        self.facts.setText(f"{count_words(len(scan))} points{without} · {scan.frame or 'no frame'}")

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.view.show_theme(theme)
        self.empty.show_theme(theme)
