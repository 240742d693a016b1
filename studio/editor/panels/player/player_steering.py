"""What one does with a log that plays, asked of the player: steps one after the other, seeks not too often."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from studio.editor.live.feed import Feed
from studio.editor.live.log_outline import time_of_event
from studio.editor.panels.player.player_transport import FASTEST, SLOWEST, seconds_in
from studio.editor.panels.player.stop_example import stop_example
from studio.editor.views.timeline.timeline import SECOND_NS, Timeline
from studio.errors import StudioError

SEEK_EVERY_MS = 60
"""While scrubbing: each jump pauses and rewinds the whole system, so not for every pixel."""
ON, BACK = ("single", "next_of", "burst"), ("back", "previous_of")
MOST_STEPS = 30
GOING = (*ON, *BACK, "seek", "seek_by", "jump", "range", "play")
"""What may take long in lockstep, where all that lies between is computed."""
FASTER = 1.1
"""Of the keys up and down, as in rosbag2."""


@dataclass(frozen=True)
class Way:
    """What the player is busy with."""

    from_ns: int
    to_ns: int | None
    """Where it leads, if that is a time of the log."""
    jumps: bool = False
    """Nothing is computed on it."""


class PlayerSteering(QObject):
    changed = pyqtSignal(object)
    """The player has done something; its state."""
    way_changed = pyqtSignal()
    """It is on its way, or has got there."""
    refused = pyqtSignal(str)
    _found = pyqtSignal(object, str)

    def __init__(self, parent: QObject, feed: Feed, timeline: Timeline) -> None:
        super().__init__(parent)
        self.feed, self.timeline = feed, timeline
        self.state: dict[str, Any] = {}
        """Of the player; empty while none is there."""
        self.plays = False
        """As it is shown: on its way somewhere it stands for a moment, which nobody has asked for."""
        self._steps: deque[dict[str, Any]] = deque()
        """Asked for by keys that are held down; the first is under way."""
        self._sought: int | None = None
        self._seeking = 0
        """Seeks without an answer: one that is overtaken by another answers too."""
        self._goes_back = False
        """By a checkpoint, and from there on again: where it is meanwhile is not where it was, nor where it will be."""
        self._ways: dict[int, Way] = {}
        """Asked for, and without an answer."""
        self._asked = 0
        self._seeks = QTimer(self)
        self._seeks.setSingleShot(True)
        self._seeks.setInterval(SEEK_EVERY_MS)
        self._seeks.timeout.connect(self._seek_now)
        self._found.connect(self._go_to_event)

    @property
    def is_seeking(self) -> bool:
        """Until the player has got there, its news are of the place before: the cursor stays where it was put."""
        return self._sought is not None or self._seeking > 0 or self._goes_back

    @property
    def stop_example(self) -> str:
        played = (topic for topic, enabled in self.state.get("streams", {}).values() if enabled)
        return stop_example(played, self.feed.state.get("topics", {}))

    @property
    def way(self) -> Way | None:
        """The newest that is under way."""
        return next(reversed(self._ways.values()), None)

    @property
    def is_frozen(self) -> bool:
        """A debugger holds a handler, and with it the system."""
        return bool((self.feed.state.get("debug") or {}).get("frozen"))

    def forget(self) -> None:
        """The system has ended, and nobody will answer."""
        self.state, self._sought, self._seeking = {}, None, 0
        self._steps.clear()
        self._forget_ways()

    def _forget_ways(self) -> None:
        self._ways.clear()
        self._goes_back = False
        self.way_changed.emit()

    # ---- asking

    def ask(self, action: str, **fields: Any) -> None:
        if action not in (*ON, *BACK):
            done = self._got_there if action in ("seek", "jump") else self._done
            self._ask_player(done, action=action, **fields)
        elif len(self._steps) < MOST_STEPS:
            self._steps.append({"action": action, **fields})
            if len(self._steps) == 1:
                self._step_on()

    def _ask_player(self, done: Callable[[dict[str, Any]], None], **fields: Any) -> None:
        if fields["action"] not in GOING or not self.state:
            self.feed.ask("player", done, self._refused, timeout_s=None, **fields)
            return
        self._asked += 1
        number, now_ns = self._asked, int(self.state["time_ns"])
        to_ns = fields.get("time_ns")
        if fields["action"] == "seek_by":
            to_ns = now_ns + round(float(fields["seconds"]) * SECOND_NS)
        self._ways[number] = Way(now_ns, to_ns, jumps=fields["action"] == "jump")

        def answered(reply: dict[str, Any]) -> None:
            self._ways.pop(number, None)
            self.way_changed.emit()
            done(reply)

        self.feed.ask("player", answered, self._refused, timeout_s=None, **fields)
        self.way_changed.emit()

    def give_up(self) -> None:
        """A long way ends where it has come to."""
        self._sought = None
        self._seeks.stop()
        self.feed.ask("player", None, self._refused, action="give_up")

    def jump_over(self) -> None:
        """Be where the way leads, without going it."""
        if self.way is not None and self.way.to_ns is not None:
            self.jump_to(self.way.to_ns)

    def jump_to(self, time_ns: int) -> None:
        """Be there without computing what lies between."""
        self._sought = None
        self._seeking += 1
        self.timeline.show_now(time_ns, self.timeline.range_ns)
        self.ask("jump", time_ns=time_ns)

    def _step_on(self) -> None:
        """Code that stands within an event is let go before the next one: going back sees to that itself."""

        def go(_: dict[str, Any]) -> None:
            if self._steps:
                self._goes_back = self._steps[0]["action"] in BACK
                self._ask_player(self._stepped, **self._steps[0])

        if self.is_frozen and self._steps[0]["action"] in ON:
            self.feed.ask("continue", go, self._refused, timeout_s=None, gate="pause")
        else:
            go({})

    def _stepped(self, reply: dict[str, Any]) -> None:
        self._goes_back = False
        self._done(reply)
        if self._steps:
            self._steps.popleft()
        if self._steps:
            self._step_on()

    def _done(self, reply: dict[str, Any]) -> None:
        if player := reply.get("player"):
            self.state = player
            self.changed.emit(player)

    def _refused(self, error: StudioError) -> None:
        self._sought, self._seeking = None, 0
        self._steps.clear()
        self._forget_ways()
        self.refused.emit(str(error))

    # ---- one event, or many

    def toggle(self) -> None:
        if self.is_frozen:
            self.feed.ask("continue", None, self._refused, timeout_s=None, gate="run")
        else:
            self.ask("pause" if self.plays else "play")

    def step(self) -> None:
        self.ask("single")

    def step_back(self) -> None:
        can, why = self.can_go_back()
        if can:
            self.ask("back", count=1)
        else:
            self.refused.emit(f"One event back is not possible: {why}")

    def can_go_back(self) -> tuple[bool, str]:
        """Only where the same would come again; otherwise, why not."""
        stepping = self.feed.state.get("stepping") or {}
        if stepping.get("can_go_back"):
            return True, ""
        return False, str(stepping.get("why_not") or "the log is played freely; choose the gate Lockstep")

    def next_event(self) -> None:
        if topic := self._chosen_topic():
            self.ask("next_of", topic=topic)

    def previous_event(self) -> None:
        can, why = self.can_go_back()
        if not can:
            self.refused.emit(f"It is not possible to go back: {why}")
        elif topic := self._chosen_topic():
            self.ask("previous_of", topic=topic)

    def _chosen_topic(self) -> str:
        """Of the system: the chosen stream, or where none of this log is chosen the first that is played. Empty, and
        said why, where there is no event of it to go to: those of another stream nobody has asked for."""
        outline = self.timeline.outline
        lanes = outline.lanes if outline is not None else []
        chosen = [lane for lane in lanes if lane.topic == self.timeline.chosen] or [
            lane for lane in lanes if lane.enabled
        ]
        if chosen and chosen[0].enabled:
            return chosen[0].played_as
        if not chosen:
            self.refused.emit("no stream is played: tick one in the list")
        elif chosen[0].played_as:
            self.refused.emit(f"{chosen[0].topic} is not played: it is switched off. E switches it on")
        else:
            self.refused.emit(f"{chosen[0].topic} is not played: no source is fed by it. Choose another stream")
        return ""

    # ---- elsewhere

    def seek(self, time_ns: int) -> None:
        self._sought = time_ns
        if not self._seeks.isActive():
            self._seeks.start()

    def _seek_now(self) -> None:
        sought, self._sought = self._sought, None
        if sought is not None and self.state:
            self._seeking += 1
            self.ask("seek", time_ns=sought)

    def _got_there(self, reply: dict[str, Any]) -> None:
        self._seeking = max(self._seeking - 1, 0)
        self._done(reply)

    def seek_by(self, seconds: float) -> None:
        self.ask("seek_by", seconds=seconds)

    def to_start(self) -> None:
        range_ns = self.state.get("range_ns")
        self.ask("seek", time_ns=range_ns[0] if range_ns else self.state["start_ns"])

    def to_end(self) -> None:
        range_ns = self.state.get("range_ns")
        self.ask("seek", time_ns=range_ns[1] if range_ns else self.state["end_ns"])

    def stop(self) -> None:
        self.ask("pause")
        self.to_start()

    def jump(self, text: str) -> None:
        seconds, outline = seconds_in(text), self.timeline.outline
        if seconds is None or outline is None:
            self.refused.emit(f"{text or 'nothing'} is not a time; write it as 1:19.5")
            return
        self.ask("seek", time_ns=outline.start_ns + round(seconds * SECOND_NS))

    def jump_to_event(self, text: str) -> None:
        """By its number among those that are played. Looked for beside the window's work."""
        text = text.strip().replace("\u2009", "")
        if not text.isdigit():
            self.refused.emit(f"{text or 'nothing'} is not a number of an event")
            return
        topics = [topic for topic, (_, on) in self.state["streams"].items() if on]
        number, path = min(int(text), max(int(self.state["count"]) - 1, 0)), Path(self.state["log"])

        def find() -> None:
            try:
                self._found.emit(time_of_event(path, topics, number), "")
            except StudioError as error:
                self._found.emit(None, str(error))

        Thread(target=find, name="find event", daemon=True).start()

    def _go_to_event(self, time_ns: int | None, trouble: str) -> None:
        if time_ns is None:
            self.refused.emit(trouble)
        else:
            self.ask("seek", time_ns=time_ns)

    # ---- how it plays

    def mark(self, *, first: bool) -> None:
        """A, or B, is where the cursor is. Beyond the other end, that one goes back to the end of the log."""
        start_ns, end_ns, now_ns = (int(self.state[name]) for name in ("start_ns", "end_ns", "time_ns"))
        low, high = self.state["range_ns"] or (start_ns, end_ns)
        if first:
            low, high = now_ns, high if now_ns < high else end_ns
        else:
            low, high = low if low < now_ns else start_ns, now_ns
        if low < high:
            self.ask("range", start_ns=low, end_ns=high)
        else:
            where = "A cannot be at the end of the log" if first else "B cannot be at the beginning of the log"
            self.refused.emit(f"{where}: the range from A to B would be empty")

    def set_rate(self, rate: float | None) -> None:
        """Where nothing plays nobody is asked: a field that is switched off because of it says that it was left."""
        if self.state and rate != self.state.get("rate", 0.0):
            self.ask("rate", rate=rate)

    def type_rate(self, text: str) -> None:
        text = text.strip().rstrip("×").strip()
        if text.lower() == "max":
            self.set_rate(None)
            return
        try:
            self.set_rate(float(text))
        except ValueError:
            self.refused.emit(f"{text or 'nothing'} is not a rate: {SLOWEST:g} to {FASTEST:g}, or Max")

    def faster(self, factor: float) -> None:
        rate = self.state.get("rate")
        if rate is not None:
            self.set_rate(round(min(max(rate * factor, SLOWEST), FASTEST), 4))

    def set_loop(self, on: bool) -> None:
        self.ask("loop", on=on)

    def stop_when(self, condition: str) -> None:
        self.ask("stop_when", condition=condition.strip())
