"""One open vehicle as the window sees it: its workspace, what listens to it, and what is kept while it is not saved."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, pyqtSignal

from studio.errors import Problem, StudioError
from studio.model.geometry.assembly import Assembly
from studio.model.geometry.import_edit import bodies_folder
from studio.model.geometry.workspace import Changed, On, Workspace
from studio.model.history import Edit


class GeometrySession(QObject):
    changed = pyqtSignal(object)
    """The Changed of an edit, an undo, a redo or a save."""
    saved = pyqtSignal()
    refused = pyqtSignal(str)
    """Why an edit was not possible, in words for the user."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self._end = workspace.listen(self._tell)

    def _tell(self, changed: Changed) -> None:
        self.changed.emit(changed)

    def close(self) -> None:
        self._end()

    # ---- editing

    def do(self, edit: Edit[Any], *, body: str = "", file: Path | None = None) -> bool:
        return self._try(lambda: self.workspace.do(edit, body=body, file=file))

    def do_all(self, label: str, edits: Sequence[On], new_files: Mapping[Path, bytes] | None = None) -> bool:
        return self._try(lambda: self.workspace.do_all(label, edits, new_files=new_files))

    def _try(self, do: Callable[[], object]) -> bool:
        try:
            do()
        except StudioError as error:
            self.refused.emit(f"{error.message} ({error.hint})" if error.hint else error.message)
            return False
        return True

    def save(self, *, overwrite: bool = False) -> list[Path]:
        written = self.workspace.save(overwrite=overwrite)
        self.saved.emit()
        return written

    def save_as(self, path: Path) -> list[Path]:
        written = self.workspace.save_as(path)
        self.saved.emit()
        return written

    # ---- what is kept while it is not saved

    @property
    def place(self) -> Path:
        return self.workspace.main

    @property
    def is_modified(self) -> bool:
        return self.workspace.is_modified

    def unsaved(self) -> dict[str, bytes]:
        """An assembly and a body of it may have the same name, in two folders."""
        texts = self.workspace.texts()
        return {_kept_name(path): texts[path] for path in self.workspace.modified_files()}

    def saved_file(self, name: str) -> Path | None:
        return next((path for path in self.workspace.texts() if _kept_name(path) == name), None)

    def restore(self, texts: Mapping[str, bytes]) -> bool:
        """The vehicle first: it may name body files that only the unsaved one uses."""
        first = _kept_name(self.workspace.main)
        for name in sorted(texts, key=lambda name: name != first):
            file = self.saved_file(name)
            if file is None:
                self._restore_new(name, texts[name])
                continue
            problems = self.workspace.write_text(texts[name], file)
            if problems:
                self.refused.emit(_words(problems))
                return False
        return True

    def _restore_new(self, name: str, text: bytes) -> None:
        """A file that was never saved, as of an import: where the assembly looks for it first."""
        value = self.workspace.value()
        members = value.members if isinstance(value, Assembly) else []
        folder = bodies_folder(self.workspace.main)
        path = next((folder / each.file for each in members if _kept_name(folder / each.file) == name), None)
        if path is not None:
            self.workspace.create(path, text)


def _kept_name(path: Path) -> str:
    return f"{hashlib.sha256(str(path).encode()).hexdigest()[:12]}_{path.name.removesuffix('.xml')}.xml"


def _words(problems: list[Problem]) -> str:
    return f"Unsaved changes cannot be read: {problems[0]}"
