"""The one crossing from I/O threads to Qt: what a running system says, in batches of at most 30 a second.

Panels know messages, never sockets. All of this is for the GUI's thread, and nothing of it waits:

    feed.changed.connect(panel.refresh)              # Changes: which components, topics and processes look different
    feed.state["components"]["filter"]["state"]      # the picture of the system; empty while none is attached
    feed.spoken.connect(console.add)                 # log lines: time_ns, component, level, text
    feed.attached, feed.ended                        # a system is there; it is gone (True: it died)
    watch = feed.watch("/terrain_map/terrain", show) # show(list[Event]): decoded; the newest only
    watch = feed.watch(topic, plot, every=True)      # every event of the batch, up to a bound
    watch.close()
    feed.ask("set", done, failed, component="filter", name="cutoff_hz", value="3.5")   # see docs/protocol.md, 12
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, Qt, pyqtSignal

from studio.editor.live.batch import Answer, Attached, Batch, Ended, Event, NoAttachment, Silence, Turn
from studio.errors import StudioError
from studio.runtime.base.deltas import Snapshot, apply

if TYPE_CHECKING:
    from studio.editor.live.link import Link

Show = Callable[[list[Event]], object]
Done = Callable[[dict[str, Any]], object]
Failed = Callable[[StudioError], object]


@dataclass
class Changes:
    """What of the picture is new, by name."""

    components: set[str] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    processes: set[str] = field(default_factory=set)
    clock: bool = False
    place: bool = False
    """How far a system in lockstep has come."""
    system: bool = False
    """Something else: gate, sources, who holds control."""
    shape: bool = False
    """Components, topics or processes have come or gone."""

    def note(self, path: list[str]) -> None:
        if path[0] == "clock":
            self.clock = True
            return
        if path[0] == "stepping" and path[1:2] in (["position"], ["last"]):
            self.place = True
            return
        names = {"components": self.components, "topics": self.topics, "processes": self.processes}.get(path[0])
        if names is None or len(path) < 2:
            self.system = True
            return
        names.add(path[1])
        self.shape = self.shape or len(path) == 2


class Watch:
    """Somebody's wish to see a topic; ends with `close`."""

    def __init__(self, feed: Feed, topic: str, show: Show, every: bool) -> None:
        self.topic, self.every = topic, every
        self._feed = feed
        self.show: Show | None = show
        self.came = 0
        """How many events there were since it began, also those that were not shown."""
        self.stamp_ns = 0
        """Of the last event that was shown, in the run that is attached."""

    def close(self) -> None:
        """Nothing is shown after this, not even what has been collected already."""
        if self.show is not None:
            self.show = None
            self._feed._forget(self)


