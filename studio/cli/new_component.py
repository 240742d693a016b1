"""Makes a component's folder: all of it or nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from studio.cli.component_description import Description
from studio.cli.component_source import readme, source, test_source
from studio.cli.outcome import UsageError
from studio.cli.places import near
from studio.paths import PACKAGE
from studio.runtime.profile import write_profile_of


def components_folder(project: Path | None, here: Path) -> Path:
    """Where a new component goes: into the project named, the one around `here`, or the checkout."""
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
    target = components / new.name
    if target.exists():
        raise UsageError(f"{near(target)} is already there", hint="take another name, or remove it first")
    components.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=components) as draft:
        folder = Path(draft) / new.name
        folder.mkdir()
        (folder / f"{new.name}.py").write_text(source(new), encoding="utf-8")
        (folder / f"test_{new.name}.py").write_text(test_source(new), encoding="utf-8")
        (folder / "README.md").write_text(readme(new), encoding="utf-8")
        write_profile_of(folder)
        folder.rename(target)
    return target
