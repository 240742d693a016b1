"""What the tests of projects take from those of the command line."""

from __future__ import annotations

from tests.cli.conftest import studio

__all__ = ["studio"]
