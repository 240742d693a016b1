"""One open document: a model, its history, and the files it is kept in.

The bytes to save are a pure function of the bytes that were loaded and the model, also after later saves. So undoing
back to any saved state gives that file again byte for byte, and undoing a removal brings the comments inside back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from studio.model import layout_xml, system_xml
from studio.model.changes import Change, Model, Replaced
from studio.model.files import FileError, read_bytes, write_atomically
from studio.model.history import Edit, History
from studio.model.parts import View
from studio.model.sources import Source
from studio.model.system import System, view_change

M = TypeVar("M", bound=Model)

SYSTEM_FILE = "system.xml"
LAYOUT_FILE = "layout.xml"


@dataclass
class OpenFile(Generic[M]):
    name: str
    write: Callable[[M, bytes], bytes]
    base: bytes
    """As it was loaded, or an empty template: saving starts from here."""
    on_disk: bytes | None
    """What we last read or wrote; None if there is no such file yet."""
    empty: bytes | None = None
    """What an optional file would say that says nothing; it is not made for that."""

    def text(self, model: M) -> bytes:
        return self.write(model, self.base)

    def is_needed(self, text: bytes) -> bool:
        return text != self.on_disk and not (self.on_disk is None and text == self.empty)


class Document(Generic[M]):
    def __init__(self, model: M, folder: Path, files: list[OpenFile[M]]) -> None:
        self.model = model
        self.folder = folder
        self.history = History(model)
        self._files = files

    def add_file(self, file: OpenFile[M]) -> None:
        """One more that belongs to it from now on."""
        self._files.append(file)

    def remove_file(self, file: OpenFile[M]) -> None:
        """It does not belong to it any more; what is on disk stays."""
        self._files.remove(file)

    def do(self, edit: Edit[M]) -> tuple[Change, ...]:
        return self.history.do(edit)

    def undo(self) -> bool:
        return self.history.undo()

    def redo(self) -> bool:
        return self.history.redo()

    @property
    def is_modified(self) -> bool:
        is_new = any(file.on_disk is None and file.empty is None for file in self._files)
        return is_new or not self.history.is_clean

    def texts(self) -> dict[Path, bytes]:
        """What saving would write now: for an autosave, or to show a difference."""
        return {self.folder / file.name: file.text(self.model) for file in self._files}

    def changed_on_disk(self) -> list[Path]:
        """Files that somebody else has written, made or deleted since we last read or wrote them."""
        return [self.folder / file.name for file in self._files if self._read(file) != file.on_disk]

    def save(self, *, overwrite: bool = False) -> None:
        """Write what changed. Refuses to overwrite what others wrote meanwhile, unless told to."""
        for path in [] if overwrite else self.changed_on_disk():
            raise FileError("changed on disk since it was opened", file=path, hint="reload it, or save it anyway")
        for file in self._files:
            text = file.text(self.model)
            if file.is_needed(text) or (overwrite and self._read(file) != file.on_disk):
                write_atomically(self.folder / file.name, text)
                file.on_disk = text
        self.history.mark_clean()

    def save_as(self, folder: Path) -> None:
        """Write everything to another folder, and go on there."""
        self.write_to(folder)
        self.go_on_in(folder)

    def write_to(self, folder: Path) -> None:
        """Everything that saving would write, into another folder. Whether or not that succeeds, this one is ours."""
        for file in self._files:
            if (folder / file.name).exists():
                raise FileError("the file exists already", file=folder / file.name, hint="choose another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=folder) from error
        for file in self._files:
            text = file.text(self.model)
            if text != file.empty:
                write_atomically(folder / file.name, text)

    def go_on_in(self, folder: Path) -> None:
        """What `write_to` has written there is what is open from now on."""
        self.folder = folder
        for file in self._files:
            text = file.text(self.model)
            file.on_disk = text if text != file.empty else None
        self.history.mark_clean()

    def _read(self, file: OpenFile[M]) -> bytes | None:
        path = self.folder / file.name
        return read_bytes(path) if path.exists() else None


class SystemDocument(Document[System]):
    """system.xml and the layout.xml beside it."""

    @classmethod
    def load(cls, folder: Path, text: bytes | None = None, layout: bytes | None = None) -> SystemDocument:
        """`text` and `layout`: of a system that is not in its files yet."""
        system_path, layout_path = folder / SYSTEM_FILE, folder / LAYOUT_FILE
        data = read_bytes(system_path) if text is None else text
        system = system_xml.read_system(data, system_path)
        if layout is None and layout_path.exists():
            layout = read_bytes(layout_path)
        if layout is not None:
            layout_xml.read_layout(system, layout, layout_path)
        return cls(system, folder, _files(data, layout))

    @classmethod
    def new(cls, folder: Path, name: str) -> SystemDocument:
        """A document that is in no file yet."""
        return cls(System(name), folder, _files(None, None))

    @property
    def system(self) -> System:
        return self.model

    def system_text(self) -> bytes:
        """system.xml as saving would write it now."""
        return self._files[0].text(self.model)

    def saved_system_text(self) -> bytes | None:
        """What was read from system.xml or written to it last; None if there is no such file yet."""
        return self._files[0].on_disk

    @property
    def is_only_played(self) -> bool:
        """Whether nothing but the choice of sources and logs has changed: what somebody does who looks at a project."""
        changes = self.history.changes_since_clean
        return changes is not None and all(_is_choice(change) for change in changes)

    def look_at(self, view: View) -> None:
        """Remember what the window shows. Saved with the layout, but not undone, and no reason to save."""
        if view != self.system.layout.view:
            self.system.perform(view_change(self.system, view))


def _is_choice(change: Change) -> bool:
    """Whether a source is as it was, but for what provides it now and the log it plays."""
    match change:
        case Replaced("nodes", Source() as old, Source() as new):
            return replace(old, mode=new.mode, logged=new.logged) == new
    return False


def _write_system(system: System, base: bytes) -> bytes:
    """A text that somebody has written in the window takes the place of what was loaded, and undo brings that back."""
    return system_xml.write_system(system, system.written or base)


def _files(system: bytes | None, layout: bytes | None) -> list[OpenFile[System]]:
    return [
        OpenFile(SYSTEM_FILE, _write_system, system or system_xml.NEW_FILE, system),
        OpenFile(LAYOUT_FILE, layout_xml.write_layout, layout or layout_xml.NEW_FILE, layout, layout_xml.NEW_FILE),
    ]
