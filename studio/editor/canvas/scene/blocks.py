"""What is placed as one: a card, or a folded group with all of its members behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from studio.editor.canvas.items.group_items import GroupCard
from studio.editor.canvas.items.node_item import NodeItem
from studio.model.layout_edits import MoveNodes

if TYPE_CHECKING:
    from studio.editor.canvas.scene.scene import CanvasScene


def blocks_of(scene: CanvasScene, names: Iterable[str]) -> dict[str, NodeItem]:
    """The cards that stand for these components and sources, each once, by their own names."""
    cards = (scene.card_for(name) for name in names)
    return {card.name: card for card in cards if card is not None}


def move_blocks(blocks: Mapping[str, NodeItem], places: Mapping[str, tuple[float, float]]) -> MoveNodes:
    """Members of a folded group keep their places to each other: nobody sees them lie on one another."""
    moved: dict[str, tuple[float, float]] = {}
    for name, (x, y) in places.items():
        card = blocks[name]
        for item in card.members if isinstance(card, GroupCard) else (card,):
            moved[item.name] = (item.x() + x - card.x(), item.y() + y - card.y())
    return MoveNodes(moved)
