"""The menu at the end of a bar of tabs: it is there while some of the tabs have no room."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QTimer
from PyQt6.sip import isdeleted
from PyQt6Ads import CDockAreaWidget, CDockWidget, TitleBarButton

LOOK_AFTER = (QEvent.Type.Resize, QEvent.Type.Show)


class TabMenus(QObject):
    """The docking library looks for tabs without room only when one comes or goes, not when a panel or a tab changes
    its width."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._docks: dict[QObject, CDockWidget] = {}
        self._changed: set[CDockWidget] = set()

    def watch(self, dock: CDockWidget) -> None:
        for widget in (dock, dock.tabWidget()):
            if widget is not None:
                self._docks[widget] = dock
                widget.installEventFilter(self)

    def forget(self, dock: CDockWidget) -> None:
        """What belongs to it, and buttons of areas that are gone."""
        known = self._docks.items()
        self._docks = {widget: each for widget, each in known if each is not dock and not isdeleted(widget)}

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() in LOOK_AFTER and watched in self._docks:
            if not self._changed:
                QTimer.singleShot(0, self._look)  # when the widths of all tabs are known
            self._changed.add(self._docks[watched])
        return False

    def _look(self) -> None:
        """Once at each area, however many of its panels and tabs have changed."""
        changed, self._changed = self._changed, set()
        areas = {area: dock for dock in changed if not isdeleted(dock) and (area := dock.dockAreaWidget()) is not None}
        for area, dock in areas.items():
            self._look_at(area, dock)

    def _look_at(self, area: CDockAreaWidget, dock: CDockWidget) -> None:
        menu, bar = area.titleBarButton(TitleBarButton.TitleBarButtonTabsMenu), area.titleBar()
        tabs = bar.tabBar() if bar is not None else None
        if menu is None or tabs is None:
            return
        if menu not in self._docks:
            self._docks[menu] = dock  # the library may show it before it knows the widths
            menu.installEventFilter(self)
        menu.setVisible(tabs.areTabsOverflowing() and area.openDockWidgetsCount() > 1)
