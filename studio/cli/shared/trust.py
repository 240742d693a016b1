"""Asks before code that came with an unknown project runs for the first time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from studio.model.loaded_project import LoadedProject
from studio.runtime.client.trust import NotTrusted, commands_in, commands_of_project, is_trusted, trust


def add_trust_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trust", action="store_true", help="run the project's own components without a question")


def require_trust(opened: LoadedProject, options: argparse.Namespace) -> None:
    """Return if the project may run; asks on a terminal, refuses elsewhere."""
    _require(opened.folder, commands_of_project(opened), options)


def require_trust_in(owner: Path, folders: Iterable[Path], options: argparse.Namespace) -> None:
    """The same for the classes of some components, of a project or of nobody but themselves."""
    _require(owner, commands_in(owner, folders), options)


def _require(folder: Path, commands: list[str], options: argparse.Namespace) -> None:
    if is_trusted(folder, commands):
        return
    if getattr(options, "trust", False) or _agrees(folder, commands):
        trust(folder, commands)
        return
    raise NotTrusted(
        f"{folder} has its own code, which you have not trusted yet: {'; '.join(commands)}",
        hint="read it, then add --trust",
    )


def _agrees(folder: Path, commands: list[str]) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{folder} is new or has changed. This runs code of the project:", file=sys.stderr)
    for command in commands:
        print(f"  {command}", file=sys.stderr)
    print("Do you trust it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
