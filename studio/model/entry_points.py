"""Components that come with installed distributions: the folders behind the `studio.components` entry points.

An entry point names a package whose folder is a component or holds component folders. Nothing is imported to find it:
importing would run code of distributions that the user may never use.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import Problem, StudioError

if TYPE_CHECKING:
    from importlib import metadata

GROUP = "studio.components"

_PACKAGE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z", re.ASCII)


def entry_point_folders() -> Iterator[Path | Problem]:
    """The folder behind each entry point, or what is wrong with it."""
    seen: set[str] = set()
    from importlib import metadata  # takes a while to import, and windows open without it

    for distribution in metadata.distributions():
        # One by one, because metadata.entry_points() fails as a whole when one distribution is damaged.
        try:
            entries = list(distribution.entry_points.select(group=GROUP))
        except (TypeError, ValueError, OSError) as error:
            message = f"the entry points of {_name(distribution)} cannot be read: {error}"
            yield Problem(message, "warning", hint="install it again")
            continue
        # Of two with one name, the first on sys.path is the one that would be imported.
        if entries and _name(distribution) not in seen:
            seen.add(_name(distribution))
            yield from (_located(entry, _name(distribution)) for entry in entries)


def _name(distribution: metadata.Distribution) -> str:
    return str(distribution.metadata["Name"])


def _located(entry: metadata.EntryPoint, distribution: str) -> Path | Problem:
    try:
        return _folder(entry.value.partition(":")[0].strip())
    except StudioError as error:
        message = f"{distribution} offers components as {entry.name} = {entry.value}, but {error.message}"
        return Problem(message, "warning", hint=error.hint, subject=entry.name)


def _folder(package: str) -> Path:
    if not _PACKAGE.match(package):
        raise StudioError(f"{package!r} is not the name of a package", hint="e.g. my_robot.components")
    top, *rest = package.split(".")
    # Only the first name may be looked up: find_spec("a.b") would import a.
    for location in _locations(top):
        folder = Path(location, *rest)
        if folder.is_dir():
            return folder
    raise StudioError(f"there is no folder of package {package}", hint="install it again, or correct its entry point")


def _locations(top: str) -> list[str]:
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError) as error:
        raise StudioError(f"package {top} cannot be looked up: {error}", hint="install it again") from None
    if spec is None or spec.submodule_search_locations is None:
        raise StudioError(f"{top} is not an installed package", hint="install it again, or correct its entry point")
    return list(spec.submodule_search_locations)
