"""Imports a file of another program, or a body, into the vehicle that is open."""

from __future__ import annotations

from pathlib import Path

from studio.editor.geometry.protocols import Context
from studio.editor.geometry.thing_edits import own_assembly
from studio.errors import StudioError
from studio.model.files import FileError, write_atomically
from studio.model.geometry.import_edit import import_edits
from studio.model.geometry.import_model import import_model


def import_into(context: Context, file: Path) -> bool:
    """One step of undo. The body files that it needs are written at once and stay when it is undone."""
    try:
        imported = import_model(file)
        assembly = own_assembly(context.workspace)
        files, arrangement = import_edits(imported, assembly, _folder(context.workspace.main))
        _write(files)
    except StudioError as error:
        context.say(str(error), trouble=True)
        return False
    if not context.do_all(arrangement.label, arrangement.edits):
        for path in files:
            path.unlink(missing_ok=True)
        return False
    notes = f"; {len(imported.notes)} notes: {imported.notes[0]}" if imported.notes else ""
    context.say(f"Imported {len(files)} bodies into {next(iter(files)).parent}{notes}")
    return True


def _folder(main: Path) -> Path:
    """Where the bodies of an assembly lie."""
    return main.parent.parent / "bodies" if main.parent.name == "assemblies" else main.parent


def _write(files: dict[Path, bytes]) -> None:
    for path, data in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=path.parent) from error
        write_atomically(path, data)
