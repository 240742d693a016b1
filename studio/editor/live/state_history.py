"""Remembers the states of a running system's components, so that a time line that is opened late begins early."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PyQt6.QtCore import QObject

from studio.editor.live.feed import Changes, Feed
from studio.editor.live.state import error_place, shown_look
from studio.editor.live.state_spans import Lane, Mark
from studio.runtime.base.clock import Clock, ClockKind, monotonic_ns
from studio.runtime.base.deltas import Snapshot

TIMES = ("restarts", "errors")
"""Figures that tell by growing that something has happened."""


class StateHistory(QObject):
    def __init__(self, feed: Feed) -> None:
        """Lives as long as the feed; see `history_of`."""
        super().__init__(feed)
        self.lanes: dict[str, Lane] = {}
        self.now_ns: int | None = None
        self._run = ""
        self._told: dict[str, dict[str, int]] = {}
        feed.attached.connect(lambda: self._begin(feed))
        feed.changed.connect(lambda changes: self._take(feed, changes))
        feed.ended.connect(lambda _: self._rest())
        if feed.is_attached:
            self._begin(feed)

    def _begin(self, feed: Feed) -> None:
        if feed.run != self._run:
            self.lanes.clear()
            self._told.clear()
            self._run = feed.run
        self._take(feed, Changes())

    def _rest(self) -> None:
        for lane in self.lanes.values():
            lane.rest()

    def _take(self, feed: Feed, changes: Changes) -> None:
        self.now_ns = time_of(feed.state)
        if self.now_ns is None:
            return
        components: Mapping[str, Mapping[str, Any]] = feed.state.get("components", {})
        for name, told in components.items():
            lane = self.lanes.setdefault(name, Lane())
            note = error_place(str(told.get("error", ""))) or str(told.get("error", "")).strip().rpartition("\n")[2]
            lane.see(self.now_ns, _state(told, feed.state), note)
            self._note_times(name, told, note, self.now_ns)
        for name in self.lanes.keys() - components.keys():
            self.lanes[name].rest()

    def _note_times(self, name: str, told: Mapping[str, Any], note: str, now_ns: int) -> None:
        now = {each: int(told.get(each) or 0) for each in TIMES}
        before = self._told.get(name, now)
        self._told[name] = now
        if now["restarts"] > before["restarts"]:
            self.lanes[name].happen(Mark(now_ns, "restart", f"restart {now['restarts']}"))
        elif now["errors"] > before["errors"]:
            self.lanes[name].happen(Mark(now_ns, "error", note or f"error {now['errors']}"))


def history_of(feed: Feed) -> StateHistory:
    """The one of this feed; it begins to remember with the first call."""
    found: StateHistory | None = feed.findChild(StateHistory)
    return found if found is not None else StateHistory(feed)


def time_of(state: Snapshot) -> int | None:
    """System time as it was last told: that of the player while a log is played, else that of the clock."""
    told = state.get("clock")
    if not told:
        return None
    player = state.get("player") or {}
    if told["kind"] == "log" and "time_ns" in player:
        return int(player["time_ns"])
    clock = Clock(ClockKind[told["kind"].upper()], told["base_ns"], told["at_ns"], told["rate"])
    return clock.at_moment(monotonic_ns())


def _state(told: Mapping[str, Any], state: Snapshot) -> str:
    """As on the canvas: who is held at the gate is not called active."""
    return "held" if shown_look(told, state).word == "Held" else str(told["state"])
