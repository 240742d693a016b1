"""Whether a project may run: the code it brings along is somebody's, and running it hands that somebody the machine.

What ships with Studio, is installed, or lies on the user's own search path is trusted. What a project brings in its
folder is trusted once the user has seen what it starts and said yes; that holds until what it starts changes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import platformdirs

from studio.errors import StudioError
from studio.model.files import write_atomically
from studio.model.spec import CommandEntry, ComponentSpec
from studio.paths import share_roots

VARIABLE = "STUDIO_TRUST"
EVERYTHING = "all"
"""The value of $STUDIO_TRUST for machines that run only what was looked at before, such as those of a CI."""


class NotTrusted(StudioError):
    """A project that nobody has agreed to run."""


def commands_of(project: Path, specs: Iterable[ComponentSpec]) -> list[str]:
    """What running a project would start that came with it: nothing for one of only known components."""
    if any(project.resolve().is_relative_to(root.resolve() / "projects") for root in share_roots()):
        return []
    own = project.resolve()
    found = {
        _command(spec, own) for spec in specs if spec.folder is not None and spec.folder.resolve().is_relative_to(own)
    }
    return sorted(found)


def _command(spec: ComponentSpec, project: Path) -> str:
    assert spec.folder is not None
    folder = spec.folder.resolve().relative_to(project)
    if isinstance(spec.entry, CommandEntry):
        return f"program {folder}: {' '.join(spec.entry.command)}"
    return f"python {folder}: {spec.entry}"


def is_trusted(project: Path, commands: list[str]) -> bool:
    if not commands or os.environ.get(VARIABLE) == EVERYTHING:
        return True
    return _known().get(str(project.resolve())) == commands


def trust(project: Path, commands: list[str]) -> None:
    """Remember that the user has agreed to exactly these."""
    file = _file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, json.dumps({**_known(), str(project.resolve()): commands}, indent=2).encode())
    except OSError as error:
        raise StudioError(f"cannot remember what is trusted: {error.strerror or error}", file=file) from error


def _file() -> Path:
    return platformdirs.user_data_path("robot-systems-studio") / "trusted.json"


def _known() -> dict[str, list[str]]:
    try:
        known = json.loads(_file().read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
