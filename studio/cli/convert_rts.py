"""`studio convert` between projects and RTSystemEditor's RtsProfile."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.shared.columns import columns
from studio.cli.shared.outcome import FINE, UsageError, print_json
from studio.errors import StudioError
from studio.model.document import LAYOUT_FILE, SYSTEM_FILE
from studio.model.files import read_bytes, write_atomically
from studio.model.layout_xml import write_layout
from studio.model.loaded_project import open_project
from studio.model.project import Project
from studio.model.registry import Registry
from studio.model.rts_export import to_rts_profile
from studio.model.rts_import import read_rts_profile
from studio.model.rts_profile import NotMapped, is_rts_profile
from studio.model.system_xml import write_system
from studio.model.xml_parse import parse_hardened
from studio.paths import component_roots

MARK = b"RtsProfile"


def is_profile_file(path: Path) -> bool:
    """By content."""
    if not path.is_file():
        return False
    try:
        content = read_bytes(path)
        return MARK in content[:4096] and is_rts_profile(parse_hardened(content, path))
    except StudioError:
        return False


def export_profile(options: argparse.Namespace) -> int:
    opened = open_project(options.source)
    made = to_rts_profile(opened.system, opened.registry)
    write_atomically(options.output, made.data)
    return _tell(options, f"{options.output}: {opened.size()}", made.not_mapped)


def import_profile(options: argparse.Namespace) -> int:
    """A new project with the system of the profile."""
    if options.output.suffix in (".xml", ".mcap"):
        raise UsageError(
            f"{options.output} must be a folder: an RtsProfile becomes a project",
            hint=f"name a folder: {options.output.with_suffix('')}",
        )
    found = read_rts_profile(read_bytes(options.source), Registry.scan(component_roots(options.output)), options.source)
    doc = found.system.doc or f"From {options.source.name}."
    found.system.set_doc(doc)
    Project.create(options.output, found.system.name)
    write_atomically(options.output / SYSTEM_FILE, write_system(found.system))
    if found.system.layout.places:
        write_atomically(options.output / LAYOUT_FILE, write_layout(found.system))
    return _tell(options, f"{options.output}: {open_project(options.output).size()}", found.not_mapped)


def _tell(options: argparse.Namespace, text: str, not_mapped: list[NotMapped]) -> int:
    if options.json:
        lost = [{"what": each.what, "why": each.why} for each in not_mapped]
        print_json({"source": str(options.source), "output": str(options.output), "not_mapped": lost})
        return FINE
    print(text)
    if not_mapped:
        print("not brought over, or not as it was")
        print("\n".join(columns([(each.what, each.why) for each in not_mapped])))
    return FINE
