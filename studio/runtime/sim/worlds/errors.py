"""What can be wrong with a simulation."""

from __future__ import annotations

from studio.errors import StudioError


class SimError(StudioError):
    """A world or a vehicle that cannot be simulated, with the reason and the place."""
