"""A source: who provides its data, and its ports."""

from __future__ import annotations

from PyQt6.QtWidgets import QLabel

from studio.editor.feed import Feed
from studio.editor.icons import icon
from studio.editor.live_state import parts_of
from studio.editor.panels.live_header import LiveHeader
from studio.editor.panels.page import Page, add_form, add_section
from studio.editor.panels.parameter_fields import narrow_box
from studio.editor.panels.ports_list import PortsList
from studio.editor.run_control import RunControl
from studio.editor.session import Session
from studio.editor.theme import Theme
from studio.model.sources import LiveProvider, LogProvider, Source


class SourcePage(Page):
    def __init__(self, session: Session, source: Source, theme: Theme, control: RunControl) -> None:
        super().__init__(theme)
        self.add_subject("mdi6.car", source.name, "A source: the same ports, real, logged or simulated.", "source",
                         renames=session)  # fmt: skip
        feed: Feed = control.feed
        for part in parts_of(source) if feed.is_attached else ():
            header = LiveHeader(control, part, theme, titled=True)
            header.error.line_wanted.connect(self.line_wanted)
            self.column.addWidget(header)
        box = narrow_box()
        for mode in source.modes:
            origin = theme.origins[mode]
            box.addItem(icon(origin.icon, origin.text), origin.word, mode)
        box.setCurrentIndex(box.findData(source.mode))
        box.activated.connect(lambda index: session.choose_modes({source.name: box.itemData(index)}))
        box.setAccessibleName("Where the data comes from")
        form = add_form(self.column)
        form.addRow("Data comes from", box)
        for mode in source.modes:
            words = QLabel(_provider(source.provider(mode)))
            words.setProperty("role", "muted")
            words.setWordWrap(True)
            form.addRow(theme.origins[mode].word, words)
        add_section(self.column, "Ports")
        self.ports = PortsList(session, source.name, theme, feed)
        self.ports.go_to.connect(self.go_to)
        self.column.addWidget(self.ports)

    def stop(self) -> None:
        self.ports.stop()


def _provider(provider: LiveProvider | LogProvider | None) -> str:
    if isinstance(provider, LogProvider):
        return provider.log or "no log chosen"
    names = [f"{component.name} ({component.type})" for component in provider.components] if provider else []
    return ", ".join(names) or "nobody"
