"""The row of the LogPlayer: every button and field of it, and how they look for a state of the player."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtWidgets import QInputDialog, QLabel, QLineEdit, QMenu, QToolButton, QWidget

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer_tool import ViewerTool
from studio.editor.panels.player.player_steering import PlayerSteering
from studio.editor.panels.player.player_transport import PRESETS, TOOL_WIDTH, FittingBar, Presets, RateDial, field
from studio.editor.views.timeline.timeline import clock_words

BURSTS = (10, 100, 1000)
BACK, BACK_OF = "One event back: ←", "Back to the event before of the chosen stream: P"
CONDITION = (
    "Stop after the first matching event: a field of a topic, a comparison, a value; Enter sets it, empty takes it away"
)


class Tool(Protocol):
    """Makes a button with a picture that follows the theme."""

    def __call__(
        self, name: str, words: str, do: Callable[[bool], object], *, on: bool | None = None
    ) -> QToolButton: ...


class PlayerBar(FittingBar):
    bookmark_wanted = pyqtSignal()
    mapping_wanted = pyqtSignal()
    record_wanted = pyqtSignal()
    beside_wanted = pyqtSignal(QPoint)
    """A log is to be put beside this one; where on the screen."""
    done = pyqtSignal()
    """Something was typed and entered: the keys are the time line's again."""

    def __init__(self, theme: Theme, tool: Tool, steering: PlayerSteering) -> None:
        super().__init__()
        self.theme, self._tool, self.steering = theme, tool, steering
        self._of_player: list[QWidget] = []
        """Of use only while a log is there."""
        self._asked_condition: str | None = None
        """Of which the player has not said yet whether it holds to it."""
        steering.refused.connect(lambda _: self._give_up_condition())
        self._add_tape()
        self._add_rate()
        self._add_range()
        self._add_places()
        self.more = QToolButton()
        self.more.setText("⋯")
        self.more.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.more.setToolTip("More")
        self.more.setAccessibleName("More")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more)
        menu.aboutToShow.connect(lambda: self._list_hidden(menu))
        self.more.setMenu(menu)
        self.add_last(self.more)

    # ---- building

    def _put(self, widget: QWidget, rank: int, *, stands_for: QWidget | None = None) -> None:
        if isinstance(widget, ViewerTool) and widget is not self.play:
            widget.setFixedWidth(TOOL_WIDTH)
        self.add(widget, rank, stands_for=stands_for)
        if not isinstance(widget, QLabel):
            self._of_player.append(widget)

    def _add_tape(self) -> None:
        tool, steering = self._tool, self.steering
        self.start = tool("fa6s.backward-fast", "To the beginning: Home", lambda _: steering.to_start())
        self.previous_of = tool("mdi6.skip-previous", BACK_OF, lambda _: steering.previous_event())
        self.back = tool("mdi6.step-backward", BACK, lambda _: steering.step_back())
        self.play = tool("fa6s.play", "Play or pause: Space", lambda _: steering.toggle())
        self.play.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.play.setProperty("framed", "true")
        self.play.setFixedWidth(92)
        words = "One event, with all that follows from it: →. Right click: many of them"
        self.single = tool("mdi6.step-forward", words, lambda _: steering.step())
        self.bursts = self._bursts()
        self.single.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.single.customContextMenuRequested.connect(lambda at: self.bursts.popup(self.single.mapToGlobal(at)))
        words = "To the next event of the chosen stream: N"
        self.next_of = tool("mdi6.skip-next", words, lambda _: steering.next_event())
        self.stop = tool("fa6s.stop", "Pause, and back to the beginning", lambda _: steering.stop())
        for widget, rank in ((self.start, 0), (self.previous_of, 4), (self.back, 0), (self.play, 0), (self.single, 0),
                             (self.next_of, 4), (self.stop, 6)):  # fmt: skip
            self._put(widget, rank)

    def _bursts(self) -> QMenu:
        menu = QMenu("Many events", self.single)
        for count in BURSTS:
            _entry(menu, f"{count} events", partial(self.steering.ask, "burst", count=count))
        _entry(menu, "Other…", self._ask_burst)
        return menu

    def _ask_burst(self) -> None:
        count, sure = QInputDialog.getInt(self, "Burst", "How many events, as fast as they go?", 50, 1, 10_000_000)
        if sure:
            self.steering.ask("burst", count=count)

    def _add_rate(self) -> None:
        steering = self.steering
        self.dial = RateDial(self.theme)
        self.dial.turned.connect(steering.set_rate)
        words = "Playback speed: 0.01 to 1000, or Max for as fast as it goes"
        self.rate = field(58, "Rate", words, lambda: steering.type_rate(self.rate.text()))
        self.rate.editingFinished.connect(lambda: steering.type_rate(self.rate.text()))
        self.times = QToolButton()
        self.times.setText("× ▾")
        self.times.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.times.setToolTip("Rates to choose from")
        self.times.setAccessibleName("Choose a rate")
        self.times.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        rates = QMenu(self.times)
        for words, rate in PRESETS:
            _entry(rates, f"{words} ×" if rate else words, partial(steering.set_rate, rate))
        self.times.setMenu(rates)
        self.presets = Presets()
        self.presets.chosen.connect(steering.set_rate)
        self.add_gap()
        for widget, rank in ((self.dial, 9), (self.rate, 2), (self.presets, 8)):
            self._put(widget, rank)
        self._put(self.times, 2, stands_for=self.presets)

    def _add_range(self) -> None:
        tool, steering = self._tool, self.steering
        self.loop = tool("mdi6.repeat", "Loop: L", steering.set_loop, on=False)
        self.from_here = _letter("A", "The range to play begins here: [", lambda: steering.mark(first=True))
        self.to_here = _letter("B", "The range to play ends here: ]", lambda: steering.mark(first=False))
        words = "Play everything again"
        self.no_range = tool("mdi6.arrow-expand-horizontal", words, lambda _: steering.ask("range"))
        self.bookmark = tool("fa6s.bookmark", "Set a bookmark here: B", lambda _: self.bookmark_wanted.emit())
        self.condition = QLineEdit()
        self.condition.setToolTip(CONDITION)
        self.condition.setAccessibleName("Stop when")
        self.condition.setFixedWidth(170)
        self.condition.setClearButtonEnabled(True)
        self.condition.returnPressed.connect(lambda: self._set_condition(self.condition.text()))
        self.condition.textChanged.connect(self._emptied)
        self.add_gap()
        for widget, rank in ((self.loop, 5), (self.from_here, 5), (self.to_here, 5), (self.no_range, 5),
                             (self.bookmark, 3), (self.condition, 12)):  # fmt: skip
            self._put(widget, rank)

    def _add_places(self) -> None:
        tool = self._tool
        self.time = field(98, "Time", "Where in the log; type a time to jump there, such as 1:19.5", self._jump)
        words = "How many events were before; type a number to jump there"
        self.number = field(70, "Event", words, self._jump_to_event)
        words = "Which topic of the log feeds which port…"
        self.mapping = tool("mdi6.swap-horizontal", words, lambda _: self.mapping_wanted.emit())
        words = "A log beside this one, to be compared in plots…"
        self.beside = tool("mdi6.database-plus-outline", words, lambda _: self._ask_beside())
        words = "Start or stop recording: Ctrl+R"
        self.recorder = tool("fa6s.circle", words, lambda _: self.record_wanted.emit())
        self.add_gap()
        for widget, rank in ((self.time, 1), (self.number, 7), (self.mapping, 10), (self.beside, 7)):
            self._put(widget, rank)
        self.recorder.setFixedWidth(TOOL_WIDTH)
        self.add(self.recorder, 11)  # the toolbar has one too

    def _ask_beside(self) -> None:
        """Below the button, or below what stands for it where it has no room."""
        shown = self.beside if self.beside.isVisible() else self.more
        self.beside_wanted.emit(shown.mapToGlobal(QPoint(0, shown.height())))

    # ---- what was typed, and what has no room

    def _jump(self) -> None:
        self.steering.jump(self.time.text())
        self.done.emit()

    def _jump_to_event(self) -> None:
        self.steering.jump_to_event(self.number.text())
        self.done.emit()

    def _set_condition(self, text: str) -> None:
        """What stays in the field is what the player says: a condition that it refuses can be mended there."""
        self._show_condition(text)
        self._asked_condition = text.strip()
        self.steering.stop_when(text)

    def _emptied(self, text: str) -> None:
        """By the cross in it, or letter by letter: what is not there any more stops nothing any more."""
        if not text and self.steering.state.get("condition"):
            self._asked_condition = None
            self.steering.stop_when("")

    def _condition_words(self) -> str:
        return f"Stop after the first matching event, for example\n{self.steering.stop_example}"

    def _give_up_condition(self) -> None:
        self._asked_condition = None

    def _show_condition(self, text: str) -> None:
        self.condition.blockSignals(True)
        if self.condition.text() != text:
            self.condition.setText(text)
        self.condition.blockSignals(False)

    def _list_hidden(self, menu: QMenu) -> None:
        """As entries: buttons by their words, fields by a question."""
        menu.clear()
        menu.addMenu(self.bursts)
        for widget in self.hidden_widgets:
            if isinstance(widget, QToolButton):
                entry = _entry(menu, widget.toolTip(), widget.click)
                entry.setEnabled(widget.isEnabled())
                entry.setCheckable(widget.isCheckable())
                entry.setChecked(widget.isChecked())
        for field_, title, words, do in (
            (self.condition, "Stop when…", self._condition_words(), self._set_condition),
            (self.number, "Go to event…", "Its number among those that are played", self.steering.jump_to_event),
        ):
            if field_ in self.hidden_widgets:
                entry = _entry(menu, title, partial(self._ask, field_, title, words, do))
                entry.setEnabled(field_.isEnabled())

    def _ask(self, field_: QLineEdit, title: str, words: str, do: Callable[[str], object]) -> None:
        text, sure = QInputDialog.getText(self, title.rstrip("…"), words, text=field_.text())
        if sure:
            do(text)

    # ---- how it looks

    def show_player(self, state: dict[str, Any], *, frozen: bool, recording: bool) -> None:
        """`state`: of the player, empty if there is none."""
        for widget in self._of_player:
            widget.setEnabled(bool(state))
        self._show_play(bool(state.get("playing")), bool(state), frozen)
        self.recorder.setIcon(icon("fa6s.circle", self.theme.error))
        self.recorder.setToolTip("Stop recording: Ctrl+R" if recording else "Record the running system: Ctrl+R")
        self.recorder.setProperty("framed", "true" if recording else "false")
        if not state:
            self._asked_condition = None
            return
        self.loop.setChecked(bool(state["loop"]))
        self.no_range.setEnabled(bool(state["range_ns"]))
        self.dial.show_rate(state["rate"])
        self.presets.show_rate(state["rate"])
        self.condition.setPlaceholderText(f"Stop when … {self.steering.stop_example}")
        condition = str(state.get("condition") or "")
        if condition == self._asked_condition:
            self._asked_condition = None
            self.done.emit()
        if self._asked_condition is None and not self.condition.hasFocus():
            self._show_condition(condition)
        if not self.rate.hasFocus():
            self.rate.setText("Max" if state["rate"] is None else f"{state['rate']:g}")
        can, why = self.steering.can_go_back()
        for button, words in ((self.back, BACK), (self.previous_of, BACK_OF)):
            button.setEnabled(can)
            button.setToolTip(words if can else f"{words}. Not now: {why}")

    def show_place(self, time_ns: int, number: int) -> None:
        """From the beginning of the log; who types in a field is not disturbed."""
        self.show_time(time_ns)
        if not self.number.hasFocus():
            self.number.setText(str(number))

    def show_time(self, time_ns: int) -> None:
        if not self.time.hasFocus():
            self.time.setText(clock_words(max(0, time_ns), fine=True))  # before its first event it is at its start

    def _show_play(self, playing: bool, there: bool, frozen: bool) -> None:
        theme = self.theme
        if frozen and there:
            words, mark, colour, tip = (
                "Frozen",
                "fa6s.snowflake",
                theme.frozen,
                "It is paused within an event: Space continues",
            )
        elif playing:
            words, mark, colour, tip = "Playing", "fa6s.pause", theme.fine, "Pause: Space"
        else:
            words, mark, colour, tip = "Play", "fa6s.play", theme.fine, "Play: Space"
        self.play.setText(f" {words}")
        self.play.setIcon(icon(mark, colour if there else theme.disabled))
        self.play.setToolTip(tip)
        self.play.setAccessibleName("Continue" if frozen else "Pause" if playing else "Play")

    def show_theme(self, theme: Theme) -> None:
        self.theme = self.dial.theme = theme
        self.dial.update()


def _letter(letter: str, words: str, do: Callable[[], object]) -> QToolButton:
    button = QToolButton()
    button.setText(letter)
    button.setFixedWidth(TOOL_WIDTH)
    button.setToolTip(words)
    button.setAccessibleName(words.partition(":")[0])
    button.clicked.connect(lambda _: do())
    return button


def _entry(menu: QMenu, words: str, do: Callable[[], object]) -> Any:
    entry = menu.addAction(words)
    assert entry is not None
    entry.triggered.connect(lambda _: do())
    return entry
