"""A service wire: who asks, who answers, and with what."""

from __future__ import annotations

from PyQt6.QtWidgets import QPushButton

from studio.editor.look.theme import Theme
from studio.editor.panels.inspector.page import Page, add_form
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.project.session import Session
from studio.model.parts import Endpoint, ServiceWire
from studio.model.wiring import service_at


class ServicePage(Page):
    def __init__(self, session: Session, wire: ServiceWire, theme: Theme) -> None:
        super().__init__(theme)
        answers = service_at(session.system, session.registry, wire.end)
        service = answers or service_at(session.system, session.registry, wire.start)
        doc = (service.doc if service else "") or f"{wire.start} asks, {wire.end} answers."
        self.add_subject("mdi6.vector-line", f"{wire.start.node} → {wire.end.node}", doc, "service")
        form = add_form(self.column)
        form.addRow("Asks", self._link(wire.start))
        form.addRow("Answers", self._link(wire.end))
        form.addRow("Request", BreakingLabel(service.request if service else "unknown type"))
        form.addRow("Reply", BreakingLabel(service.reply if service else "unknown type"))

    def _link(self, end: Endpoint) -> QPushButton:
        link = QPushButton(str(end))
        link.setProperty("link", "true")
        link.setAccessibleName(f"Go to {end.node}")
        link.clicked.connect(lambda: self.go_to.emit(end.node))
        return link
