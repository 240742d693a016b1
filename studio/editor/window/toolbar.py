"""The bar below the menu: run control, where the data comes from, the clock, undo, commands, theme."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolBar, QToolButton, QWidget

from studio.editor.live.run_control import RunControl
from studio.editor.live.state import stalled_words
from studio.editor.log_files.record import RecordButton
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.running.gate_choice import GateChoice
from studio.editor.running.run_bar import ClockLabel, RunButtons
from studio.editor.sources.switch import SourceSwitch

MARGIN, SPACING = 8, 4
COMMANDS, COMMANDS_ICON = 222, 46
"""Widths of the button of the commands, with its words and without."""
RECORDING = 140
"""What the button needs while it records; as if it always did, so that nothing moves when it begins to."""
RUN_ACTIONS = ("run.start", "run.pause", "run.back", "run.step", "run.stop")


class MainToolBar(QToolBar):
    commands_wanted = pyqtSignal()
    theme_wanted = pyqtSignal()

    def __init__(
        self, theme: Theme, actions: list[QAction], all_actions: dict[str, QAction], control: RunControl
    ) -> None:
        super().__init__("Main toolbar")
        self.setObjectName("toolbar")
        self.setMovable(False)
        self.setFloatable(False)
        self.setIconSize(QSize(16, 16))
        self.control = control
        control.feed.changed.connect(lambda changes: self._show_stalled() if changes.system else None)
        control.moving_changed.connect(self._show_moving)
        self.run_buttons = RunButtons(theme, {name: all_actions[name] for name in RUN_ACTIONS})
        self.clock = ClockLabel(theme, control)
        self.switch = SourceSwitch(theme)
        self.source_label = QLabel("Source")
        self.source_label.setProperty("role", "muted")
        self.commands = QToolButton()
        self.commands.setProperty("framed", "true")
        self.commands.setText("Commands     Ctrl+Shift+P")
        self.commands.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.commands.setAccessibleName("Command palette")
        self.commands.setToolTip("Find any command by a few letters (Ctrl+Shift+P)")
        self.commands.clicked.connect(self.commands_wanted)
        self.theme_button = QToolButton()
        self.theme_button.setAccessibleName("Switch between light and dark")
        self.theme_button.setToolTip("Switch between light and dark")
        self.theme_button.clicked.connect(self.theme_wanted)
        self.addWidget(self.run_buttons)
        self.addSeparator()
        self.gate = GateChoice(control)
        self.gate_label = QLabel("Gate")
        self.gate_label.setProperty("role", "muted")
        self._labels = [self.addWidget(self.gate_label)]
        self.addWidget(self.gate)
        self.addSeparator()
        self._labels.append(self.addWidget(self.source_label))
        self.addWidget(self.switch)
        self.addSeparator()
        self.addWidget(self.clock)
        self.record = RecordButton(theme)
        self.record.setMinimumWidth(RECORDING)
        self.addWidget(self.record)
        # Behind all whose places never move: these go where there is no room.
        self._edits = [self.addSeparator(), self.addWidget(_buttons(actions))]
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        self.addWidget(self.commands)
        self.addWidget(self.theme_button)
        self.show_theme(theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent | None) -> bool:
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.LayoutRequest:  # a word in it became longer or shorter
            self._fit()
        return done

    def _fit(self) -> None:
        """Where there is no room for everything, words go first, then what the menus have too; the clock never."""
        words, edits = set(self._labels), set(self._edits)
        for beside, gone in ((True, set()), (False, set()), (False, words), (False, words | edits)):
            seen = [
                widget for action in self.actions() if action not in gone if (widget := self.widgetForAction(action))
            ]
            needed = sum(self._width_of(widget) + SPACING for widget in seen if widget is not self.commands)
            if needed + (COMMANDS if beside else COMMANDS_ICON) + 2 * MARGIN <= self.width():
                break
        for action in self.actions():
            if action.isVisible() == (action in gone):
                action.setVisible(action not in gone)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if beside else Qt.ToolButtonStyle.ToolButtonIconOnly
        if self.commands.toolButtonStyle() != style:
            self.commands.setToolButtonStyle(style)

    def _width_of(self, widget: QWidget) -> int:
        width = max(widget.sizeHint().width(), 0)
        return max(width, RECORDING) if widget is self.record else width

    def show_phase(self) -> None:
        self.run_buttons.show_phase(self.control.phase)
        self._show_moving()
        self._show_stalled()
        self.clock.show_phase()
        self._fit()

    def _show_moving(self) -> None:
        self.run_buttons.show_moving(self.control.phase, is_moving=self.control.is_moving)

    def _show_stalled(self) -> None:
        if self.control.phase == "running":
            self.run_buttons.show_stalled(stalled_words(self.control.feed.state))

    def show_theme(self, theme: Theme) -> None:
        self.run_buttons.theme = theme
        self.clock.show_theme(theme)
        self.show_phase()
        self.record.show_theme(theme)
        self.switch.theme = theme
        self.switch.refresh()
        self.commands.setIcon(icon("mdi6.magnify", theme.muted))
        self.theme_button.setIcon(icon("mdi6.theme-light-dark", theme.muted))


def _buttons(actions: list[QAction]) -> QWidget:
    """Beside each other, to be shown or hidden together."""
    group = QWidget()
    layout = QHBoxLayout(group)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(4)
    for action in actions:
        button = QToolButton()
        button.setDefaultAction(action)
        button.setIconSize(QSize(16, 16))
        button.setAccessibleName(action.text())
        layout.addWidget(button)
    return group
