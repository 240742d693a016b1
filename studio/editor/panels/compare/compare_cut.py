"""The line through both maps of a comparison and their difference, and the heights along it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.editor.views.maps.compare_view import CompareView, Cut, along

if TYPE_CHECKING:
    from studio.editor.panels.compare.compare_viewer import CompareViewer


class CompareCut:
    def __init__(self, viewer: CompareViewer) -> None:
        self.viewer = viewer
        for view in viewer.views():
            view.cut_moved.connect(lambda view=view: self._move(view))

    def turn(self, on: bool) -> None:
        """Across the middle of what is seen."""
        world = self.viewer.sides[0].view.world()
        y_m = world.y_of(world.height * 0.5)
        ends = ((world.x_of(world.width * 0.08), y_m), (world.x_of(world.width * 0.75), y_m))
        self.show(ends if on else None)
        self.viewer.settled.emit()

    def _move(self, moved: CompareView) -> None:
        self.show(moved.cut)
        self.viewer.settled.emit()

    def show(self, cut: Cut | None) -> None:
        for view in self.viewer.views():
            view.cut = cut
            view.update()
        if self.viewer.panes.profile.isHidden() != (cut is None):
            self.viewer.panes.profile.setVisible(cut is not None)
            self.viewer.fit_soon()  # the maps have less room, or more
        self.show_profile()

    def show_profile(self) -> None:
        cut, plane = self.viewer.change.cut, self.viewer.plane.currentText()
        maps = [side.map for side in self.viewer.sides]
        if cut is not None:
            lines = [along(map_, plane, cut) for map_ in maps if map_ and plane in map_.plane_names]
            self.viewer.panes.profile.show_lines(lines)
