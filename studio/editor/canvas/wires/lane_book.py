"""Which net runs in which lane: two of them on one line would read as one."""

from __future__ import annotations

from collections.abc import Container, Hashable

from studio.editor.canvas.wires.routing import LANE, Lane


class LaneBook:
    def __init__(self) -> None:
        self._strips: dict[int, list[tuple[Hashable, Lane]]] = {}
        """By height, in strips as high as a lane needs."""
        self._of: dict[Hashable, list[Lane]] = {}

    def is_free(self, net: Hashable, lane: Lane) -> bool:
        """For a net; its own wires may share."""
        strip = int(lane.y // LANE)
        return not any(
            other != net and abs(taken.y - lane.y) < LANE - 1 and taken.left < lane.right and taken.right > lane.left
            for near in (strip - 1, strip, strip + 1)
            for other, taken in self._strips.get(near, ())
        )

    def take(self, net: Hashable, lane: Lane) -> None:
        self._strips.setdefault(int(lane.y // LANE), []).append((net, lane))
        self._of.setdefault(net, []).append(lane)

    def release(self, net: Hashable) -> None:
        """Everything that a net had."""
        for lane in self._of.pop(net, ()):
            self._strips[int(lane.y // LANE)].remove((net, lane))

    def keep_only(self, nets: Container[Hashable]) -> None:
        for net in [net for net in self._of if net not in nets]:
            self.release(net)

    def clear(self) -> None:
        self._strips.clear()
        self._of.clear()
