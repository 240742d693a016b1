"""Our canvas: the real scene and view on a real project, with all that is on a card."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PyQt6.QtCore import QPointF
from PyQt6.QtWidgets import QApplication

from bench.canvas_parts.frames import COLUMNS, GRABBED, PORTS, ROWS, Contender, place, serve, wires
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.look.style import apply_theme
from studio.editor.look.theme import LIGHT
from studio.editor.project.session import Session
from studio.model.component_xml import write_profile
from studio.model.spec import ComponentSpec, PortSpec, PythonEntry

TYPES = ("Float64", "Range3d", "PoseTransform", "Map")
NAMES = ("value", "ranges", "pose", "terrain")


def name(node: tuple[int, int]) -> str:
    return f"part_{node[0]}_{node[1]}"


def write_project(folder: Path) -> Path:
    ports = [PortSpec(f"{NAMES[n]}_in", "in", TYPES[n]) for n in range(PORTS)]
    ports += [PortSpec(NAMES[n], "out", TYPES[n]) for n in range(PORTS)]
    spec = ComponentSpec("bench_part", "processor", PythonEntry("part", "Part"), ports=tuple(ports))
    (folder / "components" / "bench_part").mkdir(parents=True)
    (folder / "components" / "bench_part" / "component.xml").write_bytes(write_profile(spec))
    nodes = [(column, row) for column in range(COLUMNS) for row in range(ROWS)]
    parts = [f'<component name="{name(node)}" type="bench_part"/>' for node in nodes]
    parts += [
        f'<wire from="{name(start)}.{NAMES[out]}" to="{name(end)}.{NAMES[into]}_in"/>'
        for start, out, end, into in wires()
    ]
    (folder / "system.xml").write_text(f'<system name="many" version="1">{"".join(parts)}</system>')
    spots = [(name(node), *place(*node)) for node in nodes]
    marks = "".join(f'<place of="{of}" x="{x:g}" y="{y:g}"/>' for of, x, y in spots)
    (folder / "layout.xml").write_text(f'<layout version="1">{marks}</layout>')
    return folder


class Ours(Contender):
    def __init__(self, folder: Path) -> None:
        self.session = Session.open(folder)

    def build(self) -> None:
        self.scene = CanvasScene(self.session, LIGHT)
        self.view = CanvasView(self.scene)

    def grip(self) -> QPointF:
        return self.grabbed_at() + QPointF(60, 15)

    def grabbed_at(self) -> QPointF:
        return self.scene.nodes[name(GRABBED)].pos()


def main() -> int:
    app = QApplication(sys.argv[:1])
    apply_theme(app, LIGHT)
    with tempfile.TemporaryDirectory() as home:
        return serve(Ours(write_project(Path(home) / "many")))


if __name__ == "__main__":
    sys.exit(main())
