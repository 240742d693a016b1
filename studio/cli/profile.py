"""`studio profile`: brings component.xml up to date with the component's class."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from studio.cli.shared.outcome import FAILED, FINE, UsageError
from studio.cli.shared.places import find_component, near, project_around
from studio.cli.shared.trust import add_trust_option, require_trust_in
from studio.errors import StudioError
from studio.model.component_xml import read_profile
from studio.model.spec import PROFILE, CommandEntry
from studio.paths import component_roots, project_roots
from studio.runtime.client.trust import NotTrusted
from studio.runtime.host.profile import stale, write_profile_of

EXAMPLE = """\
  studio profile components/low_pass      after changing ports, parameters or docs of the class
  studio profile                          all components of the checkout, its projects, and the project you are in
  studio profile --check                  write nothing; exit status 1 when a profile is stale
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "components", nargs="*", metavar="COMPONENT", help="a component's folder or type; without it: all (see below)"
    )
    parser.add_argument("--check", action="store_true", help="only tell which profiles are stale")
    add_trust_option(parser)


def run(options: argparse.Namespace) -> int:
    folders = [find_component(text) for text in options.components] or all_components()
    if not folders:
        raise UsageError("there are no components here", hint="name a component's folder")
    # Each one on its own: a broken component must not keep the others from being checked.
    trusted = trusted_ones(folders, options)
    results = [attempt(check if options.check else update, folder) for folder in trusted]
    is_fine = all(results) and len(trusted) == len(folders)
    if is_fine:
        print(f"{len(folders)} {'profile is' if len(folders) == 1 else 'profiles are'} current")
    return FINE if is_fine else FAILED


def trusted_ones(folders: list[Path], options: argparse.Namespace) -> list[Path]:
    """A class has to be imported to be looked at, and that is code of whoever wrote it: one question for a project."""
    owners: dict[Path, list[Path]] = {}
    for folder in folders:
        owners.setdefault(project_around(folder.resolve()) or folder, []).append(folder)
    refused: list[Path] = []
    for owner, own in owners.items():
        try:
            require_trust_in(owner, own, options)
        except NotTrusted as error:
            print(f"studio: {error}", file=sys.stderr)
            refused += own
    return [folder for folder in folders if folder not in refused]


def attempt(action: Callable[[Path], bool], folder: Path) -> bool:
    try:
        return action(folder)
    except StudioError as error:
        print(f"studio: {error}", file=sys.stderr)
        return False


def check(folder: Path) -> bool:
    difference = stale(folder)
    if difference:
        print(difference)
    return difference is None


def update(folder: Path) -> bool:
    if write_profile_of(folder):
        print(f"wrote {folder / PROFILE}")
    return True


def all_components() -> list[Path]:
    """Python components on the search path, and of the projects there; the profile of a program is written by hand."""
    inside = [folder for root in project_roots() for folder in root.glob("*/components") if folder.is_dir()]
    roots = {root.resolve() for root in (*component_roots(project_around(Path.cwd())), *inside)}
    folders = sorted(near(folder) for root in roots for folder in root.iterdir() if folder.is_dir())
    return [folder for folder in folders if is_python(folder)]


def is_python(folder: Path) -> bool:
    if (folder / f"{folder.name}.py").is_file():
        return True
    try:
        return not isinstance(read_profile(folder / PROFILE).entry, CommandEntry)
    except StudioError:
        return False
