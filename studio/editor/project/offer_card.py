"""A card below Real, Logged or Simulated in a system without a data source: which components can become one."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.editor.look.dialog_parts import button_row, fill, move_to
from studio.editor.project.session import Session
from studio.model.source_making import MakeSource, offered_as_source
from studio.model.sources import SourceMode

WIDTH = 380
MOST = 8
WHAT_A_SOURCE_DOES = (
    "Real, Logged and Simulated choose where the data of a source comes from. Its name, ports and wires stay the same."
)
NOTHING_TO_OFFER = (
    "Drag a sensor or a simulator from the palette onto the canvas. Or open the menu of any component that sends data,"
    " and choose <i>Turn into a data source</i>."
)


class OfferCard(QFrame):
    """Escape and a click elsewhere leave everything as it is; the change can be undone."""

    def __init__(self, parent: QWidget, session: Session, mode: SourceMode) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(WIDTH)
        self.setProperty("role", "card")  # by the style of the application: it follows the theme while it is open
        self._session = session
        title = QLabel("This system has no data source yet")
        title.setStyleSheet("font-size: 14px; font-weight: 600;")
        edits = offers(session)[:MOST]
        words = QLabel(WHAT_A_SOURCE_DOES if edits else NOTHING_TO_OFFER)
        words.setWordWrap(True)
        words.setProperty("role", "muted")
        column = QVBoxLayout()
        column.setSpacing(3)
        self.buttons = [self._button(edit) for edit in edits]
        for button in self.buttons:
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)
        self.cancel = QPushButton("Cancel")
        self.cancel.clicked.connect(self.close)
        fill(self, title, words, *([column] if edits else []), button_row(self.cancel), margins=(14, 12))
        self.setAccessibleName(f"{title.text()}: {mode} is not available")

    def _button(self, edit: MakeSource) -> QPushButton:
        button = QPushButton(f"Turn {edit.component} into a {edit.mode} data source")
        button.setProperty("link", "true")
        button.clicked.connect(lambda: self._make(edit))
        return button

    def _make(self, edit: MakeSource) -> None:
        self.close()
        self._session.do(edit)

    def open_at(self, at: QPoint) -> None:
        move_to(self, at)
        self.show()
        next(iter([*self.buttons, self.cancel])).setFocus()


def offers(session: Session) -> list[MakeSource]:
    """Simulators first: who builds a robot from the palette begins with one."""
    system, registry = session.system, session.registry
    found = []
    for component in system.components:
        spec = registry.get(component.type)
        mode = offered_as_source(system, component, spec)
        if mode is not None and spec is not None:
            found.append(MakeSource(component.name, mode, spec.ports))
    return sorted(found, key=lambda edit: edit.mode != "simulated")
