"""Colours that can be read: every contrast that the design promises is recomputed."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest
from PyQt6.QtWidgets import QApplication

from studio.editor.canvas.items.card import MIN_WIDTH, PADDING
from studio.editor.canvas.items.live_paint import GAP, SPARE, chip_fill, chip_width, fitting
from studio.editor.live.state import LOOKS, STOPPED, STOPPED_ALONE
from studio.editor.look.fonts import metrics
from studio.editor.look.style import sheet_of
from studio.editor.look.theme import LIGHT, THEMES, Theme, contrast, theme_of

HIGH = {f"{name}, high contrast": theme_of(name, high_contrast=True) for name in THEMES}
ALL = {**THEMES, **HIGH}
GROUNDS = ("window", "panel", "header", "node", "canvas")


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ALL.values(), ids=ALL)
def test_text_is_readable_on_every_ground(theme: Theme) -> None:
    for ground in GROUNDS:
        for text in (theme.text, theme.muted, theme.accent, theme.error, theme.warning, theme.fine, theme.frozen):
            assert contrast(text, getattr(theme, ground)) >= 4.5, (ground, text)
    assert contrast(theme.text, theme.selection) >= 4.5
    assert contrast(theme.on_accent, theme.accent_fill) >= 4.5


@pytest.mark.parametrize("theme", ALL.values(), ids=ALL)
def test_chips_are_readable(theme: Theme) -> None:
    for look in (*LOOKS.values(), STOPPED, STOPPED_ALONE):
        if look.tone != "created" and not theme.high_contrast:  # those are outlined
            assert contrast(theme.tone(look.tone), chip_fill(look, theme)) >= 4.5, look.word


def test_chips_fit_the_narrowest_card(qapp: QApplication) -> None:
    assert max(chip_width(look) for look in (*LOOKS.values(), STOPPED, STOPPED_ALONE)) <= MIN_WIDTH - 2 * PADDING


def test_what_stands_beside_a_chip_never_reaches_it(qapp: QApplication) -> None:
    """The narrowest card has room for a usual rate and time; what has none is said more briefly, and not cut."""
    words = ("123.4 Hz · 12.5 ms", "123 Hz · 12.5 ms", "123.4 Hz")
    for look in (*LOOKS.values(), STOPPED):
        room = MIN_WIDTH - 2 * PADDING - chip_width(look) - GAP + SPARE
        assert metrics(11).horizontalAdvance(fitting(words, room)) <= room
    usual = MIN_WIDTH - 2 * PADDING - chip_width(LOOKS["active"]) - GAP + SPARE
    assert fitting(("10.0 Hz · 1.8 ms", "10.0 Hz"), usual) == "10.0 Hz · 1.8 ms"
    assert fitting(words, 60.0) == "123.4 Hz" and SPARE < PADDING


@pytest.mark.parametrize("theme", ALL.values(), ids=ALL)
def test_borders_ports_and_focus_are_visible(theme: Theme) -> None:
    for ground in GROUNDS:
        for line in (theme.control_border, theme.focus):
            assert contrast(line, getattr(theme, ground)) >= 3, (ground, line)
    for hue in (*theme.types.values(), theme.other_type):
        assert contrast(hue, theme.canvas) >= 3, hue


@pytest.mark.parametrize("theme", ALL.values(), ids=ALL)
def test_origins_are_readable_and_orange_is_real_alone(theme: Theme) -> None:
    for origin in theme.origins.values():
        assert contrast(origin.on_fill, origin.fill) >= 4.5
        assert contrast(origin.text, theme.panel) >= 4.5
    assert contrast(theme.on_frozen, theme.frozen) >= 4.5
    assert [name for name, origin in theme.origins.items() if origin.fill == "#FF7A1A"] == ["real"]


def test_the_style_sheet_knows_every_colour_that_it_names() -> None:
    for theme in ALL.values():
        assert "$" not in sheet_of(theme)


@pytest.mark.parametrize("theme", HIGH.values(), ids=HIGH)
def test_high_contrast_keeps_the_stricter_promise(theme: Theme) -> None:
    for ground in GROUNDS:
        paper = getattr(theme, ground)
        for text in (theme.text, theme.muted, theme.accent, theme.error, theme.fine, theme.inactive, theme.created):
            assert contrast(text, paper) >= 7, (ground, text)
        for line in (theme.border, theme.node_border, theme.focus, theme.disabled, *theme.types.values()):
            assert contrast(line, paper) >= 4.5, (ground, line)
    assert contrast(theme.text, theme.selection) >= 7


def test_no_rule_looks_for_something_far_around_a_widget() -> None:
    """Qt would ask it of every widget of a panel that opens or moves, all the way up to the window."""
    lists = re.findall(r"([^{}]+)\{[^{}]*\}", sheet_of(LIGHT))
    selectors = [each.strip() for words in lists for each in words.split(",")]
    assert len(selectors) > 50
    assert [each for each in selectors if " " in each.replace(" > ", ">")] == []


@pytest.mark.parametrize("name", THEMES)
def test_every_message_type_has_a_hue_of_its_own_or_its_code_in_the_port(name: str) -> None:
    theme = theme_of(name)
    hues = list(theme.types.values())
    assert len(set(hues)) == len(hues)
    for one, other in combinations([*hues, theme.other_type], 2):
        assert distance(one, other) >= 15, (one, other)
    assert not theme.shows_code("Range3d") and not theme.shows_code("")
    assert theme.shows_code("JointState") and theme.shows_code("String")
    assert theme_of(name, type_codes=True).shows_code("Range3d")


def distance(one: str, other: str) -> float:
    """As people see it: 1 is just noticed, beside each other (CIE 1976)."""
    return math.dist(lab(one), lab(other))


def lab(colour: str) -> tuple[float, float, float]:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)
