"""Real | Logged | Simulated, for all sources at once."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton

from studio.editor.icons import icon
from studio.editor.session import Session
from studio.editor.theme import Theme
from studio.model.source_edits import ChooseModes
from studio.model.sources import SOURCE_MODES, SourceMode


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
