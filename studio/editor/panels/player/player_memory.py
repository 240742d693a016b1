"""How a log was played - rate, loop, range, condition, streams that are off - kept, and asked of the next player that
is started from this window."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.live.feed import Feed
from studio.editor.panels.player.player_transport import FASTEST, SLOWEST
from studio.errors import StudioError

State = dict[str, Any]
Kept = dict[str, Any]


def kept_of(state: State) -> Kept:
    """Times from the beginning of the log: they are good for another copy of it too."""
    start_ns, range_ns = int(state["start_ns"]), state["range_ns"]
    return {
        "played": Path(state["log"]).name,
        "rate": state["rate"],
        "loop": bool(state["loop"]),
        "range_ns": [int(time_ns) - start_ns for time_ns in range_ns] if range_ns else None,
        "condition": str(state.get("condition") or ""),
        "off": sorted(topic for topic, on in state["streams"].values() if not on),
    }


def wishes(kept: Kept, state: State) -> list[Kept]:
    """What to ask of a player so that it plays as it was left. What somebody has chosen for it already stays; range,
    condition and streams belong to the log of that name. Settings come from a file: what makes no sense is left out."""
    found: list[Kept] = []
    rate = kept.get("rate", 1.0)
    can_be = rate is None or (isinstance(rate, int | float) and SLOWEST <= rate <= FASTEST)
    if can_be and state["rate"] == 1.0 and rate != 1.0:
        found.append({"action": "rate", "rate": rate})
    if kept.get("loop") is True and not state["loop"]:
        found.append({"action": "loop", "on": True})
    if kept.get("played") != Path(state["log"]).name:
        return found
    start_ns, end_ns, range_ns = int(state["start_ns"]), int(state["end_ns"]), kept.get("range_ns")
    if isinstance(range_ns, list) and len(range_ns) == 2 and all(isinstance(each, int) for each in range_ns):
        low, high = (min(max(start_ns + each, start_ns), end_ns) for each in range_ns)
        if low < high and not state["range_ns"]:
            found.append({"action": "range", "start_ns": low, "end_ns": high})
    condition = kept.get("condition")
    if isinstance(condition, str) and condition and not state.get("condition"):
        found.append({"action": "stop_when", "condition": condition})
    streams = dict(state["streams"].values())
    off = kept.get("off")
    if isinstance(off, list) and all(streams.values()):
        found += [{"action": "enable", "topic": topic, "on": False} for topic in off if topic in streams]
    return found


class PlayerMemory(QObject):
    changed = pyqtSignal(object)
    """The player has done what was asked; its state."""
    refused = pyqtSignal(str)
    settled = pyqtSignal()

    def __init__(self, parent: QObject, feed: Feed) -> None:
        super().__init__(parent)
        self.feed = feed
        self.kept: Kept = {}
        self._log = ""
        """What the player plays that was told already how."""
        self._wishes: deque[Kept] = deque()

    def look(self, state: State) -> None:
        """With every state of the player, empty while there is none. Of a system that was started elsewhere it is only
        noted how it plays: whoever runs it wants it so."""
        if not state:
            self._log = ""
            self._wishes.clear()
            return
        if state["log"] != self._log:
            self._log = str(state["log"])
            self._wishes = deque(wishes(self.kept, state) if self.feed.is_ours else ())
            if self._wishes:
                self._ask()
        if not self._wishes and (kept := kept_of(state)) != self.kept:
            self.kept = kept
            self.settled.emit()

    def _ask(self) -> None:
        self.feed.ask("player", self._done, self._failed, timeout_s=None, **self._wishes[0])

    def _done(self, reply: State) -> None:
        if self._wishes:
            self._wishes.popleft()
        if self._wishes:
            self._ask()
        elif (player := reply.get("player")) and player["log"] == self._log:  # and not of one that is gone
            self.changed.emit(player)

    def _failed(self, error: StudioError) -> None:
        """The next one may be possible all the same."""
        self.refused.emit(str(error))
        self._done({})
