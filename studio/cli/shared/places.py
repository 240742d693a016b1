"""What a PROJECT or COMPONENT on the command line means: a folder, its main file, or a name on the search path."""

from __future__ import annotations

from pathlib import Path

from studio.cli.shared.outcome import UsageError
from studio.model.close_matches import did_you_mean
from studio.model.spec import PROFILE
from studio.paths import component_roots, project_roots

SYSTEM = "system.xml"


def find_project(text: str) -> Path:
    folder = project_at(text)
    if folder is not None:
        return folder
    path = Path(text)
    if path.exists():
        raise UsageError(f"{text} is not a project: there is no {SYSTEM} in it", hint=_instead_of(path))
    raise UsageError(f"there is no project {text}", hint=did_you_mean(text, project_names()) or "name its folder")


def find_component(text: str) -> Path:
    folder = component_at(text)
    if folder is not None:
        return folder
    hint = did_you_mean(text, component_names()) or "name its folder, or its type"
    raise UsageError(f"there is no component {text}", hint=hint)


def project_at(text: str) -> Path | None:
    return _at(text, SYSTEM, project_roots())


def component_at(text: str) -> Path | None:
    """A component's folder; also one whose profile has not been written yet."""
    path = Path(text)
    if (path / f"{path.resolve().name}.py").is_file():
        return path
    return _at(text, PROFILE, component_roots(project_around(Path.cwd())))


def project_around(here: Path) -> Path | None:
    return next((folder for folder in (here, *here.parents) if (folder / SYSTEM).is_file()), None)


def project_names() -> list[str]:
    return _names(project_roots(), SYSTEM)


def component_names() -> list[str]:
    return _names(component_roots(project_around(Path.cwd())), PROFILE)


def near(path: Path) -> Path:
    """As seen from here, when it lies below: shorter to read and to copy."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _instead_of(path: Path) -> str:
    """What somebody may have meant who named a folder without a system."""
    if (path / PROFILE).is_file():
        return f"it is a component: studio info {path}"
    inside = sorted(str(file.parent) for file in path.glob(f"*/{SYSTEM}"))
    if inside:
        return f"it holds projects: {', '.join(inside)}"
    return f"make a project: studio new project {path / 'my_robot' if path.is_dir() else 'my_robot'}"


def _at(text: str, main_file: str, roots: list[Path]) -> Path | None:
    path = Path(text)
    if path.name == main_file and path.is_file():
        return path.parent
    if (path / main_file).is_file():
        return path
    if path.parts == (text,):  # a bare name
        return next((near(root / text) for root in roots if (root / text / main_file).is_file()), None)
    return None


def _names(roots: list[Path], main_file: str) -> list[str]:
    return sorted({file.parent.name for root in roots for file in root.glob(f"*/{main_file}")})
