"""Who may change a running system: one at a time, until it gives control back, somebody takes over, or it is gone."""

from __future__ import annotations

from studio.errors import StudioError


class ControlHeld(StudioError):
    """Somebody else holds control."""


class Lease:
    def __init__(self) -> None:
        self._holder: bytes | None = None
        self.name = ""
        """Of the holder, for people; empty if nobody holds it."""

    def take(self, client: bytes, name: str, *, force: bool = False) -> None:
        if self._holder not in (None, client) and not force:
            raise ControlHeld(f"{self.name} holds control of this system", hint="take it over: --take-over")
        self._holder, self.name = client, name

    def release(self, client: bytes) -> None:
        """Given back, or its holder is gone; of somebody else's lease nothing changes."""
        if self._holder == client:
            self._holder, self.name = None, ""

    def check(self, client: bytes) -> None:
        """Refuse one who wants to change something while another holds control. Without a holder anybody may."""
        if self._holder not in (None, client):
            raise ControlHeld(f"{self.name} holds control of this system", hint="take it over: --take-over")
