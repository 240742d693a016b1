"""Finds the Pythons of this machine by running them: a `python3.13` on the PATH may be a shim that only fails."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SUPPORTED = ((3, 13), (3, 12), (3, 11))
PROBE = (
    "import importlib.util as u, json, sys;"
    "print(json.dumps([*sys.version_info[:2], bool(u.find_spec('venv') and u.find_spec('ensurepip'))]))"
)


class Found(NamedTuple):
    path: Path
    version: tuple[int, int]
    can_make_venv: bool


def newest_first() -> Iterator[Found]:
    """Every supported Python that runs; those that make a venv without further ado come first within their version."""
    found = [found for path in _candidates() for found in [probe(path)] if found]
    found.sort(key=lambda one: (one.version, one.can_make_venv), reverse=True)
    return (one for one in found if one.version in SUPPORTED)


def version_of(path: Path) -> tuple[int, int] | None:
    found = probe(path)
    return found.version if found else None


def probe(path: Path) -> Found | None:
    try:
        done = subprocess.run(
            [str(path), "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=True
        )
        major, minor, can_make_venv = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return Found(path, (major, minor), can_make_venv)


def _candidates() -> Iterator[Path]:
    folders = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
    names = [f"python{major}.{minor}" for major, minor in SUPPORTED] + ["python3"]
    seen: set[Path] = set()
    for path in [folder / name for folder in folders for name in names] + list(_private_installations()):
        # A venv's python is a link to the real one; making a venv from an activated venv would nest them.
        in_venv = (path.parent.parent / "pyvenv.cfg").exists()
        if os.access(str(path), os.X_OK) and not in_venv and _identity(path) not in seen:
            seen.add(_identity(path))
            yield path


def _identity(path: Path) -> Path:
    # pyenv's shims are all one script (or links to it) that acts by its name, so each name counts on its own.
    return path if "shims" in path.parts else path.resolve()


def _private_installations() -> Iterator[Path]:
    """Pythons that pyenv and uv keep outside the PATH."""
    pyenv = Path(os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv")))
    uv = Path.home() / ".local" / "share" / "uv" / "python"
    for major, minor in SUPPORTED:
        for pattern in (f"{major}.{minor}.*", f"{major}.{minor}"):
            yield from sorted((pyenv / "versions").glob(f"{pattern}/bin/python3"), reverse=True)
        yield from sorted(uv.glob(f"cpython-{major}.{minor}.*/bin/python3"), reverse=True)
