"""The log player: the log of the running system on a time line, and everything one does with a tape."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QHBoxLayout, QInputDialog, QLabel, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from studio.editor.feed import Changes, Feed
from studio.editor.icons import icon
from studio.editor.panels.player_marks import PlayerMarks
from studio.editor.panels.player_transport import Facts, FittingBar, Presets, RateDial, field, seconds_in
from studio.editor.panels.viewer import Empty, Viewer, column, muted, stacked
from studio.editor.theme import Theme
from studio.editor.views.log_bookmarks import Mark, read_marks
from studio.editor.views.log_outline import Outline, read_gaps, read_outline, time_of_event
from studio.editor.views.timeline import SECOND_NS, Timeline, clock_words
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.log_files.desk import LogDesk

NOTHING = "No log is played. Open one, or record the running system"
SEEK_EVERY_MS = 60
"""While scrubbing: each jump pauses and rewinds the whole system, so not for every pixel."""
BURSTS = (10, 100, 1000)
STEPS = ("single", "back", "next_of", "previous_of", "burst")
MOST_STEPS = 30
FASTER = 1.1
"""Of the keys up and down, as in rosbag2."""


class PlayerViewer(Viewer):
    KIND, TITLE, ICON = "player", "LogPlayer", "fa6s.database"
    _read = pyqtSignal(object, object)
    _later = pyqtSignal(object)

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.desk: LogDesk | None = None
        """For what needs the project: the mapping, recording, opening."""
        self.state: dict[str, Any] = {}
        self._path = ""
        self._steps: deque[dict[str, Any]] = deque()
        """Asked for by keys that are held down; the first is under way."""
        self._sought: int | None = None
        self._seeking = False
        """Until the player has got there, its news are of the place before: the cursor stays where it was put."""
        self._seeks = QTimer(self)
        self._seeks.setSingleShot(True)
        self._seeks.setInterval(SEEK_EVERY_MS)
        self._seeks.timeout.connect(self._seek_now)
        self.timeline = Timeline(theme)
        self.timeline.sought.connect(self._seek)
        self.timeline.toggled.connect(lambda topic, on: self.ask("enable", topic=topic, on=on))
        self.timeline.ranged.connect(lambda low, high: self.ask("range", start_ns=low, end_ns=high))
        self.marks = PlayerMarks(self, self.timeline, lambda: Path(self._path))
        self.marks.refused.connect(self._refuse)
        self.marks.sought.connect(lambda time_ns: self.ask("seek", time_ns=time_ns))
        self.timeline.picked.connect(lambda _: self._show_state())
        self.empty = Empty(self.ICON, NOTHING, theme)
        self._add_choices(self.empty)
        self.place, self._stack = stacked(self.empty, self.timeline)
        self._build_transport()
        column(self, self.place)
        layout = self.layout()
        assert layout is not None
        layout.insertWidget(0, self.bar)  # type: ignore[attr-defined]
        self._read.connect(self._show_outline)
        self._later.connect(lambda do: do())
        self.setFocusProxy(self.timeline)
        self._take_state()

    # ---- building

    def _add_choices(self, empty: Empty) -> None:
        """In the empty panel: what one can do about it."""
        layout = empty.layout()
        assert layout is not None
        row = QHBoxLayout()
        row.addStretch(1)
        self.open_log, self.record = QPushButton("Open a log…"), QPushButton("Record")
        for button, name in ((self.open_log, "ask_open"), (self.record, "toggle")):
            button.clicked.connect(lambda _, name=name: getattr(self.desk, name)() if self.desk is not None else None)
            row.addWidget(button)
        row.addStretch(1)
        layout.insertLayout(layout.count() - 1, row)  # type: ignore[attr-defined]

    def _build_transport(self) -> None:
        tool = self.tool
        self.start = tool("fa6s.backward-fast", "To the beginning: Home", lambda _: self._to_start())
        self.previous_of = tool("mdi6.skip-previous", "Back to the event before of the chosen stream: P",
                                lambda _: self.previous_event())  # fmt: skip
        self.back = tool("mdi6.step-backward", "One event back: ←", lambda _: self.step_back())
        self.play = tool("fa6s.play", "Play or pause: Space", lambda _: self.toggle())
        self.play.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.play.setProperty("framed", "true")
        self.play.setFixedWidth(92)
        self.single = tool("mdi6.step-forward", "One event, with all that follows from it: →", lambda _: self.step())
        self.single.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)
        bursts = QMenu(self.single)
        for count in BURSTS:
            entry = bursts.addAction(f"{count} events")
            assert entry is not None
            entry.triggered.connect(lambda _, count=count: self.ask("burst", count=count))
        other = bursts.addAction("Other…")
        assert other is not None
        other.triggered.connect(lambda _: self._ask_burst())
        self.bursts = bursts
        self.single.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.single.customContextMenuRequested.connect(lambda at: self.bursts.popup(self.single.mapToGlobal(at)))
        self.next_of = tool("mdi6.skip-next", "To the next event of the chosen stream: N", lambda _: self.next_event())
        self.stop = tool("fa6s.stop", "Pause, and back to the beginning", lambda _: self._stop())
        self.dial = RateDial(self.theme)
        self.dial.turned.connect(lambda rate: self.set_rate(rate))
        self.rate = field(64, "Rate", "Times as fast as it was: 0.01 to 1000, or Max for as fast as it goes",
                          self._typed_rate)  # fmt: skip
        self.rate.editingFinished.connect(self._typed_rate)
        self.presets = Presets()
        self.presets.chosen.connect(self.set_rate)
        self.loop = tool("mdi6.repeat", "Begin again at the end: L", self._set_loop, on=False)
        self.from_here = self._letter("A", "The range to play begins here: [", lambda: self.mark(first=True))
        self.to_here = self._letter("B", "The range to play ends here: ]", lambda: self.mark(first=False))
        self.no_range = tool("mdi6.arrow-expand-horizontal", "Play everything again", lambda _: self.ask("range"))
        self.bookmark = tool("fa6s.bookmark", "Set a bookmark here: B", lambda _: self.marks.add())
        self.condition = QLineEdit()
        self.condition.setPlaceholderText("Stop when … /laser/ranges_m.min < 0.5")
        self.condition.setToolTip(
            "Stop behind the first event of which this holds: a field of a topic, a comparison, a value; Enter sets it,"
            " empty takes it away"
        )
        self.condition.setAccessibleName("Stop when")
        self.condition.setFixedWidth(170)
        self.condition.setClearButtonEnabled(True)
        self.condition.returnPressed.connect(self._set_condition)
        self.time = field(98, "Time", "Where in the log; type a time to jump there, such as 1:19.5", self._jump)
        self.number = field(
            70, "Event", "How many events were before; type a number to jump there", self._jump_to_event
        )
        self.mapping = tool("mdi6.swap-horizontal", "Which topic of the log feeds which port…", lambda _: self._map())
        self.recorder = tool("fa6s.circle", "Record, or end the recording: Ctrl+R", lambda _: self._record())
        self.facts = Facts()
        self.bar = FittingBar()
        self._player_widgets: list[QWidget] = []
        ranked: tuple[tuple[QWidget, int], ...] = (
            (self.start, 0), (self.previous_of, 4), (self.back, 0), (self.play, 0), (self.single, 0), (self.next_of, 3),
            (self.stop, 6), (self.dial, 9), (self.rate, 2), (muted("×"), 2), (self.presets, 8), (self.loop, 5),
            (self.from_here, 5), (self.to_here, 5), (self.no_range, 5), (self.bookmark, 3), (self.condition, 10),
            (self.time, 1), (self.number, 7), (self.mapping, 6),
        )  # fmt: skip
        for widget, rank in ranked:
            self.bar.add(widget, rank)
            if not isinstance(widget, QLabel):
                self._player_widgets.append(widget)
        self.bar.add(self.recorder, 6)
        self.bar.add(self.facts, stretch=1)

    def _letter(self, letter: str, words: str, do: Callable[[], object]) -> QToolButton:
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
        self.state, self._seeking = {}, False
        self._steps.clear()
        self._show_state()

    def _take_state(self) -> None:
        self.state = self.feed.state.get("player") or {}
        path = str(self.state.get("log", ""))
        if path and path != self._path:
            self._path = path
            self.timeline.show_outline(None)
            self.empty.say(f"Reading {Path(path).name} …")
            Thread(target=self._read_log, args=(Path(path),), name="read outline", daemon=True).start()
        self._show_state()

    def _read_log(self, path: Path) -> None:
        """Beside the window's work: first what the index tells, then what has to be looked for."""
        try:
            self._read.emit(read_outline(path), "")
            marks = read_marks(path)
            self._later.emit(lambda: self._show_marks(path, marks))
            gaps = read_gaps(path)
        except (StudioError, RuntimeError) as error:  # or the viewer was closed meanwhile
            try:
                self._read.emit(None, str(error))
            except RuntimeError:
                return
            return
        self._later.emit(lambda: self._show_gaps(path, gaps))

    def _show_outline(self, outline: Outline | None, trouble: str) -> None:
        if outline is None:
            if self.timeline.outline is None:
                self.empty.say(trouble)
            else:
                self._refuse(trouble)
            return
        self.timeline.show_outline(outline)
        length = clock_words(outline.length_ns)
        count = f"{outline.events:,}".replace(",", "\u2009")
        self.retitle(outline.path.name)
        self.setToolTip(f"{outline.path}: {length}, {count} events, {outline.size / 1e6:.1f} MB")
        self._show_state()

    def _show_marks(self, path: Path, marks: list[Mark]) -> None:
        if str(path) == self._path:
            self.timeline.show_marks(marks)

    def _show_gaps(self, path: Path, gaps: dict[str, Any]) -> None:
        outline = self.timeline.outline
        if outline is not None and str(path) == self._path:
            for lane in outline.lanes:
                lane.gaps = gaps.get(lane.topic, ())
            self.timeline.update()

    def _show_state(self) -> None:
        """Buttons, cursor and words as the player is now."""
        state, outline = self.state, self.timeline.outline
        for widget in self._player_widgets:
            widget.setEnabled(bool(state))
        playing = bool(state.get("playing"))
        self._show_play(playing)
        self._show_recorder()
        if not state:
            self._stack.setCurrentWidget(self.timeline if outline is not None and self._path else self.empty)
            if outline is None:
                self.empty.say(NOTHING)
            self.facts.say("the system does not run" if outline is not None and not self.feed.state else "")
            return
        self.loop.setChecked(bool(state["loop"]))
        self.no_range.setEnabled(bool(state["range_ns"]))
        self._show_back()
        if outline is None:
            return
        self._stack.setCurrentWidget(self.timeline)
        self._show_streams(outline)
        self.timeline.frozen = bool((self.feed.state.get("debug") or {}).get("frozen"))
        if self._sought is None and not self._seeking:
            range_ns = state["range_ns"]
            self.timeline.show_now(int(state["time_ns"]), tuple(range_ns) if range_ns else None)
            if not self.time.hasFocus():
                self.time.setText(clock_words(int(state["time_ns"]) - outline.start_ns, fine=True))
            if not self.number.hasFocus():
                self.number.setText(str(state["number"]))
        self.dial.show_rate(state["rate"])
        self.presets.show_rate(state["rate"])
        if not self.rate.hasFocus():
            self.rate.setText("Max" if state["rate"] is None else f"{state['rate']:g}")
        self.facts.say(self._words(outline))
        self.timeline.update()

    def _show_play(self, playing: bool) -> None:
        theme = self.theme
        self.play.setText(" Playing" if playing else " Play")
        self.play.setIcon(icon("fa6s.pause" if playing else "fa6s.play", theme.fine if self.state else theme.disabled))
        self.play.setToolTip("Pause: Space" if playing else "Play: Space")
        self.play.setAccessibleName("Pause" if playing else "Play")

    def _show_back(self) -> None:
        """Going back is possible only where the same would come again; where it is not, the button says why."""
        can, why = self._can_go_back()
        for button, words in (
            (self.back, "One event back: ←"),
            (self.previous_of, "Back to the event before of the chosen stream: P"),
        ):
            button.setEnabled(can)
            button.setToolTip(words if can else f"{words}. Not now: {why}")

    def _can_go_back(self) -> tuple[bool, str]:
        stepping = self.feed.state.get("stepping") or {}
        if stepping.get("can_go_back"):
            return True, ""
        return False, str(stepping.get("why_not") or "the log is played freely; choose the gate Lockstep")

    def _show_recorder(self) -> None:
        recording = bool(self.feed.state.get("recording"))
        self.recorder.setIcon(icon("fa6s.circle", self.theme.error))
        self.recorder.setToolTip("End the recording: Ctrl+R" if recording else "Record the running system: Ctrl+R")
        self.recorder.setProperty("framed", "true" if recording else "false")

    def _words(self, outline: Outline) -> str:
        state = self.state
        why = {"end": "at the end", "condition": "the condition holds", "failure": "failed"}
        gate = "in lockstep" if state.get("gate") == "lockstep" else ""
        parts = [why.get(str(state.get("stopped")), ""), gate, f"event {state['number']} of {state['count']}"]
        parts += [clock_words(outline.length_ns), f"{outline.size / 1e6:.1f} MB"]
        return " · ".join(part for part in parts if part)

    def _show_streams(self, outline: Outline) -> None:
        streams = self.state["streams"]
        for lane in outline.lanes:
            lane.played_as, lane.enabled = streams.get(lane.topic, ("", False))
        outline.lanes.sort(key=lambda lane: not lane.played_as)  # what plays is what one works with
        on = sum(lane.enabled for lane in outline.lanes)
        made = "; outputs are made anew by the components" if self.feed.state.get("components") else ""
        self.timeline.words = f"{on} of {len(outline.lanes)} streams play{made}"

    # ---- what one does

    def ask(self, action: str, **fields: Any) -> None:
        """Of the player in the runtime; what it refuses stands in the bar. Steps go one after the other."""
        if action not in STEPS:
            self.feed.ask("player", self._done, self._refused, timeout_s=None, action=action, **fields)
        elif len(self._steps) < MOST_STEPS:
            self._steps.append({"action": action, **fields})
            if len(self._steps) == 1:
                self._step_on()

    def _step_on(self) -> None:
        self.feed.ask("player", self._stepped, self._refused, timeout_s=None, **self._steps[0])

    def _stepped(self, reply: dict[str, Any]) -> None:
        self._done(reply)
        if self._steps:
            self._steps.popleft()
        if self._steps:
            self._step_on()

    def _done(self, reply: dict[str, Any]) -> None:
        self._seeking = False
        player = reply.get("player")
        if player:
            self.state = player
            self._show_state()

    def _refused(self, error: StudioError) -> None:
        self._sought, self._seeking = None, False
        self._steps.clear()
        self._refuse(str(error))

    def _refuse(self, words: str) -> None:
        self.facts.say(words)

    def toggle(self) -> None:
        self.ask("pause" if self.state.get("playing") else "play")

    def step(self) -> None:
        self.ask("single")

    def step_back(self) -> None:
        can, why = self._can_go_back()
        if can:
            self.ask("back", count=1)
        else:
            self._refuse(f"One event back is not possible: {why}")

    def _ask_burst(self) -> None:
        count, sure = QInputDialog.getInt(self, "Burst", "How many events, as fast as they go?", 50, 1, 10_000_000)
        if sure:
            self.ask("burst", count=count)

    def _chosen_topic(self) -> str:
        """Of the system: the chosen stream, or the first that is played."""
        outline = self.timeline.outline
        lanes = [lane for lane in outline.lanes if lane.enabled] if outline is not None else []
        chosen = [lane for lane in lanes if lane.topic == self.timeline.chosen] or lanes
        return chosen[0].played_as if chosen else ""

    def next_event(self) -> None:
        if topic := self._chosen_topic():
            self.ask("next_of", topic=topic)

    def previous_event(self) -> None:
        can, why = self._can_go_back()
        topic = self._chosen_topic()
        if topic and can:
            self.ask("previous_of", topic=topic)
        else:
            self._refuse(f"It is not possible to go back: {why}")

    def mark(self, *, first: bool) -> None:
        """A, or B, is where the cursor is."""
        start_ns, end_ns, now_ns = (int(self.state[name]) for name in ("start_ns", "end_ns", "time_ns"))
        low, high = self.state["range_ns"] or (start_ns, end_ns)
        low, high = (now_ns, max(high, now_ns)) if first else (min(low, now_ns), now_ns)
        self.ask("range", start_ns=low, end_ns=high)

    def _seek(self, time_ns: int) -> None:
        self._sought = time_ns
        outline = self.timeline.outline
        if outline is not None:
            self.time.setText(clock_words(time_ns - outline.start_ns, fine=True))
        if not self._seeks.isActive():
            self._seeks.start()

    def _seek_now(self) -> None:
        sought, self._sought = self._sought, None
        if sought is not None and self.state:
            self._seeking = True
            self.ask("seek", time_ns=sought)

    def _to_start(self) -> None:
        range_ns = self.state.get("range_ns")
        self.ask("seek", time_ns=range_ns[0] if range_ns else self.state["start_ns"])

    def _to_end(self) -> None:
        range_ns = self.state.get("range_ns")
        self.ask("seek", time_ns=range_ns[1] if range_ns else self.state["end_ns"])

    def _stop(self) -> None:
        self.ask("pause")
        self._to_start()

    def _jump(self) -> None:
        seconds = seconds_in(self.time.text())
        outline = self.timeline.outline
        self.timeline.setFocus()
        if seconds is None or outline is None:
            self._refuse(f"{self.time.text()} is no time; write it as 1:19.5")
            return
        self.ask("seek", time_ns=outline.start_ns + round(seconds * SECOND_NS))

    def _jump_to_event(self) -> None:
        text = self.number.text().strip().replace("\u2009", "")
        self.timeline.setFocus()
        if not text.isdigit():
            self._refuse(f"{text or 'nothing'} is no number of an event")
            return
        topics = [topic for topic, (_, on) in self.state["streams"].items() if on]
        number, path = min(int(text), max(int(self.state["count"]) - 1, 0)), Path(self._path)

        def find() -> None:
            try:
                time_ns = time_of_event(path, topics, number)
            except StudioError as error:
                words = str(error)
                self._later.emit(lambda: self._refuse(words))
                return
            self._later.emit(lambda: self.ask("seek", time_ns=time_ns))

        Thread(target=find, name="find event", daemon=True).start()

    def set_rate(self, rate: float | None) -> None:
        if rate != self.state.get("rate", 0.0):
            self.ask("rate", rate=rate)
        self.presets.show_rate(rate)

    def _typed_rate(self) -> None:
        text = self.rate.text().strip().rstrip("×").strip()
        if text.lower() == "max":
            self.set_rate(None)
            return
        try:
            self.set_rate(float(text))
        except ValueError:
            self._refuse(f"{text or 'nothing'} is no rate: 0.01 to 1000, or Max")

    def faster(self, factor: float) -> None:
        rate = self.state.get("rate")
        if rate is not None:
            self.set_rate(round(min(max(rate * factor, 0.01), 1000.0), 4))

    def _set_loop(self, on: bool) -> None:
        self.ask("loop", on=on)

    def _set_condition(self) -> None:
        self.ask("stop_when", condition=self.condition.text().strip())
        self.timeline.setFocus()

    # ---- the project

    def _map(self) -> None:
        if self.desk is not None and self._path:
            self.desk.ask_mapping(Path(self._path))

    def _record(self) -> None:
        if self.desk is not None:
            self.desk.toggle()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        keys: dict[Qt.Key, Callable[[], object]] = {
            Qt.Key.Key_Space: self.toggle,
            Qt.Key.Key_Right: (lambda: self.ask("seek_by", seconds=1.0)) if far else self.step,
            Qt.Key.Key_Left: (lambda: self.ask("seek_by", seconds=-1.0)) if far else self.step_back,
            Qt.Key.Key_Up: lambda: self.faster(FASTER),
            Qt.Key.Key_Down: lambda: self.faster(1 / FASTER),
            Qt.Key.Key_N: self.next_event,
            Qt.Key.Key_P: self.previous_event,
            Qt.Key.Key_B: self.marks.add,
            Qt.Key.Key_L: lambda: self._set_loop(not self.state.get("loop")),
            Qt.Key.Key_Home: self._to_start,
            Qt.Key.Key_End: self._to_end,
            Qt.Key.Key_BracketLeft: lambda: self.mark(first=True),
            Qt.Key.Key_BracketRight: lambda: self.mark(first=False),
        }
        do = keys.get(Qt.Key(event.key()))
        if do is not None and self.state and not control:
            do()
        else:
            super().keyPressEvent(event)

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.timeline.show_theme(theme)
        self.empty.show_theme(theme)
        self.dial.theme = theme
        self.dial.update()
        self._show_state()
