"""A source: who provides its data, what differs between the providers and how to mend it, and its ports."""

from __future__ import annotations

from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from studio.editor.feed import Feed
from studio.editor.icons import icon
from studio.editor.live_state import parts_of
from studio.editor.panels.live_header import LiveHeader
from studio.editor.panels.page import Page, add_section
from studio.editor.panels.ports_list import PortsList
from studio.editor.run_control import RunControl
from studio.editor.session import Session
from studio.editor.sources.card import card_text
from studio.editor.sources.effects import effects_of
from studio.editor.theme import Theme
from studio.model.source_fixes import fixes_for
from studio.model.sources import SOURCE_MODES, LiveProvider, LogProvider, Source, SourceMode, explain_differences


class SourcePage(Page):
    def __init__(self, session: Session, source: Source, theme: Theme, control: RunControl) -> None:
        super().__init__(theme)
        self.session, self.source, self.runs = session, source, control.feed.is_attached
        self.add_subject("mdi6.car", source.name, "A source: the same ports, real, logged or simulated.", "source",
                         renames=session)  # fmt: skip
        feed: Feed = control.feed
        for part in parts_of(source) if feed.is_attached else ():
            header = LiveHeader(control, part, theme, titled=True)
            header.error.line_wanted.connect(self.line_wanted)
            self.column.addWidget(header)
        running = feed.state.get("sources", {})
        now: SourceMode = running.get(source.name, source.mode)
        add_section(self.column, "Data comes from")
        self.buttons: dict[SourceMode, QToolButton] = {}
        self.fixes: list[QPushButton] = []
        for mode in SOURCE_MODES:
            self._add_provider(mode, now)
        self._add_differences()
        add_section(self.column, "Ports")
        self.ports = PortsList(session, source.name, theme, feed)
        self.ports.go_to.connect(self.go_to)
        self.column.addWidget(self.ports)

    def _add_provider(self, mode: SourceMode, now: SourceMode) -> None:
        """One row: a button that chooses it, and who it is."""
        source, origin = self.source, self.theme.origins[mode]
        provider = source.provider(mode)
        button = QToolButton()
        button.setText(origin.word)
        button.setAccessibleName(f"{source.name} {mode}")
        button.setFixedWidth(92)
        button.setEnabled(provider is not None)
        chosen = mode == now
        if chosen:
            button.setStyleSheet(
                f"QToolButton {{ background: {origin.fill}; color: {origin.on_fill}; border: 1px solid {origin.fill};"
                " border-radius: 4px; min-height: 24px; font-weight: 600; }"
            )
        else:
            button.setProperty("framed", "true")
            button.setStyleSheet("QToolButton { min-height: 22px; }")
        if provider is None:
            button.setToolTip(f"Nobody provides {source.name} {mode}")
        elif chosen:
            button.setToolTip(f"The data is {mode}")
        else:
            system, registry = self.session.system, self.session.registry
            effects = effects_of(system, registry, {source.name: mode}, {source.name: now}, runs=self.runs)
            button.setToolTip(card_text(effects, f"Switch {source.name} to {mode}"))
        button.clicked.connect(lambda _: self.session.choose_modes({source.name: mode}))
        self.buttons[mode] = button
        words = QLabel(_provider(provider))
        words.setProperty("role", "muted")
        words.setWordWrap(True)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(10, 3, 10, 3)
        row.setSpacing(10)
        row.addWidget(button)
        row.addWidget(words, 1)
        self.column.addWidget(holder)

    def _add_differences(self) -> None:
        """Where a provider is not what the source promises: in words, with what would mend it."""
        differences = explain_differences(self.source, self.session.registry)
        if not differences:
            return
        add_section(self.column, "Providers differ")
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(10, 6, 10, 6)
        layout.setSpacing(4)
        for difference in differences:
            row = QHBoxLayout()
            mark = QLabel()
            mark.setPixmap(icon("mdi6.alert", self.theme.warning).pixmap(14, 14))
            words = QLabel(difference.message)
            words.setWordWrap(True)
            words.setToolTip(difference.hint)
            row.addWidget(mark)
            row.addWidget(words, 1)
            layout.addLayout(row)
            for fix in fixes_for(self.source, difference.mode, difference.message, self.session.registry):
                button = QPushButton(fix.text)
                button.setProperty("link", "true")
                button.clicked.connect(lambda _, fix=fix: self.session.do(fix.edit))
                self.fixes.append(button)
                layout.addWidget(button)
        self.column.addWidget(holder)

    def stop(self) -> None:
        self.ports.stop()


def _provider(provider: LiveProvider | LogProvider | None) -> str:
    if isinstance(provider, LogProvider):
        return provider.log or "no log chosen"
    names = [f"{component.name} ({component.type})" for component in provider.components] if provider else []
    return ", ".join(names) or "nobody"
