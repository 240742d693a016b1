"""Causality: how an event came about and what it led to, with the time in each component and between them."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import numpy as np
from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QSplitter, QWidget

from studio.editor.live.feed import Changes, Feed
from studio.editor.live.standing import stand_of
from studio.editor.live.trace_keeper import keeper_of
from studio.editor.look.theme import Theme
from studio.editor.panels.data.message_viewer import AnyTopic
from studio.editor.panels.parts.viewer import RUN, Bar, Empty, Offer, Settings, Viewer, column, facts, mark, stacked
from studio.editor.views.shared.field_drag import fields_in
from studio.editor.views.timeline.causality_lanes import CausalityLanes, span_words
from studio.editor.views.timeline.latency_histogram import LatencyHistogram
from studio.errors import StudioError
from studio.messages.handled_trace import Identity
from studio.recordings import where_logs_are
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.causality.ends import is_command_type, is_sensor_type
from studio.runtime.causality.paths import Latencies, LatencyBook, path_words, paths_to
from studio.runtime.causality.story import Story, began, story_of
from studio.runtime.causality.trace import MACHINERY, Trace
from studio.runtime.causality.traced_log import TracedLog, read_traced

EVERY_MS = 500
WORTH_SAYING_NS = 50_000_000
"""Of a time in which the system stood; shorter ones are not seen exactly."""
SETTLED_NS = 400_000_000
"""After so long all hosts have told what they did; before, effects of an event are missing."""
LOW_PX = 420
LOOKED_THROUGH = 50
"""Events, for one that came on the chosen path."""
CRITICAL = "The critical path"
NOTHING = "No event yet. Run the system, or open a log, and choose a topic"
TRACE_NEXT = "Continue (F5) or step one event (F6) to trace the next"


class CausalityViewer(Viewer):
    KIND, TITLE, ICON = "causality", "Causality", "mdi6.call-split"
    _read = pyqtSignal(object, str)

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.keeper = keeper_of(feed)
        self.keeper.begin()
        self.log: TracedLog | None = None
        self.story: Story | None = None
        self.number: int | None = None
        """None: the newest."""
        self._book: LatencyBook | None = None
        self._path: tuple[str, ...] = ()
        self._build(theme)
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self._read.connect(self._show_log)
        self.here.setEnabled(self._standing() is not None)
        self.setAcceptDrops(True)
        self.setFocusProxy(self.lanes)
        self.topics_changed()
        self._look_here()

    def _build(self, theme: Theme) -> None:
        self.lanes = CausalityLanes(theme)
        self.lanes.chosen.connect(self.explain)
        self.histogram = LatencyHistogram(theme)
        self.topic = AnyTopic()
        self.topic.setToolTip("The topic of the event")
        self.topic.chosen.connect(lambda _: self._choose_number(None))
        self.field = QLineEdit()
        self.field.setPlaceholderText("newest")
        self.field.setFixedWidth(84)
        self.field.setAccessibleName("Number of the event")
        self.field.setToolTip("The event's number; empty: always the newest")
        self.field.editingFinished.connect(self._typed)
        self.back = self.tool("mdi6.chevron-left", "The event before (P)", lambda _: self.step(-1))
        self.on = self.tool("mdi6.chevron-right", "The next event (N)", lambda _: self.step(1))
        self.here = self.tool(
            "mdi6.map-marker-outline",
            "Here: the event at which the system is stopped, or the last delivered one",
            lambda _: self._look_here(),
        )
        self.follow = self.tool("mdi6.arrow-collapse-right", "Follow: always the newest event", self._follow, on=True)
        self.fit = self.tool("mdi6.fit-to-page-outline", "Show the whole path: F", lambda _: self.lanes.fit())
        self.open = self.tool(
            "fa6s.database", "Look into a log instead of the running system", self._toggle_log, on=False
        )
        self.facts = facts()
        self.paths = QComboBox()
        self.paths.setAccessibleName("Path")
        self.paths.setToolTip("The path that is marked and measured: from a sensor to a command")
        self.paths.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.paths.setMinimumContentsLength(30)
        self.paths.addItem(CRITICAL, ())
        self.paths.activated.connect(lambda _: self._choose_path(tuple(self.paths.currentData() or ())))
        self.path_facts = facts()
        below = QWidget()
        column(below, Bar(self.paths, self.path_facts), self.histogram)
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self.lanes)
        both.addWidget(below)
        both.setStretchFactor(0, 2)
        both.setStretchFactor(1, 1)
        both.setChildrenCollapsible(False)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, both)
        self.both = both
        bar = Bar(self.topic, self.field, self.back, self.on, self.here, self.follow, self.fit, self.open, self.facts)
        column(self, bar, self.place)

    # ---- what is kept

    def save(self) -> Settings:
        log = str(self.log.path) if self.log is not None else ""
        return {"topic": self.topic.topic, "path": list(self._path), "log": log}

    def restore(self, settings: Settings) -> None:
        path = settings.get("path")
        self._path = tuple(str(topic) for topic in path) if isinstance(path, list) else ()
        topic = str(settings.get("topic", ""))
        if topic:
            self.topic.choose(topic)
            self._choose_number(None)
        log = str(settings.get("log", ""))
        if log:
            self.open_log(Path(log))
        self.topics_changed()

    # ---- where it comes from

    @property
    def trace(self) -> Trace:
        return self.log.trace if self.log is not None else self.keeper.trace

    def offer(self) -> Offer | None:
        return None if self.feed.is_attached else RUN

    def attached(self) -> None:
        if self.log is None:
            self._choose_number(None)

    def changed(self, changes: Changes) -> None:
        if changes.system or changes.place:
            self.here.setEnabled(self._standing() is not None)

    def _standing(self) -> Identity | None:
        """The event of a breakpoint; else the last, while the system is stepped or a log is played event by event.

        None for a tick or a command, which nothing has led to.
        """
        stand = stand_of(self.feed.state)
        if stand is not None and stand.topic and not stand.topic.startswith(MACHINERY):
            return stand.topic, stand.sequence
        last = (self.feed.state.get("stepping") or {}).get("last")
        if not isinstance(last, list | tuple) or len(last) < 2 or str(last[0]).startswith(MACHINERY):
            return None
        return str(last[0]), int(last[1])

    def _look_here(self) -> None:
        event = self._standing()
        if event is not None:
            self.explain(*event)

    def topics_changed(self) -> None:
        topics = self._topics()
        if not self.topic.topic:
            commands = sorted(name for name in topics if self._is_command(name))
            if commands:
                self.topic.choose(commands[0])
        self.topic.refresh(topics)

    def _topics(self) -> dict[str, dict[str, str]]:
        if self.log is not None:
            return {name: {"type": kind} for name, kind in self.log.types.items()}
        found: dict[str, dict[str, str]] = self.feed.state.get("topics", {})
        return found

    def _is_sensor(self, topic: str) -> bool:
        return is_sensor_type(str(self._topics().get(topic, {}).get("type")))

    def _is_command(self, topic: str) -> bool:
        return is_command_type(str(self._topics().get(topic, {}).get("type")))

    # ---- a log

    def _toggle_log(self, on: bool) -> None:
        if not on:
            self._close_log()
            return
        self.open.setChecked(False)
        start = str(where_logs_are(self.feed.folder))
        name, _ = QFileDialog.getOpenFileName(self, "Open a log", start, "Logs (*.mcap)")
        if name:
            self.open_log(Path(name))

    def open_log(self, path: Path) -> None:
        self.empty.say(f"Reading {path.name} …")
        self._stack.setCurrentWidget(self.empty)
        Thread(target=self._read_log, args=(path,), name="read trace", daemon=True).start()

    def _read_log(self, path: Path) -> None:
        try:
            self._read.emit(read_traced(path), "")
        except StudioError as error:
            self._read.emit(None, str(error))

    def _show_log(self, log: TracedLog | None, trouble: str) -> None:
        if log is None:
            self.empty.say(trouble)
            self.facts.setText(trouble)
            return
        self.log = log
        self.open.setChecked(True)
        self.topics_changed()
        if not len(log.trace):
            self._say(f"{log.path.name} has no trace of handled events: it was not recorded by Studio")
            return
        self._settle()

    def _close_log(self) -> None:
        self.log = None
        self.topics_changed()
        self._choose_number(None)

    # ---- showing

    def _tick(self) -> None:
        if self.log is None and self.isVisible() and self.feed.is_attached:
            if self.number is None or self.story is None:
                self._tell()
            else:
                self._measure(self.story)

    def _tell(self) -> None:
        topic = self.topic.topic
        number = self.number if self.number is not None else self._newest(topic)
        if not topic or number is None:
            self._say(f"No trace of {topic} yet. {TRACE_NEXT}" if topic else NOTHING)
            return
        story = story_of(self.trace, (topic, number), self._is_sensor, self._is_command, self._path)
        if story is None:
            more = "" if self.log is not None else f". {TRACE_NEXT}"
            self._say(f"No trace of {topic} #{number}: {self._known(topic)}{more}")
            return
        self.story = story
        self._stack.setCurrentWidget(self.both)
        self.lanes.show_story(story)
        self._measure(story)
        self.retitle(f"{topic} #{number}" if self.number is not None else topic)
        more = f" · {story.left_out} effects left out" if story.left_out else ""
        effects = len({hop.published for hop in story.hops})
        stood_ns = self._stood_ns(story)
        stood = f", the system stood for {span_words(stood_ns)} of it" if stood_ns >= WORTH_SAYING_NS else ""
        self.facts.setText(
            f"#{number} · {span_words(story.latency_ns)} from {path_words(story.topics[:1])}{stood} · "
            f"{len(self.lanes.lanes)} components, {effects} events{more}"
            if story.critical
            else f"#{number} · nothing led to it but a timer or a sensor{more}"
        )

    def _stood_ns(self, story: Story) -> int:
        """A pause is no latency of any component."""
        if self.log is not None or not story.critical:
            return 0
        start_ns = began(story.critical[0])
        return self.keeper.stood_ns(start_ns, start_ns + story.latency_ns)

    def _newest(self, topic: str) -> int | None:
        """The last of which all effects should be known, and that came on the chosen path if any has."""
        until = None if self.log is not None else monotonic_ns() - SETTLED_NS
        settled: list[int] = []
        for number in range(self.trace.newest.get(topic, 0), 0, -1):
            made = self.trace.made((topic, number))
            if made is None or len(settled) >= LOOKED_THROUGH:
                break
            if until is None or made.end_ns < until:
                settled.append(number)
                if self._path[-1:] != (topic,) or self._came_on_path((topic, number)):
                    return number
        return settled[0] if settled else None

    def _came_on_path(self, event: Identity) -> bool:
        return any(path.topics == self._path for path in paths_to(self.trace, event))

    def _known(self, topic: str) -> str:
        numbers = self.trace.events_of(topic)
        where = "the log" if self.log is not None else "the trace"
        return f"{where} has {numbers[0][1]} to {numbers[-1][1]}" if numbers else f"{where} has none of this topic"

    def _say(self, sentence: str) -> None:
        self.story = None
        self.empty.say(sentence)
        self.facts.clear()
        self._stack.setCurrentWidget(self.empty)

    def _measure(self, story: Story) -> None:
        """Of all paths to where the critical one ends."""
        end = story.topics[-1] if story.critical else story.event[0]
        if self._book is None or self._book.end_topic != end or self._book.trace is not self.trace:
            self._book = LatencyBook(self.trace, end)
        self._book.update(None if self.log is not None else monotonic_ns() - SETTLED_NS)
        found = self._book.all()
        self._offer(found)
        shown = next((each for each in found if each.topics == story.topics), None)
        times = np.array(shown.times_ns if shown is not None else (), float) / 1e6
        self.histogram.show_times(times, story.latency_ns / 1e6 if story.critical else None)
        words = path_words(story.topics) if story.critical else "no path"
        count = f" · {len(times)} times" if len(times) else ""
        self.path_facts.setText(f"{words}{count}")
        self.path_facts.setToolTip(" → ".join(f"{topic}" for topic in story.topics))

    def _offer(self, found: list[Latencies]) -> None:
        wanted = [(CRITICAL, ())] + [(f"{each.words}  ({each.quantile_ms(0.5):.1f} ms)", each.topics) for each in found]
        if self._path and self._path not in [topics for _, topics in wanted]:
            wanted.append((path_words(self._path), self._path))
        view = self.paths.view()
        if view is not None and view.isVisible():
            return  # the user is just choosing
        if [self.paths.itemData(i) for i in range(self.paths.count())] != [topics for _, topics in wanted]:
            self.paths.clear()
            for words, topics in wanted:
                self.paths.addItem(words, topics)
            if view is not None:
                view.setMinimumWidth(min(view.sizeHintForColumn(0) + 30, 900))
        for place, (words, _) in enumerate(wanted):
            self.paths.setItemText(place, words)
        self.paths.setCurrentIndex([topics for _, topics in wanted].index(self._path))

    # ---- choices

    def explain(self, topic: str, number: int) -> None:
        """The story of one event; 0: of the newest."""
        self.topic.choose(topic)
        self.topics_changed()
        self._choose_number(number or None)

    def step(self, by: int) -> None:
        """To the event of the same topic before or after of which something is known; at the ends it stays."""
        here = self.story.event[1] if self.story is not None else self.number
        topic, newest = self.topic.topic, self.trace.newest.get(self.topic.topic, 0)
        if here is None:
            return
        on = range(here + 1, newest + 1) if by > 0 else range(min(here, newest + 1) - 1, 0, -1)
        known = (number for number in on[:LOOKED_THROUGH] if self.trace.published_ns((topic, number)) is not None)
        found = next(known, newest if self.story is None and newest else None)
        if found is not None:
            self._choose_number(found)

    def _choose_number(self, number: int | None) -> None:
        self.number = number
        mark(self.field, "wrong", False)
        self.field.setText("" if number is None else str(number))
        self.follow.setChecked(number is None)
        self._settle()

    def _typed(self) -> None:
        text = self.field.text().strip().lstrip("#")
        if not text:
            self._choose_number(None)
        elif text.isdigit():
            self._choose_number(int(text))
        else:
            mark(self.field, "wrong", True)
            self.facts.setText(f"{text} is not a number of an event")

    def _follow(self, on: bool) -> None:
        self._choose_number(None if on or self.story is None else self.story.event[1])

    def _choose_path(self, topics: tuple[str, ...]) -> None:
        self._path = topics
        self._settle()

    def _settle(self) -> None:
        self._tell()
        self.settled.emit()

    # ---- Qt

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """In a low dock the histogram goes beside the lanes: below it would leave them no room."""
        super().resizeEvent(event)
        is_low = self.height() < LOW_PX and self.width() >= 2 * self.height()
        self.both.setOrientation(Qt.Orientation.Horizontal if is_low else Qt.Orientation.Vertical)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        steps = {Qt.Key.Key_N: 1, Qt.Key.Key_P: -1}
        if event.key() in steps:
            self.step(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        if event is not None and fields_in(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """A field of a topic: its newest event."""
        fields = fields_in(event.mimeData()) if event is not None else []
        if event is not None and fields:
            self.topic.choose(fields[0].topic)
            self.topics_changed()
            event.acceptProposedAction()

    def close_viewer(self) -> None:
        self._timer.stop()
        self.keeper.end()
        super().close_viewer()

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        for part in (self.lanes, self.histogram, self.empty):
            part.show_theme(theme)
