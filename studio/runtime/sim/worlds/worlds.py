"""Reads worlds: by file, by name in `models/worlds`, or made from a seed: `blocks:7`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from studio.model.worlds import why_no_world, world_file
from studio.paths import model_roots
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.made_worlds import blocks_world, maze_world, slopes_world
from studio.runtime.sim.worlds.world import World
from studio.runtime.sim.worlds.world_sdf import read_world

MADE: dict[str, Callable[[int], World]] = {"blocks": blocks_world, "maze": maze_world, "slopes": slopes_world}
"""What can be made from a seed."""


def load_world(name: str, roots: Iterable[Path] | None = None, folder: Path | None = None) -> World:
    """`roots`: folders of models, by default the ones that `studio model` looks into; `folder`: what the path of a file
    starts from, by default the one that we are in."""
    roots, folder = list(model_roots() if roots is None else roots), folder or Path()
    wrong = why_no_world(name, roots, folder)
    if wrong is not None:
        raise SimError(wrong[0], hint=wrong[1])
    kind, colon, seed = name.partition(":")
    if colon and kind in MADE:
        return MADE[kind](int(seed))
    file = world_file(name, roots, folder)
    assert file is not None  # or something is wrong with its name
    return read_world(file)
