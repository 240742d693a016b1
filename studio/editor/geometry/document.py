"""One open vehicle: its view and its panels, made when they are first seen, and what these may ask of the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QMessageBox, QWidget

from studio.editor.geometry.parts import PANELS, VIEW, Part
from studio.editor.geometry.selection import Selection
from studio.editor.geometry.session import GeometrySession
from studio.editor.look.theme import Theme
from studio.model.geometry.workspace import Changed, On, Workspace
from studio.model.history import Edit

if TYPE_CHECKING:
    from studio.editor.geometry.protocols import Store


class GeometryDocument(QObject):
    """The Context of its parts."""

    save_wanted = pyqtSignal()
    open_wanted = pyqtSignal(object, int)
    """A Path and a line."""
    said = pyqtSignal(str, bool)
    """Words for the status bar, and whether they tell of trouble."""

    def __init__(self, session: GeometrySession, settings: Store, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.selection = Selection()
        self.settings = settings
        self.theme = theme
        self.show_part: Callable[[str], Any] = lambda _: None
        """Brings a panel to the front; set by who places the panels."""
        self._made: dict[str, QWidget] = {}
        session.setParent(self)
        session.changed.connect(self._changed)
        session.refused.connect(lambda words: self.say(words, trouble=True))

    @property
    def workspace(self) -> Workspace:
        return self.session.workspace

    @property
    def title(self) -> str:
        return f"{self.workspace.main.name}{' •' if self.workspace.is_modified else ''}"

    # ---- its parts

    @property
    def view(self) -> Any:
        return self.part(VIEW)

    def part(self, part: Part) -> QWidget:
        if part.name not in self._made:
            module, _, name = part.makes.partition(":")
            self._made[part.name] = getattr(import_module(module), name)(self)
        return self._made[part.name]

    def is_made(self, part: Part) -> bool:
        return part.name in self._made

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        for made in self._made.values():
            if hasattr(made, "show_theme"):
                made.show_theme(theme)

    def flush(self) -> bool:
        """Take what was typed last in the text; False if it has errors and cannot be taken."""
        taken = [made.flush() for made in self._made.values() if hasattr(made, "flush")]
        return all(taken)

    def close(self) -> None:
        for part in (*PANELS, VIEW):
            made = self._made.pop(part.name, None)
            if made is not None:
                close = getattr(made, "close_panel", None)
                if close is not None:
                    close()
                made.deleteLater()
        self.session.close()
        self.deleteLater()

    # ---- what its parts ask

    def do(self, edit: Edit[Any], *, body: str = "", file: Path | None = None) -> bool:
        return self.session.do(edit, body=body, file=file)

    def do_all(self, label: str, edits: Sequence[On], *, new_files: Mapping[Path, bytes] | None = None) -> bool:
        return self.session.do_all(label, edits, new_files)

    def say(self, words: str, *, trouble: bool = False) -> None:
        self.said.emit(words, trouble)

    def ask(self, title: str, words: str, answers: Sequence[str]) -> str | None:
        parent = self._made.get(VIEW.name)
        box = QMessageBox(parent.window() if parent is not None else None)
        box.setWindowTitle(title)
        box.setText(words)
        buttons = {box.addButton(answer, QMessageBox.ButtonRole.AcceptRole): answer for answer in answers}
        away = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(next(iter(buttons), away))
        box.setEscapeButton(away)
        box.exec()
        clicked = box.clickedButton()
        return next((answer for button, answer in buttons.items() if button is clicked), None)

    def save(self) -> None:
        self.save_wanted.emit()

    def open(self, file: Path, line: int = 0) -> None:
        self.open_wanted.emit(file, line)

    def show_panel(self, name: str) -> Any:
        return self.show_part(name)

    # ---- following the model

    def _changed(self, changed: Changed) -> None:
        self.selection.forget_missing(self.workspace.assembled.model)
        trouble = self.workspace.trouble
        if trouble is not None:
            self.say(f"The view keeps the last valid state: {trouble}", trouble=True)
        elif changed.changes and self.workspace.history.undo_label:
            self.say(f"Undo: {self.workspace.history.undo_label}")
