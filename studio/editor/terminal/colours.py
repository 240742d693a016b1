"""The colours of a terminal, made of those of the window; whatever a program asks for, its text can be read. No Qt."""

from __future__ import annotations

from functools import lru_cache

from studio.editor.look.theme import THEMES, Theme, ThemeName, contrast, mixed

LEAST_CONTRAST = 4.5
NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
"""As pyte calls them; brown is yellow."""


def ground(theme: Theme) -> str:
    return theme.code


@lru_cache(maxsize=2048)
def pair(foreground: str, background: str, reverse: bool, name: ThemeName) -> tuple[str, str]:
    """Text and ground of what pyte says of a character."""
    theme = THEMES[name]
    text, below = _colour(foreground, theme, theme.text), _colour(background, theme, ground(theme))
    if reverse:
        text, below = below, text
    return readable(text, below, theme), below


def _colour(said: str, theme: Theme, default: str) -> str:
    if len(said) == 6 and set(said) <= set("0123456789abcdef"):  # one of 256, or of all
        return f"#{said.upper()}"
    tokens = (theme.muted, theme.error, theme.fine, theme.warning, theme.inactive, theme.accent, theme.frozen)
    named = dict(zip(NAMES, (*tokens, theme.text), strict=True))
    bright = said.startswith(("bright", "bfight"))  # the second is a slip of pyte's
    colour = named.get(said[6:] if bright else said)
    if colour is None:
        return default
    return mixed(colour, theme.text, 0.75) if bright else colour


def readable(text: str, below: str, theme: Theme) -> str:
    """The text's colour, as far towards the one that stands out most as it must be."""
    target = max((theme.text, ground(theme), "#FFFFFF", "#000000"), key=lambda each: contrast(each, below))
    share = 1.0
    while share > 0 and contrast(mixed(text, target, share), below) < LEAST_CONTRAST:
        share -= 0.125
    return mixed(text, target, max(0.0, share))
