"""The first part of the toolbar: Run, Pause, Step, Stop, and the clock. What each would do now is in its words."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt, QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from studio.editor.live.clock_words import kind_tip, kind_words, time_text
from studio.editor.live.feed import Changes
from studio.editor.live.run_control import Phase, RunControl
from studio.editor.look.fonts import code_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

WORDS: dict[Phase, str] = {
    "stopped": "Run", "starting": "Starting…", "running": "Running", "paused": "Continue", "stopping": "Stopping…",
}  # fmt: skip
TIPS: dict[Phase, str] = {
    "stopped": "Save the project and start its system (F5)",
    "starting": "Its processes are being started",
    "running": "The system runs. F8 pauses, Shift+F5 stops it",
    "paused": "Let events flow again (F5)",
    "stopping": "Its processes are ending",
}
NO_EVENTS = "No events"
CLOCK_EVERY_MS = 100
LONGEST_KIND = "sim time · in lockstep"
"""Room for it is kept also while nothing runs: what stands in the toolbar does not move."""


class RunButtons(QWidget):
    def __init__(self, theme: Theme, actions: dict[str, QAction]) -> None:
        super().__init__()
        self.theme = theme
        self._is_stalled = False
        self._actions = actions
        self.run = QToolButton()
        self.run.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.run.setIconSize(QSize(14, 14))
        self.run.setMinimumWidth(118)  # the same for every word
        self.run.clicked.connect(actions["run.start"].trigger)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.run)
        self._others: dict[str, QToolButton] = {}
        for name in ("run.pause", "run.back", "run.step", "run.stop"):
            button = QToolButton()
            button.setProperty("framed", "true")
            button.setIconSize(QSize(14, 14))
            button.setFixedWidth(32)
            button.clicked.connect(actions[name].trigger)
            button.setAccessibleName(actions[name].text())
            self._others[name] = button
            layout.addWidget(button)

    def show_phase(self, phase: Phase) -> None:
        theme, up = self.theme, phase in ("running", "paused")
        self._is_stalled = False
        enabled = {
            "run.start": phase in ("stopped", "paused"),
            "run.pause": phase == "running",
            "run.step": up,
            "run.stop": phase != "stopped",
        }
        for name, action in self._actions.items():
            if name in enabled:
                action.setEnabled(enabled[name])
        self._actions["run.start"].setText("Continue" if phase == "paused" else "Run")
        self.run.setText(f" {WORDS[phase]}")
        self.run.setToolTip(TIPS[phase])
        self.run.setAccessibleName(WORDS[phase])
        self.run.setEnabled(enabled["run.start"] or phase == "running")
        lit = phase in ("running", "starting")
        mark = "fa6s.hourglass-half" if phase in ("starting", "stopping") else "fa6s.play"
        self.run.setIcon(icon(mark, theme.fine if phase != "stopping" else theme.muted))
        self.run.setStyleSheet(
            f"QToolButton {{ background: {theme.selection if lit else theme.header}; color: {theme.text};"
            f" border: 1px solid {theme.accent if lit else theme.control_border}; border-radius: 4px;"
            f" padding: 0 12px; min-height: 26px; font-weight: 500; }}"
            f"QToolButton:hover {{ background: {theme.hover if not lit else theme.selection}; }}"
            f"QToolButton:focus {{ border: 2px solid {theme.focus}; }}"
        )
        looks = {
            "run.pause": ("fa6s.pause", theme.text, "Pause: no event is delivered and the clock is paused (F8)"),
            "run.back": ("mdi6.step-backward", theme.text, "One event back (Shift+F6)"),
            "run.step": ("mdi6.step-forward", theme.text, "Deliver exactly one event, then pause (F6)"),
            "run.stop": ("fa6s.stop", theme.error, "Stop the system: components finish first (Shift+F5)"),
        }
        for name, button in self._others.items():
            mark, colour, tip = looks[name]
            can = enabled.get(name, False)
            button.setEnabled(can)
            button.setIcon(icon(mark, colour if can else theme.disabled))
            button.setToolTip(tip if can else f"{tip}. Now: {WORDS[phase].lower()}")
        self.show_ways()

    def show_moving(self, phase: Phase, *, is_moving: bool) -> None:
        """What was asked for last is done last: until it is, run and pause can both be asked for."""
        self._actions["run.start"].setEnabled(phase in ("stopped", "paused") or (phase == "running" and is_moving))
        self._actions["run.pause"].setEnabled(phase == "running" or (phase == "paused" and is_moving))

    def show_stalled(self, words: str) -> None:
        """A system that runs while no event flows does not just say that it runs; without words it does again."""
        if bool(words) != self._is_stalled:
            self._is_stalled = bool(words)
            self.run.setText(f" {NO_EVENTS if words else WORDS['running']}")
            self.run.setAccessibleName(NO_EVENTS if words else WORDS["running"])
            mark = "fa6s.triangle-exclamation" if words else "fa6s.play"
            self.run.setIcon(icon(mark, self.theme.warning if words else self.theme.fine))
        if words or self.run.toolTip() != TIPS["running"]:
            self.run.setToolTip(f"{words}. {TIPS['running']}" if words else TIPS["running"])

    def show_ways(self) -> None:
        """The step back, as its action is: it says why it cannot be done."""
        button, action = self._others["run.back"], self._actions["run.back"]
        button.setEnabled(action.isEnabled())
        button.setIcon(icon("mdi6.step-backward", self.theme.text if action.isEnabled() else self.theme.disabled))
        button.setToolTip(action.toolTip())


class ClockLabel(QWidget):
    """System time, and what kind of time that is."""

    def __init__(self, theme: Theme, control: RunControl) -> None:
        super().__init__()
        self.control = control
        self.mark, self.time, self.kind = QLabel(), QLabel(), QLabel()
        self.time.setFont(code_font(15, 600))
        self.kind.setProperty("role", "muted")
        self.kind.setMinimumWidth(self.kind.fontMetrics().horizontalAdvance(LONGEST_KIND))
        self.setAccessibleName("System time")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(7)
        for label in (self.mark, self.time, self.kind):
            layout.addWidget(label)
        self._timer = QTimer(self)
        self._timer.setInterval(CLOCK_EVERY_MS)
        self._timer.timeout.connect(self._tick)
        control.feed.changed.connect(self._changed)
        self.show_theme(theme)
        self.show_phase()

    def show_theme(self, theme: Theme) -> None:
        self.mark.setPixmap(icon("mdi6.clock-outline", theme.muted).pixmap(15, 15))

    def show_phase(self) -> None:
        phase = self.control.phase
        if phase == "running":
            self._timer.start()
        else:
            self._timer.stop()
        state = self.control.feed.state
        self.kind.setText("paused" if phase == "paused" else kind_words(state))
        self.setToolTip(f"<span>{kind_tip(state)}</span>")  # as rich text it is broken into lines
        self._tick()

    def _changed(self, changes: Changes) -> None:
        if changes.clock:
            self.show_phase()

    def _tick(self) -> None:
        self.time.setText(time_text(self.control.feed.state))
