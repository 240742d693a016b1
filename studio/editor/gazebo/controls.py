"""Pause, step, reset, speed and the real-time factor of the server in front."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from studio.editor.gazebo.graphs import Course
from studio.editor.look.fonts import text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.connections.link import FACTOR_EVERY_NS, FACTORS_NS, Link
from studio.runtime.gazebo.server import Feature, Scope

MOST_STEPS = 1_000_000
STEPPED = "The running system makes the steps of this server"
RESETS = {
    Scope.ALL: ("Everything", "Time starts at 0 and all models are where the world has them"),
    Scope.TIME: ("Time only", "Time starts at 0, models stay where they are"),
    Scope.POSES: ("Poses only", "Put models back to their start; time continues"),
}
NEEDS = {Scope.ALL: Feature.RESET_ALL, Scope.TIME: Feature.RESET_TIME, Scope.POSES: Feature.RESET_POSES}


class Controls(QWidget):
    pause_wanted = pyqtSignal(bool)
    step_wanted = pyqtSignal(int)
    reset_wanted = pyqtSignal(object)
    speed_wanted = pyqtSignal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._is_paused = False
        self.pause = QPushButton("Pause")
        self.pause.clicked.connect(lambda: self.pause_wanted.emit(not self._is_paused))
        self.step = QPushButton("Step")
        self.step.clicked.connect(lambda: self.step_wanted.emit(self.steps.value()))
        self.steps = QSpinBox()
        self.steps.setRange(1, MOST_STEPS)
        self.steps.setValue(100)
        self.steps.setSuffix(" steps")
        self.steps.setMaximumWidth(112)
        self.steps.setAccessibleName("How many steps")
        self._resets: dict[Scope, QAction] = {}
        self.reset = QPushButton("Reset")
        self.reset.setMenu(self._reset_menu())
        self.speed = QDoubleSpinBox()
        self.speed.setRange(0.0, 100.0)
        self.speed.setDecimals(2)
        self.speed.setSingleStep(0.25)
        self.speed.setSuffix(" ×")
        self.speed.setSpecialValueText("no limit")
        self.speed.setKeyboardTracking(False)
        self.speed.setMaximumWidth(92)
        self.speed.setAccessibleName("Wanted speed")
        self.speed.setToolTip("Simulation time per real time that the server tries to keep; 0: as fast as it can")
        self.speed.valueChanged.connect(lambda value: self.speed_wanted.emit(value))
        self.follow = QCheckBox("Pause and freeze reach this server")
        self.follow.setToolTip("When the system pauses or stops at a breakpoint, the server pauses, too")
        self.follow.setChecked(True)
        self.clock = QLabel()
        self.clock.setProperty("role", "muted")
        self.factor = QLabel("–")
        self.factor.setFont(text_font(17, 600))
        self.under = QLabel()
        self.under.setProperty("role", "muted")
        self.course = Course(theme, "Real-time factor over the last 70 s", "fine", 1.0)
        self._lay_out()
        self.show_theme(theme)
        self.show_link(None)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(6)
        for widget in (self.pause, self.step, self.steps, self.reset, QLabel("Speed"), self.speed):
            row.addWidget(widget)
        row.addStretch(1)
        second = QHBoxLayout()
        second.addWidget(self.follow)
        second.addStretch(1)
        left = QVBoxLayout()
        left.addLayout(row)
        left.addLayout(second)
        numbers = QGridLayout()
        numbers.setVerticalSpacing(0)
        words = QLabel("real-time factor")
        words.setProperty("role", "muted")
        for place, widget in enumerate((words, self.factor, self.under)):
            numbers.addWidget(widget, place, 0)
        whole = QHBoxLayout()
        whole.setContentsMargins(10, 8, 10, 8)
        whole.setSpacing(14)
        whole.addLayout(left)
        whole.addLayout(numbers)
        whole.addWidget(self.course, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(whole)
        self.clock.setContentsMargins(10, 0, 10, 6)
        column.addWidget(self.clock)

    def _reset_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for scope, (title, words) in RESETS.items():
            action = menu.addAction(title, lambda scope=scope: self.reset_wanted.emit(scope))
            assert action is not None
            action.setToolTip(words)
            self._resets[scope] = action
        return menu

    def show_link(self, link: Link | None, *, is_stepped: bool = False) -> None:
        """`is_stepped`: by the running system, and by nobody else."""
        is_free = link is not None and link.is_connected and not is_stepped
        can = link.features if link is not None and is_free else frozenset()
        told = link.statistics if link is not None else None
        self._is_paused = told is not None and told.is_paused
        self.pause.setText("Resume" if self._is_paused else "Pause")
        self.pause.setIcon(icon("fa6s.play" if self._is_paused else "fa6s.pause", self._theme.text))
        self.pause.setEnabled(Feature.PAUSE in can)
        words = "Let the world run" if self._is_paused else "Stop the time of the world"
        self.pause.setToolTip(STEPPED if is_stepped else words)
        is_still = Feature.STEP in can and self._is_paused
        self.step.setEnabled(is_still)
        words = "Exactly so many steps of the physics" if is_still else "Pause the world first, then step"
        self.step.setToolTip(STEPPED if is_stepped else words)
        self.steps.setEnabled(Feature.STEP in can)
        for scope, action in self._resets.items():
            action.setEnabled(NEEDS[scope] in can)
        self.reset.setEnabled(bool(can & set(NEEDS.values())))
        self.speed.setEnabled(Feature.SPEED in can)
        self._show_speed(link)
        factors = link.factors() if link is not None else []
        newest = factors[-1] if factors and link is not None and link.is_connected else None
        is_still = self._is_paused and not is_stepped and bool(can)
        self.factor.setText("paused" if is_still else f"{newest.value:.2f}" if newest else "–")
        count = FACTORS_NS // FACTOR_EVERY_NS
        self.course.show_values([each.value for each in factors], count, "last 70 s" if factors else "no data yet")
        now = f"simulation time {told.sim_time_ns / SECOND_NS:.3f} s · {told.iterations} steps" if told else ""
        self.clock.setText(f"{now} · {STEPPED}" if now and is_stepped else now)

    def _show_speed(self, link: Link | None) -> None:
        physics = link.physics if link is not None else None
        self.under.setText(f"{physics.step_s * 1000:g} ms steps" if physics is not None else " ")
        speed = physics.speed if physics is not None else None
        if speed is not None and not self.speed.hasFocus() and self.speed.value() != round(speed, 2):
            self.speed.blockSignals(True)
            self.speed.setValue(speed)
            self.speed.blockSignals(False)

    def show_theme(self, theme: Theme) -> None:
        self._theme = self.course.theme = theme
        self.step.setIcon(icon("mdi6.step-forward", theme.text))
        self.reset.setIcon(icon("mdi6.skip-backward", theme.text))
        self.course.update()
