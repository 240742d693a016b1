"""What can be done to the canvas besides dragging: the same for menu, key, command palette and tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRect, QRectF, QSizeF
from PyQt6.QtWidgets import QApplication

from studio.editor.canvas.interaction.gestures import LEAST_SIZE, SNAP, moving_cards, put, snapped
from studio.editor.canvas.interaction.in_place import NameField, TextField
from studio.editor.canvas.interaction.insertion import (
    join_group,
    place_between,
    put_between,
    size_of,
    way_into,
    words_about,
)
from studio.editor.canvas.items.arrange import arrange
from studio.editor.canvas.items.card import TITLE, Port
from studio.editor.canvas.items.remark_items import RemarkItem
from studio.editor.canvas.scene.blocks import blocks_of, move_blocks
from studio.model.clipboard import Duplicate, Paste, copy
from studio.model.gazebo_provider import Choice
from studio.model.layout_edits import MoveNodes, RemoveFrame, RemoveNote
from studio.model.parts import Component, Connection, Endpoint, Frame, Note, ServiceWire, Wire
from studio.model.spec import ComponentSpec
from studio.model.system_edits import (
    AddNode,
    BringGeometry,
    Compound,
    Connect,
    Disconnect,
    RemoveNodes,
    RenameNode,
    SystemEdit,
)
from studio.model.wiring import fits_new

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.view import CanvasView
    from studio.editor.project.session import Session

Placing = Callable[[list[tuple[str, QPointF, float, float]]], dict[str, tuple[float, float]]]


class CanvasCommands:
    def __init__(self, view: CanvasView) -> None:
        self.view = view
        self._pasted = 0
        self._copied = ("", QRectF())
        """What was copied here last, and where it lay."""
        self._nudged: tuple[object, int, list[str]] = (None, 0, [])
        """What was selected in the last step by keyboard, how the canvas was after it, and the cards that moved."""

    @property
    def _scene(self):  # type: ignore[no-untyped-def]  # CanvasScene, which would be a circle of imports
        return self.view.canvas

    # ---- adding

    def add(
        self, type_name: str, at: QPointF | None = None, port: Port | None = None, into: Sequence[Wire] = ()
    ) -> bool:
        """A component with its middle at `at`, without one where nothing else stands; wired to `port`, or put `into`
        wires of one port, if that fits."""
        system = self._scene.session.system
        name = system.free_name(type_name)
        size = size_of(self._scene, name, type_name)
        where = snapped(at - QPointF(88, 40)) if at is not None else self.view.free_corner(size)
        middle = at or where + QPointF(88, 40)
        spec = self._scene.session.registry.get(type_name)
        title, wiring = f"Add {name}", []
        wire = self._scene.wire_of(into[0]) if into else None  # it may have gone since it was chosen
        way = way_into(self._scene.session, into, spec) if wire is not None else None
        if way is not None:
            corner, moves = place_between(self._scene, into, middle, size)
            title, wiring = f"Put {name} into {words_about(into)}", [*moves, *put_between(into, name, way)]
            wiring += join_group(system.layout, into, name)
            gone = {moved for move in moves if isinstance(move, MoveNodes) for moved in move.positions}
            where = snapped(corner)
            where += QPointF(0, self._lower({name: QRectF(where, size)}, {self._scene.card_for(n).name for n in gone}))
        elif port is not None and spec is not None:
            connection = fitting_connection(self._scene.session, port, name, spec)
            wiring = [Connect(connection)] if connection is not None else []
        if spec is not None and spec.assembly and system.geometry is None:
            wiring = [*wiring, BringGeometry(spec.assembly)]
        adding = AddNode(Component(name, type_name), (where.x(), where.y()))
        done = self._scene.session.do(Compound(title, (adding, *wiring)) if wiring else adding)
        if done:
            self._scene.select([name])
            self._scene.set_focus_node(name, ring=False)
            self.view.show_item(name)
        return bool(done)

    def add_note(self, where: QPointF | None = None) -> None:
        """With its middle there, or as near to the middle of what is seen as nothing else stands."""
        layout, size = self._scene.session.system.layout, QSizeF(208, 96)
        at = snapped(where - QPointF(104, 40)) if where is not None else self.view.free_corner(size)
        note = Note(layout.new_id("n"), at.x(), at.y(), size.width(), size.height())
        if self._scene.session.do(put(note)):
            self.edit_remark(self._scene.remarks[note.id])

    def add_frame(self, where: QPointF | None = None) -> None:
        """Around what is selected; an empty one in the middle, or at the place that somebody wants."""
        layout = self._scene.session.system.layout
        chosen = self._scene.selected_nodes() if where is None else ()
        items = [self._scene.nodes[name].outline() for name in chosen]
        if items:
            area = items[0]
            for other in items[1:]:
                area = area.united(other)
            area = area.adjusted(-24, -40, 24, 24)
        else:
            at = snapped((where or self.view.middle()) - QPointF(160, 96))
            area = QRect(int(at.x()), int(at.y()), 320, 192).toRectF()
        frame = Frame(layout.new_id("f"), "Frame", area.x(), area.y(), area.width(), area.height())
        if self._scene.session.do(put(frame)):
            self.edit_remark(self._scene.remarks[frame.id])

    # ---- the selection

    def select_all(self) -> None:
        for item in [*self._scene.cards(), *self._scene.wires.values(), *self._scene.remarks.values()]:
            item.setSelected(True)

    def delete(self) -> None:
        nodes = self._scene.selected_nodes()
        gone = set(nodes)
        loose = [c for c in self._scene.selected_connections() if not gone & {c.start.node, c.end.node}]
        edits: list[SystemEdit] = []
        if nodes:
            edits.append(RemoveNodes(tuple(nodes)))
        if loose:
            edits.append(Disconnect(tuple(loose)))
        for remark in self._scene.selected_remarks():
            edits.append(
                RemoveNote(remark.value.id) if isinstance(remark.value, Note) else RemoveFrame(remark.value.id)
            )
        if len(edits) == 1:
            self._scene.session.do(edits[0])
        elif edits:
            self._scene.session.do(Compound(f"{edits[0].label} and more", tuple(edits)))

    def copy(self) -> None:
        names, remarks = self._scene.selected_nodes(), self._selected_ids()
        clipboard = QApplication.clipboard()
        if (names or remarks) and clipboard is not None:
            text = copy(self._scene.session.system, names, remarks)
            clipboard.setText(text)
            self._copied, self._pasted = (text, self._selected_area()), 0

    def cut(self) -> None:
        """What can be put elsewhere; a wire alone cannot."""
        if self._scene.selected_nodes() or self._selected_ids():
            self.copy()
            self.delete()

    def paste(self) -> None:
        clipboard = QApplication.clipboard()
        text = clipboard.text() if clipboard is not None else ""
        if not text.strip():
            self._scene.session.refused.emit("there is nothing to paste")
            return
        self._pasted += 1
        self._and_select_new(Paste(text, self._offset_for(text)))
        if not self.view.visible_rect().intersects(self._selected_area()):  # it was copied in another window
            self.view.ensureVisible(self._selected_area())

    def _offset_for(self, text: str) -> tuple[float, float]:
        """Beside where it was copied; where that is out of sight, in the middle of what is seen."""
        beside = 32.0 * self._pasted
        known, area = self._copied
        seen = self.view.visible_rect()
        if text != known or seen.intersects(area.translated(beside, beside)):
            return beside, beside
        way = seen.center() - area.center()
        return (way.x() // SNAP) * SNAP + beside - 32.0, (way.y() // SNAP) * SNAP + beside - 32.0

    def _selected_area(self) -> QRectF:
        area = QRectF()
        for item in self._scene.selectedItems():
            area = area.united(item.sceneBoundingRect())
        return area

    def duplicate(self) -> None:
        names, remarks = self._scene.selected_nodes(), self._selected_ids()
        if names or remarks:
            self._and_select_new(Duplicate(tuple(names), (32.0, 32.0), remarks))

    def rename(self) -> None:
        """In place: the one that is selected, or that has the focus."""
        remarks = self._scene.selected_remarks()
        nodes = self._scene.selected_nodes() or ([self._scene.focus_node] if self._scene.focus_node else [])
        groups = self.view.groups.selected()
        if len(groups) == 1:
            self.view.groups.edit_title(groups[0])
        elif len(nodes) == 1:
            self.rename_node(nodes[0])
        elif len(remarks) == 1:
            self.edit_remark(remarks[0])

    def rename_node(self, name: str) -> None:
        item = self._scene.nodes[name]
        area = item.outline()
        area.setHeight(TITLE)
        where = self.view.mapFromScene(area).boundingRect().adjusted(2, 0, -2, 0)
        where.setHeight(max(26, where.height()))
        where.setWidth(max(150, where.width()))
        viewport = self.view.viewport()
        assert viewport is not None
        NameField(viewport, where, name, lambda new: self._renamed(name, new))

    def edit_remark(self, item: RemarkItem) -> None:
        where = self.view.mapFromScene(item.outline()).boundingRect()
        viewport = self.view.viewport()
        assert viewport is not None
        value = item.value
        if isinstance(value, Frame):
            where.setHeight(28)
            frame = value

            def retitle(new: str) -> None:
                self._scene.session.do(put(replace(frame, title=new)))

            NameField(viewport, where, frame.title, retitle, is_title=True)
        else:
            TextField(viewport, where, value.text, lambda new: self._scene.session.do(put(replace(value, text=new))))

    def switch_source(self, name: str, choice: Choice) -> None:
        self._scene.session.choose(name, choice)

    # ---- places

    def nudge(self, x: float, y: float, *, grow: bool = False) -> None:
        """What is selected a step further; with `grow`, notes and frames larger or smaller by that."""
        scene = self._scene
        edits: list[SystemEdit] = []
        remarks = [item.value for item in scene.selected_remarks()]
        chosen = (tuple(scene.selected_nodes()), frozenset(value.id for value in remarks))
        # As long as nothing else is done, the cards of the first step: a frame would gather all that it passes.
        names = self._nudged[2] if self._nudged[:2] == (chosen, scene.revision) else moving_cards(scene)
        if grow:
            for value in remarks:
                width, height = max(LEAST_SIZE[0], value.width + x), max(LEAST_SIZE[1], value.height + y)
                edits.append(put(replace(value, width=width, height=height), gesture="grow"))
        else:
            if names:
                moved = {name: (at[0] + x, at[1] + y) for name, at in scene.positions(names).items()}
                edits.append(MoveNodes(moved, gesture="nudge"))
            edits += [put(replace(value, x=value.x + x, y=value.y + y), gesture="nudge") for value in remarks]
        if len(edits) == 1:
            scene.session.do(edits[0])
        elif edits:
            keys = frozenset(edit.merge_key for edit in edits)
            scene.session.do(Compound(f"{'Resize' if grow else 'Move'} selection", tuple(edits), keys))
        if not grow:
            self._nudged = (chosen, scene.revision, names)

    def align(self, edge: str) -> None:
        """`left`, `right`, `top`, `bottom`, `centre` (one below the other) or `middle` (side by side)."""
        blocks = blocks_of(self._scene, self._scene.selected_nodes())
        if len(blocks) < 2:
            self._scene.session.refused.emit("select two or more cards to align them")
            return
        areas = {name: card.outline() for name, card in blocks.items()}
        whole = QRectF()
        for area in areas.values():
            whole = whole.united(area)
        places = {
            "left": lambda a: (whole.left(), a.top()),
            "right": lambda a: (whole.right() - a.width(), a.top()),
            "top": lambda a: (a.left(), whole.top()),
            "bottom": lambda a: (a.left(), whole.bottom() - a.height()),
            "centre": lambda a: (whole.center().x() - a.width() / 2, a.top()),
            "middle": lambda a: (a.left(), whole.center().y() - a.height() / 2),
        }
        moved = move_blocks(blocks, {name: places[edge](area) for name, area in areas.items()})
        self._scene.session.do(Compound(f"Align {len(blocks)} cards", (moved,)))

    def distribute(self, *, across: bool) -> None:
        """Equal gaps between three or more cards."""
        blocks = blocks_of(self._scene, self._scene.selected_nodes())
        if len(blocks) < 3:
            self._scene.session.refused.emit("select three or more cards to spread them evenly")
            return
        areas = {name: card.outline() for name, card in blocks.items()}
        names = sorted(areas, key=lambda name: areas[name].left() if across else areas[name].top())
        sizes = [areas[name].width() if across else areas[name].height() for name in names]
        first, last = areas[names[0]], areas[names[-1]]
        room = (last.right() - first.left() if across else last.bottom() - first.top()) - sum(sizes)
        at, moved = (first.left() if across else first.top()), {}
        for name, size in zip(names, sizes, strict=True):
            moved[name] = (at, areas[name].top()) if across else (areas[name].left(), at)
            at += size + room / (len(names) - 1)
        self._scene.session.do(Compound(f"Spread {len(names)} cards", (move_blocks(blocks, moved),)))

    def arrange(self) -> None:
        """Everything, or what is selected, in layers from left to right."""
        system = self._scene.session.system
        names = self._scene.selected_nodes()
        chosen = blocks_of(self._scene, names)
        if len(chosen) < 2:
            chosen = blocks_of(self._scene, self._scene.nodes)
        if not chosen:
            return
        sizes = {name: (item.card.width, item.card.height) for name, item in chosen.items()}
        found = arrange(sizes, self._pairs(system.wires), self._pairs(system.services))
        before = [item.pos() for item in chosen.values()]
        left, top = (min(at.x() for at in before), min(at.y() for at in before)) if names else (0.0, 0.0)
        areas = {name: QRectF(x + left, y + top, *sizes[name]) for name, (x, y) in found.items()}
        top += self._lower(areas) if names else 0.0
        moved = move_blocks(chosen, {name: (x + left, y + top) for name, (x, y) in found.items()})
        self._scene.session.do(Compound("Arrange automatically", (moved,)))
        self._scene.lay_all_wires()
        if not names:
            self.view.fit()

    # ---- inside

    def _lower(self, areas: Mapping[str, QRectF], gone: Collection[str] = ()) -> float:
        """How far down some cards have to go to cover none of the others; `gone` go elsewhere with the same edit."""
        others = [item.outline() for item in self._scene.cards() if item.name not in areas and item.name not in gone]
        down = 0.0
        while True:
            covered = [
                (area.translated(0, down), other)
                for area in areas.values()
                for other in others
                if area.translated(0, down).adjusted(-SNAP, -SNAP, SNAP, SNAP).intersects(other)
            ]
            if not covered:
                return down
            below = max(other.bottom() - area.top() for area, other in covered) + SNAP
            down += math.ceil(below / SNAP) * SNAP

    def _pairs(self, connections: Iterable[Connection]) -> list[tuple[str, str]]:
        """From card to card; what runs inside a folded group places nothing."""
        ends = ((self._scene.card_for(each.start.node), self._scene.card_for(each.end.node)) for each in connections)
        return [(first.name, last.name) for first, last in ends if first and last and first is not last]

    def _renamed(self, old: str, new: str) -> None:
        if self._scene.session.do(RenameNode(old, new)):
            self._scene.set_focus_node(new)

    def _and_select_new(self, edit: SystemEdit) -> None:
        before, remarks = set(self._scene.nodes), set(self._scene.remarks)
        if self._scene.session.do(edit):
            self._scene.select(set(self._scene.nodes) - before)
            for key in set(self._scene.remarks) - remarks:
                self._scene.remarks[key].setSelected(True)

    def _selected_ids(self) -> tuple[str, ...]:
        """Of notes and frames."""
        return tuple(remark.value.id for remark in self._scene.selected_remarks())


def fitting_connection(session: Session, port: Port, name: str, spec: ComponentSpec) -> Connection | None:
    """The wire from `port` to the first port of a new component that the rules allow, or the other way round."""
    new = Component(name, spec.type)
    kind = ServiceWire if port.is_service else Wire
    for own in spec.services if port.is_service else spec.ports:
        ends = (port.end, Endpoint(name, own.name)) if port.starts else (Endpoint(name, own.name), port.end)
        if fits_new(session.system, session.registry, kind(*ends), new):
            return kind(*ends)
    return None
