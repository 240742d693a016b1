"""At what time two maps are compared: a slider for each that has more than one, moved together or each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QActionGroup
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.time_slider import TimeSlider
from studio.editor.panels.player.player_transport import field, seconds_in
from studio.editor.views.timeline.timeline import clock_words
from studio.runtime.base.deltas import Snapshot

if TYPE_CHECKING:
    from studio.editor.panels.compare.compare_side import Side

MS = 1_000_000
SAME, APART, OWN = "Same time since start", "As far apart as now", "Each its own time"


class RunStart:
    """When what runs has begun: where its log begins, 0 of a simulation, else when its first map was seen."""

    def __init__(self) -> None:
        self._first_ns: int | None = None

    def start_ns(self, state: Snapshot, time_ns: int) -> int:
        if self._first_ns is None:
            self._first_ns = time_ns
        player, clock = state.get("player"), state.get("clock") or {}
        if player:
            return int(player["start_ns"])
        return self._first_ns if clock.get("kind", "wall") == "wall" else 0


class SideTime(QWidget):
    moved = pyqtSignal(object)
    """To where, in ns since the start."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self.slider = TimeSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(f"Time of {letter}")
        self.slider.setToolTip(f"When the map of {letter} was made, since the start; ← → go to the next one")
        self.slider.valueChanged.connect(lambda value: self.moved.emit(value * MS))
        words = f"Time of {letter} since the start; type one to go there, such as 1:19.5"
        self.time = field(92, f"Time of {letter} in figures", words, self._typed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for widget in (QLabel(f"<b>{letter}</b>"), self.slider, self.time):
            row.addWidget(widget)

    def _typed(self) -> None:
        seconds = seconds_in(self.time.text())
        self.time.clearFocus()
        if seconds is not None:
            self.slider.setValue(round(seconds * 1000))
        self._tell()

    def show_side(self, side: Side) -> None:
        length_ms = side.length_ns // MS
        self.setEnabled(bool(length_ms))
        if not self.slider.isSliderDown():  # the hand knows better than a map that was read for it
            self.slider.blockSignals(True)
            self.slider.setRange(0, max(length_ms, 1))
            self.slider.setSingleStep(max(round(side.step_ns / MS), 1))
            self.slider.setPageStep(max(length_ms // 20, 1))
            self.slider.setValue(side.at_ns // MS)
            self.slider.blockSignals(False)
        self._tell()

    def _tell(self) -> None:
        if not self.time.hasFocus():
            self.time.setText(clock_words(self.slider.value() * MS, fine=True) if self.isEnabled() else "")


class CompareTimes(QWidget):
    settled = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.sides: tuple[Side, ...] = ()
        self.offset_ns: int | None = 0
        """By how much B is later than A, since their starts; None: each has its own time."""
        self.rows = (SideTime("A"), SideTime("B"))
        self.link = QToolButton()
        self.link.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.link.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.link.setToolTip("Whether the times of A and B are moved together")
        self.link.setAccessibleName("How the times are linked")
        menu = QMenu(self.link)
        group = QActionGroup(menu)
        self._ways = {words: menu.addAction(words) for words in (SAME, APART, OWN)}
        for words, action in self._ways.items():
            assert action is not None
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(lambda _, words=words: self.choose(words))
        self.link.setMenu(menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 8, 3)
        row.setSpacing(10)
        row.addWidget(self.rows[0], 1)
        row.addWidget(self.link)
        row.addWidget(self.rows[1], 1)
        self.show_theme(theme)

    def between(self, a: Side, b: Side) -> None:
        self.sides = (a, b)
        for side, row in zip(self.sides, self.rows, strict=True):
            row.moved.connect(lambda after_ns, side=side: self.move_to(side, after_ns))

    def _other(self, side: Side) -> Side:
        return self.sides[1] if side is self.sides[0] else self.sides[0]

    def _beside(self, side: Side, after_ns: int) -> int:
        """The time of the other that belongs to this one."""
        offset_ns = self.offset_ns or 0
        return after_ns + (offset_ns if side is self.sides[0] else -offset_ns)

    def time_for(self, side: Side) -> int | None:
        """At which time it belongs to the other; None if it has a time of its own, or the other has none."""
        other = self._other(side)
        if self.offset_ns is None or not other.length_ns:
            return None
        return self._beside(other, other.at_ns)

    def move_to(self, side: Side, after_ns: int) -> None:
        """By hand; the other follows where they are linked."""
        side.seek(after_ns)
        other = self._other(side)
        if self.offset_ns is not None and other.length_ns:
            other.seek(self._beside(side, after_ns))
        self.settled.emit()

    def went_on(self, side: Side) -> bool:
        """A run has; a recording that is linked to it goes along, and tells when it is there."""
        other = self._other(side)
        goes = self.offset_ns is not None and other.recording is not None
        if goes:
            other.seek(self._beside(side, side.at_ns))
        return goes

    def choose(self, way: str) -> None:
        a, b = self.sides
        self.offset_ns = {SAME: 0, APART: b.at_ns - a.at_ns}.get(way)
        if way == SAME:
            leader = a if a.recording is None and a.length_ns else b if b.recording is None and b.length_ns else a
            if self._other(leader).length_ns:
                self._other(leader).seek(leader.at_ns)
        self.show_times()
        self.settled.emit()

    def show_times(self) -> None:
        self.setVisible(any(side.length_ns for side in self.sides))
        for side, row in zip(self.sides, self.rows, strict=True):
            row.show_side(side)
        offset_ns = self.offset_ns
        if offset_ns:
            words = f"B {offset_ns / 1e9:+.2f} s".replace("-", "−")
        else:
            words = "Own times" if offset_ns is None else "Same time"
        self.link.setText(f" {words}")
        chosen = self._ways[OWN if offset_ns is None else APART if offset_ns else SAME]
        assert chosen is not None
        chosen.setChecked(True)
        self._show_icon()

    def _show_icon(self) -> None:
        name = "mdi6.link-variant-off" if self.offset_ns is None else "mdi6.link-variant"
        self.link.setIcon(icon(name, self._theme.muted))

    def show_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_icon()
