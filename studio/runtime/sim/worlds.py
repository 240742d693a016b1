"""Finds worlds: by file, by name in `models/worlds`, or made from a seed: `blocks:7`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from studio.model.close_matches import did_you_mean
from studio.paths import model_roots
from studio.runtime.sim.errors import SimError
from studio.runtime.sim.made_worlds import blocks_world, maze_world, slopes_world
from studio.runtime.sim.world import World
from studio.runtime.sim.world_sdf import read_world

MADE: dict[str, Callable[[int], World]] = {"blocks": blocks_world, "maze": maze_world, "slopes": slopes_world}
"""What can be made from a seed."""
FOLDER = "worlds"


def load_world(name: str, roots: Iterable[Path] | None = None, folder: Path | None = None) -> World:
    """`roots`: folders of models, by default the ones that `studio model` looks into; `folder`: what the path of a file
    starts from, by default the one that we are in."""
    kind, colon, seed = name.partition(":")
    if colon and kind in MADE:
        if not seed.isdecimal():
            raise SimError(f"{seed!r} is no seed", hint=f"a whole number: {kind}:7")
        return MADE[kind](int(seed))
    path = (folder or Path()) / name
    if path.suffix == ".sdf":
        if not path.is_file():
            raise SimError(f"there is no world file {path}", hint="correct the path")
        return read_world(path)
    folders = [root / FOLDER for root in (model_roots() if roots is None else roots)]
    for folder in folders:
        if (folder / f"{name}.sdf").is_file():
            return read_world(folder / f"{name}.sdf")
    known = sorted({file.stem for folder in folders if folder.is_dir() for file in folder.glob("*.sdf")})
    raise SimError(f"there is no world {name}", hint=did_you_mean(name, known) or "there are: " + ", ".join(known))
