"""Run, pause, step, stop, and what can be done to one component: requests to the runtime, and how far they are.

Starting is `studio run --detach`, as anybody could type it: the runtime is no child of the window and outlives it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from PyQt6.QtCore import QObject, QProcess, QTemporaryFile, QTimer, pyqtSignal

from studio.editor.base.own_process import own_process
from studio.editor.live.feed import Done, Failed, Feed
from studio.editor.live.standing import StopReason, shown_event, stand_of
from studio.errors import StudioError

Phase = Literal["stopped", "starting", "running", "paused", "stopping"]

FOUND_WITHIN_MS = 10_000
"""After the start: how long until the feed must have found it."""
LEAVES = frozenset({"step", "back", "again", "into_handler"})
"""Requests after which the system stands at another event."""
MOST_NAMED = 3
"""Of the events of a step."""
STOPPED = "The system has stopped"
SLOW_STOP_MS = 12_000
"""Components get 6 s to end; a runtime that takes much longer may never do."""


class RunControl(QObject):
    phase_changed = pyqtSignal()
    told = pyqtSignal(str)
    """What was done, in a sentence."""
    refused = pyqtSignal(str)
    """What was not done, and why."""
    start_failed = pyqtSignal(str)
    """Everything that `studio run` said before it gave up."""
    died = pyqtSignal()
    """The runtime ended without a goodbye."""
    stepped = pyqtSignal(str, int)
    """One event was delivered: its topic and number."""
    moving_changed = pyqtSignal()
    """A request that moves the system was sent, or the last one was answered."""
    stop_is_slow = pyqtSignal()
    held_by_other = pyqtSignal(str, object)
    """Somebody else holds control: the sentence, and what to call to take over and do it all the same."""

    def __init__(self, feed: Feed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.feed = feed
        self._process: QProcess | None = None
        self._expected = False
        self._stopping = False
        self._turned_away = False
        self._moves: set[object] = set()
        """Requests that move the system and are not answered yet."""
        self._left: StopReason | None = None
        """Where the system stood when it was last asked to leave that place and to stand at another one."""
        self._after_stop: Callable[[], object] | None = None
        self._edited: QTemporaryFile | None = None
        """What is on the canvas and not saved, for the runtime that starts: it goes with the next one, or with us."""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._not_found)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.timeout.connect(self.stop_is_slow)
        self._phase: Phase = "stopped"
        feed.attached.connect(self._attached)
        feed.ended.connect(self._ended)
        feed.changed.connect(lambda changes: self._look() if changes.system else None)

    # ---- how it is

    @property
    def phase(self) -> Phase:
        return self._phase

    @property
    def is_up(self) -> bool:
        """There is a system to steer."""
        return self._phase in ("running", "paused")

    @property
    def is_moving(self) -> bool:
        """Something was asked for that is not done yet: where the system stands is not known until then."""
        return bool(self._moves)

    @property
    def is_leaving(self) -> bool:
        """It is still shown where it was when it was asked to move."""
        return self.is_moving and self._left is not None and stand_of(self.feed.state) == self._left

    def _look(self) -> None:
        if self._stopping and (self.feed.is_attached or self._process is not None or self._expected):
            phase: Phase = "stopping"
        elif self.feed.is_attached:
            state = self.feed.state
            stand = stand_of(state)
            stands = state["gate"] == "pause" and not state.get("by_itself")
            phase = "paused" if stands or (stand is not None and not stand.runs_on) else "running"
        else:
            phase = "starting" if self._process is not None or self._expected else "stopped"
        if phase != self._phase:
            self._phase = phase
            self.phase_changed.emit()

    # ---- the system as a whole

    def start(self, folder: Path, more: Iterable[str] = (), text: bytes | None = None) -> None:
        """Start the project in `folder`; `more`: other words for `studio run`. `text`: the system as it was edited, in
        place of the file that is saved."""
        if self._phase != "stopped":
            return
        self._stopping = self._turned_away = False
        # What is all logged or all simulated can then be stepped and taken back, and be let run freely by choice.
        words = ["run", str(folder), "--stay", "--detach", "--json", "--gate", "auto", *more]
        if text is not None:
            self._edited = QTemporaryFile()
            if not self._edited.open() or self._edited.write(text) != len(text):
                self.start_failed.emit(f"The edited system cannot be handed over: {self._edited.errorString()}")
                return
            self._edited.close()
            words += ["--system", self._edited.fileName()]
        process = self.studio(*words)
        process.finished.connect(self._started)
        process.errorOccurred.connect(self._not_started)
        self._process = process
        process.start()
        self._look()

    def studio(self, *words: str) -> QProcess:
        """A command of ours, as anybody could type it."""
        return own_process(self, "studio", *words)

    def _started(self, status: int, _: QProcess.ExitStatus) -> None:
        process = self._process
        if process is None:
            return
        said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        replied = bytes(process.readAllStandardOutput().data()).decode(errors="replace")
        self._process = None
        process.deleteLater()
        if status == 0 and replied.strip():
            self._expected = not self.feed.is_attached
            self._patience.start(FOUND_WITHIN_MS)
            self.told.emit(f"{json.loads(replied)['project']} runs")
            self._look()
        else:
            self._not_up(said or f"studio run ended with status {status} and said nothing")

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            words = self._process.errorString()
            self._process = None
            self._not_up(f"{sys.executable} cannot be started: {words}")

    def _not_found(self) -> None:
        if self._expected:
            self._expected = False
            self._not_up("It has ended already. See the console for the last lines of its components.")

    def _not_up(self, why: str) -> None:
        """It never came to run; who waited for its end need not wait, and who has stopped it asked for nothing else."""
        was_stopping, self._stopping = self._stopping, False
        then, self._after_stop = self._after_stop, None
        self._look()
        if then is not None:
            then()
        elif was_stopping:
            self.told.emit(STOPPED)
        else:
            self.start_failed.emit(why)

    def go_on(self) -> None:
        self.move("gate", lambda _: None, mode="run")
        self._left = None  # if it stands all the same when that is asked for again, it stands somewhere else

    def pause(self) -> None:
        self.move("gate", lambda _: None, mode="pause")

    def step(self, topic: str | None = None) -> None:
        """Deliver one event, or go on to the next one of `topic`; what runs is paused first, and code that stands
        within an event finishes that one."""
        self.move("step", self._stepped, count=1, topic=topic)

    def _stepped(self, reply: dict[str, Any]) -> None:
        delivered = [shown_event(topic, sequence) for topic, sequence, *_ in reply["delivered"]]
        if len(delivered) > MOST_NAMED:
            delivered = [f"{len(delivered)} events, the last {delivered[-1]}"]
        number = f" · event {reply['position']} of this run" if reply.get("position") else ""  # as Back counts them
        self.told.emit(f"Delivered {', '.join(delivered)}{number}" if delivered else "No event is pending")
        if reply["delivered"]:
            topic, sequence, *_ = reply["delivered"][-1]
            self.stepped.emit(str(topic), int(sequence))

    def stop(self, then: Callable[[], object] | None = None) -> None:
        """Ask the runtime to end; `then` is called when it has. One that is still starting ends when it is there."""
        if self._phase == "stopped":  # nothing is remembered: it would be done after some later run
            if then is not None:
                then()
            return
        self._after_stop = then
        self._stopping = True
        if not self.feed.is_attached:
            self._look()
            return
        self._slow.start(SLOW_STOP_MS)
        self.feed.ask("stop", None, lambda error: self.refused.emit(str(error)))
        self._look()

    def turn_away(self) -> None:
        """The window is about to look at another project: what waits for the end of this one's system is not done, and
        what is still starting is not waited for."""
        self._turned_away = True
        self._after_stop, self._stopping, self._expected = None, False, False
        self._slow.stop()
        self._patience.stop()
        self._forget_start()
        self._look()

    def _forget_start(self) -> None:
        """The answer of `studio run` means nothing any more."""
        if self._process is not None:
            self._process.finished.disconnect(self._started)
            self._process.errorOccurred.disconnect(self._not_started)
            self._process.finished.connect(self._process.deleteLater)
            self._process = None

    def kill(self) -> None:
        """For a runtime that does not answer; everything it has started goes with it."""
        if self.feed.run:
            self.studio("stop", self.feed.run, "--kill").startDetached()

    def move(self, do: str, done: Done, failed: Failed | None = None, **fields: Any) -> None:
        """Something that moves the system, however long it takes. The runtime does these in the order in which they
        come, so none has to wait for the answer to the one before."""
        move = object()

        def sent() -> None:
            if do in LEAVES and not self.is_leaving:
                self._left = stand_of(self.feed.state)
            self._moves.add(move)
            self.moving_changed.emit()

        self._ask(do, done, failed, sent, lambda: self._moved(move), timeout_s=None, **fields)

    def _moved(self, move: object) -> None:
        self._moves.discard(move)
        if not self._moves:
            self._left = None
        self.moving_changed.emit()

    def _attached(self) -> None:
        self.feed.is_ours = self._phase == "starting"
        self._turned_away = False
        self._expected = False
        self._patience.stop()
        if self._stopping:
            self.stop(self._after_stop)
        self._look()

    def _ended(self, died: bool) -> None:
        was_stopping, self._stopping = self._stopping, False
        self._moves.clear()
        self._slow.stop()
        self._forget_start()  # it may have been found, and have ended, before `studio run` has answered
        self._look()
        then, self._after_stop = self._after_stop, None
        if self._turned_away:
            return  # it goes on; only we are gone
        if died and not was_stopping:
            self.died.emit()
        elif then is not None:
            then()
        else:
            self.told.emit(STOPPED if was_stopping else "The system has come to its end")

    # ---- components

    def command(self, verb: str, names: Iterable[str]) -> None:
        """activate, deactivate, reset, pause, wakeup or trigger."""
        done = {"activate": "active", "deactivate": "inactive", "reset": "reset", "pause": "paused",
                "wakeup": "active", "trigger": "triggered"}[verb]  # fmt: skip
        for name in names:
            told = f"{name} is {done}" if verb != "trigger" else f"{name} was triggered"
            self._ask("command", self._effect(told), component=name, command={"do": verb})

    def restart(self, names: Iterable[str]) -> None:
        """The processes of these components, each once."""
        components = self.feed.state.get("components", {})
        for host in dict.fromkeys(components[name]["host"] for name in names if name in components):
            self.told.emit(f"{host} is restarting")
            self._ask("restart", lambda reply: self.told.emit(f"{reply['host']} runs again"), name=host, timeout_s=70.0)

    def begin_anew(self) -> None:
        """Simulated vehicles are put back to their start."""
        self._ask("reset", lambda reply: self.told.emit(f"{', '.join(reply['components'])}: restarted"), timeout_s=None)

    def _effect(self, told: str) -> Callable[[dict[str, Any]], None]:
        return lambda reply: self.told.emit(told if reply["effect"] == "now" else f"{told} {reply['effect']}")

    def request(self, do: str, done: Done, **fields: Any) -> None:
        """Anything else; whoever holds control is asked to let go of it, and a refusal is told."""
        self._ask(do, done, **fields)

    def _ask(
        self,
        do: str,
        done: Done,
        failed: Failed | None = None,
        sent: Callable[[], object] = lambda: None,
        answered: Callable[[], object] = lambda: None,
        *,
        timeout_s: float | None = 20.0,
        **fields: Any,
    ) -> None:
        """`failed` hears of a refusal; without it, everybody is told."""

        def is_done(reply: dict[str, Any]) -> None:
            answered()
            done(reply)

        def has_failed(error: StudioError) -> None:
            answered()
            if failed is not None:
                failed(error)
            elif getattr(error, "kind", "") == "ControlHeld":
                self.held_by_other.emit(error.message, lambda: self._take_over(ask))
            else:
                self.refused.emit(str(error))

        def ask() -> None:
            sent()
            self.feed.ask(do, is_done, has_failed, timeout_s=timeout_s, **fields)

        ask()

    def _take_over(self, then: Callable[[], None]) -> None:
        self.feed.ask("take", lambda _: then(), lambda error: self.refused.emit(str(error)), force=True)
