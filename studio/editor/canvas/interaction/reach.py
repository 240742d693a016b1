"""Reaching by keyboard what is no card: wires, notes, frames and groups. And telling it to those who listen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from PyQt6 import sip
from PyQt6.QtCore import QObject, QPoint
from PyQt6.QtWidgets import QGraphicsItem

from studio.editor.canvas.items.group_items import GroupCard, GroupFrame
from studio.editor.canvas.items.remark_items import RemarkItem
from studio.editor.canvas.wires.wire_item import WireItem

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.view import CanvasView


Item = TypeVar("Item", bound=QGraphicsItem)


class Reach(QObject):
    """A child of the view, so that Qt ends its connections with the view: the scene may live longer."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self.view = view
        view.canvas.focus_moved.connect(self._tell_focus)
        view.canvas.selectionChanged.connect(self._tell_selection)

    def menu_at(self) -> QPoint:
        """Where a menu asked for by key opens, in the viewport: at what it is about, as far as that is to be seen."""
        scene, viewport = self.view.canvas, self.view.viewport()
        assert viewport is not None
        card = scene.card_for(scene.focus_node) if scene.focus_node is not None else None
        chosen = scene.selectedItems()
        item = card if card is not None and (card.isSelected() or not chosen) else next(iter(chosen), None)
        area = self.view.mapFromScene(item.sceneBoundingRect()).boundingRect() if item is not None else viewport.rect()
        seen = area.intersected(viewport.rect())
        return (seen if seen.isValid() else viewport.rect()).center()

    def next_wire(self, step: int = 1) -> None:
        """Of the card with the focus; of all, if none has it."""
        scene = self.view.canvas
        system, name = scene.session.system, scene.focus_node
        known = system.connections_of(name) if name else [*system.wires, *system.services, *system.links]
        items = [item for each in known if (item := scene.wire_of(each)) is not None and item.isVisible()]
        if not items:
            scene.session.refused.emit(f"{name} has no wires" if name else "there are no wires")
            return
        item = self._next(items, step)
        self.view.ensureVisible(item, 40, 40)

    def next_remark(self, step: int = 1) -> None:
        """From one note, frame or group to the next, as one reads."""
        scene = self.view.canvas
        items = [*scene.remarks.values(), *scene.groups.items.values()]
        if not items:
            scene.session.refused.emit("there are no notes, frames or groups")
            return
        items.sort(key=lambda item: (item.y(), item.x()))
        item = self._next(items, step)
        self.view.ensureVisible(item.outline(), 40, 40)

    def announce(self, words: str) -> None:
        """Programs that read the screen aloud are told when a description changes."""
        self.view.setAccessibleDescription(words)

    def _next(self, items: Sequence[Item], step: int) -> Item:
        here = next((place for place, item in enumerate(items) if item.isSelected()), -1 if step > 0 else 0)
        item = items[(here + step) % len(items)]
        self.view.canvas.clearSelection()
        item.setSelected(True)
        return item

    def _tell_focus(self) -> None:
        name = self.view.canvas.focus_node
        item = self.view.canvas.card_for(name) if name else None
        self.announce(item.accessible_name() if item is not None else "")

    def _tell_selection(self) -> None:
        """A card is told by the focus on it."""
        if sip.isdeleted(self.view.canvas):
            return  # a scene that goes lets go of its items last
        chosen = self.view.canvas.selectedItems()
        if len(chosen) == 1 and isinstance(chosen[0], WireItem | RemarkItem | GroupFrame | GroupCard):
            self.announce(chosen[0].accessible_name())
