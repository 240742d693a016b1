"""system.xml as a person writes it: text that becomes the system, and what is wrong in it, by line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from studio.errors import Problem, StudioError
from studio.model.geometry_check import FoundGeometry, check_geometry
from studio.model.sources import Specs
from studio.model.system import System
from studio.model.system_check import check
from studio.model.system_edits import SystemEdit
from studio.model.system_xml import build_system
from studio.model.xml_file import read_xml, unknown_names
from studio.model.xml_tree import tree_of


@dataclass(frozen=True)
class WriteText(SystemEdit):
    """The system becomes what `text` says; the layout stays. From then on saving starts from this text."""

    text: bytes
    system: System
    """What was read from the text."""

    @property
    def label(self) -> str:
        return "Edit system.xml"

    def apply(self, system: System, /) -> None:
        system.take_text(self.system, self.text)


@dataclass(frozen=True)
class ReadText:
    """What a text says; without a system where it cannot be read."""

    system: System | None
    problems: list[Problem]


def read_text(text: bytes, file: Path) -> ReadText:
    """Faults of the XML and of the schema are errors, names that the schema does not know are warnings."""
    try:
        root = read_xml(text, "system", file=file)
        return ReadText(build_system(tree_of(root), file), unknown_names(root, "system", file))
    except StudioError as error:
        return ReadText(None, Problem.all_from(error))


def check_text(
    read: ReadText, specs: Specs, types: Collection[str], folder: Path, geometry: FoundGeometry | None
) -> list[Problem]:
    """All that is wrong, with lines of this very text; a model remembers those of the text that it was read from."""
    if read.system is None:
        return read.problems
    found = check(read.system, specs, types, folder)
    return [*read.problems, *found, *check_geometry(read.system, specs, folder, geometry)]
