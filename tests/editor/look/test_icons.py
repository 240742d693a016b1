"""Icons are letters of a font, painted in the size that is asked for."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QIcon

from studio.editor.look.icons import icon


def test_an_icon_without_room_is_nothing_and_nobody_complains(qapp: object, qtlog: Any) -> None:
    picture = icon("mdi6.map", "#FFFFFF")
    assert not picture.pixmap(QSize(16, 16)).isNull()
    assert picture.pixmap(QSize(0, 0)).isNull()
    assert not qtlog.records


def test_an_icon_is_painted_once_for_each_size_and_colour(qapp: object) -> None:
    """A button asks for it each time it is painted, which were hundreds of times for one layout of the window."""
    picture = icon("mdi6.map", "#FFFFFF", "#FF0000")
    size, on, off = QSize(18, 18), QIcon.State.On, QIcon.State.Off
    normal, disabled = QIcon.Mode.Normal, QIcon.Mode.Disabled
    looks = [(mode, state) for mode in (normal, disabled) for state in (on, off)]
    kept = {look: picture.pixmap(size, *look).cacheKey() for look in looks}
    assert {each: picture.pixmap(size, *each).cacheKey() for each in kept} == kept
    assert len({kept[normal, on], kept[normal, off], kept[disabled, off]}) == 3
    assert picture.pixmap(QSize(24, 24)).cacheKey() != kept[normal, off]
