"""Imports a file of another program, or a body, into the vehicle that is open."""

from __future__ import annotations

from pathlib import Path

from studio.editor.geometry.protocols import Context
from studio.editor.geometry.thing_edits import own_assembly
from studio.errors import StudioError
from studio.model.files import read_bytes
from studio.model.geometry.import_edit import bodies_folder, import_edits
from studio.model.geometry.import_model import import_model
from studio.model.geometry.import_tree import Imported
from studio.runtime.sim.physics.mjcf_import import import_mjcf, is_mjcf


def _read(file: Path) -> Imported:
    if file.suffix.lower() in (".xml", ".mjcf") and is_mjcf(read_bytes(file)):
        return import_mjcf(file)
    return import_model(file)


def import_into(context: Context, file: Path) -> bool:
    """One step of undo. Saving writes the body files that it needs."""
    try:
        imported = _read(file)
        assembly = own_assembly(context.workspace)
        folder = bodies_folder(context.workspace.main)
        files, arrangement = import_edits(imported, assembly, folder, context.workspace.texts())
    except StudioError as error:
        context.say(str(error), trouble=True)
        return False
    if not context.do_all(arrangement.label, arrangement.edits, new_files=files):
        return False
    notes = f"; {len(imported.notes)} notes: {imported.notes[0]}" if imported.notes else ""
    context.say(f"Imported {len(files)} bodies; saving writes them into {folder}{notes}")
    return True
