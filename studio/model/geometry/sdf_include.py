"""Finds the models that an SDF file includes by their address."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from studio.errors import StudioError
from studio.model.files import read_bytes
from studio.model.xml_parse import parse_hardened

VARIABLES = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
"""Folders in which Gazebo looks for models."""
ABOVE = 4
"""Models of one collection are folders beside each other: `models/arm/model.sdf` includes `model://hand`. Worlds are
often one folder further away."""


def find_included(address: str, by: Path) -> Path | None:
    """The file that `<uri>` means in the file `by`; None if it is not on this machine."""
    scheme, colon, rest = address.strip().partition("://")
    if colon and scheme not in ("model", "file", "package"):
        return None
    path = rest if colon else scheme
    for folder in _folders(by.absolute(), is_free=not path.startswith("/")):
        found = _model_file(folder / path)
        if found is not None:
            return found
    return None


def _folders(by: Path, *, is_free: bool) -> Iterator[Path]:
    yield by.parent
    if not is_free:
        return
    for folder in by.parents[:ABOVE]:
        yield folder
        yield folder / "models"
    for variable in VARIABLES:
        yield from (Path(text) for text in os.environ.get(variable, "").split(os.pathsep) if text)


def _model_file(path: Path) -> Path | None:
    if path.is_file():
        return path
    if not path.is_dir():
        return None
    for name in (*_configured(path / "model.config"), "model.sdf"):
        if (path / name).is_file():
            return path / name
    return None


def _configured(config: Path) -> list[str]:
    """What the description of a model folder names, newest version first."""
    if not config.is_file():
        return []
    try:
        root = parse_hardened(read_bytes(config), config)
    except StudioError:
        return []  # then it is model.sdf or nothing
    named = [(version_of(each.get("version") or "0.0"), (each.text or "").strip()) for each in root.findall("sdf")]
    return [name for _, name in sorted(named, reverse=True) if name]


def version_of(text: str) -> tuple[int, int]:
    """Not a number: 1.10 is newer than 1.9."""
    found = re.match(r"\s*(\d{1,3})\.(\d{1,3})", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)
