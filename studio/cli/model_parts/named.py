"""What MODEL on the command line means: a file, or a name among the models that are found."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.outcome import UsageError
from studio.cli.places import project_around
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
    if Path(text).suffix.lower() in SUFFIXES and Path(text).is_file():
        return import_model(Path(text)).model
    found = library()
    return found.load(find(text, found))
