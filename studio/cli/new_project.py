"""Makes a project folder: an empty system that checks without problems, and says what goes where."""

from __future__ import annotations

from pathlib import Path

from studio.cli.outcome import UsageError
from studio.model.spec import NAME

SYSTEM = """\
<?xml version="1.0" encoding="UTF-8"?>
<system name="{name}" version="1">
  <doc>What this system is for.</doc>
  <!-- Components and wires go here, for example:
  <component name="filter" type="low_pass"/>
  <wire from="signal.value" to="filter.raw"/>
  -->
</system>
"""
README = """\
# {name}

What this system is for.

| file | holds |
|---|---|
| `system.xml` | the components and what connects them |
| `layout.xml` | where things stand on the canvas (written by the editor) |
| `components/` | components of this project only: `studio new component NAME --project .` |
| `msg/` | message types of this project only, as ROS 2 `.msg` files |
| `logs/` | recordings; not under version control |

    studio check .
    studio info .
"""
IGNORED = "logs/\n__pycache__/\n*.autosave\n"


def create_project(folder: Path) -> Path:
    name = folder.name
    if not NAME.match(name):
        raise UsageError(f"{name!r} cannot be the name of a project", hint="letters, digits and underscores: my_robot")
    if folder.exists():
        raise UsageError(f"{folder} is already there", hint="take another name, or remove it first")
    files = {"system.xml": SYSTEM, "README.md": README, ".gitignore": IGNORED}
    try:
        (folder / "components").mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text.format(name=name), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot make {folder}: {error.strerror}") from error
    return folder
