"""The scene: an item for everything in the system, kept equal to the model by listening to its changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from PyQt6.QtCore import QRectF, pyqtSignal
from PyQt6.QtGui import QRegion
from PyQt6.QtWidgets import QGraphicsItem

from studio.editor.canvas.items.card import Card, card_of
from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.items.remark_items import FrameItem, NoteItem
from studio.editor.canvas.scene.groups import Groups
from studio.editor.canvas.scene.places import Places
from studio.editor.canvas.scene.problem_marks import mark_problems
from studio.editor.canvas.scene.scene_items import CONNECTIONS, TABLES, ConnectionId, ItemScene
from studio.editor.canvas.scene.wire_layout import Ways
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.look.theme import Theme
from studio.editor.project.session import Session
from studio.model.changes import Assigned, Change, Inserted, Moved, Removed, Replaced, Within
from studio.model.parts import Connection, Wire
from studio.model.sources import Source, SourceMode
from studio.model.wiring import port_at

SPARE = 600.0
"""Room around everything, so that one can pan beyond it."""


class CanvasScene(ItemScene):
    focus_moved = pyqtSignal()
    rebuilding = pyqtSignal()
    """All items are about to go: nobody may hold on to one."""
    rebuilt = pyqtSignal()
    """All items are new."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self.session = session
        self.theme = theme
        self.exposed: QRegion | None = None
        """What a view that is being painted has to paint, in its own coordinates."""
        self.looks = 0
        """Counts how often a running component has changed its state."""
        self.focus_node: str | None = None
        self._running: dict[str, SourceMode] = {}
        self.places = Places(self)
        self.ways = Ways(self)
        self.groups = Groups(self)
        self._content: QRectF | None = None
        self.revision = 0
        """Counts what changed, for who keeps something made from the places of all cards. A drag does not count."""
        session.changed.connect(self._follow)
        session.problems_changed.connect(self._show_problems)
        self.rebuild()

    # ---- asking

    def content_rect(self) -> QRectF:
        if self._content is None:
            self._content = QRectF()
            for item in self._shown_items():
                self._content = self._content.united(item.sceneBoundingRect())
        return self._content

    def positions(self, names: Iterable[str]) -> dict[str, tuple[float, float]]:
        return {name: (self.nodes[name].x(), self.nodes[name].y()) for name in names}

    # ---- showing

    def rebuild(self) -> None:
        """Everything anew: at the start, and after another theme."""
        self.rebuilding.emit()
        groups = self.groups.selected()
        chosen = {item.name for item in self.selectedItems() if isinstance(item, NodeItem)} & set(self.nodes)
        self.clearSelection()  # while all are there: who is told must not ask items that are gone
        self.clear()
        self.nodes, self.wires, self.remarks = {}, {}, {}
        self.groups.forget()
        self._moved()
        for node in self.session.system.nodes:
            self._add_node(node.name)
        self.places.put_all()
        self._moved()
        for table in CONNECTIONS:
            for connection in getattr(self.session.system, table):
                self._add_connection(table, connection)
        for remark in [*self.session.system.layout.frames, *self.session.system.layout.notes]:
            self._put_remark(remark)
        self.ways.lay_all()
        self.groups.refresh()
        for name in chosen & set(self.nodes):
            self.nodes[name].setSelected(True)
        self.groups.select(groups)
        self._show_problems()
        self._moved()
        self._make_room()
        self.rebuilt.emit()

    def show_running(self, modes: Mapping[str, SourceMode]) -> None:
        """The providers of the system that runs; nothing if none does."""
        if modes == self._running:
            return
        self._running = dict(modes)
        before = {name: item.outline() for name, item in self.nodes.items()}
        for name in self.nodes:
            self._refresh_node(name)
        resized = [name for name, item in self.nodes.items() if item.outline() != before[name]]
        if resized:  # another provider has other words: wires begin at the edge of the card that is there now
            self._moved()
            self.lay_wires_of(resized)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.rebuild()

    def select(self, names: Iterable[str]) -> None:
        self.clearSelection()
        for name in names:
            card = self.card_for(name)
            if card is not None:
                card.setSelected(True)

    def set_focus_node(self, name: str | None, *, ring: bool = True) -> None:
        """Where the keyboard goes on from; a mouse needs no `ring` around it."""
        for known, item in self.nodes.items():
            if item.focused != (ring and known == name):
                item.focused = ring and known == name
                item.update()
        self.focus_node = name
        self.focus_moved.emit()

    def lay_wires_of(self, names: Iterable[str]) -> None:
        """After cards moved: their own wires, at once. Only what moved is looked at, or a drag would stutter."""
        names = [name for name in names if name in self.nodes]
        self.groups.follow(names)
        for name in names:
            outline = self.nodes[name].outline()
            if self.nodes[name].isVisible():
                self.ways.card_moved(name, outline)
            if self._content is not None:
                self._content = self._content.united(outline)
        keys = dict.fromkeys(key for name in names for key in self._connection_ids(name))
        self.ways.lay([self.wires[key] for key in keys if key in self.wires])

    def _connection_ids(self, name: str) -> Iterator[ConnectionId]:
        for connection in self.session.system.connections_of(name):
            yield TABLES[type(connection)], connection.key

    def _moved(self) -> None:
        self.ways.forget()
        self._content = None
        self.revision += 1

    def lay_all_wires(self) -> None:
        self._moved()
        self.ways.lay_all()

    def place_as_modelled(self, names: Iterable[str]) -> None:
        """Put cards back to where the model has them: after a drag that was given up."""
        names = list(names)
        for name in names:
            if name in self.nodes:
                self.nodes[name].setPos(*self.places.of(name))
        self._moved()
        self.lay_wires_of(names)

    # ---- following the model

    def _follow(self, changes: tuple[Change, ...]) -> None:
        before, titles = set(self.nodes), self._titles()
        touched: set[str] = set()
        self._moved()
        for change in changes:
            touched |= self._follow_one(change)
        for name in touched & set(self.nodes):
            self._refresh_node(name)
        self._forget_lost(before)
        self.groups.refresh()
        self.lay_wires_of(touched)
        areas = [self.nodes[name].sceneBoundingRect() for name in touched if name in self.nodes]
        now = self._titles()
        areas += [area for key, area in [*titles.items(), *now.items()] if titles.get(key) != now.get(key)]
        self.ways.lay_near(self.wires.values(), areas)
        self._moved()
        self._make_room()
        self.update()
        if any(self.nodes[name].isSelected() for name in set(self.nodes) - before):
            self.selectionChanged.emit()  # who shows what is selected knows it by its old name

    def _follow_one(self, change: Change) -> set[str]:
        """Follow one change and return the cards that may look different now."""
        match change:
            case Inserted(table, _, value):
                return self._inserted(table, value)
            case Removed(table, _, value):
                return self._removed(table, value)
            case Replaced(_, old, new) if old == new:  # written elsewhere in the text: it looks the same
                return set()
            case Replaced("nodes", old, new):
                if old.name != new.name:
                    self._rename(old.name, new.name)
                return {new.name}
            case Replaced("notes" | "frames", old, new) if old.id == new.id:
                self._put_remark(new)
                return set()
            case Replaced(table, old, new) if table in CONNECTIONS:
                item = self.wires.get((table, old.key))
                is_selected = item is not None and item.isSelected()
                touched = self._removed(table, old) | self._inserted(table, new)
                self.wires[table, new.key].setSelected(is_selected)
                return touched
            case Replaced(table, old, new):
                # Out and in again keeps one path for everything that has a key which may have changed.
                return self._removed(table, old) | self._inserted(table, new)
            case Moved() | Assigned() | Within():
                return set()

    def _inserted(self, table: str, value: Any) -> set[str]:
        if table == "nodes":
            self._add_node(value.name)
            if value.name not in self.session.system.layout.places:
                self.places.put_beside(value.name)
            return {value.name}
        if table in CONNECTIONS:
            self._refresh_ends(value)
            self._add_connection(table, value)
            return {end.node for end in value.key}
        if table == "places" and value.of in self.nodes:
            self.nodes[value.of].setPos(value.x, value.y)
            return {value.of}
        if table in ("notes", "frames"):
            self._put_remark(value)
        return set()

    def _removed(self, table: str, value: Any) -> set[str]:
        if table == "nodes":
            self._drop(self.nodes.pop(value.name, None))
        elif table in CONNECTIONS:
            self._drop(self.wires.pop((table, value.key), None))
            return {end.node for end in value.key}
        elif table == "places" and value.of in self.nodes:
            self.places.note(value.of, value.x, value.y)
        elif table in ("notes", "frames"):
            self._drop(self.remarks.pop(value.id, None))
        return set()

    def _rename(self, old: str, new: str) -> None:
        item = self.nodes.pop(old, None)
        if item is not None:
            self.nodes[new] = item
            item.card = self._card(new)
        self.places.rename(old, new)
        if self.focus_node == old:
            self.focus_node = new

    def _forget_lost(self, before: set[str]) -> None:
        if before - set(self.nodes) and self.focus_node not in self.nodes:
            self.set_focus_node(None)

    def _drop(self, item: QGraphicsItem | None) -> None:
        if item is not None:
            self.removeItem(item)

    # ---- items

    def _add_node(self, name: str) -> None:
        item = NodeItem(self._card(name), self.theme)
        self.nodes[name] = item
        item.setPos(*self.places.of(name))
        self.addItem(item)

    def _card(self, name: str) -> Card:
        """A source of a system that runs has its origin from there: the canvas may have been switched since."""
        system = self.session.system
        node, running = system.node(name), self._running.get(name)
        if isinstance(node, Source) and running is not None:
            node = replace(node, mode=running)
        return card_of(system, self.session.registry, node)

    def _refresh_node(self, name: str) -> None:
        item = self.nodes[name]
        if name not in self.session.system.nodes:
            return
        card = self._card(name)
        if card != item.card:
            item.show(card, self.theme)

    def _add_connection(self, table: str, connection: Connection) -> None:
        item = WireItem(connection, self._type_of(connection), self.theme)
        self.wires[table, connection.key] = item
        self.addItem(item)

    def _refresh_ends(self, connection: Connection) -> None:
        """A wire to a port that nobody knows makes that port visible."""
        for end in connection.key:
            if end.node in self.nodes:
                self._refresh_node(end.node)

    def _type_of(self, connection: Connection) -> str:
        if not isinstance(connection, Wire):
            return ""
        port = port_at(self.session.system, self.session.registry, connection.start) or port_at(
            self.session.system, self.session.registry, connection.end
        )
        return port.type if port else ""

    def _put_remark(self, value: Any) -> None:
        item = self.remarks.get(value.id)
        if item is None:
            item = NoteItem(value, self.theme) if hasattr(value, "text") else FrameItem(value, self.theme)
            self.remarks[value.id] = item
            self.addItem(item)
        else:
            item.show(value, self.theme)

    # ---- the rest

    def _titles(self) -> dict[str, QRectF]:
        """Of frames, by their ids."""
        return {key: item.title_area() for key, item in self.remarks.items() if isinstance(item, FrameItem)}

    def _make_room(self) -> None:
        """Around everything; and what is seen stays where it is, or the first card on a large screen would jump away
        from the hand that has put it there."""
        room = self.content_rect().adjusted(-SPARE, -SPARE, SPARE, SPARE)
        for view in self.views():
            viewport = view.viewport()
            assert viewport is not None
            room = room.united(view.mapToScene(viewport.rect()).boundingRect())
        self.setSceneRect(room)

    def _shown_items(self) -> Iterator[QGraphicsItem]:
        yield from self.cards()
        yield from self.wires.values()
        yield from self.remarks.values()
        yield from self.groups.items.values()

    def _show_problems(self) -> None:
        mark_problems(self.session, self.nodes, self.wires.values())
        self.groups.show_again(self.nodes)
