"""A shared component copied into a project, where the copy takes its place."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from studio.model.files import FileError
from studio.model.project_copy import OTHERS


def copy_component(component: Path, components: Path) -> Path:
    """Copy a component's folder into `components`, whole or not at all; one that is there already stays."""
    target = components / component.name
    if target.exists():
        return target
    try:
        components.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".copy-", dir=components) as draft:
            made = Path(draft) / component.name
            shutil.copytree(component, made, ignore=shutil.ignore_patterns(*OTHERS))
            made.rename(target)
    except (OSError, shutil.Error) as error:
        raise FileError(f"cannot be copied: {error}", file=target, hint="is the disk full, or read-only?") from error
    return target
