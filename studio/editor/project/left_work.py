"""Offers what a window that ended had not saved of a document, above the documents: the difference first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from studio.editor.look.notice import DifferenceDialog, difference
from studio.editor.ports import WithNotice, WithStatus, WithWidget
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.project.autosave import Autosave
    from studio.editor.project.unsaved_slot import Slot


class Needs(WithNotice, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""


class LeftWork:
    def __init__(self, window: Needs, autosave: Autosave, name: str) -> None:
        """`name`: of the document, in a sentence."""
        self.window, self.autosave, self.name = window, autosave, name

    def offer(self) -> None:
        for slot in self.autosave.left:
            self.window.notice.ask(
                f"Studio ended before your last changes to {self.name} were saved.",
                {
                    "Show and restore…": partial(self._show, slot),
                    "Throw away": partial(self.autosave.throw_away, slot),
                },
                _about(slot),
            )

    def withdraw(self) -> None:
        """The document is left; what was kept of it stays."""
        for slot in self.autosave.left:
            self.window.notice.withdraw(_about(slot))

    def _show(self, slot: Slot) -> None:
        """Other programs may have changed the files since."""
        text = difference(self.autosave.kept(slot))
        DifferenceDialog(
            self.window.widget, "Saved version and unsaved changes", text, {"Restore": lambda: self.restore(slot)}
        ).show()

    def restore(self, slot: Slot) -> None:
        if slot not in self.autosave.left:
            return  # thrown away meanwhile
        try:
            self.autosave.restore(slot)
        except StudioError as error:
            self.window.status.say(f"Not restored: {error}", trouble=True)
            return
        if slot in self.autosave.left:
            return  # it is still only there, and the status bar has told why
        self.window.notice.withdraw(_about(slot))
        self.window.status.say("Restored, and not saved yet: Undo restores the saved version")


def _about(slot: Slot) -> str:
    """What a question about it is about."""
    return f"left in {slot.folder}"
