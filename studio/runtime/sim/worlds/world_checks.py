"""What the embedded simulator says about the text of a world: as it is edited, before anything is simulated."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from studio.errors import Problem, StudioError
from studio.runtime.sim.worlds.world_sdf import parse_world


def check_world(text: bytes, file: Path) -> list[Problem]:
    return list(_checked(text, file))


@lru_cache(maxsize=4)
def _checked(text: bytes, file: Path) -> tuple[Problem, ...]:
    """Several panels ask for the same text."""
    try:
        parse_world(text, file)
    except StudioError as error:
        return tuple(Problem.all_from(error))
    return ()
