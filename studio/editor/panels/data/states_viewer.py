"""The states of all components over time: who was active, held, in error or being restarted, and when."""

from __future__ import annotations

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QLineEdit

from studio.editor.live.feed import Changes, Feed
from studio.editor.live.state import look_of
from studio.editor.live.state_history import history_of, time_of
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import RUN, Bar, Empty, Offer, Settings, Viewer, column, facts, stacked
from studio.editor.views.timeline.state_lanes import StateLanes
from studio.errors import StudioError

EVERY_MS = 200
"""A line that moves once in so long is smooth enough, and costs nothing."""


class StatesViewer(Viewer):
    KIND, TITLE, ICON = "states", "States over time", "mdi6.timeline-clock"

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.history = history_of(feed)
        self.view = StateLanes(theme)
        self.view.moved_by_hand.connect(lambda: self.follow.setChecked(False))
        self.view.sought.connect(self._seek)
        self.view.picked.connect(lambda _: self._tell())
        self.empty = Empty(self.ICON, "No component yet. Run the system, and its states are drawn here", theme)
        self.place, self._stack = stacked(self.empty, self.view)
        self.follow = self.tool("mdi6.arrow-collapse-right", "Follow: now is at the right", self._follow, on=True)
        self.fit = self.tool("mdi6.fit-to-page-outline", "Show everything: F", lambda _: self.view.show_all())
        self.trouble = self.tool(
            "fa6s.circle-exclamation", "Only components with problems", self._only_trouble, on=False
        )
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a component")
        self.search.setAccessibleName("Find a component")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(180)
        self.search.textChanged.connect(lambda _: self._refresh())
        self.facts = facts()
        column(self, Bar(self.follow, self.fit, self.trouble, self.search, self.facts), self.place)
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self.setFocusProxy(self.view)
        self._refresh()

    # ---- what is kept

    def save(self) -> Settings:
        first, last = self.view.span_ns
        return {"seconds": round((last - first) / 1e9, 3), "trouble": self.trouble.isChecked()}

    def restore(self, settings: Settings) -> None:
        seconds = settings.get("seconds")
        if isinstance(seconds, int | float) and 0.05 <= seconds <= 86_400:
            last = self.view.span_ns[1]
            self.view.span_ns = (last - int(seconds * 1e9), last)
        self.trouble.setChecked(settings.get("trouble") is True)
        self._refresh()

    def begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    # ---- the feed

    def offer(self) -> Offer | None:
        return None if self.feed.is_attached else RUN

    def attached(self) -> None:
        self.follow.setChecked(True)
        self.view.follow(True)
        self._refresh()

    def changed(self, changes: Changes) -> None:
        if changes.components or changes.shape:
            self._refresh()

    def ended(self) -> None:
        self._refresh()

    def _tick(self) -> None:
        """Time goes on also when nothing changes; a clock that stands needs no new picture."""
        now_ns = time_of(self.feed.state)
        if now_ns is not None and now_ns != self.view.now_ns and self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        now_ns = time_of(self.feed.state) if self.feed.is_attached else self.history.now_ns
        names = [name for name in sorted(self.history.lanes) if self._is_wanted(name)]
        self.view.can_seek = bool(self.feed.state.get("player"))
        self.view.show_lanes(self.history.lanes, names, now_ns)
        self._stack.setCurrentWidget(self.view if self.history.lanes else self.empty)
        self._tell()

    def _is_wanted(self, name: str) -> bool:
        lane = self.history.lanes[name]
        if self.trouble.isChecked():
            is_well = all(look_of(span.state).tone != "error" for span in lane.spans) and not lane.marks
            if is_well:
                return False
        return all(word in name.lower() for word in self.search.text().lower().split())

    def _tell(self) -> None:
        lanes = self.history.lanes
        if self.view.chosen in lanes:
            lane = lanes[self.view.chosen]
            restarts = sum(mark.sort == "restart" for mark in lane.marks)
            last = look_of(lane.spans[-1].state).word if lane.spans else "nothing known"
            again = f" · {restarts} restart{'s' if restarts != 1 else ''}" if restarts else ""
            self.facts.setText(f"{self.view.chosen}: {last}{again}")
            return
        unwell = sum(bool(lane.spans) and look_of(lane.spans[-1].state).tone == "error" for lane in lanes.values())
        seek = " · click to go there in the log" if self.view.can_seek else ""
        self.facts.setText(f"{len(lanes)} components · {unwell or 'none'} in trouble{seek}" if lanes else "")

    # ---- choices

    def _follow(self, on: bool) -> None:
        self.view.follow(on)

    def _only_trouble(self, on: bool) -> None:
        self._refresh()
        self.settled.emit()

    def _seek(self, time_ns: int) -> None:
        self.feed.ask("player", None, self._refused, timeout_s=None, action="seek", time_ns=time_ns)

    def _refused(self, error: StudioError) -> None:
        self.facts.setText(str(error))

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.view.show_theme(theme)
        self.empty.show_theme(theme)
