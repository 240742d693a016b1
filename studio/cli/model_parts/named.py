"""What MODEL on the command line means: a file, or a name among the models that are found."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.shared.outcome import UsageError, warn
from studio.cli.shared.places import project_around
from studio.errors import StudioError
from studio.model.geometry.assembly import Model
from studio.model.geometry.import_model import SUFFIXES, import_model
from studio.model.geometry.library import Library
from studio.paths import model_roots

HELP = "a body or assembly: its file, its name among the models, or an SDF or URDF file"


def add_model(parser: argparse.ArgumentParser, name: str = "model", metavar: str = "MODEL") -> None:
    parser.add_argument(name, metavar=metavar, help=HELP)


def library() -> Library:
    return Library(model_roots(project_around(Path.cwd())))


def find(text: str, found: Library) -> Path:
    try:
        return found.find(text)
    except StudioError as error:
        raise UsageError(error.message, hint=error.hint) from None


def load(text: str) -> Model:
    """Any model, SDF and URDF included."""
    model, notes = load_with_notes(text)
    if notes:
        told = "1 thing was" if len(notes) == 1 else f"{len(notes)} things were"
        warn(f"{text}: {told} left out or changed; `studio model check {text}` lists them")
    return model


def load_with_notes(text: str) -> tuple[Model, list[str]]:
    """Also what of a file from elsewhere could not be held, or had to be changed."""
    if Path(text).suffix.lower() in SUFFIXES and Path(text).is_file():
        imported = import_model(Path(text))
        return imported.model, imported.notes
    found = library()
    return found.load(find(text, found)), []
