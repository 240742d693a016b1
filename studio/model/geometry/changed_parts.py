"""Which parts of a vehicle are new or other ones than in the saved files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from studio.errors import StudioError
from studio.model.geometry.assembly_xml import read_assembly
from studio.model.geometry.body import Body
from studio.model.geometry.body_xml import read_body
from studio.model.geometry.workspace import Workspace, Written
from studio.model.geometry.world import World, WorldModel
from studio.model.geometry.world_xml import read_world

Mark = Literal["new", "changed"]
_TABLES = {
    "frame": "frames", "shape": "shapes", "joint": "joints", "sensor": "sensors",
    "body": "members", "constraint": "constraints", "include": "inclusions",
}  # fmt: skip


class ChangedParts:
    """Remembers what the saved files say; asked for each row of a tree."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._saved: dict[Path, tuple[bytes, dict[tuple[str, str], Any]]] = {}
        self._now: dict[Path, tuple[Any, dict[tuple[str, str], Any]]] = {}

    def of_body(self, body: str, kind: str, name: str) -> Mark | None:
        """Of a frame, joint, sensor or shape in a body's file; shapes are named `#0`, `#1`, …"""
        return self._mark(self.workspace.file_of(body), kind, name)

    def of_assembly(self, kind: str, name: str) -> Mark | None:
        """Of a body, constraint or inclusion, by its full name."""
        home = self.workspace.home(kind, name)
        return self._mark(home.file, kind, home.name)

    def of_world(self, name: str) -> Mark | None:
        """Of a model, a place or an include of a world."""
        return self._mark(self.workspace.main, "world", name)

    def _mark(self, file: Path, kind: str, name: str) -> Mark | None:
        now, before = self._parts_now(file).get((kind, name)), self._parts_before(file)
        if now is None or before.get((kind, name)) == now:
            return None
        return "changed" if (kind, name) in before else "new"

    def _parts_now(self, file: Path) -> dict[tuple[str, str], Any]:
        value = self.workspace.value(file)
        if self._now.get(file, (None,))[0] is not value:
            self._now[file] = value, _parts(value)
        return self._now[file][1]

    def _parts_before(self, file: Path) -> dict[tuple[str, str], Any]:
        text = self.workspace.saved_text(file) or b""
        if self._saved.get(file, (None,))[0] != text:
            self._saved[file] = text, _parts_of_text(text, self.workspace.value(file))
        return self._saved[file][1]


def _parts_of_text(text: bytes, like: Written) -> dict[tuple[str, str], Any]:
    try:
        if isinstance(like, World):
            return _parts(read_world(text))
        return _parts(read_body(text) if isinstance(like, Body) else read_assembly(text))
    except StudioError:
        return {}  # nothing was saved yet, or what was saved cannot be read: everything is new


def _parts(value: Written) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    if isinstance(value, World):
        return {("world", name): _bare_part(part) for name, part in value.parts().items()}
    for kind, table in _TABLES.items():
        for index, part in enumerate(getattr(value, table, ())):
            name = f"#{index}" if kind == "shape" else part.prefix if kind == "include" else part.name
            found[kind, name] = _bare(part)
    return found


def _bare_part(part: Any) -> Any:
    if not isinstance(part, WorldModel):
        return _bare(part)
    links = tuple(_bare(each) for each in part.links)
    shapes = tuple(replace(each, shape=_bare(each.shape), collision=None, visual=None) for each in part.shapes)
    return replace(part, origin=None, links=links, shapes=shapes)


def _bare(part: Any) -> Any:
    joint = getattr(part, "joint", None)
    return replace(part, origin=None, **({"joint": replace(joint, origin=None)} if joint is not None else {}))
