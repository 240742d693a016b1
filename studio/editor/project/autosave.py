"""Keeps what is not saved yet in a place of the user's, so that a power cut costs seconds of work and not hours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from PyQt6.QtCore import QObject, QTimer

from studio.editor.project.unsaved_slot import Slot, slots_of
from studio.errors import StudioError


class Kept(Protocol):
    """A document whose changes are kept: a project, or a vehicle."""

    changed: Any
    saved: Any
    refused: Any
    """Signals: after an edit, after a save, and with words for the user."""

    @property
    def place(self) -> Path:
        """Which document it is, for the next window that opens it."""
        ...

    @property
    def is_modified(self) -> bool: ...

    def unsaved(self) -> dict[str, bytes]:
        """What saving would write, by names that end in .xml and are different ones."""
        ...

    def saved_file(self, name: str) -> Path | None:
        """The file that `unsaved` has under this name; None if the document has none of it."""
        ...

    def restore(self, texts: Mapping[str, bytes]) -> bool:
        """As one edit that can be undone."""
        ...


class Autosave(QObject):
    def __init__(self, root: Path, after_s: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.root = root
        self.session: Kept | None = None
        self.left: list[Slot] = []
        """What windows that are gone had not saved of this project; ours until somebody decides about it."""
        self._own: Slot | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self.set_interval(after_s)
        self._timer.timeout.connect(self.keep)

    def set_interval(self, after_s: int) -> None:
        self._timer.setInterval(after_s * 1000)

    def follow(self, session: Kept | None) -> None:
        """This one from now on. What is kept of the one before stays, unless it was forgotten."""
        self._timer.stop()
        for slot in [*self.left, *([self._own] if self._own else [])]:
            slot.release()
        self.session, self.left, self._own = session, [], None
        if session is None:
            return
        session.changed.connect(lambda _: self._edited())
        session.saved.connect(self.forget)
        try:
            self._own, found = slots_of(self.root, session.place)
        except (OSError, StudioError) as error:
            self._cannot(error)
            return
        for slot in found:
            if self.kept(slot):
                self.left.append(slot)
            else:  # the same as what is saved
                self.throw_away(slot)

    def _edited(self) -> None:
        if not self._timer.isActive():  # who never rests must not wait for ever
            self._timer.start()

    def keep(self) -> bool:
        """Write what saving would write, but elsewhere. True if a crash would cost nothing now."""
        session = self.session
        if session is None or self._own is None:
            return False
        if not session.is_modified:
            self.forget()
            return True
        try:
            self._own.keep(session.unsaved())
        except (OSError, StudioError) as error:
            self._cannot(error)
            return False
        return True

    def forget(self) -> None:
        """What this window kept; what others left is not ours to forget."""
        self._timer.stop()
        if self._own is not None:
            self._own.clear()

    # ---- what was left behind

    def kept(self, slot: Slot) -> dict[Path, bytes]:
        """The files in it that differ from those that are saved, by the path that they have there."""
        session = self.session
        assert session is not None
        files = {session.saved_file(name) or session.place / name: text for name, text in slot.texts().items()}
        return {path: text for path, text in files.items() if not path.exists() or path.read_bytes() != text}

    def restore(self, slot: Slot) -> None:
        """As an edit that is not saved and can be undone; the saved files stay as they are.

        It is gone from where it was kept only when it is kept as the work of this window.
        """
        assert self.session is not None
        if self.session.restore(slot.texts()) and self.keep():
            self.throw_away(slot)

    def throw_away(self, slot: Slot) -> None:
        self.left = [each for each in self.left if each is not slot]
        slot.clear()
        slot.release()

    def _cannot(self, error: Exception) -> None:
        assert self.session is not None
        self.session.refused.emit(f"unsaved changes cannot be backed up: {error}")
