"""system.xml beside the canvas."""

from __future__ import annotations

from pathlib import Path

from studio.editor.code.xml_page import Words, XmlPage
from studio.editor.look.theme import Theme
from studio.editor.project.session import Session
from studio.errors import Problem
from studio.model.document import SYSTEM_FILE
from studio.model.system_text import ReadText, WriteText, check_text, read_text


class SystemText:
    """The text of the open system."""

    words = Words(
        valid="In step with the canvas",
        kept="The canvas shows the last valid system",
        changed="The canvas was changed, too: use this text, or discard it",
        use="The system becomes what this text says; undo brings the canvas back",
        discard="Show the system of the canvas, and discard the text typed here",
    )

    def __init__(self, session: Session) -> None:
        self.session = session
        self._last: tuple[bytes, ReadText] | None = None
        """Texts are asked about several times after each edit."""

    @property
    def file(self) -> Path:
        """Where the project is now: saving it elsewhere moves it."""
        return self.session.folder / SYSTEM_FILE

    def text(self) -> bytes:
        return self.session.document.system_text()

    def saved(self) -> bytes | None:
        return self.session.document.saved_system_text()

    def errors(self, text: bytes) -> list[Problem]:
        read = self._read(text)
        return read.problems if read.system is None else []

    def problems(self, text: bytes) -> list[Problem]:
        session, read = self.session, self._read(text)
        geometry = None
        if read.system is not None and read.system.geometry == session.system.geometry:
            geometry = session.opened.geometry()
        found = check_text(read, session.registry, session.opened.types.names(), session.folder, geometry)
        return [each for each in found if each.file == str(self.file)]

    def write(self, text: bytes) -> None:
        system = self._read(text).system
        assert system is not None
        self.session.do(WriteText(text, system))
        self._last = None  # the document has taken this system

    def completions(self, before: str) -> tuple[str, list[str]]:
        return "", []

    def undo(self) -> None:
        self.session.undo()

    def redo(self) -> None:
        self.session.redo()

    def can_undo(self) -> bool:
        return self.session.document.history.undo_label is not None

    def can_redo(self) -> bool:
        return self.session.document.history.redo_label is not None

    def _read(self, text: bytes) -> ReadText:
        if self._last is None or self._last[0] != text:
            self._last = text, read_text(text, self.file)
        return self._last[1]


class SystemTextPage(XmlPage):
    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(SystemText(session), theme)
        self.session = session
        session.changed.connect(self._system_changed)
        session.problems_changed.connect(self.show_state)
        session.saved.connect(self.show_state)

    def _system_changed(self, _: object) -> None:
        self.document_changed()

    def stop(self) -> None:
        super().stop()
        self.session.changed.disconnect(self._system_changed)
        self.session.problems_changed.disconnect(self.show_state)
        self.session.saved.disconnect(self.show_state)
