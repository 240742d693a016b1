"""The only error that encoding and decoding raise."""

from __future__ import annotations

from studio.errors import StudioError


class MessageError(StudioError):
    """A message, its bytes or its `.msg` file is not as its type demands."""
