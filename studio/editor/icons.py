"""Icons from qtawesome's fonts. The library loads slowly (a quarter of a second), so it is imported when needed."""

from __future__ import annotations

from functools import cache

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QIcon, QPixmap

DEFAULT = "mdi6.shape-outline"
CATEGORY_ICONS = {
    "sensor": "mdi6.radar",
    "processor": "mdi6.cog-outline",
    "actuator": "mdi6.steering",
    "judge": "mdi6.gavel",
}


@cache
def icon(name: str, colour: str, chosen: str = "") -> QIcon:
    """An icon in one colour; `chosen` is its colour when it is switched on. An unknown name gives the default."""
    import qtawesome

    colours = {"color": colour, "color_on": chosen or colour}
    try:
        found: QIcon = qtawesome.icon(name or DEFAULT, **colours)
    except Exception:  # a component may name any icon, and qtawesome raises Exception itself
        found = qtawesome.icon(DEFAULT, **colours)
    return found


@cache
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    return icon(name, colour).pixmap(QSize(size, size), ratio)
