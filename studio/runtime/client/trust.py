"""Whether a project may run: the code it brings along is somebody's, and running it hands that somebody the machine.

What ships with Studio, is installed, or lies on the user's own search path is trusted, and so are the components that
the user has made here. Everything else in a project's folder is trusted once the user has seen what it starts and
said yes; that holds until what it starts changes. This also holds for a project that the user has made here: somebody
else's component may be unpacked into it.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import platformdirs

from studio.errors import StudioError
from studio.model.component_xml import read_profile
from studio.model.files import write_atomically
from studio.model.loaded_project import LoadedProject
from studio.model.spec import PROFILE, CommandEntry, ComponentSpec, Entry
from studio.paths import came_with_studio, component_roots, project_roots, share_roots

VARIABLE = "STUDIO_TRUST"
AGREED, MADE = "trusted.json", "made_here.json"
COMPONENTS = "components"
_AT_FDCWD, _STATX_BTIME, _STATX_BYTES = -100, 0x800, 256
"""Of statx(2), which Python has from 3.15 on."""
EVERYTHING = "all"
"""The value of $STUDIO_TRUST for machines that run only what was looked at before, such as those of a CI."""


class NotTrusted(StudioError):
    """A project that nobody has agreed to run."""


def commands_of(project: Path, specs: Iterable[ComponentSpec]) -> list[str]:
    """What running a project would start that came with it: nothing for one of only known components."""
    if any(project.resolve().is_relative_to(root.resolve() / "projects") for root in share_roots()):
        return []
    found = {
        _command(spec.folder, spec.entry, project)
        for spec in specs
        if spec.folder is not None and place_in(project, spec.folder) is not None
    }
    return sorted(found)


def commands_in(owner: Path, folders: Iterable[Path], for_tests: Iterable[Path] = ()) -> list[str]:
    """What importing the classes of these components would run that came with their `owner`: a project, or one of
    them itself where it lies in none. `for_tests`: files that their tests run as well."""
    if any(owner.resolve().is_relative_to(root.resolve()) for root in (*component_roots(), *project_roots())):
        return []
    found = [_command(folder, _entry(folder), owner) for folder in folders]
    return sorted([*found, *(_command(file, "pytest", owner) for file in for_tests)])


def place_in(owner: Path, folder: Path) -> Path | None:
    """Where the owner has it, also by a link that leads out of the owner's folder."""
    for place, top in ((folder.absolute(), owner.absolute()), (folder.resolve(), owner.resolve())):
        if place.is_relative_to(top):
            return place.relative_to(top)
    return None


def _entry(folder: Path) -> Entry | str:
    try:
        return read_profile(folder / PROFILE).entry
    except StudioError:  # it is missing or broken, and made anew from this file
        return f"{folder.resolve().name}.py"


def _command(folder: Path, entry: Entry | str, owner: Path) -> str:
    place = place_in(owner, folder)
    is_inside = folder.resolve().is_relative_to(owner.resolve())
    shown = f"{place}" if is_inside else f"{place or folder} (outside: {folder.resolve()})"
    if isinstance(entry, CommandEntry):
        return f"program {shown}: {' '.join(entry.command)}"
    return f"python {shown}: {entry}"


def commands_of_project(opened: LoadedProject) -> list[str]:
    """What running it would start that came with it."""
    specs = (opened.registry.get(type_name) for type_name in opened.used_types())
    return commands_of(opened.folder, (spec for spec in specs if spec is not None))


def is_trusted(project: Path, commands: list[str]) -> bool:
    if not commands or os.environ.get(VARIABLE) == EVERYTHING:
        return True
    return set(commands) <= _agreed(project) | _made(project)


def trust(project: Path, commands: list[str]) -> None:
    """Remember that the user has agreed to these, besides what he has agreed to before."""
    _change(AGREED, project, lambda: sorted(_agreed(project).union(commands)))


def made_here(project: Path) -> None:
    """Remember that the user has made this project himself, with the components that it has now."""
    folders = [profile.parent for profile in sorted((project / COMPONENTS).glob(f"*/{PROFILE}"))]
    commands = commands_in(project, folders)
    _remember_made(project, lambda: commands)


def is_made_here(project: Path) -> bool:
    """By its path and by the folder itself: another one that was put into its place was made by somebody else."""
    made = _read(MADE).get(str(project.resolve()))
    try:
        return isinstance(made, dict) and made.get("folder") == _identity(project)
    except OSError:
        return False


def _made(project: Path) -> set[str]:
    """What the components start that the user has made in a project of his own."""
    return set(_read(MADE)[str(project.resolve())]["commands"]) if is_made_here(project) else set()


def _remember_made(project: Path, commands: Callable[[], Iterable[str]]) -> None:
    _change(MADE, project, lambda: {"folder": _identity(project), "commands": sorted(commands())})


def _identity(folder: Path) -> list[int]:
    """Of the folder itself, whatever is in it: its inode, whose number the next folder gets when this one is removed,
    and when it was made, where the file system tells."""
    found = ctypes.create_string_buffer(_STATX_BYTES)
    if ctypes.CDLL(None, use_errno=True).statx(_AT_FDCWD, os.fsencode(folder), 0, _STATX_BTIME, found) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), str(folder))
    return [*struct.unpack_from("<Q", found, 32), *struct.unpack_from("<qI", found, 80)]


def trust_copy(original: LoadedProject, copy: LoadedProject) -> None:
    """What may run may run as a copy, too. A copy of an example is the user's own, as a copy of his own is."""
    if came_with_studio(original.folder) or is_made_here(original.folder):
        made_here(copy.folder)
    elif (commands := commands_of_project(copy)) and is_trusted(original.folder, commands_of_project(original)):
        trust(copy.folder, commands)


def _agreed(project: Path) -> set[str]:
    agreed = _read(AGREED).get(str(project.resolve()))
    return {text for text in agreed if isinstance(text, str)} if isinstance(agreed, list) else set()


def _read(name: str) -> dict[str, Any]:
    try:
        known = json.loads(_file(name).read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _change(name: str, project: Path, value: Callable[[], Any]) -> None:
    """One at a time: another window must not write over this with what it had read before."""
    file = _file(name)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            known = {**_read(name), str(project.resolve()): value()}
            write_atomically(file, json.dumps(known, indent=2).encode())
    except OSError as error:
        raise StudioError(
            f"the list of trusted projects cannot be saved: {error.strerror or error}", file=file
        ) from error


def trust_component(project: Path, component: Path) -> None:
    """A component that the user has just made, or copied from one that is trusted, needs no question."""
    commands = commands_in(project, [component])
    if is_made_here(project):
        _remember_made(project, lambda: _made(project).union(commands))
    elif commands:
        trust(project, commands)


def _file(name: str) -> Path:
    return platformdirs.user_data_path("robot-systems-studio") / name
