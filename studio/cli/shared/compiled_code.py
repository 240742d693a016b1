"""Where numba keeps the machine code it makes: beside the source, or in the user's cache.

Where neither can be written (a program on a read-only disk, a user without a home) it refuses to compile at all; then
it gets a folder for this once.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from studio.paths import PACKAGE

VARIABLE = "NUMBA_CACHE_DIR"
"""Numba looks at it when it is imported; processes of a run inherit it."""


def make_room(package: Path = PACKAGE) -> None:
    if VARIABLE in os.environ or os.access(package, os.W_OK) or _can_be_made(_users_cache()):
        return
    folder = tempfile.mkdtemp(prefix="studio-compiled-")  # nobody else can write into it
    os.environ[VARIABLE] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _users_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "numba"


def _can_be_made(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
