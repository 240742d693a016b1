"""The log player: the log of the running system on a time line, and everything one does with a tape."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from studio.editor.feed import Changes, Feed
from studio.editor.fonts import code_font
from studio.editor.icons import icon
from studio.editor.panels.viewer import Bar, Empty, Viewer, column, facts, stacked
from studio.editor.theme import Theme
from studio.editor.views.log_outline import Outline, read_outline
from studio.editor.views.timeline import SECOND_NS, Timeline, clock_words
from studio.errors import StudioError

RATES = ("0.1", "0.5", "1", "2", "10", "Max")
NOTHING = "No log is played. Switch a source to Logged and press Run"
SEEK_EVERY_MS = 60
"""While scrubbing: each jump pauses and rewinds the whole system, so not for every pixel."""


class PlayerViewer(Viewer):
    KIND, TITLE, ICON = "player", "LogPlayer", "fa6s.database"
    _read = pyqtSignal(object, object)

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.state: dict[str, Any] = {}
        self._path = ""
        self._sought: int | None = None
        self._seeks = QTimer(self)
        self._seeks.setSingleShot(True)
        self._seeks.setInterval(SEEK_EVERY_MS)
        self._seeks.timeout.connect(self._seek_now)
        self.timeline = Timeline(theme)
        self.timeline.sought.connect(self._seek)
        self.timeline.toggled.connect(lambda topic, on: self.ask("enable", topic=topic, on=on))
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.timeline)
        self._build_transport()
        column(self, Bar(*self._transport), self.place)
        self._read.connect(self._show_outline)
        self.setFocusProxy(self.timeline)
        self._take_state()

    def _build_transport(self) -> None:
        self.start = self.tool("fa6s.backward-fast", "To the beginning: Home", lambda _: self._to_start())
        self.play = self.tool("fa6s.play", "Play or pause: Space", lambda _: self.toggle())
        self.single = self.tool(
            "mdi6.step-forward", "One event, with all that follows from it: →", lambda _: self.step()
        )
        self.next_of = self.tool(
            "mdi6.skip-next", "To the next event of the chosen stream: N", lambda _: self.next_event()
        )
        self.rate = QComboBox()
        self.rate.setEditable(True)
        self.rate.addItems(RATES)
        self.rate.setCurrentText("1")
        self.rate.setFixedWidth(76)
        self.rate.setAccessibleName("Rate")
        self.rate.setToolTip("Times as fast as it was: 0.01 to 1000, or Max for as fast as the components go")
        self.rate.activated.connect(lambda _: self._set_rate())
        edit = self.rate.lineEdit()
        assert edit is not None
        edit.editingFinished.connect(self._set_rate)
        self.times = QLabel("×")
        self.loop = self.tool("mdi6.repeat", "Begin again at the end", self._set_loop, on=False)
        self.from_here = self._letter("A", "The range to play begins here: [", lambda: self.mark(first=True))
        self.to_here = self._letter("B", "The range to play ends here: ]", lambda: self.mark(first=False))
        self.no_range = self.tool("mdi6.arrow-expand-horizontal", "Play everything again", lambda _: self.ask("range"))
        self.condition = QLineEdit()
        self.condition.setPlaceholderText("Stop when … /laser/ranges_m.min < 0.5")
        self.condition.setToolTip(
            "Stop behind the first event of which this holds: a field of a topic, a comparison, a value"
        )
        self.condition.setAccessibleName("Stop when")
        self.condition.setMinimumWidth(120)
        self.condition.returnPressed.connect(lambda: self.ask("stop_when", condition=self.condition.text().strip()))
        self.time = QLineEdit()
        self.time.setFont(code_font(12))
        self.time.setFixedWidth(98)
        self.time.setAccessibleName("Time")
        self.time.setToolTip("Where in the log; type a time to jump there")
        self.time.returnPressed.connect(self._jump)
        self.facts = facts()
        both = QWidget()
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3)
        row.addWidget(self.rate)
        row.addWidget(self.times)
        self._transport: tuple[QWidget, ...] = (
            self.start, self.play, self.single, self.next_of, both, self.loop, self.from_here, self.to_here,
            self.no_range, self.condition, self.time, self.facts,
        )  # fmt: skip

    def _letter(self, letter: str, words: str, do: Any) -> QToolButton:
        button = QToolButton()
        button.setText(letter)
        button.setToolTip(words)
        button.setAccessibleName(words.partition(":")[0])
        button.clicked.connect(lambda _: do())
        return button

    # ---- the feed

    def attached(self) -> None:
        self._take_state()

    def changed(self, changes: Changes) -> None:
        if changes.system:
            self._take_state()

    def ended(self) -> None:
        self.state = {}
        self._show_state()

    def _take_state(self) -> None:
        self.state = self.feed.state.get("player") or {}
        path = str(self.state.get("log", ""))
        if path and path != self._path:
            self._path = path
            self.empty.say(f"Reading {Path(path).name} …")
            Thread(target=self._read_outline, args=(Path(path),), name="read outline", daemon=True).start()
        self._show_state()

    def _read_outline(self, path: Path) -> None:
        try:
            self._read.emit(read_outline(path), "")
        except StudioError as error:
            self._read.emit(None, str(error))

    def _show_outline(self, outline: Outline | None, trouble: str) -> None:
        if outline is None:
            self.empty.say(trouble)
            return
        self.timeline.show_outline(outline)
        length = clock_words(outline.length_ns)
        count = f"{outline.events:,}".replace(",", "\u2009")
        self.retitle(outline.path.name)
        self.setToolTip(f"{outline.path}: {length}, {count} events, {outline.size / 1e6:.1f} MB")
        self._show_state()

    def _show_state(self) -> None:
        """Buttons, cursor and words as the player is now."""
        state, outline = self.state, self.timeline.outline
        for widget in self._transport[:-1]:
            widget.setEnabled(bool(state))
        playing = bool(state.get("playing"))
        self.play.setIcon(
            icon("fa6s.pause" if playing else "fa6s.play", self.theme.accent if playing else self.theme.muted)
        )
        if not state:
            self._stack.setCurrentWidget(self.timeline if outline is not None and self._path else self.empty)
            if outline is None:
                self.empty.say(NOTHING)
            self.facts.setText("the system does not run" if outline is not None else "")
            return
        self.loop.setChecked(bool(state["loop"]))
        if outline is None:
            return
        self._stack.setCurrentWidget(self.timeline)
        self._show_streams(outline)
        if self._sought is None:
            range_ns = state["range_ns"]
            self.timeline.show_now(int(state["time_ns"]), tuple(range_ns) if range_ns else None)
            if not self.time.hasFocus():
                self.time.setText(clock_words(int(state["time_ns"]) - outline.start_ns, fine=True))
        rate = state["rate"]
        edit = self.rate.lineEdit()
        if edit is not None and not edit.hasFocus():
            self.rate.setCurrentText("Max" if rate is None else f"{rate:g}")
        self.facts.setText(self._words())

    def _words(self) -> str:
        state = self.state
        played = [on for _, on in state["streams"].values()]
        why = {"end": "at the end · ", "condition": "the condition holds · ", "failure": "failed · "}
        began = why.get(str(state.get("stopped")), "")
        return f"{began}event {state['number']} of {state['count']} · {sum(played)} of {len(played)} streams play"

    def _show_streams(self, outline: Outline) -> None:
        streams = self.state["streams"]
        for lane in outline.lanes:
            lane.played_as, lane.enabled = streams.get(lane.topic, ("", False))

    # ---- what one does

    def ask(self, action: str, **fields: Any) -> None:
        """Of the player in the runtime; what it refuses stands in the bar."""
        self.feed.ask("player", self._done, self._refused, timeout_s=None, action=action, **fields)

    def _done(self, reply: dict[str, Any]) -> None:
        player = reply.get("player")
        if player:
            self.state = player
            self._show_state()

    def _refused(self, error: StudioError) -> None:
        self._sought = None
        self.facts.setText(str(error))
        self.facts.setToolTip(str(error))

    def toggle(self) -> None:
        self.ask("pause" if self.state.get("playing") else "play")

    def step(self) -> None:
        self.ask("single")

    def next_event(self) -> None:
        """Of the chosen stream, or the first that is played."""
        outline = self.timeline.outline
        lanes = [lane for lane in outline.lanes if lane.enabled] if outline is not None else []
        chosen = [lane for lane in lanes if lane.topic == self.timeline.chosen] or lanes
        if chosen:
            self.ask("next_of", topic=chosen[0].played_as)

    def mark(self, *, first: bool) -> None:
        """A, or B, is where the cursor is."""
        start_ns, end_ns, now_ns = (int(self.state[name]) for name in ("start_ns", "end_ns", "time_ns"))
        low, high = self.state["range_ns"] or (start_ns, end_ns)
        low, high = (now_ns, max(high, now_ns)) if first else (min(low, now_ns), now_ns)
        self.ask("range", start_ns=low, end_ns=high)

    def _seek(self, time_ns: int) -> None:
        self._sought = time_ns
        if not self._seeks.isActive():
            self._seeks.start()

    def _seek_now(self) -> None:
        sought, self._sought = self._sought, None
        if sought is not None:
            self.ask("seek", time_ns=sought)

    def _to_start(self) -> None:
        range_ns = self.state.get("range_ns")
        self.ask("seek", time_ns=range_ns[0] if range_ns else self.state["start_ns"])

    def _jump(self) -> None:
        seconds = seconds_in(self.time.text())
        outline = self.timeline.outline
        self.timeline.setFocus()
        if seconds is None or outline is None:
            self.facts.setText(f"{self.time.text()} is no time; write it as 1:19.5")
            return
        self.ask("seek", time_ns=outline.start_ns + round(seconds * SECOND_NS))

    def _set_rate(self) -> None:
        text = self.rate.currentText().strip().rstrip("×").strip()
        if text.lower() == "max":
            self.ask("rate", rate=None)
            return
        try:
            rate = float(text)
        except ValueError:
            self.facts.setText(f"{text} is no rate: 0.01 to 1000, or Max")
            return
        if rate != self.state.get("rate"):
            self.ask("rate", rate=rate)

    def _set_loop(self, on: bool) -> None:
        self.ask("loop", on=on)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        keys = {
            Qt.Key.Key_Space: self.toggle,
            Qt.Key.Key_Right: (lambda: self.ask("seek_by", seconds=1.0)) if far else self.step,
            Qt.Key.Key_Left: lambda: self.ask("seek_by", seconds=-1.0 if far else -5.0),
            Qt.Key.Key_N: self.next_event,
            Qt.Key.Key_Home: self._to_start,
            Qt.Key.Key_BracketLeft: lambda: self.mark(first=True),
            Qt.Key.Key_BracketRight: lambda: self.mark(first=False),
        }
        do = keys.get(Qt.Key(event.key()))
        if do is not None and self.state:
            do()
        else:
            super().keyPressEvent(event)

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.timeline.show_theme(theme)
        self.empty.show_theme(theme)
        self._show_state()


def seconds_in(text: str) -> float | None:
    """Of `1:19.5`, `79.5` or `1:02:03`; None for anything else."""
    seconds = 0.0
    for part in text.strip().split(":"):
        try:
            seconds = seconds * 60 + float(part)
        except ValueError:
            return None
    return seconds
