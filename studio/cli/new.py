"""`studio new`: makes a project or the skeleton of a component."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.shared.help_text import HelpText
from studio.cli.shared.outcome import FINE
from studio.model.spec import CATEGORIES

EXAMPLE = """\
  studio new project my_robot                a folder here; projects/my_robot puts it beside the others, found by name
  studio new component low_pass --in raw:Float64 --out smooth:Float64 --parameter cutoff_hz=2.0:Hz
  studio new component terrain --project my_robot --in ranges:Range3d --in pose:PoseTransform:latest --out terrain:Map
  studio new component beacon --category sensor --period 0.5 --out position:NavSatFix --doc "Reads the beacon receiver."
"""


def configure(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="project|component")
    texts = {"project": "a folder with an empty system", "component": "a component that runs and has a test"}
    parsers = [
        kinds.add_parser(name, help=text, allow_abbrev=False, formatter_class=HelpText) for name, text in texts.items()
    ]
    configure_project(parsers[0])
    configure_component(parsers[1])


def configure_project(parser: argparse.ArgumentParser) -> None:
    parser.description = "Make a project: a folder with system.xml, README.md and a place for its own components."
    parser.epilog = "examples:\n  studio new project projects/my_robot"
    parser.add_argument(
        "name", help="the folder to make, here or at a path; its last part (letters, digits, underscores) is the name"
    )
    parser.set_defaults(make=make_project)


def configure_component(parser: argparse.ArgumentParser) -> None:
    parser.description = "Make a component from a short description: its code, profile, README and a test that passes."
    parser.epilog = (
        "examples:\n  studio new component low_pass --in raw:Float64 --out smooth:Float64 --parameter gain=1.0"
    )
    parser.add_argument("name", help="its type, in snake_case: low_pass")
    parser.add_argument(
        "--in", dest="inputs", action="append", default=[], metavar="PORT:TYPE[:KEEP]",
        help="an in port; KEEP is all, latest or a number of messages",
    )  # fmt: skip
    parser.add_argument("--out", dest="outputs", action="append", default=[], metavar="PORT:TYPE", help="an out port")
    parser.add_argument(
        "--parameter", dest="parameters", action="append", default=[], metavar="NAME=DEFAULT[:UNIT]",
        help="a setting; the default decides the kind: 2.0 float, 3 int, true bool, 1,2,3 floats, else text",
    )  # fmt: skip
    parser.add_argument("--category", choices=CATEGORIES, default="processor", help="default: %(default)s")
    parser.add_argument("--period", type=float, metavar="S", help="run periodically, every S seconds")
    parser.add_argument("--doc", default="", help="one sentence: what it does")
    parser.add_argument(
        "--project", type=Path, metavar="FOLDER",
        help="the project that gets it (default: the project around the current folder; outside of projects, "
        "components/ of the checkout, for all projects)",
    )  # fmt: skip
    parser.set_defaults(make=make_component)


def run(options: argparse.Namespace) -> int:
    options.make(options)
    return FINE


def make_project(options: argparse.Namespace) -> None:
    from studio.cli.new_parts.new_project import create_project

    folder = create_project(Path(options.name))
    print(f"made {folder}/")
    print(f"next: studio new component NAME --project {folder} ..., then wire it in {folder}/system.xml")
    print(f"      studio check {folder}, studio run {folder} --for 5")


def make_component(options: argparse.Namespace) -> None:
    from studio.cli.new_parts.component_description import describe
    from studio.cli.new_parts.new_component import components_folder, create_component
    from studio.cli.shared.places import near, project_around
    from studio.runtime.client.trust import trust_component

    components = components_folder(options.project, Path.cwd())
    folder = near(create_component(describe(options, components.parent), components))
    owner = project_around(folder.resolve())
    if owner is not None:
        trust_component(owner, folder)
    print(f"made {folder}/")
    for file in sorted(folder.iterdir()):
        print(f"  {file.name}")
    print(f"next: write what it does in {folder.name}.py; try it: python -m pytest {folder}")
    print(f"      after changing ports, parameters or docs: studio profile {folder}")
