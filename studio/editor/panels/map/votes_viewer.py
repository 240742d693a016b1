"""The votes of all behaviours, and what the arbiter made of them."""

from __future__ import annotations

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.live.quiet_topics import quiet_on, quiet_words
from studio.editor.live.state import quiet_s
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import Bar, Empty, Settings, TopicChoice, Viewer, column, facts, stacked
from studio.editor.views.maps.votes_view import Chosen, VotesView
from studio.messages import Velocity, Vote

WHEELBASE_M = 1.0
"""Of a vehicle that is not known: the arc is drawn by its steering angle alone."""


class VotesViewer(Viewer):
    KIND, TITLE, ICON = "votes", "Votes", "mdi6.fan"
    KEEPS_PICTURE = True
    SHOWS_LAST = True

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.view = VotesView(theme)
        self.empty = Empty(self.ICON, "No votes yet. They are messages of type Vote", theme)
        self.place, self._stack = stacked(self.empty, self.view)
        self.command = TopicChoice(frozenset({"Velocity"}), "No command")
        self.command.setToolTip("The command that the arbiter chose")
        self.command.chosen.connect(self._watch_command)
        self.facts = facts()
        column(self, Bar(self.command, self.facts), self.place)
        self._voters: set[str] = set()
        self.topics_changed()

    def save(self) -> Settings:
        return {"command": self.command.topic}

    def restore(self, settings: Settings) -> None:
        self.command.choose(str(settings.get("command", "")))
        self.topics_changed()

    def attached(self) -> None:
        self.view.forget()

    def over_at(self) -> tuple[int, float]:
        """At the right, below the count of vetoes: in the middle is the fan."""
        return self.picture_top() + 30, 1.0

    def quiet_words(self) -> str:
        """Of the choice, or of all voters at once: one of them who has fallen silent is grey."""
        state, seen, command = self.feed.state, self.seen_topics(), self.command.topic
        if quiet_words(state, [topic for topic in seen if topic != command], all_of=True):
            return quiet_words(state, seen)
        return quiet_on(command, quiet_s(state, command)) if command in seen else ""

    def topics_changed(self) -> None:
        topics = self.feed.state.get("topics", {})
        self.command.refresh(topics, first=True)
        voters = {name for name, topic in topics.items() if topic.get("type") == "Vote"}
        for topic in sorted(voters - self._voters):
            self.look_at(topic, topic, self._take_votes)
        for topic in self._voters - voters if topics else ():
            self.look_at(topic, "", self._take_votes)
        self._voters = voters or self._voters
        self.view.keep({self._name_of(topic) for topic in self._voters})

    def _watch_command(self, topic: str) -> None:
        self.look_at("command", topic, self._take_command)
        self.settled.emit()

    def _take_votes(self, events: list[Event]) -> None:
        event = events[-1]
        if isinstance(event.message, Vote):
            self.view.show_votes(self._name_of(event.topic), event.message)
            self._stack.setCurrentWidget(self.view)
            self.facts.setText(f"event {event.sequence}")
            voters = [name for name, vote in sorted(self.view.votes.items()) if len(vote)]
            hidden = voters[self.view.rows_for(len(voters)) :]
            self.view.setToolTip(f"Without a row: {', '.join(hidden)}" if hidden else "")

    def _name_of(self, topic: str) -> str:
        """The component that votes; with its port, if it votes in several ways."""
        component = topic.strip("/").partition("/")[0]
        others = (each.strip("/").partition("/")[0] for each in self._voters if each != topic)
        return topic.strip("/") if component in others else component

    def _take_command(self, events: list[Event]) -> None:
        message = events[-1].message
        if isinstance(message, Velocity):
            vehicle = self.feed.state.get("geometry") or {}
            self.view.show_chosen(Chosen.of(message, float(vehicle.get("wheelbase_m", WHEELBASE_M))))

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.view.show_theme(theme)
        self.empty.show_theme(theme)
