"""The canvas of qtpynodeeditor, a port of the node editor that many C++ programs use."""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ["QT_API"] = "pyqt6"

import qtpynodeeditor
from PyQt6.QtCore import QPointF, QRectF, QSizeF
from PyQt6.QtWidgets import QApplication
from qtpynodeeditor import NodeData, NodeDataModel, NodeDataType, PortType

from bench.canvas_parts.frames import COLUMNS, GRABBED, PORTS, ROWS, Contender, place, serve, wires


class Number(NodeData):  # type: ignore[misc]
    data_type = NodeDataType(id="number", name="number")


class Part(NodeDataModel):  # type: ignore[misc]
    name = "part"
    caption = "part"
    caption_visible = True
    num_ports = {PortType.input: PORTS, PortType.output: PORTS}  # noqa: RUF012  # as the library wants it
    data_type = {side: dict.fromkeys(range(PORTS), Number.data_type) for side in (PortType.input, PortType.output)}  # noqa: RUF012

    def out_data(self, port: int) -> NodeData | None:
        return None

    def set_in_data(self, node_data: NodeData, port: Any) -> None:
        pass

    def embedded_widget(self) -> None:
        return None


class QtPyNodeEditor(Contender):
    def __init__(self) -> None:
        self.registry = qtpynodeeditor.DataModelRegistry()
        self.registry.register_model(Part, category="bench")

    def build(self) -> None:
        self.scene = qtpynodeeditor.FlowScene(registry=self.registry)
        self.nodes = {}
        for column in range(COLUMNS):
            for row in range(ROWS):
                node = self.scene.create_node(Part)
                node.graphics_object.setPos(QPointF(*place(column, row)))
                self.nodes[column, row] = node
        for start, out, end, into in wires():
            begin, finish = self.nodes[start][PortType.output][out], self.nodes[end][PortType.input][into]
            self.scene.create_connection(begin, finish, check_cycles=False)
        self.view = qtpynodeeditor.FlowView(self.scene)

    def carry(self, by: QPointF) -> bool:
        item = self.nodes[GRABBED].graphics_object
        item.setPos(QPointF(*place(*GRABBED)) + by)
        item.move_connections()
        return True

    def scroll(self, dx: int, dy: int) -> None:
        """Its own way: the rectangle of the scene is as large as the view, and moves."""
        self.view.setSceneRect(self.view.sceneRect().translated(dx, dy))

    def look_at(self, point: QPointF) -> None:
        self.view.resetTransform()
        size = self.view.rect().size()
        corner = point - QPointF(size.width() / 2, size.height() / 2)
        self.view.setSceneRect(QRectF(corner, QSizeF(size)))

    def grip(self) -> QPointF:
        return self.grabbed_at() + QPointF(40, 12)

    def grabbed_at(self) -> QPointF:
        found = self.nodes[GRABBED].graphics_object.pos()
        assert isinstance(found, QPointF)
        return found


def main() -> int:
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    return serve(QtPyNodeEditor())


if __name__ == "__main__":
    sys.exit(main())
