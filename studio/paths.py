"""Finds components, models and projects: what $STUDIO_PATH names, then the checkout, then what was installed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from studio.errors import Problem

PACKAGE = Path(__file__).resolve().parent
VARIABLE = "STUDIO_PATH"
EXAMPLES = frozenset(
    {
        "carmen_mapping",
        "coroba_patterns",
        "first_steps",
        "leader_follower",
        "pioneer_obstacle_avoidance",
        "raptor_blocks_world",
        "real_bench",
        "terrain_truth",
    }
)
"""Projects that come with Studio: others that lie beside them are somebody's own."""


def component_roots(project: Path | None = None) -> list[Path]:
    """Folders whose subfolders are components, the strongest first; a project's own components come before all."""
    return _existing("components", project)


def model_roots(project: Path | None = None) -> list[Path]:
    """Folders that hold `bodies/` and `assemblies/`, the strongest first."""
    return _existing("models", project)


def project_roots() -> list[Path]:
    """Folders whose subfolders are projects, the strongest first."""
    return _existing("projects", None)


def share_roots(package: Path = PACKAGE) -> list[Path]:
    """Folders that may hold `components/`, `models/` and `projects/`, in search order."""
    checkout = package.parent
    # Without this test an installed package would take site-packages for a checkout.
    in_checkout = [checkout] if (checkout / "pyproject.toml").is_file() else []
    return [*_entries(), *in_checkout, package / "share"]


def came_with_studio(project: Path, package: Path = PACKAGE) -> bool:
    """Whether it is one of the examples, of the checkout or of what was installed; what $STUDIO_PATH names is not."""
    named, place = set(_entries()), project.resolve()
    roots = [(root / "projects").resolve() for root in share_roots(package) if root not in named]
    return place.name in EXAMPLES and place.parent in roots


def shared_component(path: Path) -> Path | None:
    """The folder of the component that a file belongs to, if that lies among those of the checkout or of what was
    installed: all projects use it. What $STUDIO_PATH names is the user's own."""
    named, place = set(_entries()), path.resolve()
    for root in share_roots():
        components = (root / "components").resolve()
        if root not in named and place.is_relative_to(components) and place != components:
            return components / place.relative_to(components).parts[0]
    return None


def is_shared_model(path: Path) -> bool:
    """Whether it lies among the models of the checkout or of what was installed: all projects use it."""
    named, place = set(_entries()), path.resolve()
    roots = [(root / "models").resolve() for root in share_roots() if root not in named]
    return any(place.is_relative_to(root) for root in roots)


def path_problems() -> list[Problem]:
    """Entries of $STUDIO_PATH that cannot be searched: skipped in the search, but worth telling the user."""
    return [
        Problem(f"{VARIABLE} names {entry}, which is not a folder", "warning", hint="correct or remove this entry")
        for entry in _entries()
        if not entry.is_dir()
    ]


def _entries() -> Iterator[Path]:
    for text in os.environ.get(VARIABLE, "").split(os.pathsep):
        if text.strip():
            yield Path(os.path.abspath(os.path.expanduser(text.strip())))


def _existing(kind: str, project: Path | None) -> list[Path]:
    own = [project] if project is not None else []
    return list(_distinct(root / kind for root in [*own, *share_roots()] if (root / kind).is_dir()))


def _distinct(folders: Iterable[Path]) -> Iterator[Path]:
    """One folder named twice (a checkout that is also in $STUDIO_PATH) would make every component a duplicate."""
    seen: set[Path] = set()
    for folder in folders:
        real = folder.resolve()
        if real not in seen:
            seen.add(real)
            yield folder
