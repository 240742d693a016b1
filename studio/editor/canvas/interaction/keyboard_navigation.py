"""Walking over the canvas by keyboard: along wires with the arrows, from card to card with Ctrl."""

from __future__ import annotations

import math
from typing import Literal

from PyQt6.QtCore import QRectF

from studio.editor.canvas.scene.scene import CanvasScene
from studio.model.parts import Wire

Way = Literal["left", "right", "up", "down"]
_STEP = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def along_wires(scene: CanvasScene, name: str, way: Way) -> str | None:
    """Left: who feeds it. Right: whom it feeds. Up and down: the others with the same sender or receiver."""
    connections = scene.session.system.connections_of(name)
    before = [c.start.node for c in connections if c.end.node == name and isinstance(c, Wire)]
    after = [c.end.node for c in connections if c.start.node == name and isinstance(c, Wire)]
    if way == "left":
        return _nearest_in_height(scene, name, before)
    if way == "right":
        return _nearest_in_height(scene, name, after)
    return to_neighbour(scene, name, way)


def to_neighbour(scene: CanvasScene, name: str, way: Way) -> str | None:
    """The nearest card in that direction; what lies to the side counts as farther away."""
    here = _outline(scene, name).center()
    step_x, step_y = _STEP[way]
    best, best_cost = None, math.inf
    for other, item in scene.nodes.items():
        if other == name or not item.isVisible():
            continue
        there = item.outline().center()
        forward = (there.x() - here.x()) * step_x + (there.y() - here.y()) * step_y
        sideways = abs((there.x() - here.x()) * step_y) + abs((there.y() - here.y()) * step_x)
        if forward > 1 and forward + 2 * sideways < best_cost:
            best, best_cost = other, forward + 2 * sideways
    return best


def first_card(scene: CanvasScene) -> str | None:
    """Where walking begins: the upper left."""
    return min(scene.nodes, key=lambda name: scene.nodes[name].x() + scene.nodes[name].y(), default=None)


def _nearest_in_height(scene: CanvasScene, name: str, others: list[str]) -> str | None:
    here = _outline(scene, name).center().y()
    known = [other for other in others if other in scene.nodes and other != name]
    return min(known, key=lambda other: abs(_outline(scene, other).center().y() - here), default=None)


def _outline(scene: CanvasScene, name: str) -> QRectF:
    """Of its card, or of the folded group that it is in."""
    card = scene.card_for(name)
    assert card is not None
    return card.outline()
