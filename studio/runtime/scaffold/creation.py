"""Makes a component's folder: all of it or nothing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from studio.model.files import FileError
from studio.paths import PACKAGE, share_roots
from studio.runtime.host.profile import write_profile_of
from studio.runtime.scaffold.description import Description, DescriptionError
from studio.runtime.scaffold.source import readme, source, test_source


def files_of(new: Description) -> dict[str, str]:
    """The texts of a new component by file name; its profile is made from the class and comes with them."""
    return {f"{new.name}.py": source(new), f"test_{new.name}.py": test_source(new), "README.md": readme(new)}


def shared_components() -> Path | None:
    """The folder of components that every project finds and that can be written; None where there is none."""
    for root in share_roots():
        nearest = next((folder for folder in (root / "components", root) if folder.is_dir()), None)
        if root != PACKAGE / "share" and nearest is not None and os.access(nearest, os.W_OK):
            return root / "components"
    return None


def create_component(new: Description, components: Path) -> Path:
    target = components / new.name
    if target.exists():
        raise DescriptionError(f"{target} exists already", hint="choose another name, or remove it first")
    try:
        components.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=components) as draft:
            folder = Path(draft) / new.name
            folder.mkdir()
            for name, text in files_of(new).items():
                (folder / name).write_text(text, encoding="utf-8")
            write_profile_of(folder)
            folder.rename(target)
    except OSError as error:
        raise FileError(f"cannot be made: {error.strerror or error}", file=target) from error
    return target
