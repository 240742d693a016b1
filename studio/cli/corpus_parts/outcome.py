"""What came of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

Result = Literal["ok", "refused", "wrong", "crashed"]
RESULTS: tuple[Result, ...] = get_args(Result)
BAD: tuple[Result, ...] = ("wrong", "crashed")
"""What Studio is to blame for; a refusal says what is wrong with the file, or what Studio does not read."""
Kind = Literal["model", "log", "profile"]


@dataclass(frozen=True)
class Found:
    """Something below the folder that Studio should be able to import."""

    path: Path
    kind: Kind


@dataclass
class Outcome:
    result: Result
    why: str = ""
    compared: int = 0
    """Transforms of links, events or wires that were compared with what the file says."""
    notes: list[str] = field(default_factory=list)
    """What the import says that it left out or changed."""


class WrongError(Exception):
    """What was imported is not what the file says."""