class Feed(QObject):
    attached = pyqtSignal()
    """To a running system; `state` is there."""
    ended = pyqtSignal(bool)
    """The system is not there any more; True if its runtime died. `state` is empty."""
    changed = pyqtSignal(object)
    """Changes."""
    spoken = pyqtSignal(list)
    """Log lines of components, and what happened to processes: time_ns, component, level, text."""
    silent = pyqtSignal(float)
    """The runtime lives but has said nothing for so many seconds; 0: it speaks again."""
    refused = pyqtSignal(str)
    """A system runs, but cannot be attached to: why."""
    garbled_changed = pyqtSignal()
    """Topics have come to carry something else than their type, or carry that type again."""
    _ready = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: Snapshot = {}
        self.run = ""
        """The run's name; empty while none is attached."""
        self.is_ours = False
        """Whether it was started from this window; one that others have started is only looked at."""
        self.last_words = ""
        """Of the last runtime that died, if it said why."""
        self.silent_s = 0.0
        self.garbled: dict[str, str] = {}
        """Topic -> its type, where what comes now cannot be read as that: a component's code has changed meanwhile."""
        self._folder: Path | None = None
        self._attaching = False
        self._watches: list[Watch] = []
        self._waiting: dict[int, tuple[Done | None, Failed | None]] = {}
        self._number = 0
        self._ready.connect(self._take, type=Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]
        self._link: Link | None = None

    @property
    def is_attached(self) -> bool:
        return bool(self.state)

    @property
    def folder(self) -> Path | None:
        """Of the project that is looked at."""
        return self._folder

    def follow(self, folder: Path | None) -> None:
        """Look at this project's system whenever it runs: now, later, and again after it was restarted."""
        if folder == self._folder:
            return
        self._folder = folder
        self._forget_state()
        self._thread().follow(folder)

    def watch(self, topic: str, show: Show, *, every: bool = False) -> Watch:
        """`show` gets the events of this topic, decoded: the newest of each batch, or with `every` all of them."""
        watch = Watch(self, topic, show, every)
        self._watches.append(watch)
        self._want()
        return watch

    def ask(
        self,
        do: str,
        done: Done | None = None,
        failed: Failed | None = None,
        *,
        timeout_s: float | None = 20.0,
        **fields: Any,
    ) -> None:
        """Send a request; `done` gets the reply, `failed` the reason, sooner or later and in this thread."""
        self._number += 1
        self._waiting[self._number] = (done, failed)
        self._thread().ask(self._number, do, timeout_s, fields)

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None
        self._forget_state()

    # ---- within

    def _thread(self) -> Link:
        if self._link is None:
            from studio.editor.live.link import Link  # brings zmq and numpy, which must not delay the first paint

            self._link = Link(self._ready.emit)
        return self._link

    def _want(self) -> None:
        topics: dict[str, bool] = {}
        for watch in self._watches:
            topics[watch.topic] = watch.every or topics.get(watch.topic, False)
        self._thread().want(topics)

    def _forget(self, watch: Watch) -> None:
        self._watches.remove(watch)
        if self._link is not None:
            self._want()

    def _forget_state(self) -> None:
        was_attached, self.state, self.run, self._attaching = self.is_attached, {}, "", False
        self.garbled = {}
        self.silent_s = 0.0
        if was_attached:
            self.ended.emit(False)

    def _take(self) -> None:
        if self._link is None:
            return
        batch = self._link.take()
        for turn in batch.turns:
            self._turn(turn)
        self._take_news(batch)
        if batch.lines:
            self.spoken.emit(list(batch.lines))
        self._take_garbled(batch)
        for watch in list(self._watches):
            self._show(watch, batch)
        for answer in batch.answers:
            self._answer(answer)

    def _turn(self, turn: Turn) -> None:
        match turn:
            case Attached(system):
                if self._folder is not None and Path(system.folder).resolve() == self._folder.resolve():
                    self.run, self._attaching, self.garbled = system.run, True, {}
                    for watch in self._watches:
                        watch.stamp_ns = 0
            case Ended(died, words):
                self.last_words = words
                self.state, self.run, self._attaching, self.silent_s = {}, "", False, 0.0
                self.ended.emit(died)
            case Silence(seconds):
                self.silent_s = seconds
                self.silent.emit(seconds)
            case NoAttachment(why):
                self.run, self._attaching = "", False
                self.refused.emit(why)

    def _take_news(self, batch: Batch) -> None:
        if not self.run:
            return  # of a system that we have turned away from
        changes = Changes()
        for message in batch.news:
            if "snapshot" in message:
                self.state = message["snapshot"]
                changes.system = changes.shape = changes.clock = True
                for what in ("components", "topics", "processes"):
                    getattr(changes, what).update(self.state[what])
            elif self.state:
                apply(self.state, message)
                for path in message.get("removed", ()):
                    changes.note(path)
                for path, _ in message.get("changed", ()):
                    changes.note(path)
        if self._attaching and self.state:
            self._attaching = False
            self.attached.emit()
        if batch.news and self.state:
            self.changed.emit(changes)

    def _take_garbled(self, batch: Batch) -> None:
        before = dict(self.garbled)
        for topic, events in batch.events.items():
            if events:
                self.garbled.pop(topic, None)
        self.garbled.update(batch.garbled)
        if self.garbled != before:
            self.garbled_changed.emit()

    def _show(self, watch: Watch, batch: Batch) -> None:
        watch.came += batch.counts.get(watch.topic, 0)
        events = batch.events.get(watch.topic)
        if events and watch.show is not None:
            watch.stamp_ns = events[-1].stamp_ns
            watch.show(list(events) if watch.every else [events[-1]])

    def _answer(self, answer: Answer) -> None:
        done, failed = self._waiting.pop(answer.number, (None, None))
        if answer.error is None:
            if done is not None:
                done(answer.reply)
        elif failed is not None:
            failed(answer.error)
