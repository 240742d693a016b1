"""The docking library behind a few words: panels around one document, layouts that are kept and can be reset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from PyQt6.QtCore import QByteArray, QCoreApplication, QEvent, QPoint, Qt, QTimer, qUncompress
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import QApplication, QSplitter, QWidget
from PyQt6.sip import isdeleted
from PyQt6Ads import CDockManager, CDockWidget, DockWidgetArea, eIcon

from studio.editor.docking.dock_tree import TAB, DockTree
from studio.editor.docking.tab_menus import TabMenus
from studio.editor.look.focus import place_for_focus
from studio.editor.look.style import unstyled

AREAS = {
    "left": DockWidgetArea.LeftDockWidgetArea,
    "right": DockWidgetArea.RightDockWidgetArea,
    "top": DockWidgetArea.TopDockWidgetArea,
    "bottom": DockWidgetArea.BottomDockWidgetArea,
    "tab": DockWidgetArea.CenterDockWidgetArea,
}
_Flag = CDockManager.eConfigFlag
_Feature = CDockWidget.DockWidgetFeature


class Docks:
    def __init__(self, parent: QWidget) -> None:
        CDockManager.setConfigFlags(CDockManager.eConfigFlag.DefaultOpaqueConfig)
        CDockManager.setConfigFlag(_Flag.DockAreaHasUndockButton, False)
        # Tabs that have no room for their names are useless: they keep them, and a menu has those out of sight.
        CDockManager.setConfigFlag(_Flag.DisableTabTextEliding, True)
        CDockManager.setConfigFlag(_Flag.DockAreaHasTabsMenuButton, True)
        CDockManager.setConfigFlag(_Flag.DockAreaDynamicTabsMenuButtonVisibility, True)
        CDockManager.setConfigFlag(_Flag.DockAreaHasCloseButton, False)
        CDockManager.setConfigFlag(_Flag.DisableStylesheet, True)
        CDockManager.setConfigFlag(_Flag.AlwaysShowTabs, True)
        self.manager = CDockManager(parent)
        self._tab_menus = TabMenus(self.manager)
        self._docks: dict[str, CDockWidget] = {}
        self._folded: list[str] = []
        """Hidden for want of room; nobody has closed them."""
        self._homes: dict[str, str] = {}
        """For each panel the one beside which it was added."""
        self._tree: DockTree | None = None
        """Where the panels will be, while several of them are moved at once."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_keyboard)

    def _follow_keyboard(self, before: QWidget | None, now: QWidget | None) -> None:
        """A tab that comes over the one with the keyboard gets it; Qt would give it to the next field anywhere."""
        if before is None or now is None or self._tree is not None or isdeleted(self.manager):
            return
        hidden = next((dock for dock in self._docks.values() if dock.isAncestorOf(before)), None)
        if hidden is not None and not hidden.isVisible() and not hidden.isAncestorOf(now):
            QTimer.singleShot(0, lambda: self._give_keyboard(hidden, now))

    def _give_keyboard(self, hidden: CDockWidget, now: QWidget) -> None:
        if isdeleted(hidden) or isdeleted(now) or not now.hasFocus():
            return
        area = hidden.dockAreaWidget()
        over = area.currentDockWidget() if area is not None and not hidden.isClosed() else None
        content = over.widget() if over is not None and over is not hidden else None
        if content is not None and content.isVisible() and not content.isAncestorOf(now):
            (place_for_focus(content) or content).setFocus()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """All that is moved, opened and hidden inside becomes one change of the window, which is painted once."""
        if self._tree is not None:
            yield
            return
        window = self.manager.window()
        assert window is not None
        held, was, is_painted = window.focusWidget(), self._state(), window.updatesEnabled()
        self._tree = DockTree(was)
        window.setUpdatesEnabled(False)
        try:
            yield
        finally:
            tree, self._tree = self._tree, None
            self._keep_homes(tree)
            if tree.to_bytes() != DockTree(was).to_bytes():
                self._restore(tree)
            window.setUpdatesEnabled(is_painted)
            if held is not None and not isdeleted(held) and held.isVisible():
                held.setFocus()  # the library hides all panels for a moment, and the keyboard goes anywhere

    def _restore(self, tree: DockTree) -> None:
        old = {self.manager.rootSplitter(), *(dock.dockAreaWidget() for dock in self._docks.values())}
        with unstyled():
            self.manager.restoreState(QByteArray(tree.to_bytes()))
            for each in old:  # what is empty now goes at once: otherwise it is styled and painted once more before
                if each is not None and not isdeleted(each):
                    QCoreApplication.sendPostedEvents(each, QEvent.Type.DeferredDelete.value)

    def _state(self) -> bytes:
        return _plain(self.manager.saveState())

    def _keep_homes(self, tree: DockTree) -> None:
        """What has no place in it gets one: without it, a panel would open as a window of its own."""
        for name in self._docks:
            if not tree.has(name):
                home = self._homes.get(name, "")
                tree.keep_closed(name, beside=home if tree.has(home) else "system")

    def set_document(self, name: str, title: str, widget: QWidget) -> None:
        dock = self._dock(name, title, widget)
        dock.setFeature(_Feature.DockWidgetClosable, False)
        dock.setFeature(_Feature.DockWidgetMovable, False)
        dock.setFeature(_Feature.DockWidgetFloatable, False)
        self.manager.setCentralWidget(dock)

    def add(self, name: str, title: str, widget: QWidget, side: str, *, beside: str = "") -> None:
        """At a side of the window or of the panel that it stands `beside`; "tab" is behind that one."""
        area = self._docks[beside].dockAreaWidget() if beside else None
        self.manager.addDockWidget(AREAS[side], self._dock(name, title, widget), area)
        self._homes[name] = beside

    def add_viewer(
        self, name: str, title: str, widget: QWidget, side: str, *, beside: str, close: Callable[[], object]
    ) -> None:
        """A panel that the user can close for good; a layout that does not know it only hides it."""
        if self._tree is not None:
            self.add(name, title, widget, TAB, beside="system")
            self._tree.place(name, side, beside=beside)
        else:
            around, sizes = self._around(beside)
            self.add(name, title, widget, side, beside=beside)
            _keep_sizes(around, sizes)
            self._share(name, side)
        self.when_closed(name, close)

    def when_closed(self, name: str, do: Callable[[], object]) -> None:
        """What happens when the user closes a panel, instead of only hiding it; layouts hide it without asking."""
        self._docks[name].setFeature(_Feature.CustomCloseHandling, True)
        self._docks[name].closeRequested.connect(do)

    def names(self) -> list[str]:
        return list(self._docks)

    def has(self, name: str) -> bool:
        return name in self._docks

    def is_in_front(self, name: str) -> bool:
        """Whether it can be seen, and no other tab lies over it."""
        if self._tree is not None:
            return self._tree.is_in_front(name)
        return bool(self._docks[name].isCurrentTab()) and not self.is_closed(name)

    def front_beside(self, name: str) -> str:
        """The tab in front where a panel is, or the panel itself."""
        if self._tree is not None:
            return self._tree.front_beside(name)
        area = self._docks[name].dockAreaWidget()
        front = area.currentDockWidget() if area is not None else None
        return front.objectName() if front is not None else name

    def in_front(self) -> list[QWidget]:
        """The panels that can be seen, in the order of reading."""
        seen = [dock.widget() for name, dock in self._docks.items() if self.is_in_front(name)]
        places = [(widget.mapToGlobal(QPoint(0, 0)), widget) for widget in seen if widget and widget.isVisible()]
        return [widget for _, widget in sorted(places, key=lambda place: (place[0].x(), place[0].y()))]

    def is_closed(self, name: str) -> bool:
        if self._tree is not None:
            return self._tree.is_closed(name)
        return bool(self._docks[name].isClosed())

    def remove(self, name: str) -> None:
        dock = self._docks.pop(name, None)
        if dock is not None:
            self._tab_menus.forget(dock)
            self.manager.removeDockWidget(dock)
            dock.deleteLater()

    def move(self, name: str, side: str, *, beside: str) -> None:
        """A panel that is there already, to a side of another, or behind it."""
        if self._tree is not None:
            self._tree.place(name, side, beside=beside)
            return
        around, sizes = self._around(beside)
        self.manager.addDockWidget(AREAS[side], self._docks[name], self._docks[beside].dockAreaWidget())
        self._docks[name].toggleView(True)  # not before: without a place it would be a window of its own for a moment
        _keep_sizes(around, sizes)
        self._share(name, side)

    def _around(self, name: str) -> tuple[QSplitter | None, list[int]]:
        """The splitter in which a panel stands, and the sizes of its parts."""
        area = self._docks[name].dockAreaWidget()
        splitter = area.parentWidget() if area is not None else None
        return (splitter, splitter.sizes()) if isinstance(splitter, QSplitter) else (None, [])

    def _share(self, name: str, side: str) -> None:
        """Of two side by side, what was there first keeps the larger part: a picture that opens must not hide it."""
        area = self._docks[name].dockAreaWidget()
        sizes = self.manager.splitterSizes(area) if area is not None and side != "tab" else []
        if len(sizes) == 2:
            whole = max(1000, sum(sizes))
            self.manager.setSplitterSizes(area, [whole * 58 // 100, whole * 42 // 100])

    def fold(self, names: list[str]) -> None:
        """Hide panels for want of room: what is saved has them as if they were there."""
        for name in names:
            self.hide(name)
        self._folded = [*self._folded, *(name for name in names if name not in self._folded)]

    def unfold(self) -> None:
        folded, self._folded = self._folded, []
        for name in folded:
            if name in self._docks:
                self._open(name)

    def when_seen(self, name: str, do: Callable[[], object]) -> None:
        """Whenever a panel comes into sight or goes out of it."""
        self._docks[name].viewToggled.connect(lambda _: do())
        self._docks[name].visibilityChanged.connect(lambda _: do())

    def save(self) -> QByteArray:
        folded = self._folded
        self.unfold()
        state = self.manager.saveState() if self._tree is None else QByteArray(self._tree.to_bytes())
        self.fold(folded)
        return state

    def names_in(self, state: QByteArray) -> set[str]:
        """The panels that were there when it was saved; none if it is nothing that was saved."""
        try:
            return set(DockTree(_plain(state)).names())
        except ValueError:
            return set()

    def restore(self, state: QByteArray) -> bool:
        """False if it is nothing that was saved."""
        try:
            tree = DockTree(_plain(state))
        except ValueError:
            return False
        if not tree.has("system"):
            return False
        self._folded = []
        with self.at_once():
            self._keep_homes(tree)  # what is shown next may be a panel that it does not know
            self._tree = tree
        return True

    def show(self, name: str) -> None:
        """Open a panel and bring it to the front."""
        self._folded = [each for each in self._folded if each != name]
        if self._tree is not None:
            self._tree.show(name)
            return
        self._docks[name].toggleView(True)
        self._docks[name].setAsCurrentTab()

    def hide(self, name: str) -> None:
        if self._tree is not None:
            self._tree.hide(name)
        else:
            self._docks[name].toggleView(False)

    def toggle(self, name: str) -> None:
        (self._open if self.is_closed(name) else self.hide)(name)

    def _open(self, name: str) -> None:
        if self._tree is not None:
            self._tree.open(name)
        else:
            self._docks[name].toggleView(True)

    def title(self, name: str) -> str:
        return str(self._docks[name].windowTitle())

    def content(self, name: str) -> QWidget:
        found = self._docks[name].widget()
        assert found is not None
        return found

    def close(self, name: str) -> None:
        """As a click on the cross of its tab does: whoever asks before it goes is asked."""
        self._docks[name].requestCloseDockWidget()

    def set_title(self, name: str, title: str) -> None:
        self._docks[name].setWindowTitle(title)

    def set_tab_icons(self, close: QIcon, more: QIcon) -> None:
        """`more`: of the menu with the tabs that have no room."""
        provider = self.manager.iconProvider()
        provider.registerCustomIcon(eIcon.TabCloseIcon, close)
        provider.registerCustomIcon(eIcon.DockAreaMenuIcon, more)

    def set_icon(self, name: str, icon: QIcon) -> None:
        self._docks[name].setIcon(icon)

    def set_sizes(self, name: str, sizes: list[int]) -> None:
        """Of the splitter around a panel."""
        if self._tree is not None:
            self._tree.set_sizes(name, sizes)
            return
        area = self._docks[name].dockAreaWidget()
        if area is not None:
            self.manager.setSplitterSizes(area, sizes)

    def set_columns(self, left: int, right: int) -> None:
        """Widths of what stands left and right of the document, wherever that is; the document gets the rest."""
        if self._tree is not None:
            self._tree.set_columns("system", left, right, self.manager.width())
            return
        area: QWidget | None = self._docks["system"].dockAreaWidget()
        root: QSplitter | None = None
        while area is not None and isinstance(area.parentWidget(), QSplitter):
            root, area = cast(QSplitter, area.parentWidget()), area.parentWidget()
        if root is None:
            return
        parts = [root.widget(place) for place in range(root.count())]
        seen = [place for place, part in enumerate(parts) if part is not None and not part.isHidden()]
        if len(seen) == 3:
            sizes = [0] * root.count()
            for place, size in zip(seen, (left, max(1, root.width() - left - right), right), strict=True):
                sizes[place] = size
            root.setSizes(sizes)

    def set_shares(self, name: str, shares: tuple[int, ...]) -> None:
        """Of the splitter around a panel, for those of its parts that can be seen; the others keep nothing."""
        if self._tree is not None:
            self._tree.set_shares(name, shares)
            return
        area = self._docks[name].dockAreaWidget()
        sizes = self.manager.splitterSizes(area) if area is not None else []
        splitter = area.parentWidget() if area is not None else None
        if splitter is None or not isinstance(splitter, QSplitter):
            return
        whole = max(1000, sum(sizes))
        wanted = iter(shares)
        seen = [splitter.widget(place) for place in range(splitter.count())]
        parts = [next(wanted, 0) if widget is not None and not widget.isHidden() else 0 for widget in seen]
        splitter.setSizes([whole * part // max(1, sum(parts)) for part in parts])

    def give_height(self, name: str, height: int) -> None:
        """A panel above or below others gets at least so much, but never most of what there is."""
        self._give(name, height, Qt.Orientation.Vertical)

    def give_width(self, name: str, width: int) -> None:
        """As `give_height`, of a panel beside others."""
        self._give(name, width, Qt.Orientation.Horizontal)

    def _give(self, name: str, size: int, way: Qt.Orientation) -> None:
        part: QWidget | None = self._docks[name].dockAreaWidget()
        while part is not None and isinstance(part.parentWidget(), QSplitter):
            splitter = cast(QSplitter, part.parentWidget())
            sizes = splitter.sizes()
            place, largest = splitter.indexOf(part), sizes.index(max(sizes))
            if splitter.orientation() == way and place != largest:
                missing = max(0, min(size, sum(sizes) * 9 // 20) - sizes[place])
                sizes[place] += missing
                sizes[largest] -= missing
                splitter.setSizes(sizes)
                return
            part = splitter

    def _dock(self, name: str, title: str, widget: QWidget) -> CDockWidget:
        dock = CDockWidget(self.manager, title)
        dock.setObjectName(name)
        dock.setWidget(widget, CDockWidget.eInsertMode.ForceNoScrollArea)
        dock.setMinimumSizeHintMode(CDockWidget.eMinimumSizeHintMode.MinimumSizeHintFromContent)
        self._docks[name] = dock
        self._tab_menus.watch(dock)
        return dock


def _plain(state: QByteArray) -> bytes:
    """What the library has saved, which may be compressed."""
    return (state if state.startsWith(b"<?xml") else qUncompress(state)).data()


def _keep_sizes(splitter: QSplitter | None, sizes: list[int]) -> None:
    """What is put below a panel shares its place; the library gives the two of them less than the one had."""
    if splitter is None or isdeleted(splitter):  # of a panel that was alone beside another and stands behind it now
        return
    if splitter.count() == len(sizes):
        splitter.setSizes(sizes)
