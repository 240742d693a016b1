"""Which assemblies use a body or assembly file: they change when it does."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio.errors import StudioError
from studio.model.geometry.assembly import Assembly
from studio.model.geometry.library import FOLDERS, Library


def used_by(file: Path, roots: Iterable[Path]) -> list[Path]:
    """Assembly files of the models that name it, directly or through one that they include, in order of their names.

    Files that cannot be read use nothing: their faults are found where they are opened.
    """
    library = Library(roots)
    target, found = file.resolve(), set[Path]()
    uses = {path: _named_in(library, path) for path in assembly_files(library.roots)}
    waiting = [target]
    while waiting:
        wanted = waiting.pop()
        for path in [path for path, named in uses.items() if wanted in named and path not in found]:
            found.add(path)
            waiting.append(path)
    return sorted(found - {target})


def assembly_files(roots: Iterable[Path]) -> list[Path]:
    return _files(roots, FOLDERS["assembly"])


def body_files(roots: Iterable[Path]) -> list[Path]:
    return _files(roots, FOLDERS["body"])


def _files(roots: Iterable[Path], folder: str) -> list[Path]:
    """The first root with a name has it."""
    by_name: dict[str, Path] = {}
    for root in roots:
        for path in sorted((root / folder).glob("*.xml")):
            by_name.setdefault(path.name, path.resolve())
    return sorted(by_name.values(), key=lambda path: path.stem.lower())


def _named_in(library: Library, path: Path) -> set[Path]:
    try:
        read = library.read(path)
    except StudioError:
        return set()
    if not isinstance(read, Assembly):
        return set()
    named = [("body", each.file) for each in read.members] + [("assembly", each.file) for each in read.inclusions]
    return {found for kind, file in named if (found := _place(library, path, kind, file)) is not None}


def _place(library: Library, by: Path, kind: str, file: str) -> Path | None:
    try:
        return library.place_of(file, kind, by).resolve()
    except StudioError:
        return None
