"""How the runtime asks a host to connect to it for debugging: a file in the run's folder, which is this user's alone.

The host connects to the runtime, never the other way round: a host that listened would run whatever it is told.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from studio.runtime.base.typed_json import Count, Malformed, read_object, typed


@dataclass(frozen=True)
class Invitation:
    port: Count
    """Of the runtime, on the loopback interface."""
    token: str
    """By which the host shows that it has read this file."""


def invitation_file(run: Path, host: str) -> Path:
    return run / f"debug.{host}.json"


def invite(run: Path, host: str, invitation: Invitation) -> None:
    file = invitation_file(run, host)
    new = file.with_suffix(".new")
    new.touch(mode=0o600)
    new.write_text(json.dumps(asdict(invitation)))
    os.replace(new, file)


def take_invitation(run: Path, host: str) -> Invitation | None:
    """Read it and take it away; None, at the cost of one look into the folder, while there is none that can be read."""
    file = invitation_file(run, host)
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    file.unlink(missing_ok=True)
    try:
        return typed(Invitation, read_object(content))
    except Malformed:
        return None
