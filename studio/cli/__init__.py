"""The `studio` command."""

from studio.cli.command import main

__all__ = ["main"]
