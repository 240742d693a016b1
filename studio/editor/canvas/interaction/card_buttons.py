"""What on a card answers to a click of its own: the menu in its title, and the switch of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF

from studio.editor.canvas.items.node_item import NodeItem
from studio.model.gazebo_provider import mode_of_choice

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.view import CanvasView


def press_button(view: CanvasView, card: NodeItem, point: QPointF) -> bool:
    """False if there is nothing of the kind: the card itself was pressed."""
    if card.is_menu_at(point):
        _open_menu(view, card)
        return True
    mode = card.segment_at(point)
    if mode is None:
        return False
    if card.is_warning_at(point):
        view.canvas.session.explain(card.name, mode_of_choice(mode))
    elif mode in card.card.choices:
        view.commands.switch_source(card.name, mode)
    else:
        view.canvas.session.refused.emit(why_not(card.name, mode))
        return False
    return True


def why_not(source: str, mode: str) -> str:
    """A segment that cannot be chosen says so, and what would help."""
    if mode == "logged":
        return f"{source} has no log to play yet: choose one in the inspector"
    return f"no {mode} provider for {source} yet: add a provider in the inspector"


def _open_menu(view: CanvasView, card: NodeItem) -> None:
    if not card.isSelected():
        view.canvas.clearSelection()
        card.setSelected(True)
    if card.name in view.canvas.nodes:
        view.canvas.set_focus_node(card.name, ring=False)
    viewport = view.viewport()
    assert viewport is not None
    button: QRectF = card.menu_rect().translated(card.pos())
    view.menu_wanted.emit(viewport.mapToGlobal(view.mapFromScene(button.bottomLeft())))
