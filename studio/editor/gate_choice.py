"""How the gate of the running system lets events pass: freely, or one after the other in lockstep."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QComboBox

from studio.editor.run_control import RunControl

KINDS = {"free": "Free run", "lockstep": "Lockstep"}
TIPS = {
    "free": "Events pass as they come, as in a real system. What happens is not the same twice, so it cannot go back",
    "lockstep": "One event after the other, always in the same order: the system can be stepped, and taken back",
}


class GateChoice(QComboBox):
    def __init__(self, control: RunControl) -> None:
        super().__init__()
        self.control = control
        self.setAccessibleName("Gate")
        for kind, words in KINDS.items():
            self.addItem(words, kind)
        for place, kind in enumerate(KINDS):
            self.setItemData(place, TIPS[kind], Qt.ItemDataRole.ToolTipRole)
        self.activated.connect(self._choose)
        control.feed.changed.connect(lambda changes: self.refresh() if changes.system else None)
        control.feed.attached.connect(self.refresh)
        self.refresh()

    @property
    def kind(self) -> str:
        """Of the running system; empty where none runs."""
        return str((self.control.feed.state.get("stepping") or {}).get("gate", ""))

    def refresh(self) -> None:
        kind = self.kind
        self.setEnabled(bool(kind) and not self.control.feed.state.get("lockstep"))
        if kind in KINDS:
            self.setCurrentIndex(list(KINDS).index(kind))
        self.setToolTip(TIPS.get(kind, "How events pass the gate, once the system runs"))

    def _choose(self) -> None:
        wanted = str(self.currentData())
        if wanted != self.kind:
            told = self.control.told.emit
            self.control.request("gate", lambda reply: told(f"The gate is now: {KINDS[reply['kind']]}"), kind=wanted)
            self.refresh()  # until the system has followed, it is what it was
