"""Where the sockets of a run are: `ipc://` endpoints in the run's folder, which only its owner can enter."""

from __future__ import annotations

from pathlib import Path

from studio.errors import StudioError

LONGEST = 100
"""Unix socket paths end at 107 bytes; what is longer fails with an error that names no file."""

SEND_QUEUE = 20_000
"""Frames a producer may queue while the broker is away; beyond it they are dropped and counted."""
RECEIVER_QUEUE = 16_384
"""Frames the broker keeps at least for a receiver that does not read. Frames are below 64 KiB, typically far below."""
RECONNECT_MS = 5
"""Between two tries to reach a broker that is being replaced. ZeroMQ would wait for a tenth to a fifth of a second,
longer than the next broker takes to start."""
TAP_QUEUE = 800
"""Frames the broker keeps for one viewer: at most 50 MB."""


def endpoint(run: Path, name: str) -> str:
    check_length(run / name)
    return f"ipc://{run / name}"


def check_length(path: Path) -> None:
    if len(str(path).encode()) > LONGEST:
        raise StudioError(f"the path is too long for sockets: {path.parent}", hint="set STUDIO_RUNS to a short path")


def into(run: Path) -> str:
    return endpoint(run, "in")


def out_of(run: Path) -> str:
    return endpoint(run, "out")


def tap(run: Path) -> str:
    return endpoint(run, "tap")


def control(run: Path) -> str:
    return endpoint(run, "control")


def plan_file(run: Path) -> Path:
    return run / "plan.json"
