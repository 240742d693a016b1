"""The menu at the end of a bar of tabs: it is there while some of the tabs have no room."""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QEvent, QObject, QTimer
from PyQt6.sip import isdeleted
from PyQt6Ads import CDockWidget, TitleBarButton


class TabMenus(QObject):
    """The docking library looks for tabs without room only when one comes or goes, not when a panel or a tab changes
    its width."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._docks: dict[QObject, CDockWidget] = {}

    def watch(self, dock: CDockWidget) -> None:
        for widget in (dock, dock.tabWidget()):
            self._docks[widget] = dock
            widget.installEventFilter(self)

    def forget(self, dock: CDockWidget) -> None:
        self._docks = {widget: each for widget, each in self._docks.items() if each is not dock}

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.Resize and watched in self._docks:
            QTimer.singleShot(0, partial(_look, self._docks[watched]))  # when the widths of all tabs are known
        return False


def _look(dock: CDockWidget) -> None:
    area = None if isdeleted(dock) else dock.dockAreaWidget()
    if area is not None:
        is_wanted = area.titleBar().tabBar().areTabsOverflowing() and area.openDockWidgetsCount() > 1
        area.titleBarButton(TitleBarButton.TitleBarButtonTabsMenu).setVisible(is_wanted)
