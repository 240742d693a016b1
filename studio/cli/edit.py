"""`studio edit`: the window. Also what `studio` alone opens."""

from __future__ import annotations

import argparse

from studio.cli.places import find_project
from studio.errors import StudioError

EXAMPLE = """\
  studio                              the window with its welcome page
  studio edit first_steps             a project by name or folder; opening one runs nothing of it
  studio edit my_robot --theme dark
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", nargs="?", help="a project's folder or name")
    parser.add_argument("--theme", choices=("light", "dark"), default="", help="default: as last time")


def run(options: argparse.Namespace) -> int:
    from studio.editor.display import require_display

    project = find_project(options.project) if options.project else None
    require_display()
    try:
        from studio.editor import app
    except ImportError as error:
        hint = "make setup, or pip install 'robot-systems-studio[editor]'; `studio doctor` tells what is missing"
        raise StudioError(f"the window cannot be opened: {error}", hint=hint) from error
    return app.run(project.resolve() if project else None, theme=options.theme)
