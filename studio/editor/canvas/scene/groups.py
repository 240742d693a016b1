"""The groups of a scene: who is hidden behind a folded one, and who stands for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from studio.editor.canvas.items.card import Port
from studio.editor.canvas.items.group_items import GroupCard, GroupFrame, folded_card
from studio.editor.canvas.items.node_item import NodeItem
from studio.model.parts import Endpoint, Group, ServiceWire, Wire

if TYPE_CHECKING:
    from studio.editor.canvas.scene.scene import CanvasScene

GroupItem = GroupCard | GroupFrame


class Groups:
    """Follows the layout as a whole: groups are few, and each depends on all its members and their wires."""

    def __init__(self, scene: CanvasScene) -> None:
        self.scene = scene
        self.items: dict[str, GroupItem] = {}
        self._folded: dict[str, GroupCard] = {}
        """By the name of a member."""

    def forget(self) -> None:
        """All items of the scene are gone."""
        self.items, self._folded = {}, {}

    def card_for(self, name: str) -> GroupCard | None:
        """What stands for a component or source that is hidden."""
        return self._folded.get(name)

    def cards(self) -> Iterator[GroupCard]:
        return (item for item in self.items.values() if isinstance(item, GroupCard))

    def selected_members(self) -> set[str]:
        return {name for item in self.items.values() if item.isSelected() for name in item.value.members}

    def selected(self) -> set[str]:
        """Their ids."""
        return {key for key, item in self.items.items() if item.isSelected()}

    def select(self, keys: Iterable[str]) -> None:
        for key in keys:
            if key in self.items:
                self.items[key].setSelected(True)

    def refresh(self) -> None:
        """As the layout has it now."""
        groups = self.scene.session.system.layout.groups
        before = set(self._folded)
        if not groups and not self.items:
            return
        chosen, old = self.selected(), list(self.items.values())
        self.forget()  # before they go: who hears of the selection then must not find them in it
        for item in old:
            self.scene.removeItem(item)
        for group in groups:
            members = [name for name in group.members if name in self.scene.nodes]
            if members:
                self._add(group, members)
        for name, node in self.scene.nodes.items():
            node.setVisible(name not in self._folded)
        self.select(chosen)
        self.follow(self.scene.nodes)
        touched = before ^ set(self._folded) | set(self._folded)
        self.scene.ways.forget()
        self.scene.lay_wires_of(touched)

    def follow(self, names: Iterable[str]) -> None:
        """Cards have moved: what stands for them, or around them, goes along."""
        names = set(names)
        for item in self.items.values():
            members = [self.scene.nodes[name] for name in item.value.members if name in self.scene.nodes]
            if not members or names.isdisjoint(member.name for member in members):
                continue
            if isinstance(item, GroupCard):
                item.setPos(min(member.x() for member in members), min(member.y() for member in members))
                self.scene.ways.card_moved(item.name, item.outline())
            else:
                item.enclose(member.outline() for member in members)

    def show_again(self, names: Iterable[str]) -> None:
        """The state of members is another one: the cards that stand for them show it."""
        for card in {self._folded[name] for name in names if name in self._folded}:
            card.show_members()

    def _add(self, group: Group, members: list[str]) -> None:
        item: GroupItem
        if group.folded:
            item = GroupCard(group, folded_card(group, self._border_ports(set(members))), self.scene.theme)
            item.members = tuple(self.scene.nodes[name] for name in members)
            item.show_members()
            self._folded |= dict.fromkeys(members, item)
        else:
            item = GroupFrame(group, self.scene.theme)
        self.items[group.id] = item
        self.scene.addItem(item)

    def _border_ports(self, members: set[str]) -> Iterator[Port]:
        """Where connections cross the border, each once, in the order of the members' own ports."""
        used: set[tuple[Endpoint, bool]] = set()
        system = self.scene.session.system
        for name in members:
            for connection in system.connections_of(name):
                inside = [end for end in connection.key if end.node in members]
                if len(inside) == 1 and isinstance(connection, Wire | ServiceWire):
                    used.add((inside[0], isinstance(connection, ServiceWire)))
        for node in system.nodes:
            if node.name in members:
                item: NodeItem = self.scene.nodes[node.name]
                yield from (port for port in item.card.ports if (port.end, port.is_service) in used)
