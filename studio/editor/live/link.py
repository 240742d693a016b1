"""The feed's I/O thread: finds the running system of a project, attaches to it, and collects what it says. No Qt here.

What was collected is taken by somebody else, in one piece; until then the newest replaces the older, so that a slow
taker costs memory for one batch and not for a queue.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from studio.editor.live.batch import (
    MOST_EVENTS,
    Answer,
    Attached,
    Batch,
    Ended,
    Event,
    NoAttachment,
    Silence,
    Turn,
)
from studio.editor.live.foreign_messages import ForeignMessages
from studio.editor.live.pace import FASTEST_NS, Pace
from studio.editor.live.trace import is_trace, trace_event
from studio.errors import StudioError
from studio.messages import MessageError, MessageTypes
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.channel.run_folder import shared_folder
from studio.runtime.client.attach import AttachError, Attachment
from studio.runtime.client.running_systems import RunningSystem, running_systems
from studio.runtime.client.tap import Tap, read

NAME = "Studio window"
LOOK_EVERY_S = 0.25
"""For a system that runs, while none is attached."""
REST_S = 0.01
"""Between two looks at the tap: a flood is taken in few large portions."""
MOST_FRAMES = 2000
DOUBT_AFTER_NS = SECOND_NS
"""A runtime that says nothing for so long may be dead: it answers twice a second."""
SILENT_AFTER_NS = 3 * SECOND_NS


class Link:
    def __init__(self, on_ready: Callable[[], None]) -> None:
        """`on_ready` is called by the thread when a batch is there: as the pace allows, and once per `take`."""
        self._on_ready = on_ready
        self._lock = threading.Lock()
        self._batch = Batch()
        self._offered = False
        self._offered_ns = 0
        self._pace = Pace()
        self._folder: Path | None = None
        self._wish = 0
        """Counts the calls of `follow`: also the same project is attached to anew."""
        self._granted = 0
        self._wanted: dict[str, bool] = {}
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._attachment: Attachment | None = None
        self._system: RunningSystem | None = None
        self._silent = False
        self._refused = ""
        self._tap: Tap | None = None
        self._tapped: dict[str, bool] = {}
        self._shared: Path | None = None
        self._types: MessageTypes | None = None
        self._foreign: ForeignMessages | None = None
        self._thread = threading.Thread(target=self._work, name="feed", daemon=True)
        self._thread.start()

    # For anybody; nothing of this waits.

    def follow(self, folder: Path | None) -> None:
        """Attach to the system of this project whenever it runs; without one, to none."""
        with self._lock:
            self._folder = folder.resolve() if folder is not None else None
            self._wish += 1
        self._wake.set()

    def want(self, topics: Mapping[str, bool]) -> None:
        """Which topics to collect: with True every event, with False the newest only."""
        with self._lock:
            self._wanted = dict(topics)
        self._wake.set()

    def ask(self, number: int, do: str, timeout_s: float | None, fields: Mapping[str, Any]) -> None:
        """The answer comes in a batch. A request may take for ever, so each has a thread of its own."""
        threading.Thread(
            target=self._ask, args=(self._attachment, number, do, timeout_s, fields), name=f"ask {do}", daemon=True
        ).start()

    def take(self) -> Batch:
        """By the window's thread."""
        self._pace.batch_taken()
        with self._lock:
            batch, self._batch = self._batch, Batch()
            self._offered = False
        return batch

    def close(self) -> None:
        self._closing.set()
        self._wake.set()
        self._thread.join()

    # The thread.

    def _work(self) -> None:
        while not self._closing.is_set():
            if self._attachment is None:
                self._wake.wait(LOOK_EVERY_S)
                self._wake.clear()
                self._find()
            else:
                self._look()
            self._offer()
        self._detach()

    def _find(self) -> None:
        with self._lock:
            folder, self._granted = self._folder, self._wish
        if folder is None or self._closing.is_set():
            return
        found = [system for system in running_systems() if Path(system.folder).resolve() == folder]
        if found:
            self._attach(found[-1])

    def _attach(self, system: RunningSystem) -> None:
        self._silent = False
        self._turn(Attached(system))  # before the first news of it
        try:
            self._attachment = Attachment(system.run_folder, NAME, on_news=self._heard)
        except AttachError as error:
            if self._refused != system.run:  # told once, tried again
                self._refused = system.run
                self._turn(NoAttachment(str(error)))
            return
        self._system, self._refused = system, ""
        self._types = MessageTypes.builtin().with_folder(Path(system.folder))
        self._foreign = ForeignMessages(Path(system.folder))
        self._tap, self._tapped = Tap(system.run_folder, ()), {}
        self._shared = shared_folder(system.run)

    def _look(self) -> None:
        assert self._attachment is not None and self._system is not None
        if self._wish != self._granted:
            self._detach()
            return
        self._listen()
        silent_ns = monotonic_ns() - self._attachment.heard_ns
        if self._attachment.said_goodbye:
            self._end(died=False)
        elif silent_ns > DOUBT_AFTER_NS and (self._attachment.ended.is_set() or not self._system.is_alive()):
            # Not before: one that stops takes its folder away first, and its goodbye is still on the way.
            self._end(died=True)
        elif (silent_ns > SILENT_AFTER_NS) != self._silent:
            self._silent = not self._silent
            self._turn(Silence(silent_ns / SECOND_NS if self._silent else 0.0))

    def _listen(self) -> None:
        tap = self._tap
        assert tap is not None and self._system is not None
        wanted = self._wanted
        if wanted is not self._tapped:
            for topic in wanted.keys() - self._tapped.keys():
                tap.subscribe(topic)
            for topic in self._tapped.keys() - wanted.keys():
                tap.unsubscribe(topic)
            self._tapped = wanted
        frames = tap.frames(0.03, MOST_FRAMES)
        if frames:
            self._keep(frames, wanted, self._shared)
            self._closing.wait(REST_S)

    def _keep(self, frames: list[bytes], wanted: Mapping[str, bool], shared: Path | None) -> None:
        by_topic: dict[str, list[bytes]] = {}
        for frame in frames:
            by_topic.setdefault(frame[: frame.find(b"\0")].decode(errors="replace"), []).append(frame)
        for topic, came in by_topic.items():
            every = wanted.get(topic)
            if every is None:
                continue  # of a moment ago
            kept = came[-MOST_EVENTS:] if every else came[-1:]
            events = [event for frame in kept if (event := self._event(frame, shared)) is not None]
            with self._lock:
                self._batch.counts[topic] = self._batch.counts.get(topic, 0) + len(came)
                room = MOST_EVENTS if every else 1
                self._batch.events.setdefault(topic, deque(maxlen=room)).extend(events)

    def _event(self, frame: bytes, shared: Path | None) -> Event | None:
        if is_trace(frame):
            return trace_event(frame)
        found = read(frame, shared)
        attachment = self._attachment
        if found is None or attachment is None or self._types is None or self._foreign is None:
            return None
        topic, header, payload = found
        try:
            kind = self._types.get(attachment.state["topics"][topic]["type"])
        except (StudioError, KeyError):
            return None  # of a type that this window does not know
        try:
            return Event(topic, header.sequence, header.stamp_ns, self._foreign.read(topic, kind, payload))
        except MessageError:
            with self._lock:
                self._batch.garbled[topic] = kind.TYPE
            return None

    def _end(self, *, died: bool) -> None:
        words = self._system.last_words() if died and self._system is not None else ""
        self._detach()
        self._turn(Ended(died, words))

    def _detach(self) -> None:
        if self._tap is not None:
            self._tap.close()
        if self._attachment is not None:
            self._attachment.close()
        self._tap = self._attachment = self._system = None

    def _turn(self, turn: Turn) -> None:
        with self._lock:
            self._batch.turns.append(turn)

    def _offer(self) -> None:
        with self._lock:
            is_awaited = bool(self._batch.answers or self._batch.turns)  # by somebody who has asked
            every_ns = FASTEST_NS if is_awaited else self._pace.every_ns
            ready = bool(self._batch) and not self._offered and monotonic_ns() - self._offered_ns >= every_ns
            if ready:
                self._offered, self._offered_ns = True, monotonic_ns()
        if ready:
            self._on_ready()

    # Other threads.

    def _heard(self, message: dict[str, Any]) -> None:
        """By the attachment's thread."""
        with self._lock:
            match message.get("news"):
                case "snapshot":
                    self._batch.news = [deepcopy(message)]  # what came before is in it
                case "delta":
                    self._batch.news.append(deepcopy(message))
                case "log":
                    self._batch.lines.extend(message["lines"])
                case _ if "snapshot" in message:
                    self._batch.news = [deepcopy(message)]
                    self._batch.lines.extend(message.get("lines", ()))

    def _ask(
        self, attachment: Attachment | None, number: int, do: str, timeout_s: float | None, fields: Mapping[str, Any]
    ) -> None:
        try:
            if attachment is None:
                raise AttachError("the system is not running", hint="run it first")
            answer = Answer(number, attachment.ask(do, timeout_s=timeout_s, **fields))
        except StudioError as error:
            answer = Answer(number, {}, error)
        with self._lock:
            self._batch.answers.append(answer)
