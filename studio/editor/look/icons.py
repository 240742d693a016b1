"""Icons from the fonts that qtawesome brings.

Importing qtawesome takes a quarter of a second, four times what a window takes; so for its two fonts that are ours this
reads the font files itself. A component may name an icon of any other font: that is left to the library.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap

DEFAULT = "mdi6.shape-outline"
CATEGORY_ICONS = {
    "sensor": "mdi6.radar", "processor": "mdi6.cog-outline", "actuator": "mdi6.steering", "judge": "mdi6.gavel",
}  # fmt: skip
FONTS = {"fa6s": "fontawesome6-solid-webfont", "mdi6": "materialdesignicons6-webfont"}
SHARE = 0.875
"""Of the height of an icon that its letter gets: 14 of 16 pixels, for which the fonts are drawn."""


@cache
def icon(name: str, colour: str, chosen: str = "") -> QIcon:
    """An icon in one colour; `chosen` is its colour when it is switched on. An unknown name gives the default."""
    prefix, _, letter = (name or DEFAULT).partition(".")
    if prefix in FONTS and letter in _letters(prefix):
        return QIcon(_Letter(_letters(prefix)[letter], _family(prefix), colour, chosen or colour))
    return _foreign(name, colour, chosen or colour) or icon(DEFAULT, colour, chosen)


@cache
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    return icon(name, colour).pixmap(QSize(size, size), ratio)


class _Letter(QIconEngine):
    """Paints one letter of a font, in any size."""

    def __init__(self, letter: str, family: str, colour: str, chosen: str) -> None:
        super().__init__()
        self._letter, self._family = letter, family
        self._colours = {QIcon.State.Off: QColor(colour), QIcon.State.On: QColor(chosen)}
        self._pictures: dict[tuple[int, int, int], QPixmap] = {}
        """By size and colour: a button asks each time it is painted."""

    def paint(self, painter: QPainter | None, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        assert painter is not None
        painter.save()
        painter.setPen(self._colour(mode, state))
        font = QFont(self._family)
        font.setPixelSize(max(1, round(SHARE * rect.height())))
        painter.setFont(font)
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), self._letter)
        painter.restore()

    def _colour(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        if mode == QIcon.Mode.Disabled:
            return QGuiApplication.palette().color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        return self._colours[state]

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        key = (size.width(), size.height(), self._colour(mode, state).rgba())
        if key not in self._pictures:
            self._pictures[key] = self._painted(size, mode, state)
        return self._pictures[key]

    def _painted(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        picture = QPixmap(size)
        if picture.isNull():  # of a button that has no room yet
            return picture
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        return _Letter(
            self._letter, self._family, self._colours[QIcon.State.Off].name(), self._colours[QIcon.State.On].name()
        )


@cache
def _folder() -> Path:
    spec = find_spec("qtawesome")
    assert spec is not None and spec.origin is not None, "qtawesome belongs to the window's libraries"
    return Path(spec.origin).parent / "fonts"


@cache
def _letters(prefix: str) -> dict[str, str]:
    file = next(_folder().glob(f"{FONTS[prefix]}-charmap*.json"))
    return {name: chr(int(code, 16)) for name, code in json.loads(file.read_text()).items()}


@cache
def _family(prefix: str) -> str:
    file = next(_folder().glob(f"{FONTS[prefix]}*.ttf"))
    return QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(file)))[0]


def _foreign(name: str, colour: str, chosen: str) -> QIcon | None:
    import qtawesome

    try:
        found: QIcon = qtawesome.icon(name, color=colour, color_on=chosen)
    except Exception:  # a component may name any icon, and qtawesome raises Exception itself
        return None
    return found
