"""A project with everything that its checks and descriptions need: the system, the components, the message types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from studio.errors import Problem
from studio.messages import MessageTypes
from studio.model.document import SYSTEM_FILE
from studio.model.files import read_bytes
from studio.model.geometry_check import FoundGeometry, find_geometry
from studio.model.project import Project
from studio.model.registry import Registry
from studio.model.system import System
from studio.model.system_xml import write_system
from studio.paths import component_roots, path_problems


@dataclass(frozen=True)
class LoadedProject:
    project: Project
    registry: Registry
    types: MessageTypes
    _geometries: dict[str, FoundGeometry] = field(default_factory=dict, compare=False)

    @property
    def folder(self) -> Path:
        return self.project.folder

    @property
    def system(self) -> System:
        return self.project.system

    @cached_property
    def problems(self) -> list[Problem]:
        return self.find_problems()

    def find_problems(self) -> list[Problem]:
        """As `problems`, but looked for anew: while somebody edits."""
        self._geometries.clear()
        checked = self.project.check(self.registry, self.types.names(), self.geometry())
        return [*path_problems(), *self._profile_problems(), *self._code_problems(), *checked]

    def find_system_problems(self) -> list[Problem]:
        """The part of them that edits can change; files around the system are read only if it names others now."""
        return self.project.check_system(self.registry, self.types.names(), self.geometry())

    def geometry(self) -> FoundGeometry | None:
        """Of the system as it is now; None if it has none. Read once for each, until `find_problems` looks anew."""
        use = self.system.geometry
        if use is None:
            return None
        if use.assembly not in self._geometries:
            self._geometries[use.assembly] = find_geometry(use, self.folder)
        return self._geometries[use.assembly]

    def _profile_problems(self) -> Iterator[Problem]:
        """Faults of the project's own profiles and of those it uses; what others broke is not its problem."""
        profiles = {str(self.registry.profile(type_name)) for type_name in self.used_types()}
        own = self.folder.resolve()
        for problem in self.registry.problems:
            if problem.file in profiles or (problem.file and Path(problem.file).resolve().is_relative_to(own)):
                yield problem

    def _code_problems(self) -> list[Problem]:
        return self.registry.check_code(only=self.used_types() | self.own_types())

    def own_types(self) -> set[str]:
        """Types of the components that lie in the project."""
        own = self.folder.resolve()
        return {
            spec.type for spec in self.registry.specs() if spec.folder and spec.folder.resolve().is_relative_to(own)
        }

    def used_types(self) -> set[str]:
        inner = (component for source in self.system.sources for component in source.inner_components())
        return {component.type for component in (*self.system.components, *inner)}

    def size(self) -> str:
        system = self.system
        counts = [
            (len(list(system.components)), "component"),
            (len(list(system.sources)), "source"),
            (len(system.wires), "wire"),
        ]
        return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count) or "empty"


def open_project(folder: Path, text: bytes | None = None) -> LoadedProject:
    """`text`: of a system that is not in its file yet."""
    return opened(Project.open(folder, text))


def changed_text(opened: LoadedProject, text: bytes | None = None) -> bytes:
    """The system as it is now, with the comments and the order of its file, or of `text`."""
    written = read_bytes(opened.folder / SYSTEM_FILE) if text is None else text
    return write_system(opened.system, written)


def opened(project: Project) -> LoadedProject:
    """With the components and message types that it finds from its folder."""
    registry = Registry.scan(component_roots(project.folder))
    return LoadedProject(project, registry, MessageTypes.builtin().with_folder(project.folder))
