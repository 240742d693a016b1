"""A project with everything that its checks and descriptions need: the system, the components, the message types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from studio.cli.places import SYSTEM
from studio.errors import Problem
from studio.messages import MessageTypes
from studio.model.registry import Registry
from studio.model.system import System
from studio.model.system_check import check
from studio.model.system_xml import read_system
from studio.paths import component_roots, path_problems


@dataclass(frozen=True)
class Opened:
    folder: Path
    system: System
    registry: Registry
    types: MessageTypes

    @cached_property
    def problems(self) -> list[Problem]:
        return [*path_problems(), *self.registry.problems, *check(self.system, self.registry, self.types.names())]

    def size(self) -> str:
        system = self.system
        counts = [
            (len(list(system.components)), "component"),
            (len(list(system.sources)), "source"),
            (len(system.wires), "wire"),
        ]
        return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count) or "empty"


def open_project(folder: Path) -> Opened:
    types = MessageTypes.builtin().with_folder(folder)
    registry = Registry.scan(component_roots(folder))
    return Opened(folder, read_system(folder / SYSTEM), registry, types)
