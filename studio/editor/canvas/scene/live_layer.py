"""Keeps cards and wires as the running system is: what has not changed is not painted again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PyQt6.QtCore import QObject, QPointF, QSizeF, pyqtSignal

from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.state import LiveNode, live_node, live_wire, parts_of
from studio.model.parts import Wire
from studio.model.wiring import topic_of

ALERTS = ("error", "frozen")
"""Tones of states that nobody should miss."""
RATE = QSizeF(64, 22)
"""Room for a rate on a wire."""


class LiveLayer(QObject):
    turned = pyqtSignal(str)
    """A component is in error, or stopped: who, and in which word."""

    def __init__(self, scene: CanvasScene, feed: Feed) -> None:
        super().__init__(scene)
        self.scene, self.feed = scene, feed
        self._behind: dict[str, list[str]] = {}
        """Running component -> the card that shows it."""
        self._carried: dict[str, list[Wire]] = {}
        """Topic -> its wires, the longest first."""
        self._with_rate: set[object] = set()
        """Keys of the wires that carry the rate of their topic: one of each, where no other rate is."""
        feed.attached.connect(self.refresh)
        feed.ended.connect(self.refresh)
        feed.changed.connect(self._follow)
        scene.session.changed.connect(self.refresh)
        scene.rebuilt.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Everything: after an edit, or when a system came or went."""
        self._index()
        self.scene.show_running(self.feed.state.get("sources", {}) if self.feed.is_attached else {})
        if self.feed.is_attached:
            self._show_nodes(self.scene.nodes)
            self._show_wires(self._carried)
            return
        for node in self.scene.nodes.values():
            self.scene.looks += node.show_live(None)
        self.scene.groups.show_again(self.scene.nodes)
        for wire in self.scene.wires.values():
            wire.show_live(None)

    def _index(self) -> None:
        self._behind, self._carried = {}, {}
        if not self.feed.is_attached:
            return
        system = self.scene.session.system
        for node in system.nodes:
            for part in parts_of(node, self.feed.state):
                self._behind.setdefault(part, []).append(node.name)
        for wire in system.wires:
            self._carried.setdefault(topic_of(wire.start), []).append(wire)
        for wires in self._carried.values():
            wires.sort(key=self._length, reverse=True)
        self._place_rates()

    def _place_rates(self) -> None:
        """On the longest wire that has room beside the rates of other topics. Cards show them as well."""
        self._with_rate = set()
        taken: list[QPointF] = []
        for wires in self._carried.values():
            items = ((wire, self.scene.wires.get(("wires", wire.key))) for wire in wires)
            spots = ((wire, item.middle) for wire, item in items if item is not None)
            free = ((wire, spot) for wire, spot in spots if not any(_meet(spot, other) for other in taken))
            wire, spot = next(free, (None, None))
            if wire is not None and spot is not None:
                self._with_rate.add(wire.key)
                taken.append(spot)

    def _length(self, wire: Wire) -> float:
        item = self.scene.wires.get(("wires", wire.key))
        return item.room() if item is not None else 0.0

    def _follow(self, changes: Changes) -> None:
        if changes.system or changes.shape:
            self.refresh()
            return
        touched = {node for name in changes.components for node in self._behind.get(name, ())}
        sources = {source.name for source in self.scene.session.system.sources}
        if sources:  # their rows show rates of topics
            touched |= {name for topic in changes.topics if (name := topic.split("/")[1]) in sources}
        self._show_nodes(touched)
        topics = set(changes.topics)
        for name in changes.components:  # what a receiver lost is on its wires
            topics.update(self.feed.state["components"].get(name, {}).get("dropped", ()))
        self._show_wires(topics)

    def _show_nodes(self, names: Iterable[str]) -> None:
        state, system = self.feed.state, self.scene.session.system
        for name in names:
            item = self.scene.nodes.get(name)
            if item is not None and name in system.nodes:
                before = item.live
                self.scene.looks += item.show_live(live_node(system.node(name), state))
                self._tell(item, before)
        self.scene.groups.show_again(names)

    def _tell(self, item: NodeItem, before: LiveNode | None) -> None:
        """Errors and stops are said aloud; rates are not."""
        now = item.live.look if item.live is not None else None
        if now is not None and now.tone in ALERTS and (before is None or before.look.tone != now.tone):
            self.turned.emit(f"{item.name}: {now.word}")

    def _show_wires(self, topics: Iterable[str]) -> None:
        state, system = self.feed.state, self.scene.session.system
        for topic in topics:
            for wire in self._carried.get(topic, ()):
                item = self.scene.wires.get(("wires", wire.key))
                if item is not None:
                    live = live_wire(wire, system, state)
                    item.show_live(live if wire.key in self._with_rate else replace(live, rate=""))


def _meet(one: QPointF, other: QPointF) -> bool:
    """Whether two rates would lie over each other."""
    return abs(one.x() - other.x()) < RATE.width() and abs(one.y() - other.y()) < RATE.height()
