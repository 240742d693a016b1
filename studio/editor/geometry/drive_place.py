"""Where the projects are that Drive makes: in the user's cache, one for each vehicle."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def drive_folder() -> Path:
    return platformdirs.user_cache_path("robot-systems-studio") / "drive"


def is_drive_project(folder: Path) -> bool:
    """Made by Drive: it is made again each time, and nobody misses it in a list."""
    return folder.resolve().is_relative_to(drive_folder().resolve())
