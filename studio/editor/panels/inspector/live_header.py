"""How a running component is, what can be done about it, and, when it failed, where and why."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QSize
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.editor.canvas.items.live_paint import CHIP, chip_width, paint_chip
from studio.editor.live.feed import Changes
from studio.editor.live.run_control import RunControl
from studio.editor.live.state import NOT_THERE, Look, shown_look
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.inspector.error_card import ErrorCard
from studio.editor.panels.parts.breaking_label import BreakingLabel


class Chip(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.look: Look = NOT_THERE
        self.show_look(NOT_THERE)

    def show_look(self, look: Look) -> None:
        self.look = look
        self.setFixedSize(QSize(round(chip_width(look)) + 2, round(CHIP) + 2))
        self.setAccessibleName(look.word)
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_chip(painter, QPointF(1, 1), self.look, self.theme)


class LiveHeader(QWidget):
    def __init__(self, control: RunControl, name: str, theme: Theme, *, titled: bool = False) -> None:
        super().__init__()
        self.control, self.name, self.theme = control, name, theme
        self.chip = Chip(theme)
        self.words = QLabel()
        self.words.setProperty("role", "muted")
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.chip)
        row.addWidget(self.words)
        row.addStretch(1)
        self.power = self._button("fa6s.power-off", "Activate")
        self.power.clicked.connect(self._switch)
        self.reset = self._button("mdi6.history", "Reset: leave the state error")
        self.reset.clicked.connect(lambda: control.command("reset", [name]))
        self.again = self._button("mdi6.refresh", "Restart its process, in any state")
        self.again.clicked.connect(lambda: control.restart([name]))
        self.trigger = self._button("mdi6.gesture-tap", "Trigger: act once")
        self.trigger.clicked.connect(lambda: control.command("trigger", [name]))
        for button in (self.power, self.trigger, self.reset, self.again):
            row.addWidget(button)
        self.error = ErrorCard(theme)
        self.error.restart_wanted.connect(lambda: control.restart([name]))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 8, 8)
        layout.setSpacing(6)
        if titled:  # in a row of its own: beside the buttons a narrow panel would cut them off
            title = BreakingLabel(name)
            title.setProperty("role", "subject")
            layout.addWidget(title)
        layout.addLayout(row)
        layout.addWidget(self.error)
        control.feed.changed.connect(self._changed)
        self.refresh()

    def _button(self, picture: str, words: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(picture, self.theme.muted))
        button.setIconSize(QSize(15, 15))
        button.setToolTip(words)
        button.setAccessibleName(f"{words.partition(':')[0]} {self.name}")
        return button

    def _switch(self) -> None:
        self.control.command("activate" if self._is_off() else "deactivate", [self.name])

    def _state(self) -> str:
        return str(self.control.feed.state.get("components", {}).get(self.name, {}).get("state", ""))

    def _is_off(self) -> bool:
        return self._state() in ("inactive", "created")

    def _changed(self, changes: Changes) -> None:
        if self.name in changes.components or changes.system:
            self.refresh()

    def refresh(self) -> None:
        state = self.control.feed.state
        told = state.get("components", {}).get(self.name)
        self.chip.show_look(shown_look(told, state, self.name) if told else NOT_THERE)
        shown = self._state()
        self.power.setEnabled(shown in ("inactive", "created", "active", "busy", "paused"))
        self.power.setIcon(icon("fa6s.power-off", self.theme.fine if not self._is_off() else self.theme.muted))
        self.power.setToolTip(
            "Activate: handle events from now on" if self._is_off() else "Deactivate: handle nothing until activated"
        )
        self.reset.setVisible(shown == "error")
        self.trigger.setVisible(bool(told) and told["activation"] == "trigger")
        self.trigger.setEnabled(shown == "active")
        self.again.setEnabled(bool(told))
        restarts = told["restarts"] if told else 0
        self.words.setText(f"  {restarts} restart{'' if restarts == 1 else 's'}" if restarts else "")
        self.error.show_error(told["error"] if told else "", self.name, told.get("failed_on") if told else None)
