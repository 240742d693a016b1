"""What the library panel offers: bodies and assemblies of the user and of Studio. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.errors import StudioError
from studio.model.geometry.assembly import Model
from studio.model.geometry.library import Library
from studio.model.geometry.used_by import assembly_files, body_files, used_by
from studio.paths import is_shared_model


@dataclass(frozen=True)
class LibraryItem:
    file: Path
    kind: str
    """`body` or `assembly`."""
    name: str
    doc: str
    place: str
    """Whose it is: `yours` or `Studio`."""
    trouble: str = ""
    """Why it cannot be used; empty if it can."""

    def matches(self, text: str) -> bool:
        here = f"{self.file.stem} {self.name} {self.doc} {self.kind} {self.place}".lower()
        return all(word in here for word in text.lower().split())


class LibraryItems:
    """Reads each file again only when it has changed."""

    def __init__(self, roots: list[Path]) -> None:
        self.roots = roots
        self._library = Library(roots)

    def items(self) -> list[LibraryItem]:
        self._library.forget(self._library.changed())
        bodies = [self._item(file, "body") for file in body_files(self.roots)]
        return [*bodies, *(self._item(file, "assembly") for file in assembly_files(self.roots))]

    def model(self, item: LibraryItem) -> Model:
        return self._library.load(item.file)

    def used_by(self, item: LibraryItem) -> list[Path]:
        return used_by(item.file, self.roots)

    def _item(self, file: Path, kind: str) -> LibraryItem:
        try:
            value = self._library.read(file)
        except StudioError as error:
            return LibraryItem(file, kind, file.stem, "", self._place(file), str(error))
        return LibraryItem(file, kind, value.name, value.doc, self._place(file))

    def _place(self, file: Path) -> str:
        return "Studio" if is_shared_model(file) else "yours"
