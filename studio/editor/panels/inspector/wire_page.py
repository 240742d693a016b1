"""A wire: what flows through it, and how it delivers."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from studio.editor.live.feed import Feed
from studio.editor.look.theme import Theme
from studio.editor.panels.inspector.page import Page, add_form, add_section
from studio.editor.panels.parts.parameter_fields import narrow_box
from studio.editor.project.session import Session
from studio.editor.views.data.topic_view import TopicView
from studio.errors import StudioError
from studio.model.parts import Wire
from studio.model.spec import Delivery
from studio.model.system_edits import SetDelivery
from studio.model.wiring import effective_delivery, port_at, topic_of

_DEFAULTS = {"lossless": "every event", "latest": "newest", "queue": "a queue"}


class WirePage(Page):
    def __init__(self, session: Session, wire: Wire, theme: Theme, feed: Feed) -> None:
        super().__init__(theme)
        port = port_at(session.system, session.registry, wire.start)
        kind = port.type if port else "unknown type"
        # The type stands below: beside two long names a narrow panel has no room for it.
        doc = f"{wire.start} → {wire.end} · {kind}"
        self.add_subject("mdi6.vector-line", f"{wire.start.node} → {wire.end.node}", doc, "")
        self._add_delivery(session, wire)
        self._topic: TopicView | None = None
        if feed.is_attached:
            add_section(self.column, "Live")
            holder = QWidget()
            layout = QVBoxLayout(holder)
            layout.setContentsMargins(10, 8, 10, 8)
            self._topic = TopicView(feed, topic_of(wire.start), theme, port.type if port else "", wire.end.node)
            layout.addWidget(self._topic)
            self.column.addWidget(holder)

    def stop(self) -> None:
        if self._topic is not None:
            self._topic.stop()

    def _add_delivery(self, session: Session, wire: Wire) -> None:
        asked = effective_delivery(session.system, session.registry, Wire(*wire.key))
        box = narrow_box()
        box.setAccessibleName("Delivery")
        for title, kind in (
            (f"default: {_DEFAULTS[asked.kind]}", ""),  # short: a narrow panel has no room for more
            ("every event", "lossless"),
            ("only the newest", "latest"),
            ("a queue", "queue"),
        ):
            box.addItem(title, kind)
        box.setItemData(0, f"As the in port asks: {asked}", Qt.ItemDataRole.ToolTipRole)
        box.setToolTip(f"Delivery to a receiver that is slower than its sender. Default of its in port: {asked}")
        own = wire.delivery
        box.setCurrentIndex(box.findData(own.kind if own else ""))
        depth = QLineEdit(str(own.depth if own and own.kind == "queue" else 5))
        depth.setAccessibleName("Depth of the queue")
        depth.setEnabled(own is not None and own.kind == "queue")

        def deliver() -> None:
            chosen = box.currentData()
            depth.setEnabled(chosen == "queue")
            try:
                delivery = Delivery.parse(f"queue {depth.text()}" if chosen == "queue" else chosen) if chosen else None
            except StudioError as error:
                session.refused.emit(str(error))
                return
            session.do(SetDelivery(wire, delivery))

        box.activated.connect(deliver)
        depth.editingFinished.connect(lambda: deliver() if depth.isModified() else None)
        form = add_form(self.column)
        form.addRow("Delivery", box)
        form.addRow("Queue, events", depth)
