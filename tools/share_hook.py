"""Build hook: ships components/, models/ and projects/ inside the wheel as `studio/share/...`.

A hook and not a plain `force-include`, because an editable install would otherwise get a copy that goes stale, and
because logs and caches that lie in those folders must stay at home.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHARED = ("components", "models", "projects")
LEFT_OUT_FOLDERS = {"__pycache__", "logs"}
LEFT_OUT_SUFFIXES = {".mcap", ".pyc", ".autosave", ".tmp"}


class ShareHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            root = Path(self.root)
            build_data["force_include"].update(
                {str(root / path): f"studio/share/{path.as_posix()}" for path in shared_files(root)}
            )


def shared_files(root: Path) -> Iterator[Path]:
    """Paths relative to `root` of everything that ships."""
    for folder in SHARED:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            if path.is_file() and not _stays_at_home(path, relative):
                yield relative


def _stays_at_home(path: Path, relative: Path) -> bool:
    if path.suffix in LEFT_OUT_SUFFIXES or LEFT_OUT_FOLDERS & set(relative.parts):
        return True
    # A program that was built here runs on no other kind of machine; its folder's .gitignore names it.
    ignored = path.with_name(".gitignore")
    return ignored.is_file() and f"/{path.name}" in ignored.read_text().splitlines()
