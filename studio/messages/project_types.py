"""The message types of the project that a file belongs to."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from studio.messages.errors import MessageError
from studio.messages.message_types import MessageTypes


def project_types(path: Path | str) -> MessageTypes:
    """Studio's types and those of the nearest folder at or above `path` that has `msg/*.msg`.

    For components: `Leg = project_types(__file__).get("Leg")`. All who ask within a process get the same classes.
    """
    start = Path(os.path.abspath(path))
    for folder in (start, *start.parents):
        if any((folder / "msg").glob("*.msg")) or any((folder / "msg").glob("*/*.msg")):
            return _types_of(folder.resolve())
    raise MessageError(
        f"no folder above {path} has message types", hint="put them into msg/ of the project: msg/Leg.msg"
    )


@cache
def _types_of(folder: Path) -> MessageTypes:
    return MessageTypes.builtin().with_folder(folder)
