"""What goes wrong with replays."""

from __future__ import annotations

from studio.errors import StudioError


class ReplayError(StudioError):
    """A log and a system that do not fit, or a replay that could not be carried through."""
