"""Running other programs during set-up: quiet when they succeed, their last words when they fail."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class SetupError(Exception):
    """A step that failed; the message tells what to do."""


def say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


def run(command: Sequence[str], environment: Mapping[str, str] | None = None, may_fail: bool = False) -> str:
    try:
        done = subprocess.run(
            list(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False
        )
    except OSError as error:
        raise SetupError(f"{command[0]} does not run: {error}") from error
    if done.returncode and not may_fail:
        tail = "\n".join(done.stdout.strip().splitlines()[-8:])
        raise SetupError(f"`{' '.join(command)}` failed:\n{tail}")
    return done.stdout
