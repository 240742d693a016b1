"""Components that are made before their process is wanted: the process of a host is forked from one that has them.

Building the model of a world takes longer than all else that a simulator does at its start. A fork server of the host's
own does it while the host still runs, and a restart inherits it. What is inherited follows from the component, its
parameters, its project and files alone; a file that has changed since makes it worthless, and the start is then
an ordinary one. Only components that come with Studio are asked: importing one of a user may do anything.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from studio.errors import StudioError
from studio.model.files import noting_reads
from studio.model.spec import PythonEntry
from studio.paths import PACKAGE, share_roots
from studio.runtime.base.clock import wall_ns
from studio.runtime.component import Component
from studio.runtime.host.component_import import import_class
from studio.runtime.plan.plan import PlannedComponent

JUST_CHANGED_NS = 100_000_000
"""A file that was written so shortly before it was read may be written once more within the same tick of its clock."""
MODELS = "models"


@runtime_checkable
class PreparesAhead(Protocol):
    """A component with work to do before its process is wanted."""

    def prepare_ahead(self) -> None:
        """Make what follows from parameters, project and files; `on_initialize` finds it, or has to make it itself.

        Leave no threads and no open files behind, and read files by `studio.model.files`, where it is noted.
        """


class NothingPreparedError(StudioError):
    """There is nothing that could be inherited."""


def order_of(components: Iterable[PlannedComponent], project: str) -> str:
    """What a fork server is told to prepare; empty if nothing may be."""
    wanted = [_wanted(each, project) for each in components if _comes_with_studio(each)]
    return json.dumps(wanted) if wanted else ""


def _comes_with_studio(component: PlannedComponent) -> bool:
    return not component.command and component.entry.startswith(f"{PACKAGE.name}.")


def _wanted(component: PlannedComponent, project: str) -> dict[str, Any]:
    return {
        "name": component.name, "entry": component.entry, "folder": component.folder,
        "parameters": dict(component.parameters), "project": project,
    }  # fmt: skip


_made: dict[str, Component] = {}
"""By what was wanted, as JSON."""


def made_ahead(component: PlannedComponent, project: str) -> Component | None:
    """The component that this process has inherited; it is given away once."""
    return _made.pop(json.dumps(_wanted(component, project)), None)


class Prepared:
    """All that was made, and the files it was made of."""

    def __init__(self, order: str) -> None:
        begun_ns, before = wall_ns(), _cannot_be_inherited()
        orders = json.loads(order)
        with noting_reads() as read:
            for wanted in orders:
                component = _component(wanted)
                if isinstance(component, PreparesAhead):
                    component.prepare_ahead()
                    _made[json.dumps(wanted)] = component
        if not _made:
            raise NothingPreparedError("no component prepares anything")
        if _cannot_be_inherited() != before:
            raise NothingPreparedError("a thread or an open file is left, which a forked process cannot inherit")
        self._stamps = {path: _stamp(path) for path in _watched(read, {wanted["project"] for wanted in orders})}
        changed_ns = [stamp[0] for path in read if (stamp := self._stamps[path]) is not None]
        self._is_settled = all(changed < begun_ns - JUST_CHANGED_NS for changed in changed_ns)

    def is_current(self) -> bool:
        """Whether a start from here comes to the same as one that reads all files now."""
        return self._is_settled and all(_stamp(path) == stamp for path, stamp in self._stamps.items())


def _component(wanted: dict[str, Any]) -> Component:
    """As its host would make it."""
    module, _, cls = wanted["entry"].partition(":")
    component = import_class(Path(wanted["folder"]), PythonEntry(module, cls))()
    component.project = Path(wanted["project"]) if wanted["project"] else None
    for name, value in wanted["parameters"].items():
        checked = tuple(value) if isinstance(value, list) else value
        component._values[name] = type(component).__parameters__[name].spec.check(checked)
    return component


def _cannot_be_inherited() -> tuple[int, int]:
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


def _watched(read: set[Path], projects: set[str]) -> set[Path]:
    """The files, and all folders in which another one could come to stand before them."""
    roots = [root / MODELS for root in (*map(Path, filter(None, projects)), *share_roots())]
    below = {path for root in roots for path in root.rglob("*") if path.is_dir()}
    return read | {path.parent for path in read} | set(roots) | below


def _stamp(path: Path) -> tuple[int, int, int, int] | None:
    """Of a folder it changes with the names in it."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
