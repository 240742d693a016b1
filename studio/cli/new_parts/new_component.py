"""Where a new component goes, for `studio new component`."""

from __future__ import annotations

from pathlib import Path

from studio.cli.shared.outcome import UsageError
from studio.cli.shared.places import near
from studio.paths import PACKAGE
from studio.runtime.scaffold import creation
from studio.runtime.scaffold.description import Description, DescriptionError


def components_folder(project: Path | None, here: Path) -> Path:
    """Into the project named, the one around `here`, or the checkout."""
    if project is not None:
        if not (project / "system.xml").is_file():
            raise UsageError(f"{project} is not a project: it has no system.xml", hint=f"studio new project {project}")
        return project / "components"
    for folder in (here, *here.parents):
        if (folder / "system.xml").is_file():
            return folder / "components"
    if (PACKAGE.parent / "pyproject.toml").is_file():
        return PACKAGE.parent / "components"
    raise UsageError("there is no project here to put the component into", hint="name one: --project FOLDER")


def create_component(new: Description, components: Path) -> Path:
    try:
        return creation.create_component(new, near(components))
    except DescriptionError as error:
        raise UsageError(error.message, hint=error.hint) from None
