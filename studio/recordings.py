"""Where recordings go: a folder of the user's own, never one of those that came with Studio.

It is the same for the window and the command line: $STUDIO_RECORDINGS, or what was chosen in the preferences, or a
folder among the user's documents; on a machine without such, among the data of the program.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from studio.paths import came_with_studio

VARIABLE = "STUDIO_RECORDINGS"
SUFFIX = ".mcap"


def recordings_folder() -> Path:
    """Of all projects. It is made when the first recording is."""
    chosen = os.environ.get(VARIABLE, "").strip() or chosen_folder()
    return Path(chosen).expanduser().absolute() if chosen else default_folder()


def default_folder() -> Path:
    documents = platformdirs.user_documents_path()
    if documents.is_dir():
        return documents / "Robot Systems Studio" / "recordings"
    return platformdirs.user_data_path("robot-systems-studio") / "recordings"


def chosen_folder() -> str:
    """As the preferences have it; empty for the default."""
    try:
        return _preference().read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def choose_folder(folder: str) -> None:
    """From now on recordings go there; empty: to the default."""
    file = _preference()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{folder.strip()}\n", encoding="utf-8")


def recordings_of(project: Path) -> Path:
    """The recordings of one project."""
    return recordings_folder() / project.name


def where_logs_are(project: Path | None) -> Path:
    """Where somebody who looks for a log begins: among the recordings of the project, as long as it has any."""
    recordings = recordings_of(project) if project is not None else recordings_folder()
    return recordings if recordings.is_dir() else project or Path.home()


def new_recording(folder: Path, project: str, wall_ns: int) -> Path:
    """A file that is not there yet, named after the project and the time of day."""
    moment = datetime.fromtimestamp(wall_ns / 1_000_000_000, UTC).astimezone()
    return unused(folder / f"{project}_{moment:%Y-%m-%d_%H-%M-%S}{SUFFIX}")


def unused(file: Path) -> Path:
    """This file, or one beside it with a number, that is not there yet."""
    found, number = file, 2
    while found.exists():
        found, number = file.with_name(f"{file.stem}_{number}{file.suffix}"), number + 1
    return found


def log_of(project: Path, log: str) -> Path:
    """The file that a source of a project plays. What belongs to an example lies among the user's recordings, because
    nothing is written into an example; in any other project a relative path begins at its folder."""
    path = Path(log).expanduser()
    here = project / path
    if path.is_absolute() or here.exists() or not came_with_studio(project):
        return here
    return recordings_of(project) / path.name


def _preference() -> Path:
    return platformdirs.user_config_path("robot-systems-studio") / "recordings_folder"


def size_words(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit in ("B", "kB") else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.2f} GB"
