"""The log player: the log of the running system on a time line, and everything one does with a tape."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from PyQt6.QtCore import QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget
from PyQt6.sip import isdeleted

from studio.editor.live.feed import Changes, Feed
from studio.editor.live.log_outline import Outline, read_density, read_gaps, read_outline
from studio.editor.live.standing import shown_event
from studio.editor.live.state import count_words
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import Empty, Offer, Settings, Viewer, column, stacked
from studio.editor.panels.player.player_bar import PlayerBar
from studio.editor.panels.player.player_beside import PlayerBeside
from studio.editor.panels.player.player_marks import PlayerMarks
from studio.editor.panels.player.player_memory import PlayerMemory
from studio.editor.panels.player.player_steering import FASTER, PlayerSteering
from studio.editor.panels.player.player_way import JUMP, PlayerWay
from studio.editor.panels.player.player_words import PlayerWords
from studio.editor.views.shared.newest_wish import NewestWish
from studio.editor.views.timeline.log_bookmarks import Mark, read_marks
from studio.editor.views.timeline.timeline import Timeline, clock_words
from studio.errors import StudioError
from studio.runtime.playing.actual_rate import too_slow

LOOK_AFTER_MS = 150
"""Who zooms goes on zooming: how dense it is there is read when that has ended."""
AWAY = "No source plays this log now: choose Logged"
NOTHING = "No log is played. Open one, or record the running system"


class LogCommands(Protocol):
    """What the window does with logs."""

    def ask_open(self) -> object: ...
    def toggle(self) -> object:
        """Start or stop recording."""

    def ask_mapping(self, path: Path) -> object: ...


class PlayerViewer(Viewer):
    KIND, TITLE, ICON = "player", "LogPlayer", "fa6s.database"
    _read = pyqtSignal(object, object, str)
    """Of which log: its outline, or what hinders."""
    _later = pyqtSignal(object)

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.logs: LogCommands | None = None
        """For what needs the project: the mapping, recording, opening."""
        self._path = ""
        self._kept: Settings = {}
        """What was looked at in a log that is not read yet."""
        self.timeline = Timeline(theme)
        self.steering = steering = PlayerSteering(self, feed, self.timeline)
        steering.changed.connect(self._stepped)
        steering.refused.connect(self._refuse)
        self.memory = PlayerMemory(self, feed)
        self.memory.changed.connect(self._remembered)
        self.memory.refused.connect(self._refuse)
        self.memory.settled.connect(self.settled)
        self.bar = PlayerBar(theme, self.tool, steering)
        self.bar.bookmark_wanted.connect(lambda: self.marks.add())
        self.bar.mapping_wanted.connect(self._map)
        self.way = PlayerWay(steering, self.timeline)
        self.words = PlayerWords(theme, self.timeline)
        self.timeline.place_menu.connect(self._open_place_menu)
        self.beside = PlayerBeside(self, feed, self.timeline, theme)
        self.bar.beside_wanted.connect(self.beside.open_menu)
        self.beside.logs.changed.connect(self.settled)
        self.bar.record_wanted.connect(lambda: self._call_logs("toggle"))
        self.bar.done.connect(self.timeline.setFocus)
        self.timeline.sought.connect(self._seek)
        self.timeline.toggled.connect(lambda topic, on: steering.ask("enable", topic=topic, on=on))
        self.timeline.ranged.connect(lambda low, high: steering.ask("range", start_ns=low, end_ns=high))
        self.timeline.picked.connect(lambda _: self._show_state())
        for chosen in (self.timeline.picked, self.timeline.looked):
            chosen.connect(lambda *_: self.settled.emit())
        self._close: NewestWish[tuple[Path, int, int, dict[str, Any]]] = NewestWish(self, self._show_close)
        self._closely = QTimer(self)
        self._closely.setSingleShot(True)
        self._closely.setInterval(LOOK_AFTER_MS)
        self._closely.timeout.connect(self._look_closely)
        self.timeline.spanned.connect(self._closely.start)
        self.marks = PlayerMarks(self, self.timeline, lambda: Path(self._path))
        self.marks.refused.connect(self._refuse)
        self.marks.sought.connect(lambda time_ns: steering.ask("seek", time_ns=time_ns))
        self.empty = Empty(self.ICON, NOTHING, theme)
        self._choices = self._add_choices(self.empty)
        self.place, self._stack = stacked(self.empty, self.timeline)
        column(self, self.place)
        layout = self.layout()
        assert layout is not None
        layout.insertWidget(0, self.bar)  # type: ignore[attr-defined]
        self._read.connect(self._show_outline)
        self._later.connect(self._do)
        self.setFocusProxy(self.timeline)
        self._take_state()

    def _add_choices(self, empty: Empty) -> QWidget:
        """In the empty panel: what one can do about it."""
        layout = empty.layout()
        assert layout is not None
        choices = QWidget()
        row = QHBoxLayout(choices)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        for words, name in (("Open a log…", "ask_open"), ("Record", "toggle")):
            button = QPushButton(words)
            button.clicked.connect(lambda _, name=name: self._call_logs(name))
            row.addWidget(button)
        row.addStretch(1)
        layout.insertWidget(layout.count() - 1, choices)  # type: ignore[attr-defined]
        return choices

    def offer(self) -> Offer | None:
        return None  # it has choices of its own

    @property
    def state(self) -> dict[str, Any]:
        """Of the player; empty while none is there."""
        return self.steering.state

    # ---- what is kept

    def save(self) -> Settings:
        """The chosen stream, for any log; the part of the time line, for the one it belongs to; logs beside it; how it
        was played."""
        outline = self.timeline.outline
        more: Settings = {"beside_ns": self.beside.save()}
        if self.memory.kept:
            more["playing"] = self.memory.kept
        if outline is None:
            return self._kept | more
        part = [time_ns - outline.start_ns for time_ns in self.timeline.span_ns]
        return {"stream": self.timeline.chosen, "log": outline.path.name, "part_ns": part} | more

    def restore(self, settings: Settings) -> None:
        self._kept = settings
        playing = settings.get("playing")
        self.memory.kept = dict(playing) if isinstance(playing, dict) else {}
        self.timeline.chosen = str(settings.get("stream", ""))
        self.beside.restore(settings.get("beside_ns"))

    def _show_kept(self, outline: Outline) -> None:
        kept, self._kept = self._kept, {}
        part = kept.get("part_ns")
        if kept.get("log") == outline.path.name and isinstance(part, list) and len(part) == 2:
            self.timeline.show_span(*(outline.start_ns + int(time_ns) for time_ns in part))

    # ---- the feed

    def attached(self) -> None:
        self._take_state()

    def changed(self, changes: Changes) -> None:
        if changes.system or (changes.place and not self.state.get("playing")):
            self._take_state()

    def ended(self) -> None:
        self.steering.forget()
        self.memory.look({})
        self._show_state()

    def _take_state(self) -> None:
        self.steering.state = self.feed.state.get("player") or {}
        self.way.show_place(self.state)
        self.memory.look(self.state)
        path = str(self.state.get("log", ""))
        if path and path != self._path:
            self._path = path
            self.timeline.show_outline(None)
            self._say_empty(f"Reading {Path(path).name} …", choices=False)
            Thread(target=self._read_log, args=(Path(path),), name="read outline", daemon=True).start()
        self._show_state()

    def _stepped(self, _: object) -> None:
        self.memory.look(self.state)
        self._show_state()

    def _remembered(self, state: dict[str, Any]) -> None:
        self.steering.state = state
        self._stepped(state)

    def _say_empty(self, words: str, *, choices: bool) -> None:
        self.empty.say(words)
        self._choices.setVisible(choices)

    def _read_log(self, path: Path) -> None:
        """Beside the window's work."""
        try:
            self._read_parts(path)
        except RuntimeError:
            if not isdeleted(self):  # it was closed meanwhile: nobody looks any more
                raise

    def _read_parts(self, path: Path) -> None:
        """First what the index tells, then what has to be looked for."""
        try:
            self._read.emit(path, read_outline(path), "")
            marks = read_marks(path)
            self._later.emit(lambda: self._show_marks(path, marks))
            gaps = read_gaps(path)
        except StudioError as error:
            self._read.emit(path, None, str(error))
            return
        self._later.emit(lambda: self._show_gaps(path, gaps))

    def _do(self, show: Callable[[], None]) -> None:
        """What was read is shown, unless the panel was closed before it came here."""
        if not isdeleted(self.timeline):
            show()

    def _show_outline(self, path: Path, outline: Outline | None, trouble: str) -> None:
        if path != Path(self._path):
            return  # another log plays by now
        if outline is None:
            if self.timeline.outline is None:
                self._say_empty(trouble, choices=True)
            else:
                self._refuse(trouble)
            return
        self.timeline.show_outline(outline)
        self._show_kept(outline)
        length = clock_words(outline.length_ns)
        count = f"{outline.events:,}".replace(",", "\u2009")
        self.retitle(outline.path.name)
        self.setToolTip(f"{outline.path}: {length}, {count} events, {outline.size / 1e6:.1f} MB")
        self._show_state()

    def _show_marks(self, path: Path, marks: list[Mark]) -> None:
        if path == Path(self._path):
            self.timeline.show_marks(marks)

    def _show_gaps(self, path: Path, gaps: dict[str, Any]) -> None:
        outline = self.timeline.outline
        if outline is not None and path == Path(self._path) == outline.path:
            for lane in outline.lanes:
                lane.gaps = gaps.get(lane.topic, ())
            self.timeline.update()

    def _look_closely(self) -> None:
        """How dense the streams are in the part that is seen, and a little around it."""
        outline = self.timeline.outline
        if outline is None:
            return
        first, last = self.timeline.span_ns
        if last - first >= outline.length_ns:
            outline.close_ns = None
            return
        path, around = outline.path, (last - first) // 4
        low, high = max(first - around, outline.start_ns), min(last + around, outline.start_ns + outline.length_ns)
        self._close.ask(lambda: (path, low, high, read_density(path, low, high)))

    def _show_close(self, found: tuple[Path, int, int, dict[str, Any]] | StudioError) -> None:
        if isinstance(found, StudioError):
            self._refuse(str(found))
            return
        path, low, high, density = found
        outline = self.timeline.outline
        if outline is not None and outline.path == path:
            outline.close_ns = (low, high)
            for lane in outline.lanes:
                lane.close = density.get(lane.topic)
            self.timeline.update()

    def _show_state(self) -> None:
        """Buttons, cursor and words as the player is now."""
        state, outline = self.state, self.timeline.outline
        frozen = self.steering.is_frozen
        self.timeline.frozen = frozen and bool(state)  # of another log it says nothing
        if not self.steering.is_seeking:
            self.steering.plays = bool(state.get("playing"))
        shown = {**state, "playing": self.steering.plays} if state else state
        self.bar.show_player(shown, frozen=frozen, recording=bool(self.feed.state.get("recording")))
        if not state:
            self._stack.setCurrentWidget(self.timeline if outline is not None and self._path else self.empty)
            if outline is None:
                self._say_empty(NOTHING, choices=True)
                return
            self.words.say(AWAY if self.feed.state else "The system does not run")
            self.timeline.words = f"{len(outline.lanes)} streams"
            self.timeline.update()
            return
        if outline is None:
            return
        self._stack.setCurrentWidget(self.timeline)
        self._show_streams(outline)
        if not self.steering.is_seeking:
            range_ns = state["range_ns"]
            self.timeline.show_now(int(state["time_ns"]), tuple(range_ns) if range_ns else None)
            self.bar.show_place(int(state["time_ns"]) - outline.start_ns, state["number"])
            self.words.say(self._words(outline))
        self.timeline.update()

    def _words(self, outline: Outline) -> str:
        state = self.state
        condition = state.get("condition")
        why = {"end": "at the end", "condition": f"stopped: {condition}", "failure": "failed"}
        stops = why.get(str(state.get("stopped")), f"stops when {condition}" if condition else "")
        gate = "in lockstep" if state.get("gate") == "lockstep" else ""
        last = (self.feed.state.get("stepping") or {}).get("last") if gate and not state["playing"] else None
        after = f"after {shown_event(str(last[0]), int(last[1]))}" if last else ""
        place = f"event {count_words(state['number'])} of {count_words(state['count'])}"
        parts = [
            stops,
            _rate_words(state),
            place,
            after,
            clock_words(outline.length_ns),
            f"{outline.size / 1e6:.1f} MB",
            gate,
        ]
        return " · ".join(part for part in parts if part)

    def _show_streams(self, outline: Outline) -> None:
        streams = self.state["streams"]
        for lane in outline.lanes:
            lane.played_as, lane.enabled = streams.get(lane.topic, ("", False))
        outline.lanes.sort(key=lambda lane: not lane.played_as)  # what plays is what one works with
        on = sum(lane.enabled for lane in outline.lanes)
        made = "; the components compute the outputs again" if self.feed.state.get("components") else ""
        gaps = "" if outline.knows_gaps else "; too long to look for gaps"
        self.timeline.words = f"{on} of {len(outline.lanes)} streams play{made}{gaps}"

    def close_viewer(self) -> None:
        self.beside.logs.changed.disconnect(self.settled)
        self.beside.close()
        super().close_viewer()

    # ---- hands

    def show_all(self) -> None:
        self.timeline.show_all()

    def _refuse(self, words: str) -> None:
        if self._stack.currentWidget() is self.empty:
            self._say_empty(words, choices=True)
        self.words.insist(words)

    def _seek(self, time_ns: int) -> None:
        self.steering.seek(time_ns)
        outline = self.timeline.outline
        if outline is not None:
            self.bar.show_time(time_ns - outline.start_ns)

    def _open_place_menu(self, time_ns: int, at: QPoint) -> None:
        """What one can do with a place of the log, other than dragging the cursor there."""
        if not self.state:
            return
        steering, computes = self.steering, self._computes()
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.addAction("Go here", lambda: self.timeline.sought.emit(time_ns))
        jump = menu.addAction("Jump here without computing the events between", lambda: steering.jump_to(time_ns))
        assert jump is not None
        jump.setToolTip(JUMP if computes else "Nothing is computed here: going there is a jump already")
        jump.setEnabled(computes)
        menu.addAction("Set a bookmark here…", lambda: self.marks.add(time_ns=time_ns))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _computes(self) -> bool:
        """Whether going somewhere in the log computes what lies between."""
        return self.state.get("gate") == "lockstep" and bool(self.feed.state.get("components"))

    def _map(self) -> None:
        if self.logs is not None and self._path:
            self.logs.ask_mapping(Path(self._path))

    def _call_logs(self, name: str) -> None:
        if self.logs is not None:
            getattr(self.logs, name)()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        steering = self.steering
        far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        keys: dict[Qt.Key, Callable[[], object]] = {
            Qt.Key.Key_Space: steering.toggle,
            Qt.Key.Key_Right: (lambda: steering.seek_by(1.0)) if far else steering.step,
            Qt.Key.Key_Left: (lambda: steering.seek_by(-1.0)) if far else steering.step_back,
            Qt.Key.Key_Up: lambda: steering.faster(FASTER),
            Qt.Key.Key_Down: lambda: steering.faster(1 / FASTER),
            Qt.Key.Key_N: steering.next_event,
            Qt.Key.Key_P: steering.previous_event,
            Qt.Key.Key_B: self.marks.add,
            Qt.Key.Key_E: self.timeline.toggle_chosen,
            Qt.Key.Key_L: lambda: steering.set_loop(not self.state.get("loop")),
            Qt.Key.Key_Home: steering.to_start,
            Qt.Key.Key_End: steering.to_end,
            Qt.Key.Key_BracketLeft: lambda: steering.mark(first=True),
            Qt.Key.Key_BracketRight: lambda: steering.mark(first=False),
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
        self.bar.show_theme(theme)
        self.words.show_theme(theme)
        self.beside.show_theme(theme)
        self._show_state()


def _rate_words(state: dict[str, Any]) -> str:
    """The actual rate, where it is another than the one that was asked for."""
    actual, rate = state.get("actual_rate"), state.get("rate")
    if actual is None or not state["playing"]:
        return ""
    if rate is None:
        return f"plays at {actual:.3g}×"
    return f"only {actual:.2g}× of {rate:g}× reached" if too_slow(actual, rate) else ""
