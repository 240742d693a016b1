"""How the gate lets events pass: freely, one after the other in lockstep, or one whenever the user says so."""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QStandardItemModel
from PyQt6.QtWidgets import QComboBox

from studio.editor.live.run_control import RunControl

AUTO, FREE, LOCKSTEP, ONE = "auto", "free", "lockstep", "one"
KINDS = {AUTO: "Automatic", FREE: "Free run", LOCKSTEP: "Lockstep", ONE: "One event at a time"}
TIPS = {
    AUTO: "Lockstep where everything is logged or simulated, so that steps and steps back are possible; otherwise free",
    FREE: "Events pass as they come, as in a real system. Two runs differ, so it cannot go back",
    LOCKSTEP: "One event after the other, always in the same order: steps and steps back are possible",
    ONE: "The system is paused, and each step (F6) delivers exactly one event; Continue (F5) lets it run",
}


class GateChoice(QComboBox):
    """Of the running system; while none runs, how the next one begins."""

    def __init__(self, control: RunControl) -> None:
        super().__init__()
        self.control = control
        self.wish = AUTO
        self._is_asked_one_by_one = False
        self._is_starting = False
        self.setAccessibleName("Gate")
        for kind, words in KINDS.items():
            self.addItem(words, kind)
        for place, kind in enumerate(KINDS):
            self.setItemData(place, TIPS[kind], Qt.ItemDataRole.ToolTipRole)
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        automatic = model.item(list(KINDS).index(AUTO))
        assert automatic is not None
        self._automatic = automatic
        self.activated.connect(lambda _: self._choose(str(self.currentData())))
        control.feed.changed.connect(lambda changes: self.refresh() if changes.system else None)
        control.feed.attached.connect(self._attached)
        control.phase_changed.connect(self._phase_changed)
        self.refresh()

    def show_project(self) -> None:
        """Another one: what was chosen was for the one before."""
        self.wish = AUTO
        self.refresh()

    @property
    def kind(self) -> str:
        """Of the running system; empty where none runs."""
        return str((self.control.feed.state.get("stepping") or {}).get("gate", ""))

    def words_for_run(self) -> Iterable[str]:
        """What `studio run` has to be told: a system that is to go event by event must not have begun."""
        return ("--paused",) if self.wish == ONE else ()

    def refresh(self) -> None:
        up = self.control.is_up
        kind = (ONE if self._is_asked_one_by_one else self.kind) if up else self.wish
        self.setEnabled(not (up and self.control.feed.state.get("by_itself")) and (bool(self.kind) or not up))
        self._automatic.setEnabled(not up)
        if kind in KINDS:
            self.setCurrentIndex(list(KINDS).index(kind))
        self.setToolTip(TIPS.get(kind, "How events pass the gate"))

    def _choose(self, wanted: str) -> None:
        if not self.control.is_up:
            self.wish = wanted
        elif wanted == ONE:
            self._is_asked_one_by_one = True
            self.control.pause()
        elif wanted in (FREE, LOCKSTEP):
            was_one_by_one, self._is_asked_one_by_one = self._is_asked_one_by_one, False
            self._ask(wanted)
            if was_one_by_one:
                self.control.go_on()
        self.refresh()  # until the system has followed, it is what it was

    def _ask(self, wanted: str) -> None:
        if wanted != self.kind:
            told = self.control.told.emit
            self.control.request("gate", lambda reply: told(f"The gate is now: {KINDS[reply['kind']]}"), kind=wanted)

    def _attached(self) -> None:
        """A system that was started here begins as it was chosen; any other is as it is."""
        if self._is_starting and self.wish in (FREE, LOCKSTEP):
            self._ask(self.wish)
        self._is_asked_one_by_one = self._is_starting and self.wish == ONE
        self._is_starting = False
        self.refresh()

    def _phase_changed(self) -> None:
        if self.control.phase in ("starting", "stopped"):
            self._is_starting = self.control.phase == "starting"
        self._is_asked_one_by_one = self._is_asked_one_by_one and self.control.phase != "running"
        self.refresh()
