"""Brings the panels of the window to the places of a layout, and leaves alone what is there already.

The docking library can only take all panels out and put them into new areas. For each panel, each bar of tabs and each
split on the way, Qt then computes the style of everything inside again: some four thousand times for one layout, which
halts the window for a third of a second. Two layouts have most in common, so here only what differs is moved. A panel
that the layout does not show stays where it is, hidden: `aside` says beside which one it opens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QSplitter, QWidget
from PyQt6.sip import ispycreated
from PyQt6Ads import (
    CDockAreaWidget,
    CDockContainerWidget,
    CDockManager,
    CDockSplitter,
    CDockWidget,
    DockWidgetArea,
)

from studio.editor.dock_tree import COLUMNS, Area, Split


class DockMoves:
    def __init__(self, manager: CDockManager, docks: Mapping[str, CDockWidget]) -> None:
        """For one change of the layout; `docks` are all that there are."""
        self._manager, self._docks = manager, docks
        self._areas: dict[Area, CDockAreaWidget] = {}
        self.aside: dict[str, str] = {}
        """Closed panels that are not in their places, and for each a panel that is in its place."""

    def bring(self, wanted: Split) -> None:
        """While nothing is seen: otherwise each step would give all panels other sizes."""
        self._manager.hide()
        props = [_prop(split) for split in _splits(self._root())]
        areas = sorted(wanted.areas(), key=lambda area: not area.front)
        self._match(areas)
        for area in areas:
            self._fill(area)
        root = self._root()
        self._arrange(root, wanted)
        for area in areas:
            self._open(area)
        for prop in props:
            _remove(prop)
        _tidy(root)
        self._manager.show()
        self._resize(root, wanted)

    def _root(self) -> QSplitter:
        root = self._manager.rootSplitter()
        assert root is not None
        return root

    # ---- which area of the window becomes which

    def _match(self, areas: list[Area]) -> None:
        """One with the right panel in front is best: nothing in it has to move."""
        for likeness in (_in_front, _in_common):
            for area in areas:
                if area not in self._areas:
                    self._take_most_alike(area, likeness)

    def _take_most_alike(self, area: Area, likeness: Callable[[CDockAreaWidget, Area], int]) -> None:
        """Of those with one of its panels: that panel is wanted nowhere else, so the area stays."""
        holders = [self._docks[name].dockAreaWidget() for name in area.names]
        free = [found for found in holders if found is not None and found not in self._areas.values()]
        best = max(free, key=lambda found: likeness(found, area), default=None)
        if best is not None and likeness(best, area):
            coming = sum(self._docks[name].dockAreaWidget() is not best for name in area.seen)
            self._areas[area] = best if coming < 2 or ispycreated(best) else self._own(best)

    def _own(self, area: CDockAreaWidget) -> CDockAreaWidget:
        """An area like one of the library's, with all that is in it: panels can come into it unseen."""
        splitter, names = area.parentSplitter(), [dock.objectName() for dock in area.dockWidgets()]
        assert splitter is not None
        made = CDockAreaWidget(self._manager, self._manager)
        made.setDockAreaFlags(area.dockAreaFlags())
        splitter.insertWidget(splitter.indexOf(area), made)
        for place, name in enumerate(names):
            self._put(name, made, place)
        return made

    # ---- panels into areas

    def _fill(self, area: Area) -> None:
        if area not in self._areas:
            self._areas[area] = self._new_area(area.front or area.names[0])
        target = self._areas[area]
        for name in area.seen:
            if self._docks[name].dockAreaWidget() is not target:
                self._put(name, target, len(target.dockWidgets()))
        for name in _out_of_order(target, area.seen):
            self._put(name, target, len(target.dockWidgets()))
        home = next(name for name in area.names if self._docks[name].dockAreaWidget() is target)
        self.aside |= {name: home for name in area.closed if self._docks[name].dockAreaWidget() is not target}

    def _new_area(self, name: str) -> CDockAreaWidget:
        is_wide = self._root().orientation() == Qt.Orientation.Horizontal
        made = CDockAreaWidget(self._manager, self._manager)
        self._put(name, made, 0)
        side = DockWidgetArea.RightDockWidgetArea if is_wide else DockWidgetArea.BottomDockWidgetArea
        self._manager.addDockArea(made, side)
        return made

    def _put(self, name: str, target: CDockAreaWidget, index: int) -> None:
        """Behind what is in front there. The library does so only in areas that were made here; in its own ones each
        panel that comes is in front for a moment.
        """
        dock = self._docks[name]
        if not ispycreated(target):
            self._manager.addDockWidget(DockWidgetArea.CenterDockWidgetArea, dock, target, index)
            return
        CDockContainerWidget.removeDockWidget(self._manager, dock)  # the manager's own would forget it
        was_visible, visible = target.isVisible(), Qt.WidgetAttribute.WA_WState_Visible
        target.setAttribute(visible)  # what comes into an area out of sight is opened by the library, in front of all
        target.insertDockWidget(index, dock, False)
        target.setAttribute(visible, was_visible)

    # ---- areas into splits

    def _arrange(self, splitter: QSplitter, split: Split) -> None:
        """From the outside to the inside, so that nothing is moved together with what is around it."""
        splitter.setOrientation(Qt.Orientation.Horizontal if split.way == COLUMNS else Qt.Orientation.Vertical)
        place = 0
        for part in split.parts:
            widget = self._part_of(splitter, part)
            if splitter.indexOf(widget) < place:
                splitter.insertWidget(place, widget)
            place = splitter.indexOf(widget) + 1
            if isinstance(part, Split):
                self._arrange(self._core(widget), part)
        self._manager.updateSplitterHandles(splitter)

    def _part_of(self, splitter: QSplitter, part: Area | Split) -> QWidget:
        """What is in the splitter already and holds this part and nothing else that is wanted; or what will hold it."""
        wanted = {self._areas[area] for area in part.areas()}
        for child in _parts(splitter):
            held = self._held(child)
            if held == wanted or (held and held < wanted and isinstance(child, QSplitter)):
                return child
        return self._areas[part] if isinstance(part, Area) else _new_splitter(splitter)

    def _held(self, widget: QWidget) -> set[CDockAreaWidget]:
        return {area for area in self._areas.values() if widget is area or widget.isAncestorOf(area)}

    def _core(self, widget: QWidget) -> QSplitter:
        """Inside of splits with one part that counts."""
        assert isinstance(widget, QSplitter)
        held = [part for part in _parts(widget) if self._held(part)]
        only = held[0] if len(held) == 1 else None
        return self._core(only) if isinstance(only, QSplitter) else widget

    # ---- what can be seen

    def _open(self, area: Area) -> None:
        target = self._areas[area]
        if area.front:
            front = self._docks[area.front]
            front.toggleView(True)
            target.setCurrentDockWidget(front)
        elif not target.isHidden():
            _close(self._docks[area.names[0]])
        for name in area.names:
            dock = self._docks[name]
            if name in area.closed and not dock.isClosed():
                dock.toggleView(False)
            elif name not in area.closed and dock.isClosed():
                _open_behind(dock)

    def _resize(self, splitter: QSplitter, split: Split) -> None:
        """What is hidden gets nothing."""
        sizes = [0] * splitter.count()
        inner: list[tuple[QSplitter, Split]] = []
        for part, size in zip(split.parts, split.sizes, strict=True):
            widget = self._part_of(splitter, part)
            sizes[splitter.indexOf(widget)] = size
            if isinstance(part, Split):
                inner.append((self._core(widget), part))
        if splitter.sizes() != sizes:
            splitter.setSizes(sizes)
        for inside, part in inner:
            self._resize(inside, part)


