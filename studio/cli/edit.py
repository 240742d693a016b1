"""`studio edit`: the window. Also what `studio` alone opens."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from studio.cli.shared.outcome import FINE, UsageError
from studio.cli.shared.places import SYSTEM, find_project
from studio.errors import StudioError

EXAMPLE = """\
  studio                              the window with its welcome page
  studio edit first_steps             an example: what you save is a copy of your own
  studio edit ~/robots/my_robot       a project of yours, saved in place; opening one runs nothing of it
  studio edit first_steps --in-place  edit the example itself, to work on Studio
  studio edit my_robot --theme dark
  studio edit models/assemblies/raptor.xml   a vehicle: its bodies, mounts and sensors in 3-D
  studio edit models/worlds/maze.sdf         a world of the simulator: its walls, obstacles and places
  studio edit first_steps --run       and run it, or look at it if it runs already
  studio edit first_steps --run --picture run.png   without a display: run it unseen for a few seconds, keep a picture
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "project", metavar="PROJECT", nargs="?", help="a project's folder or name, or the file of a vehicle or world"
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="", help="default: as last time")
    parser.add_argument("--in-place", action="store_true", help="edit a shipped example itself, not a copy")
    parser.add_argument("--run", action="store_true", help="run the project at once")
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="PNG",
        help="with --run: without a display, keep a picture of the window",
    )
    parser.add_argument("--trust", action="store_true", help="with --picture: run the project's own components")


def run(options: argparse.Namespace) -> int:
    from studio.editor.base.display import NoDisplay, require_display

    project = _find(options.project) if options.project else None
    if project is not None and project.is_file() and (options.run or options.picture):
        raise UsageError(f"{project.name} is not a project", hint="open it and press Drive in the menu Geometry")
    if (options.run or options.picture) and project is None:
        raise UsageError("--run needs a project", hint="e.g. studio edit first_steps --run")
    if options.picture and not options.run:
        raise UsageError("--picture goes with --run")
    try:
        require_display()
    except NoDisplay as reason:
        if options.picture is None or project is None:
            raise
        return _run_unseen(project, options, reason)
    app = _import_window()
    return int(app.run(project, theme=options.theme, start=options.run, in_place=options.in_place))


def _find(text: str) -> Path:
    """A project, or the file of a vehicle, a body or a world."""
    path = Path(text)
    if path.is_file() and path.suffix in (".xml", ".sdf", ".world") and path.name != SYSTEM:
        return path.resolve()
    return find_project(text).resolve()


def _run_unseen(project: Path, options: argparse.Namespace, reason: StudioError) -> int:
    _require_ready(project, options)
    print(f"{reason.message}: {project.name} runs without one for a few seconds", flush=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")  # what this platform lacks, over and over
    _import_window()
    from studio.editor.window.live_picture import take_picture

    take_picture(project, options.picture.absolute(), options.theme)
    print(f"it ran; a picture of the window is in {options.picture}")
    return FINE


def _require_ready(project: Path, options: argparse.Namespace) -> None:
    """Everything that the window would ask about or wait for: nobody sees it, and nobody could answer."""
    from studio.cli.shared.trust import require_trust
    from studio.model.loaded_project import open_project

    opened = open_project(project)
    errors = [problem for problem in opened.problems if problem.severity == "error"]
    if errors:
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        raise StudioError(f"{project.name} cannot run: {errors[0].message}{more}", hint=f"try: studio check {project}")
    require_trust(opened, options)


def _import_window() -> Any:
    try:
        from studio.editor.window import app
    except ImportError as error:
        hint = "make setup, or pip install 'robot-systems-studio[editor]'; `studio doctor` lists missing packages"
        raise StudioError(f"the window cannot be opened: {error}", hint=hint) from error
    return app
