"""The worlds that a simulator can be given: by name in `models/worlds`, by file, or made from a seed: `blocks:7`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio.model.close_matches import did_you_mean

FOLDER = "worlds"
MADE = ("blocks", "maze", "slopes")
"""Kinds that can be made from a seed."""


def world_folders(roots: Iterable[Path]) -> list[Path]:
    """`roots`: folders of models."""
    return [root / FOLDER for root in roots if (root / FOLDER).is_dir()]


def world_names(roots: Iterable[Path]) -> list[str]:
    return sorted({file.stem for folder in world_folders(roots) for file in folder.glob("*.sdf")})


def why_no_world(name: str, roots: Iterable[Path], folder: Path) -> tuple[str, str] | None:
    """What is wrong with the name of a world, and what to do; None if there is one. Its file is not read.

    `folder`: where the path of a file starts.
    """
    roots = list(roots)
    kind, colon, seed = name.partition(":")
    if colon and kind in MADE:
        return None if seed.isdecimal() else (f"{seed!r} is not a seed", f"a whole number: {kind}:7")
    path = folder / name
    if path.suffix == ".sdf":
        return None if path.is_file() else (f"there is no world file {path}", "correct the path")
    known = world_names(roots)
    if name in known:
        return None
    return f"there is no world {name}", did_you_mean(name, known) or "add an .sdf file to models/worlds"


def world_file(name: str, roots: Iterable[Path], folder: Path) -> Path | None:
    """The file of a world that is named so; None for what is made from a seed, or does not exist."""
    if name.endswith(".sdf"):
        return folder / name if (folder / name).is_file() else None
    return next((file for each in world_folders(roots) if (file := each / f"{name}.sdf").is_file()), None)
