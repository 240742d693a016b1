"""What is dragged to the canvas from elsewhere: a component or a tool of the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint, QPointF, QTimer
from PyQt6.QtGui import QDragMoveEvent, QDropEvent

from studio.editor.canvas.interaction.dragged import MIME, TOOL_MIME, named_in
from studio.editor.canvas.interaction.insertion import of_one_port, type_of, way_into, words_about
from studio.editor.canvas.wires.wire_item import WireItem
from studio.model.parts import Wire

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.view import CanvasView


class Drops:
    """A component that is let go on a wire is put into it; while it is held there, the wire is lit and words say so."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view
        self._lit: list[WireItem] = []

    def move(self, event: QDragMoveEvent) -> None:
        if not named_in(event.mimeData(), MIME, TOOL_MIME):
            event.ignore()
            return
        event.acceptProposedAction()
        at = event.position().toPoint()
        self._show(named_in(event.mimeData(), MIME), at, self.view.mapToScene(at))

    def leave(self) -> None:
        self.view.pointer_note.hide()
        lit, self._lit = self._lit, []
        for wire in lit:
            wire.hovered = False
            wire.update()

    def drop(self, event: QDropEvent) -> None:
        self.leave()
        type_name, tool = named_in(event.mimeData(), MIME), named_in(event.mimeData(), TOOL_MIME)
        at = self.view.mapToScene(event.position().toPoint())
        if type_name or tool:
            event.acceptProposedAction()
            self.view.setFocus()
        if type_name:
            self.view.commands.add(type_name, at, into=self._wires_for(type_name, at)[0])
        elif tool:  # it may ask something, and the drag has to end
            QTimer.singleShot(0, lambda: self.view.tool_dropped.emit(tool, at))

    def _show(self, type_name: str, at: QPoint, point: QPointF) -> None:
        self.leave()
        wires, why_not = self._wires_for(type_name, point) if type_name else ((), "")
        if wires:
            self._lit = [item for wire in wires if (item := self.view.canvas.wire_of(wire)) is not None]
            for item in self._lit:
                item.hovered = True
                item.update()
        words = f"into {words_about(wires)}" if wires else why_not
        self.view.pointer_note.say(words, at + QPoint(16, 14), self.view.canvas.theme, good=bool(wires))

    def _wires_for(self, type_name: str, point: QPointF) -> tuple[tuple[Wire, ...], str]:
        """Those under the pointer that it can be put into; or none, and why not."""
        canvas = self.view.canvas
        items = canvas.wires_at(point) if canvas.card_at(point) is None else []
        wires = of_one_port(item.connection for item in items)
        if not wires:
            return (), ""
        if way_into(canvas.session, wires, canvas.session.registry.get(type_name)) is None:
            return (), f"{type_name} does not take and give {type_of(items) or 'what flows here'}"
        return wires, ""
