"""Where cards stand: as the layout has it, and what has no place in it is given one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.editor.canvas.items.arrange import COLUMN_GAP, arrange

if TYPE_CHECKING:
    from studio.editor.canvas.scene.scene import CanvasScene


class Places:
    """What is found here is shown, but not written until somebody moves it."""

    def __init__(self, scene: CanvasScene) -> None:
        self.scene = scene
        self._found: dict[str, tuple[float, float]] = {}

    def of(self, name: str) -> tuple[float, float]:
        place = self.scene.session.system.layout.places.get(name)
        return (place.x, place.y) if place else self._found.get(name, (0.0, 0.0))

    def note(self, name: str, x: float, y: float) -> None:
        """Its place in the layout is gone: it stays where it was."""
        self._found[name] = (x, y)

    def rename(self, old: str, new: str) -> None:
        if old in self._found:
            self._found[new] = self._found.pop(old)

    def put_beside(self, name: str) -> None:
        """Right of everything: for what was added without saying where."""
        item = self.scene.nodes[name]
        others = [other.outline() for other in self.scene.nodes.values() if other is not item]
        right = max((rect.right() for rect in others), default=-COLUMN_GAP)
        self._put(name, right + COLUMN_GAP, min((rect.top() for rect in others), default=0.0))

    def put_all(self) -> None:
        """Give those without a place one; a system that nobody has laid out yet is arranged as a whole."""
        system, nodes = self.scene.session.system, self.scene.nodes
        lost = [name for name in nodes if name not in system.layout.places and name not in self._found]
        if not lost:
            return
        found = arrange(
            {name: (nodes[name].card.width, nodes[name].card.height) for name in lost},
            [(wire.start.node, wire.end.node) for wire in system.wires],
            [(wire.start.node, wire.end.node) for wire in system.services],
        )
        placed = [item.outline() for name, item in nodes.items() if name not in lost]
        top = max((rect.bottom() for rect in placed), default=-48.0) + 48
        for name, (x, y) in found.items():
            self._put(name, x, y + top)

    def _put(self, name: str, x: float, y: float) -> None:
        self._found[name] = (x, y)
        self.scene.nodes[name].setPos(x, y)
