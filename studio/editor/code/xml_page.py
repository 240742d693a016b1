"""The XML of an open document beside what it describes, both ways live: what is typed changes the document, what is
edited elsewhere changes the text. A text with errors stays as it is typed, and it stays what was last valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.editor.code.find_bar import FindBar
from studio.editor.code.xml_editor import XmlEditor
from studio.editor.look.theme import Theme
from studio.errors import Problem
from studio.model.text_changes import text_changes

READ_AFTER_MS = 350
"""After the last key: what is half typed says nothing yet."""
ROW_PX = 36


@dataclass(frozen=True)
class Words:
    """What the page calls the document."""

    valid: str
    """Text and document say the same, without a fault."""
    kept: str
    """The text has errors."""
    changed: str
    """The document was changed while the text had something else."""
    use: str
    """What the button does that takes the text nevertheless."""
    discard: str


class XmlDocument(Protocol):
    """One file of an open document."""

    words: Words

    @property
    def file(self) -> Path: ...
    def text(self) -> bytes:
        """What saving would write."""
        ...

    def saved(self) -> bytes | None:
        """What is on disk; None if there is no file yet."""
        ...

    def errors(self, text: bytes) -> Sequence[Problem]:
        """Why the document cannot become this text."""
        ...

    def problems(self, text: bytes) -> Sequence[Problem]:
        """All that is wrong in this text, with its lines."""
        ...

    def write(self, text: bytes) -> None:
        """Become this text, which has no errors, as one step of undo."""
        ...

    def completions(self, before: str) -> tuple[str, list[str]]: ...
    def undo(self) -> object: ...
    def redo(self) -> object: ...
    def can_undo(self) -> bool: ...
    def can_redo(self) -> bool: ...


class XmlPage(QWidget):
    save_wanted = pyqtSignal()

    def __init__(self, document: XmlDocument, theme: Theme, before: QWidget | None = None) -> None:
        """`before`: what stands left of the words, as a choice of files."""
        super().__init__()
        self.document = document
        self.editor = XmlEditor(document.file, theme)
        self.finder = FindBar(self.editor, theme)
        self.words = QLabel()
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.use, self.discard = QPushButton("Use text"), QPushButton("Discard text")
        self.use.setToolTip(document.words.use)
        self.discard.setToolTip(document.words.discard)
        self.use.clicked.connect(lambda _: self._apply(even_if_changed=True))
        self.discard.clicked.connect(lambda _: self.show_document())
        above = QWidget()
        above.setFixedHeight(ROW_PX)  # with or without buttons: nothing moves while one types
        row = QHBoxLayout(above)
        row.setContentsMargins(8, 3, 8, 3)
        row.setSpacing(10)
        if before is not None:
            row.addWidget(before)
        for widget, stretch in ((self.words, 1), (self.use, 0), (self.discard, 0)):
            row.addWidget(widget, stretch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(above)
        layout.addWidget(self.editor, 1)
        layout.addWidget(self.finder)
        self.setFocusProxy(self.editor)
        self._shown = b""
        """What the document said when the text was last in step with it."""
        self._is_ours = False
        """Whether what happens to text or document is our own doing."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(READ_AFTER_MS)
        self._timer.timeout.connect(self._apply)
        self._connect()
        self.show_document()

    def _connect(self) -> None:
        editor, document = self.editor, self.document
        editor.textChanged.connect(self._typed)
        editor.key_wanted.connect(self._key)
        editor.cursorPositionChanged.connect(lambda *_: None if self.is_pending else self._say_state())
        editor.completions = document.completions
        editor.undo_shared, editor.redo_shared = document.undo, document.redo
        editor.can_undo_shared, editor.can_redo_shared = document.can_undo, document.can_redo

    @property
    def is_pending(self) -> bool:
        """Whether something was typed that is not in the document."""
        return self.editor.text().encode() != self._shown

    def flush(self) -> bool:
        """Take what was typed last without waiting; False if it cannot be taken."""
        if self._timer.isActive():
            self._apply()
        return not self.is_pending

    def save(self) -> None:
        """Ctrl+S in the text."""
        self.flush()
        self.save_wanted.emit()

    # ---- from the text to the document

    def _typed(self) -> None:
        if not self._is_ours:
            self._timer.start()

    def _apply(self, *, even_if_changed: bool = False) -> None:
        self._timer.stop()
        text, now = self.editor.text().encode(), self.document.text()
        if text == self._shown != now:
            self.show_document()  # all that was typed is taken back, and the document went on meanwhile
            return
        if text != now and (now == self._shown or even_if_changed) and not self.document.errors(text):
            self._is_ours = True
            try:
                self.document.write(text)
            finally:
                self._is_ours = False
            now = self.document.text()
        if text == now:
            self._shown = now
            self.editor.forget_undo()
        self.show_state()

    # ---- from the document to the text

    def document_changed(self) -> None:
        if self._is_ours:
            return
        if self.is_pending:
            self.show_state()  # what was typed stays, and the user decides
        else:
            self.show_document()

    def show_document(self) -> None:
        self._timer.stop()
        self._is_ours = True
        try:
            self._shown = self.document.text()
            self.editor.show_text(self._shown)
        finally:
            self._is_ours = False
        self.show_state()

    # ---- what is wrong

    def show_state(self) -> None:
        if self._timer.isActive():
            return  # somebody types: it is looked at when the hand rests
        document, text = self.document, self.editor.text().encode()
        errors = document.errors(text)
        self.editor.show_problems(document.problems(text))
        self.editor.mark_added(text_changes(document.saved(), text).added_lines)
        is_changed = self.is_pending and document.text() != self._shown
        if errors:
            self._say(f"{_line(errors[0].line)}{errors[0].message}. {document.words.kept}", wrong=True)
        elif is_changed:
            self._say(document.words.changed, wrong=True)
        else:
            self._say_state()
        self.use.setVisible(is_changed and not errors)
        self.discard.setVisible(self.is_pending)

    def _say_state(self) -> None:
        """Text and document are in step; what is wrong in the line of the cursor, or first in the text, has its words
        here: at the end of a long line they would be out of sight."""
        if self.document.errors(self._shown):
            return
        faults = self.editor.underlined
        line = self.editor.line if self.editor.line in faults else min(faults, default=0)
        first = f"{_line(line)}{faults[line]}" if line else self.document.words.valid
        self._say(f"{first} · {text_changes(self.document.saved(), self._shown).words}", wrong=bool(line))

    def _say(self, words: str, *, wrong: bool = False) -> None:
        self.words.setText(words)
        self.words.setToolTip(words)
        self.words.setProperty("role", "error" if wrong else "muted")
        style = self.words.style()
        if style is not None:
            style.unpolish(self.words)
            style.polish(self.words)

    # ---- the window

    def _key(self, name: str) -> None:
        match name:
            case "save":
                self.save()
            case "find" | "replace" | "go_to":
                self.finder.open(name)
            case "next":
                self.finder.search()
            case "before":
                self.finder.search(back=True)
            case "complete":
                self.editor.complete()

    def show_theme(self, theme: Theme) -> None:
        self.editor.show_theme(theme)
        self.finder.show_theme(theme)
        self.show_state()

    def stop(self) -> None:
        """Before it is thrown away."""
        self._timer.stop()


def _line(line: int | None) -> str:
    return f"Line {line}: " if line else ""
