"""The menu at the end of a bar of tabs: it is there while some of the tabs have no room."""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QEvent, QObject, QTimer
from PyQt6.sip import isdeleted
from PyQt6Ads import CDockAreaWidget, CDockManager


class TabMenus(QObject):
    """The docking library looks for tabs without room only when one comes or goes, not when the bar or a tab changes
    its width."""

    def __init__(self, manager: CDockManager) -> None:
        super().__init__(manager)
        self._areas: dict[QObject, CDockAreaWidget] = {}
        manager.dockAreaCreated.connect(self._watch)

    def _watch(self, area: CDockAreaWidget) -> None:
        bar = area.titleBar().tabBar()
        for widget in (bar, bar.widget()):
            self._areas[widget] = area
            widget.installEventFilter(self)
            widget.destroyed.connect(partial(self._areas.pop, widget, None))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        area = self._areas.get(watched) if watched is not None else None
        if area is not None and event is not None and event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, partial(_look, area))  # when the widths of all tabs are known
        return False


def _look(area: CDockAreaWidget) -> None:
    if not isdeleted(area):
        area.markTitleBarMenuOutdated()
