"""Asks before code that came with an unknown project runs for the first time."""

from __future__ import annotations

import argparse
import sys

from studio.model.opened import Opened
from studio.runtime.trust import NotTrusted, commands_of, is_trusted, trust


def add_trust_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trust", action="store_true", help="run the project's own components without a question")


def require_trust(opened: Opened, options: argparse.Namespace) -> None:
    """Return if the project may run; asks on a terminal, refuses elsewhere."""
    specs = (opened.registry.get(type_name) for type_name in opened.used_types())
    commands = commands_of(opened.folder, (spec for spec in specs if spec is not None))
    if is_trusted(opened.folder, commands):
        return
    if getattr(options, "trust", False) or _agrees(opened, commands):
        trust(opened.folder, commands)
        return
    raise NotTrusted(
        f"{opened.folder} brings code of its own that has not been trusted yet: {'; '.join(commands)}",
        hint="look at it, then: --trust",
    )


def _agrees(opened: Opened, commands: list[str]) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{opened.folder} is new here, or has changed. Running it starts code that came with it:", file=sys.stderr)
    for command in commands:
        print(f"  {command}", file=sys.stderr)
    print("Do you trust it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
