"""A project: a folder with a system and what belongs to it. Opening one runs nothing of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from studio.errors import Problem
from studio.model.document import LAYOUT_FILE, SYSTEM_FILE, SystemDocument
from studio.model.files import FileError, write_atomically
from studio.model.geometry_check import FoundGeometry, check_geometry
from studio.model.parts import check_name
from studio.model.sources import Specs
from studio.model.system import System
from studio.model.system_check import check
from studio.model.system_edits import DescribeSystem
from studio.model.xml_file import read_xml, unknown_names

README = "README.md"


@dataclass
class Project:
    """`components/` and `msg/` in the folder, if there, hold components and message types of its own."""

    folder: Path
    document: SystemDocument

    @classmethod
    def open(cls, folder: Path | str, text: bytes | None = None) -> Project:
        """Of a project folder, or of the system.xml in one; `text`: what is to be in that file."""
        folder = Path(folder)
        folder = folder.parent if folder.name == SYSTEM_FILE else folder
        if not folder.is_dir():
            raise FileError("there is no such project folder", file=folder, hint="make one: studio new project NAME")
        if not (folder / SYSTEM_FILE).is_file():
            hint = f"a project has a {SYSTEM_FILE}; make one: studio new project NAME"
            raise FileError("this folder is not a project", file=folder, hint=hint)
        return cls(folder, SystemDocument.load(folder, text))

    @classmethod
    def create(cls, folder: Path | str, name: str) -> Project:
        """A new, empty project in a folder that does not exist yet or is empty."""
        folder = Path(folder)
        check_name(name, "name of a project")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_empty = not any(folder.iterdir())
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=folder) from error
        if not is_empty:
            raise FileError("this folder is not empty", file=folder, hint="choose a new one")
        document = SystemDocument.new(folder, name)
        document.do(DescribeSystem(name, f"What {name} does."))
        document.save()
        write_atomically(
            folder / README, f"# {name}\n\nDescribe here its purpose, its requirements, and how to run it.\n".encode()
        )
        write_atomically(folder / ".gitignore", b"logs/\n")
        return cls.open(folder)

    @property
    def system(self) -> System:
        return self.document.system

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def system_file(self) -> Path:
        return self.folder / SYSTEM_FILE

    @property
    def components_folder(self) -> Path | None:
        return _if_there(self.folder / "components")

    @property
    def msg_folder(self) -> Path | None:
        return _if_there(self.folder / "msg")

    def check(
        self, specs: Specs, message_types: Collection[str], geometry: FoundGeometry | None = None
    ) -> list[Problem]:
        """Everything that is wrong: names in the files that nobody knows, and what `check_system` finds."""
        found = unknown_names(read_xml(self.system_file, "system"), "system", self.system_file)
        layout_file = self.folder / LAYOUT_FILE
        if layout_file.exists():
            found += unknown_names(read_xml(layout_file, "layout"), "layout", layout_file)
            found += self._lost_places(layout_file)
        return found + self.check_system(specs, message_types, geometry)

    def check_system(
        self, specs: Specs, message_types: Collection[str], geometry: FoundGeometry | None = None
    ) -> list[Problem]:
        """The part that edits can change. `geometry`: of this system, where it was read before."""
        found = check(self.system, specs, message_types, self.folder)
        return found + check_geometry(self.system, specs, self.folder, geometry)

    def _lost_places(self, layout_file: Path) -> list[Problem]:
        return [
            Problem(
                f"{place.of} has a position, but the system has no component of that name",
                "warning",
                str(layout_file),
                place.origin.line if place.origin else None,
                "remove it",
                place.of,
            )
            for place in self.system.layout.places
            if place.of not in self.system.nodes
        ]


def _if_there(folder: Path) -> Path | None:
    return folder if folder.is_dir() else None
