"""Fonts by their place in the window: Inter and JetBrains Mono where installed, otherwise the system's own."""

from __future__ import annotations

from functools import cache

from PyQt6.QtGui import QFont, QFontDatabase, QFontMetricsF


@cache
def _families() -> tuple[str, str]:
    installed = set(QFontDatabase.families())
    system = QFontDatabase.systemFont
    text = next((name for name in ("Inter", "Inter Variable") if name in installed), None)
    code = "JetBrains Mono" if "JetBrains Mono" in installed else None
    kinds = QFontDatabase.SystemFont
    return text or system(kinds.GeneralFont).family(), code or system(kinds.FixedFont).family()


@cache
def text_font(size_px: float, weight: int = 400) -> QFont:
    return _font(_families()[0], size_px, weight)


@cache
def code_font(size_px: float, weight: int = 400) -> QFont:
    return _font(_families()[1], size_px, weight)


@cache
def metrics(size_px: float, weight: int = 400) -> QFontMetricsF:
    return QFontMetricsF(text_font(size_px, weight))


@cache
def width_of(text: str, size_px: float, weight: int = 400) -> float:
    """Measured, never assumed; remembered, because a canvas of a thousand cards has few different words."""
    return metrics(size_px, weight).horizontalAdvance(text)


def _font(family: str, size_px: float, weight: int) -> QFont:
    font = QFont(family)
    # Points at 72 per inch would round to whole pixels; Qt takes fractions of a pixel only through the point size.
    font.setPixelSize(max(1, round(size_px)))
    font.setWeight(QFont.Weight(weight))
    font.setFeature(QFont.Tag("tnum"), 1)
    if not _LETTERS.may_join:
        # For all texts: QScintilla makes its fonts from the application's, and takes no features besides.
        for feature in ("calt", "liga"):
            font.setFeature(QFont.Tag(feature), 0)
    return font


class _Letters:
    may_join = False


_LETTERS = _Letters()


def use_ligatures(on: bool) -> None:
    """Whether `->` and `!=` in code are drawn as one sign. Holds for fonts that are asked for from now on."""
    if on != _LETTERS.may_join:
        _LETTERS.may_join = on
        for made in (text_font, code_font, metrics, width_of):
            made.cache_clear()
