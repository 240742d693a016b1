"""Votes, scans and commands that a map viewer looks at, only while they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.editor.live.batch import Event
from studio.editor.views.maps.map_view import MapView
from studio.editor.views.maps.votes_view import Chosen
from studio.messages import Range3d, Velocity, Vote

if TYPE_CHECKING:
    from studio.editor.panels.parts.viewer import Viewer


class ThingsWatch:
    def __init__(self, viewer: Viewer, view: MapView) -> None:
        self.viewer, self.view = viewer, view
        self._seen: set[str] = set()

    def look(self, planned: str) -> None:
        """At what is to be drawn now; `planned`: the topic of the path, which is no scan."""
        topics, things = self.viewer.feed.state.get("topics", {}), self.view.things
        seen = {name for name in self.of_type("Vote") if things.votes}
        seen |= {name for name in self.of_type("Range3d") if things.scans and name != planned}
        commands = self.of_type("Velocity") if things.votes else []
        seen |= set(sorted(commands, key=lambda name: -float(topics[name].get("count") or 0))[:1])
        for topic in self._seen - seen:
            self.viewer.look_at(topic, "", self._take)
        for topic in seen - self._seen:
            self.viewer.look_at(topic, topic, self._take)
        self._seen = seen

    def of_type(self, name: str) -> list[str]:
        topics = self.viewer.feed.state.get("topics", {})
        return sorted(topic for topic, told in topics.items() if told.get("type") == name)

    def _take(self, events: list[Event]) -> None:
        topic, message = events[-1].topic, events[-1].message
        match message:
            case Vote():
                self.view.votes[topic] = message
            case Range3d():
                self.view.scans[topic] = message
            case Velocity():
                wheelbase_m = float((self.viewer.feed.state.get("geometry") or {}).get("wheelbase_m", 1.0))
                self.view.chosen = Chosen.of(message, wheelbase_m)
        self.view.update()
