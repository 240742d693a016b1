"""Is there a screen? Asked before Qt is loaded: without one Qt aborts the process with no word that helps."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from studio.errors import StudioError


class NoDisplay(StudioError):
    """There is no screen to open a window on."""


def require_display() -> None:
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM") or os.environ.get("WAYLAND_DISPLAY"):
        return
    hint = "on a computer without one, use the commands: `studio --help` lists them"
    display = os.environ.get("DISPLAY", "")
    if not display:
        raise NoDisplay("there is no display to open a window on", hint=hint)
    local = re.fullmatch(r":(\d+)(\.\d+)?", display)
    if local and not Path(f"/tmp/.X11-unix/X{local[1]}").exists():
        raise NoDisplay(f"there is no display {display} to open a window on", hint=hint)
