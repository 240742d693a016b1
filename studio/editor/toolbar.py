"""The bar below the menu: run control, undo, where the data comes from, commands, theme. And the origin band."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QColor, QPainter, QPaintEvent, QResizeEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolBar, QToolButton, QWidget

from studio.editor.icons import icon
from studio.editor.live_run_bar import ClockLabel, RunButtons
from studio.editor.run_control import RunControl
from studio.editor.session import Session
from studio.editor.theme import Theme
from studio.model.source_edits import ChooseModes
from studio.model.sources import SOURCE_MODES, SourceMode

NARROW = 1400
RUN_ACTIONS = ("run.start", "run.pause", "run.step", "run.stop")


class SourceSwitch(QFrame):
    """Real | Logged | Simulated for all sources at once; a mix is told in words."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.session: Session | None = None
        self.buttons: dict[SourceMode, QToolButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for mode in SOURCE_MODES:
            button = QToolButton()
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setText(f" {theme.origins[mode].word}")
            button.setIconSize(QSize(14, 14))
            button.setAccessibleName(f"All sources {mode}")
            button.clicked.connect(lambda _, mode=mode: self._choose(mode))
            self.buttons[mode] = button
            layout.addWidget(button)
        self.mixed = QLabel()
        self.mixed.setProperty("role", "muted")
        self.mixed.setContentsMargins(8, 0, 0, 0)
        layout.addWidget(self.mixed)

    def show_session(self, session: Session | None) -> None:
        self.session = session
        self.refresh()

    def modes(self) -> set[SourceMode]:
        return {source.mode for source in self.session.system.sources} if self.session is not None else set()

    def refresh(self) -> None:
        session = self.session
        sources = list(session.system.sources) if session is not None else []
        modes = self.modes()
        for place, (mode, button) in enumerate(self.buttons.items()):
            origin = self.theme.origins[mode]
            can = [source for source in sources if mode in source.modes]
            chosen = modes == {mode}
            button.setEnabled(bool(can))
            button.setToolTip(self._words(mode, len(can), len(sources)))
            colour = origin.on_fill if chosen else origin.text if can else self.theme.disabled
            button.setIcon(icon(origin.icon, colour))
            corners = "border-radius: 0;" + "".join(
                f" border-{edge}-{side}-radius: 4px;"
                for edge in ("top", "bottom")
                for side in (["left"] if place == 0 else ["right"] if place == 2 else [])
            )
            text = origin.on_fill if chosen else self.theme.text if can else self.theme.disabled
            button.setStyleSheet(
                f"QToolButton {{ background: {origin.fill if chosen else self.theme.field}; color: {text};"
                f" border: 1px solid {self.theme.control_border}; {corners} margin-left: {0 if place == 0 else -1}px;"
                f" padding: 0 10px; min-height: 26px; }} QToolButton:focus {{ border: 2px solid {self.theme.focus}; }}"
            )
        self.mixed.setText("mixed: " + ", ".join(f"{s.name} {s.mode}" for s in sources) if len(modes) > 1 else "")

    def _words(self, mode: SourceMode, can: int, count: int) -> str:
        if not count:
            return "The system has no source"
        if not can:
            return f"No source has a {mode} provider"
        return f"Switch {'the source' if count == 1 else f'{can} of {count} sources'} to {mode}"

    def _choose(self, mode: SourceMode) -> None:
        if self.session is not None:
            wanted = {source.name: mode for source in self.session.system.sources if mode in source.modes}
            self.session.do(ChooseModes(wanted))


class OriginBand(QWidget):
    """Four pixels that say where the data comes from: dashed for a log, solid for a simulation, hatched for real."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.modes: list[SourceMode] = []
        self.setFixedHeight(4)
        self.setAccessibleName("Origin of the data")

    def show_modes(self, modes: list[SourceMode], theme: Theme) -> None:
        self.modes, self.theme = modes, theme
        self.setFixedHeight(4 if modes else 0)
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        for place, mode in enumerate(self.modes):
            origin = self.theme.origins[mode]
            left, width = place * self.width() / len(self.modes), self.width() / len(self.modes)
            colour = QColor(origin.fill if mode == "real" else origin.text)
            if mode == "simulated":
                painter.fillRect(QRectF(left, 0, width, 4), colour)
                continue
            dash, gap = (32, 8) if mode == "logged" else (10, 6)
            at = left
            while at < left + width:
                painter.fillRect(QRectF(at, 0, min(dash, left + width - at), 4), colour)
                at += dash + gap


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
        for action in actions:
            self.addAction(action)
            button = self.widgetForAction(action)
            if button is not None:
                button.setAccessibleName(action.text())
        self.addSeparator()
        self._label_action = self.addWidget(self.source_label)
        self.addWidget(self.switch)
        self._clock_actions = [self.addSeparator(), self.addWidget(self.clock)]
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        self.addWidget(self.commands)
        self.addWidget(self.theme_button)
        self.show_theme(theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """In a narrow window words go first, the clock never."""
        super().resizeEvent(event)
        icon_only, beside = Qt.ToolButtonStyle.ToolButtonIconOnly, Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.commands.setToolButtonStyle(icon_only if self.width() < NARROW else beside)
        if self._label_action is not None:
            self._label_action.setVisible(self.width() >= NARROW)

    def show_phase(self) -> None:
        self.run_buttons.show_phase(self.control.phase)
        self.clock.show_phase()
        for action in self._clock_actions:
            if action is not None:
                action.setVisible(self.control.is_up)

    def show_theme(self, theme: Theme) -> None:
        self.run_buttons.theme = theme
        self.clock.show_theme(theme)
        self.show_phase()
        self.switch.theme = theme
        self.switch.refresh()
        self.commands.setIcon(icon("mdi6.magnify", theme.muted))
        self.theme_button.setIcon(icon("mdi6.theme-light-dark", theme.muted))