def _in_front(found: CDockAreaWidget, area: Area) -> int:
    front = found.currentDockWidget()
    return int(front is not None and front.objectName() == area.front)


def _in_common(found: CDockAreaWidget, area: Area) -> int:
    """What is seen counts more: what is closed needs not be moved."""
    names = [dock.objectName() for dock in found.dockWidgets()]
    return sum(1 + 100 * (name in area.seen) for name in names if name in area.names)


def _out_of_order(target: CDockAreaWidget, names: tuple[str, ...]) -> tuple[str, ...]:
    """From the first of these that is not where it should be among the others; all of them go behind it in turn."""
    now = [dock.objectName() for dock in target.dockWidgets() if dock.objectName() in names]
    same = next((place for place, (one, other) in enumerate(zip(now, names, strict=True)) if one != other), len(names))
    return names[same:]


def _open_behind(dock: CDockWidget) -> None:
    """As the library opens a panel, only that it does not come to the front."""
    dock.setClosedState(False)
    dock.setToggleViewActionChecked(True)
    tab = dock.tabWidget()
    if tab is not None:
        tab.show()
    dock.viewToggled.emit(True)


def _close(dock: CDockWidget) -> None:
    """Also its area, which is new and shows it although it is closed."""
    dock.setClosedState(False)
    dock.toggleView(False)


def _new_splitter(around: QSplitter) -> CDockSplitter:
    made = CDockSplitter(around.orientation())
    made.setOpaqueResize(around.opaqueResize())
    made.setChildrenCollapsible(False)
    return made


def _prop(splitter: QSplitter) -> QWidget:
    """Keeps a split that loses its other parts: the library would take the last one out and move it up, with all that
    is in it.
    """
    prop = QWidget()
    prop.hide()
    splitter.addWidget(prop)
    return prop


def _remove(widget: QWidget) -> None:
    widget.setParent(None)
    widget.deleteLater()


def _splits(splitter: QSplitter) -> list[QSplitter]:
    inside = [part for part in _parts(splitter) if isinstance(part, QSplitter)]
    return [splitter, *(split for inner in inside for split in _splits(inner))]


def _parts(splitter: QSplitter) -> list[QWidget]:
    found = [splitter.widget(index) for index in range(splitter.count())]
    return [part for part in found if part is not None]


def _tidy(splitter: QSplitter) -> None:
    """Splits that have become empty go, those with nothing to see are hidden."""
    for inner in _parts(splitter):
        if isinstance(inner, QSplitter):
            _tidy(inner)
            if not inner.count():
                _remove(inner)
            else:
                inner.setVisible(any(not part.isHidden() for part in _parts(inner)))
