"""Icons are letters of a font, painted in the size that is asked for."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QSize

from studio.editor.icons import icon


def test_an_icon_without_room_is_nothing_and_nobody_complains(qapp: object, qtlog: Any) -> None:
    picture = icon("mdi6.map", "#FFFFFF")
    assert not picture.pixmap(QSize(16, 16)).isNull()
    assert picture.pixmap(QSize(0, 0)).isNull()
    assert not qtlog.records
