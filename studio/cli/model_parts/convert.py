"""`studio model convert`: to SDF and URDF, and from them."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from studio.cli.model_parts.named import add_model, load_with_notes
from studio.cli.shared.outcome import FINE, UsageError, add_json_option, print_json
from studio.model.files import FileError
from studio.model.geometry.assembly import Model
from studio.model.geometry.assembly_xml import write_assembly
from studio.model.geometry.body_xml import write_body
from studio.model.geometry.generated import marked, write_generated
from studio.model.geometry.import_model import SUFFIXES, import_model
from studio.model.geometry.poses import HERE
from studio.model.geometry.sdf import to_sdf
from studio.model.geometry.urdf import to_urdf

EXAMPLE = """\
  studio model convert raptor raptor.sdf                SDF 1.7; lists what it leaves out
  studio model convert raptor raptor.urdf --json
  studio model convert robot.urdf my_models/            bodies/*.xml and assemblies/robot.xml in that folder
  studio model convert raptor raptor.sdf --overwrite    even if raptor.sdf was edited by hand
"""
EXPORTS = {".sdf": to_sdf, ".urdf": to_urdf}


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("output", metavar="OUT", type=Path, help="a file .sdf or .urdf, or a folder for XML files")
    parser.add_argument("--overwrite", action="store_true", help="replace files that were not made by Studio alone")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    export = EXPORTS.get(options.output.suffix.lower())
    if export is not None:
        model, notes = load_with_notes(options.model)
        made = export(model)
        write_generated(options.output, marked(made.text, options.model), overwrite=options.overwrite)
        files, notes = [options.output], [*notes, *made.notes]
    elif Path(options.model).suffix.lower() in SUFFIXES:
        files, notes = _to_xml(Path(options.model), options.output, options.overwrite)
    else:
        raise UsageError(f"{options.output} is neither .sdf nor .urdf", hint="e.g. raptor.sdf")
    if options.json:
        print_json({"files": [str(file) for file in files], "notes": notes})
    else:
        print("\n".join([f"made {file}" for file in files] + notes))
    return FINE


def _only_body(model: Model, notes: list[str]) -> bytes:
    """Of a model with one link: a body with the name of the model, since most links are called `link`."""
    ((link, body),) = model.bodies.items()
    notes.append("one link only: it becomes a body, not an assembly")
    if link != model.name:
        notes.append(f"the link {link} is called {model.name} here, as the model is")
    if model.pose != HERE or model.placed:
        notes.append("the pose of the model is left out: a body alone has no place")
    return write_body(replace(body, name=model.name))


def _to_xml(source: Path, folder: Path, overwrite: bool) -> tuple[list[Path], list[str]]:
    if not source.is_file():
        raise UsageError(f"there is no file {source}")
    if folder.suffix or folder.is_file():
        raise UsageError(f"{folder} is not a folder", hint="an imported model is several files: name a folder")
    imported = import_model(source)
    notes = list(imported.notes)
    if len(imported.model.bodies) > 1:
        made = {folder / "bodies" / f"{name}.xml": write_body(body) for name, body in imported.model.bodies.items()}
        made[folder / "assemblies" / f"{imported.assembly.name}.xml"] = write_assembly(imported.assembly)
    else:
        made = {folder / "bodies" / f"{imported.model.name}.xml": _only_body(imported.model, notes)}
    for path in made:
        if path.exists() and not overwrite:
            raise FileError("the file exists already", file=path, hint="choose another folder, or --overwrite")
    for path, data in made.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=path.parent) from error
        write_generated(path, data, overwrite=True)
    return list(made), notes
