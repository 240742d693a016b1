"""What can be done to groups: make one of what is selected, fold and unfold it, name it, dissolve it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from studio.editor.canvas.interaction.in_place import NameField
from studio.editor.canvas.items.card import TITLE
from studio.model.layout_edits import PutGroup, Ungroup
from studio.model.parts import Group
from studio.model.system_edits import Compound

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.view import CanvasView
    from studio.editor.canvas.scene.groups import GroupItem


class GroupCommands:
    def __init__(self, view: CanvasView) -> None:
        self.view = view

    def make(self) -> None:
        """Of the cards that are selected."""
        scene = self.view.canvas
        names = scene.selected_nodes()
        if not names:
            scene.session.refused.emit("select the cards that belong together first")
            return
        group = Group(scene.session.system.layout.new_id("g"), "Group", tuple(names))
        if scene.session.do(PutGroup(group)):
            self._choose(group.id)
            self.edit_title(scene.groups.items[group.id])

    def fold(self) -> None:
        """The groups of what is selected: all folded, or all unfolded if they are."""
        groups = self._chosen()
        if not groups:
            self.view.canvas.session.refused.emit("select a group, or a card in one")
            return
        self._fold(groups, folded=not all(group.folded for group in groups))

    def fold_one(self, item: GroupItem) -> None:
        self._fold([item.value], folded=not item.value.folded)

    def _fold(self, groups: list[Group], *, folded: bool) -> None:
        what = "Fold" if folded else "Unfold"
        edits = [PutGroup(replace(group, folded=folded), what) for group in groups]
        edit = edits[0] if len(edits) == 1 else Compound(f"{what} {len(edits)} groups", tuple(edits))
        if self.view.canvas.session.do(edit):
            self._choose(*(group.id for group in groups))

    def dissolve(self) -> None:
        groups = self._chosen()
        if not groups:
            self.view.canvas.session.refused.emit("select a group, or a card in one")
            return
        edits = [Ungroup(group.id) for group in groups]
        self.view.canvas.session.do(edits[0] if len(edits) == 1 else Compound("Ungroup", tuple(edits)))

    def edit_title(self, item: GroupItem) -> None:
        area = item.outline()
        area.setHeight(TITLE)
        where = self.view.mapFromScene(area).boundingRect()
        where.setHeight(28)
        where.setWidth(max(150, where.width()))
        viewport = self.view.viewport()
        assert viewport is not None
        group = item.value

        def take(title: str) -> None:
            self.view.canvas.session.do(PutGroup(replace(group, title=title), "Name the group"))

        NameField(viewport, where, group.title, take, is_title=True)

    def selected(self) -> list[GroupItem]:
        return [item for item in self.view.canvas.groups.items.values() if item.isSelected()]

    def _chosen(self) -> list[Group]:
        """Those that are selected, and those of cards that are."""
        layout, chosen = self.view.canvas.session.system.layout, set(self.view.canvas.selected_nodes())
        return [group for group in layout.groups if chosen & set(group.members)]

    def _choose(self, *ids: str) -> None:
        self.view.canvas.clearSelection()
        for each in ids:
            item = self.view.canvas.groups.items.get(each)
            if item is not None:
                item.setSelected(True)
