"""The canvas of Orange (orange-canvas-core)."""

from __future__ import annotations

import os
import sys

os.environ["QT_API"] = "pyqt6"  # AnyQt would take whatever it finds first

from orangecanvas.canvas.scene import CanvasScene
from orangecanvas.canvas.view import CanvasView
from orangecanvas.registry import CategoryDescription, InputSignal, OutputSignal, WidgetDescription, WidgetRegistry
from orangecanvas.scheme import Scheme, SchemeLink, SchemeNode
from PyQt6.QtCore import QPointF
from PyQt6.QtWidgets import QApplication

from bench.canvas_parts.frames import COLUMNS, GRABBED, PORTS, ROWS, Contender, place, serve, wires


class Orange(Contender):
    def __init__(self) -> None:
        self.registry = WidgetRegistry()
        self.registry.register_category(CategoryDescription("Bench", background="light-orange"))
        widget = WidgetDescription(
            "part", "part", category="Bench", qualified_name="bench.Part",
            inputs=[InputSignal(f"in_{n}", "builtins.object", "set") for n in range(PORTS)],
            outputs=[OutputSignal(f"out_{n}", "builtins.object") for n in range(PORTS)],
        )  # fmt: skip
        self.registry.register_widget(widget)
        self.scheme = Scheme()
        self.nodes: dict[tuple[int, int], SchemeNode] = {}
        for column in range(COLUMNS):
            for row in range(ROWS):
                node = SchemeNode(widget, title=f"part_{column}_{row}", position=place(column, row))
                self.nodes[column, row] = node
                self.scheme.add_node(node)
        self.scheme.set_loop_flags(Scheme.AllowLoops)
        for start, out, end, into in wires():
            self.scheme.add_link(SchemeLink(self.nodes[start], f"out_{out}", self.nodes[end], f"in_{into}"))

    def build(self) -> None:
        self.scene = CanvasScene()
        self.scene.set_registry(self.registry)
        self.scene.set_scheme(self.scheme)
        self.view = CanvasView(self.scene)

    def grip(self) -> QPointF:
        return self.grabbed_at()

    def grabbed_at(self) -> QPointF:
        found = self.scene.item_for_node(self.nodes[GRABBED]).pos()
        assert isinstance(found, QPointF)
        return found


def main() -> int:
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    return serve(Orange())


if __name__ == "__main__":
    sys.exit(main())
