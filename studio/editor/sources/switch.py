"""Real | Logged | Simulated, for all sources at once; a mix is told in words."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel

from studio.editor.live.effects import Modes, effects_of, mix_words
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.project.session import Session
from studio.editor.project.source_card import card_text
from studio.editor.sources.segment import Segment
from studio.model.sources import SOURCE_MODES, SourceMode, explain_differences

UNDER_WAY = "mdi6.dots-horizontal"


class SourceSwitch(QFrame):
    log_wanted = pyqtSignal()
    """Logged was chosen, and no source has a log yet."""
    help_wanted = pyqtSignal(str)
    """A mode that no source has was clicked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.session: Session | None = None
        self.running: Callable[[], Modes] = dict
        """The modes in the system that runs, by source; empty while none does."""
        self.under_way: SourceMode | None = None
        self.buttons: dict[SourceMode, Segment] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for mode in SOURCE_MODES:
            button = Segment(theme)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(14, 14))
            button.setAccessibleName(f"All sources {mode}")
            button.clicked.connect(lambda _, mode=mode: self._choose(mode))
            button.explain_wanted.connect(lambda mode=mode: self._explain(mode))
            self.buttons[mode] = button
            layout.addWidget(button)
        self.mixed = QLabel()
        self.mixed.setContentsMargins(8, 0, 8, 0)
        layout.addWidget(self.mixed)

    def show_session(self, session: Session | None) -> None:
        self.session, self.under_way = session, None
        self.refresh()

    def modes(self) -> dict[str, SourceMode]:
        """Of every source: as it runs, or as the canvas has it."""
        if self.session is None:
            return {}
        running = self.running()
        return {source.name: running.get(source.name, source.mode) for source in self.session.system.sources}

    def refresh(self) -> None:
        session = self.session
        sources = list(session.system.sources) if session is not None else []
        modes = set(self.modes().values())
        for place, (mode, button) in enumerate(self.buttons.items()):
            origin = self.theme.origins[mode]
            can = [source for source in sources if mode in source.modes]
            usable = bool(can) or (mode == "logged" and any(_has_data(source.ports) for source in sources))
            chosen = modes == {mode}
            button.setEnabled(session is not None)  # a click on a grey one offers what is missing
            button.setText(f" {origin.word}")
            differs = self._differences(mode)
            button.setToolTip(self._words(mode, len(can), len(sources), differs))
            colour = origin.on_fill if chosen else origin.text if usable else self.theme.disabled
            button.setAccessibleDescription("under way" if self.under_way == mode else "")
            # Dots in place of its picture, not behind its word: clock and Record stay where they are.
            button.setIcon(icon(UNDER_WAY if self.under_way == mode else origin.icon, colour))
            button.show_differences(self._to_be_mended(mode, differs) if usable else "", self.theme)
            corners = "border-radius: 0;" + "".join(
                f" border-{edge}-{side}-radius: 4px;"
                for edge in ("top", "bottom")
                for side in (["left"] if place == 0 else ["right"] if place == 2 else [])
            )
            text = origin.on_fill if chosen else self.theme.text if usable else self.theme.disabled
            button.setStyleSheet(
                f"QToolButton {{ background: {origin.fill if chosen else self.theme.field}; color: {text};"
                f" border: 1px solid {self.theme.control_border}; {corners} margin-left: {0 if place == 0 else -1}px;"
                f" padding: 0 10px; min-height: 26px; }} QToolButton:focus {{ border: 2px solid {self.theme.focus}; }}"
            )
        mix = mix_words(self.modes())
        self.mixed.setVisible(bool(mix))
        self.mixed.setText(f"Mixed: {mix}")
        real = "real" in modes
        colour = self.theme.origins["real"].text if real else self.theme.text
        self.mixed.setStyleSheet(f"color: {colour}; font-weight: {600 if real else 500};")

    def _differences(self, mode: SourceMode) -> list[tuple[str, str]]:
        """Source, and what is not as it promises."""
        if self.session is None:
            return []
        system, registry = self.session.system, self.session.registry
        return [
            (source.name, difference.message)
            for source in system.sources
            for difference in explain_differences(source, registry)
            if difference.mode == mode
        ]

    def _to_be_mended(self, mode: SourceMode, differs: list[tuple[str, str]]) -> str:
        if not differs:
            return ""
        source, message = differs[0]
        more = f", and {len(differs) - 1} more" if len(differs) > 1 else ""
        return f"{self.theme.origins[mode].word} is not what {source} promises: {message}{more}. Show what mends it"

    def _explain(self, mode: SourceMode) -> None:
        """The first source that has something to mend; the next one has its turn when that is done."""
        differences = self._differences(mode)
        if self.session is not None and differences:
            self.session.explain(differences[0][0], mode)

    def _words(self, mode: SourceMode, can: int, count: int, differs: list[tuple[str, str]]) -> str:
        session = self.session
        if session is None or not count:
            return "The system has no data source yet. Click to turn a component into one"
        if not can and mode == "logged":
            return "No log is chosen yet. Click to choose one"
        if not can:
            return f"No source has a {mode} provider. Click to add one"
        modes = self.modes()
        wanted: Modes = dict.fromkeys(modes, mode)
        effects = effects_of(session.system, session.registry, wanted, modes, runs=bool(self.running()))
        wrong = "".join(f"<br>⚠ {message}" for _, message in differs[:3])
        wrong += "<br>The dot shows what mends it: click it, or reach it with Tab." if differs else ""
        if not effects.modes:
            return f"{'The data is' if count == 1 else 'All available sources are'} {mode}{wrong}"
        whom = "the source" if count == 1 else f"{can} of {count} sources"
        head = f"Switch {whom} to {mode}" if self.running() else f"Run {whom} {mode}"
        return card_text(effects, head) + wrong

    def _choose(self, mode: SourceMode) -> None:
        session = self.session
        if session is None:
            return
        wanted = {source.name: mode for source in session.system.sources if mode in source.modes}
        if wanted:
            session.choose_modes(wanted)
        elif mode == "logged" and any(_has_data(source.ports) for source in session.system.sources):
            self.log_wanted.emit()
        else:
            self.help_wanted.emit(mode)


def _has_data(ports: object) -> bool:
    return any(port.direction == "out" for port in ports)  # type: ignore[attr-defined]
