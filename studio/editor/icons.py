"""Icons from qtawesome's fonts. The library loads slowly (a quarter of a second), so it is imported when needed.

Of its dozen fonts two are ours. A component may name an icon of any other; then all of them are loaded.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QIcon, QPixmap

if TYPE_CHECKING:
    from qtawesome.iconic_font import IconicFont

DEFAULT = "mdi6.shape-outline"
CATEGORY_ICONS = {"sensor": "mdi6.radar", "processor": "mdi6.cog-outline", "actuator": "mdi6.steering"}
FONTS = {"fa6s": "fontawesome6-solid-webfont", "mdi6": "materialdesignicons6-webfont"}


@cache
def icon(name: str, colour: str, chosen: str = "") -> QIcon:
    """An icon in one colour; `chosen` is its colour when it is switched on. An unknown name gives the default."""
    import qtawesome

    colours = {"color": colour, "color_on": chosen or colour}
    try:
        maker = _fonts() if name.partition(".")[0] in FONTS else qtawesome
        found: QIcon = maker.icon(name or DEFAULT, **colours)
    except Exception:  # a component may name any icon, and qtawesome raises Exception itself
        found = _fonts().icon(DEFAULT, **colours)
    return found


@cache
def _fonts() -> IconicFont:
    from qtawesome import get_fonts_info
    from qtawesome.iconic_font import IconicFont

    folder, names = get_fonts_info()
    loaded = IconicFont()
    for prefix, start in FONTS.items():
        font = next(name for name in names if name.startswith(start))
        charmap = next(path.name for path in Path(folder).glob(f"{start}-charmap*.json"))
        loaded.load_font(prefix, font, charmap)
    return loaded


@cache
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    return icon(name, colour).pixmap(QSize(size, size), ratio)
