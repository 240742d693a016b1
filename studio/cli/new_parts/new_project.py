"""Makes a project folder: an empty system that checks without problems, and a README that says what goes where."""

from __future__ import annotations

from pathlib import Path

from studio.cli.shared.outcome import UsageError
from studio.model.files import FileError
from studio.model.project import README, Project
from studio.model.spec import NAME
from studio.runtime.client.trust import made_here

TEXT = """\
# {name}

Describe here its purpose, its requirements, and how to run it.

| file | holds |
|---|---|
| `system.xml` | the components and what connects them |
| `layout.xml` | where things stand on the canvas (written by the editor) |
| `components/` | components of this project only: `studio new component NAME --project .` |
| `msg/` | message types of this project only, as ROS 2 `.msg` files |
| `logs/` | recordings; not under version control |

    studio check .
    studio info .
    studio run . --for 5

`system.xml` begins empty. This goes between `<system>` and `</system>`, for a start; `studio info signal_source` tells
ports and parameters of a component:

```xml
<component name="signal" type="signal_source">
  <parameter name="frequency_hz" value="0.5"/>
</component>
<component name="sink" type="signal_sink"/>
<wire from="signal.value" to="sink.value"/>
```
"""


def create_project(folder: Path) -> Path:
    name = folder.name
    if not NAME.match(name):
        raise UsageError(f"{name!r} cannot be the name of a project", hint="letters, digits and underscores: my_robot")
    if folder.exists():
        raise UsageError(f"{folder} is already there", hint="take another name, or remove it first")
    try:
        Project.create(folder, name)
    except FileError as error:
        raise UsageError(error.message, file=error.file, hint=error.hint) from error
    made_here(folder)
    (folder / "components").mkdir()
    (folder / README).write_text(TEXT.format(name=name), encoding="utf-8")
    return folder
