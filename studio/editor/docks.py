"""The docking library behind a few words: panels around one document, layouts that are kept and can be reset."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QByteArray
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import QWidget
from PyQt6Ads import CDockManager, CDockWidget, DockWidgetArea, eIcon

AREAS = {
    "left": DockWidgetArea.LeftDockWidgetArea,
    "right": DockWidgetArea.RightDockWidgetArea,
    "bottom": DockWidgetArea.BottomDockWidgetArea,
    "tab": DockWidgetArea.CenterDockWidgetArea,
}
_Flag = CDockManager.eConfigFlag
_Feature = CDockWidget.DockWidgetFeature


class Docks:
    def __init__(self, parent: QWidget) -> None:
        CDockManager.setConfigFlags(CDockManager.eConfigFlag.DefaultOpaqueConfig)
        CDockManager.setConfigFlag(_Flag.DockAreaHasUndockButton, False)
        CDockManager.setConfigFlag(_Flag.DockAreaHasTabsMenuButton, False)
        CDockManager.setConfigFlag(_Flag.DockAreaHasCloseButton, False)
        CDockManager.setConfigFlag(_Flag.DisableStylesheet, True)
        CDockManager.setConfigFlag(_Flag.AlwaysShowTabs, True)
        self.manager = CDockManager(parent)
        self._docks: dict[str, CDockWidget] = {}

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

    def add_viewer(self, name: str, title: str, widget: QWidget, *, beside: str, closed: Callable[[], object]) -> None:
        """As a tab of the viewer that it stands `beside`, or else to the right of the document; gone when closed."""
        dock = self._dock(name, title, widget)
        dock.setFeature(_Feature.DockWidgetDeleteOnClose, True)
        dock.closed.connect(lambda: self._docks.pop(name, None))
        dock.closed.connect(closed)
        area = self._docks[beside].dockAreaWidget() if beside in self._docks else None
        if area is not None:
            self.manager.addDockWidgetTabToArea(dock, area)
        else:
            centre = self._docks["system"].dockAreaWidget()
            self.manager.addDockWidget(DockWidgetArea.RightDockWidgetArea, dock, centre)

    def remove(self, name: str) -> None:
        dock = self._docks.pop(name, None)
        if dock is not None:
            self.manager.removeDockWidget(dock)
            dock.deleteLater()

    def move(self, name: str, side: str, *, beside: str) -> None:
        """A panel that is there already, to a side of another, or behind it."""
        self.manager.addDockWidget(AREAS[side], self._docks[name], self._docks[beside].dockAreaWidget())

    def save(self) -> QByteArray:
        return self.manager.saveState()

    def restore(self, state: QByteArray) -> bool:
        return bool(self.manager.restoreState(state))

    def show(self, name: str) -> None:
        """Open a panel and bring it to the front."""
        dock = self._docks[name]
        dock.toggleView(True)
        dock.setAsCurrentTab()

    def toggle(self, name: str) -> None:
        self._docks[name].toggleView(self._docks[name].isClosed())

    def set_title(self, name: str, title: str) -> None:
        self._docks[name].setWindowTitle(title)

    def set_close_icon(self, icon: QIcon) -> None:
        provider = self.manager.iconProvider()
        provider.registerCustomIcon(eIcon.TabCloseIcon, icon)

    def set_icon(self, name: str, icon: QIcon) -> None:
        self._docks[name].setIcon(icon)

    def set_sizes(self, name: str, sizes: list[int]) -> None:
        """Of the splitter around a panel."""
        area = self._docks[name].dockAreaWidget()
        if area is not None:
            self.manager.setSplitterSizes(area, sizes)

    def _dock(self, name: str, title: str, widget: QWidget) -> CDockWidget:
        dock = CDockWidget(self.manager, title)
        dock.setObjectName(name)
        dock.setWidget(widget, CDockWidget.eInsertMode.ForceNoScrollArea)
        dock.setMinimumSizeHintMode(CDockWidget.eMinimumSizeHintMode.MinimumSizeHintFromContent)
        self._docks[name] = dock
        return dock
