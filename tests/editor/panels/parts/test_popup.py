"""Popups of panels: no part of the panel's tree, and gone with it."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QWidget
from PyQt6.sip import isdeleted
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.panels.parts.popup import keep_apart, show_over


def test_a_popup_is_gone_with_its_owner(qtbot: QtBot) -> None:
    owner, popup = QWidget(), QFrame(None, Qt.WindowType.Popup)
    keep_apart(popup, owner)
    owner.deleteLater()
    qtbot.waitUntil(lambda: isdeleted(popup), timeout=2000)


def test_a_popup_that_nobody_holds_in_python_stays_as_long_as_its_owner(qtbot: QtBot) -> None:
    owner, popup = QWidget(), QFrame(None, Qt.WindowType.Popup)
    gone: list[bool] = []
    popup.destroyed.connect(lambda: gone.append(True))
    keep_apart(popup, owner)
    del popup
    assert not gone
    owner.deleteLater()
    qtbot.waitUntil(lambda: bool(gone), timeout=2000)


def test_a_popup_that_opens_belongs_to_the_window_of_its_owner(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    button, popup = QWidget(window), QFrame(None, Qt.WindowType.Popup)
    keep_apart(popup, button)
    window.show()
    show_over(popup, button)
    shown, above = popup.windowHandle(), window.windowHandle()
    assert popup.isVisible()
    assert shown is not None
    assert shown.transientParent() is above
    popup.hide()


def test_most_widgets_of_a_map_viewer_are_not_styled_anew_when_its_panel_moves(qtbot: QtBot) -> None:
    viewer = MapViewer(Feed(), LIGHT)
    qtbot.addWidget(viewer)
    within = viewer.findChildren(QWidget)
    assert viewer.layers not in within
    assert len(within) < len(viewer.layers.findChildren(QWidget))
